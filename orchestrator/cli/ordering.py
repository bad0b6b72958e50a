"""Commands that give orders: each is written down, then taken at once, or by the loop that runs here.

Rules: every order has a reason, an actor who may give orders here, and a key (`--key`: the same order given again
with it is carried out once); the answer is the outcome, or that the order is kept; a refusal exits 3.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator import entropy
from orchestrator.assembly import editorial_of, open_house, orders_of
from orchestrator.cli.house import session
from orchestrator.cli.options import Json, a_date
from orchestrator.core.records import Job, Process
from orchestrator.correspondence import is_response_id
from orchestrator.desk.finding import find, find_job, find_process
from orchestrator.errors import ConfigurationError, RefusedByState
from orchestrator.orders import Orders, Signature, order_of, place
from orchestrator.orders.carrying import LOOKS, as_it_ended
from orchestrator.orders.placing import NOTHING, read_reason
from orchestrator.orders.presence import loop_runs
from orchestrator.orders.scene import INBOX
from orchestrator.settings.workspace import Workspace
from orchestrator.store import commands, documents
from orchestrator.store.codes import CommandStatus, DocumentKind
from orchestrator.store.commands import Command
from orchestrator.store.open import open_store
from outbox.database import Database

WAIT_S = 20.0  # > the loop's longest sleep and a step
LOOK_S = 0.1
LONGEST_PAYLOAD = 64 * 1024 * 1024

Reason = Annotated[str, typer.Option("--reason", metavar="CODE[:text]", help="Why; it stays in the audit trail.")]
Key = Annotated[
    str | None, typer.Option("--key", metavar="K", help="Names this order: given again with it, it is done once.")
]
JobId = Annotated[str, typer.Argument(metavar="ID", help="A job, or a process for the job that speaks for it.")]
ProcessId = Annotated[str, typer.Argument(metavar="ID", help="A process, job or edition, as short as is unique.")]
AnyId = Annotated[
    str, typer.Argument(metavar="ID", help="A job or process, the number of an outward act, or inbox:NUMBER.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What an operator typed. `target` finds the row that is meant; `document` is stored with the order."""

    verb: str
    target: Callable[[Database], str]
    reason: str
    key: str | None
    as_json: bool
    arguments: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    document: bytes | None = None


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("pause", pause, "dateline pause --reason MAINTENANCE"),
        ("unpause", unpause, "dateline unpause --reason MAINTENANCE"),
        ("ack", ack, "dateline ack 7F3A --reason SEEN"),
        ("reconcile", reconcile, "dateline reconcile 7F3A --reason PROVIDER_LOG"),
        ("link-response", link_response, "dateline link-response 7F3A resp_abc --reason PROVIDER_LOG"),
        ("supply-payload", supply_payload, "dateline supply-payload 7F3A answer.json --reason PROVIDER_SUPPORT"),
        ("confirm-not-created", confirm_not_created, "dateline confirm-not-created 7F3A --reason PROVIDER_LOG"),
        ("release", release, "dateline release 7F3A --reason QUOTA_RAISED"),
        ("suspend", suspend, "dateline suspend 7F3A --reason EDITORIAL"),
        ("resume", resume, "dateline resume 7F3A --reason EDITORIAL"),
        ("cancel", cancel, "dateline cancel 7F3A --reason STORY_DROPPED"),
        ("discard-remote", discard_remote, "dateline discard-remote 7F3A --reason LEGAL"),
        ("abandon", abandon, "dateline abandon daily-brief/2026-11-30 --reason NO_EDITION"),
        ("replace", replace, "dateline replace 7F3A --reason SECOND_CHARGE_ACCEPTED"),
        ("approve", approve, "dateline approve daily-brief/2026-11-30 --reason READ"),
        ("hold", hold, "dateline hold daily-brief/2026-11-30 --reason LEGAL"),
        ("backfill", backfill, "dateline backfill 2026-11-01 2026-11-07 --reason NEW_READERS"),
        ("waive", waive, "dateline waive 12 --reason PAGE_MOVED"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


# --- the loop


def pause(ctx: typer.Context, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Stop every claim, of jobs and of outward acts; what is in hand is finished."""
    give(ctx, Given(verb="pause", target=_loop, reason=reason, key=key, as_json=as_json))


def unpause(ctx: typer.Context, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Let the loop claim again."""
    give(ctx, Given(verb="unpause", target=_loop, reason=reason, key=key, as_json=as_json))


def backfill(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(metavar="FROM", help="The first date.")],
    last: Annotated[str, typer.Argument(metavar="TO", help="The last date, itself included.")],
    reason: Reason,
    product: Annotated[
        str | None, typer.Option("--product", metavar="P", help="Only this product (default: every one).")
    ] = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make past dates good, at a lower priority than today's; what exists stays as it is."""
    begin, end = a_date(first), a_date(last)
    arguments = {"first": begin, "last": end, "product": product}
    target = f"{product or 'every'} {begin} {end}"
    given = Given(
        verb="backfill", target=lambda _db: target, reason=reason, key=key, as_json=as_json, arguments=arguments
    )
    give(ctx, given)


# --- one execution


def ack(ctx: typer.Context, what: AnyId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Say that its owner has seen what stopped."""
    give(ctx, Given(verb="ack", target=_anything(what), reason=reason, key=key, as_json=as_json))


def reconcile(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Look at the provider once; it never buys."""
    give(ctx, Given(verb="reconcile", target=_job(job), reason=reason, key=key, as_json=as_json))


def link_response(
    ctx: typer.Context,
    job: JobId,
    response: Annotated[str, typer.Argument(metavar="RESPONSE", help="The id in the provider's log.")],
    reason: Reason,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Say which response an unknown create made: it is fetched and compared before it is believed."""
    if not is_response_id(response):
        raise typer.BadParameter(f'"{response}" cannot be a response id')
    arguments = {"response_id": response}
    given = Given(
        verb="link-response", target=_job(job), reason=reason, key=key, as_json=as_json, arguments=arguments
    )
    give(ctx, given)


def supply_payload(
    ctx: typer.Context,
    job: JobId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A whole Response object, as the provider sent it.")],
    reason: Reason,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Bring the answer of a quarantined job in a file; it is checked like any other."""
    given = Given(
        verb="supply-payload", target=_job(job), reason=reason, key=key, as_json=as_json, document=_payload(file)
    )
    give(ctx, given)


def confirm_not_created(
    ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False
) -> None:
    """Say that an unknown create made nothing: it may then be sent again."""
    give(ctx, Given(verb="confirm-not-created", target=_job(job), reason=reason, key=key, as_json=as_json))


def release(
    ctx: typer.Context,
    what: JobId,
    reason: Reason,
    under: Annotated[
        bool, typer.Option("--under-recorded-contract", help="Finish it as it was bought, whatever changed since.")
    ] = False,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Let what is quarantined go on from where it was, its counters back to 0."""
    arguments = {"under_recorded_contract": True} if under else NOTHING
    given = Given(
        verb="release", target=_either(what), reason=reason, key=key, as_json=as_json, arguments=arguments
    )
    give(ctx, given)


def suspend(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Stop a job where it is, until it is resumed."""
    give(ctx, Given(verb="suspend", target=_job(job), reason=reason, key=key, as_json=as_json))


def resume(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Let a suspended job go on."""
    give(ctx, Given(verb="resume", target=_job(job), reason=reason, key=key, as_json=as_json))


def cancel(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Stop the provider's work on a job; a result that is complete by then is kept."""
    give(ctx, Given(verb="cancel", target=_job(job), reason=reason, key=key, as_json=as_json))


def discard_remote(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Delete the provider's copy before it was stored here. It cannot be undone."""
    give(ctx, Given(verb="discard-remote", target=_job(job), reason=reason, key=key, as_json=as_json))


# --- one publication


def abandon(ctx: typer.Context, what: ProcessId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Give a publication up: the date ends without an edition, in your name."""
    give(ctx, Given(verb="abandon", target=_process(what), reason=reason, key=key, as_json=as_json))


def replace(ctx: typer.Context, job: JobId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Give one execution up and buy another; the provider may charge both."""
    give(ctx, Given(verb="replace", target=_job(job), reason=reason, key=key, as_json=as_json))


def approve(ctx: typer.Context, what: ProcessId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Let the saved editions of a date out, in every language."""
    give(ctx, Given(verb="approve", target=_process(what), reason=reason, key=key, as_json=as_json))


def hold(ctx: typer.Context, what: ProcessId, reason: Reason, key: Key = None, as_json: Json = False) -> None:
    """Keep the saved editions of a date back until they are approved."""
    give(ctx, Given(verb="hold", target=_process(what), reason=reason, key=key, as_json=as_json))


def waive(
    ctx: typer.Context,
    act: Annotated[int, typer.Argument(metavar="ID", min=1, help="The outward act's number.")],
    reason: Reason,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Let the world go on without an outward act; you answer for it."""
    give(ctx, Given(verb="waive", target=lambda _db: str(act), reason=reason, key=key, as_json=as_json))


# --- giving an order


def give(ctx: typer.Context, given: Given) -> None:
    """Write the order down, see it carried out or kept, and say which."""
    here = session(ctx)
    by = signed(here.workspace, given.reason, given.key)
    with ExitStack() as stack:
        db = open_store(here.workspace.store_url)
        stack.callback(db.close)
        command = _placed(db, given, by)
        ended = _awaited(db, here.workspace, command)
        if ended.status is CommandStatus.OPEN and not loop_runs(here.workspace.var):
            ended = _orders(here.workspace, db, given.verb, stack).carry_out(ended)
    as_it_ended(ended)
    if given.as_json:
        here.out.json(_order_json(ended))
    else:
        kept = "the order is kept; the loop carries it out as soon as it can"
        here.out.line(ended.outcome if ended.outcome is not None else kept)


def signed(workspace: Workspace, reason: str, key: str | None) -> Signature:
    """Who orders it and why. Errors: `RefusedByState` for an actor that `[operators] allow` does not name."""
    actor = os.environ.get("DATELINE_ACTOR") or getpass.getuser()
    if workspace.operators.allow and actor not in workspace.operators.allow:
        raise RefusedByState(
            f"{actor} may not give orders here", hint="[operators] allow in dateline.toml says who may"
        )
    code, text = read_reason(reason)
    return Signature(actor=actor, reason_code=code, reason_text=text, key=key or entropy.new_token())


def _placed(db: Database, given: Given, by: Signature) -> Command:
    target, arguments = given.target(db), dict(given.arguments)
    with db.write() as conn:
        if given.document is not None:
            arguments["payload_digest"] = documents.put(conn, DocumentKind.PAYLOAD, given.document)
        return place(conn, order_of(given.verb, target, by, arguments=arguments))


def _awaited(db: Database, workspace: Workspace, command: Command) -> Command:
    """The order as a running loop leaves it; at once where none runs, or none takes it in time."""
    until_s = entropy.monotonic_s() + WAIT_S
    while command.status is CommandStatus.OPEN and loop_runs(workspace.var) and entropy.monotonic_s() < until_s:
        entropy.sleep_s(LOOK_S)
        with db.read() as conn:
            command = commands.get(conn, command.id)
    return command


def _orders(workspace: Workspace, db: Database, verb: str, stack: ExitStack) -> Orders:
    """Who carries it out here and now; only what asks the provider needs the whole house."""
    if verb in LOOKS:
        return stack.enter_context(open_house(workspace)).orders
    return orders_of(workspace, db, editorial_of(workspace))


def _order_json(command: Command) -> dict[str, Any]:
    return {
        "id": command.id,
        "verb": command.verb,
        "target": command.target,
        "status": command.status.value,
        "outcome": command.outcome,
        "actor": command.actor,
        "reason": command.reason_code,
    }


# --- what is meant


def _loop(_db: Database) -> str:
    return ""


def _job(text: str) -> Callable[[Database], str]:
    def target(db: Database) -> str:
        with db.read() as conn:
            return find_job(conn, text).id

    return target


def _process(text: str) -> Callable[[Database], str]:
    def target(db: Database) -> str:
        with db.read() as conn:
            return find_process(conn, text).id

    return target


def _either(text: str) -> Callable[[Database], str]:
    """A job, or a process itself."""

    def target(db: Database) -> str:
        with db.read() as conn:
            found = find(conn, text)
            return found.id if isinstance(found, Job | Process) else found.process_id

    return target


def _anything(text: str) -> Callable[[Database], str]:
    numbered = text.isdigit() or (text.startswith(INBOX) and text.removeprefix(INBOX).isdigit())
    return (lambda _db: text) if numbered else _either(text)


def _payload(file: Path) -> bytes:
    try:
        body = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}", hint="check the path") from error
    if not 0 < len(body) <= LONGEST_PAYLOAD:
        raise ConfigurationError(f"{file} holds {len(body)} bytes: that is no answer of a provider")
    return body
