"""Commands that check and settle: verify, link-response, confirm-not-created."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from typing import Annotated

import typer

from orchestrator import entropy
from orchestrator.assembly import editorial_of, open_house, profile_of, repository_of
from orchestrator.cli.house import FINDING, session
from orchestrator.cli.options import Id, Json
from orchestrator.core.records import Job
from orchestrator.effects.survey import survey
from orchestrator.errors import RefusedByState
from orchestrator.orders import Orders, Signature
from orchestrator.settings.workspace import Workspace
from orchestrator.store import jobs

Reason = Annotated[str, typer.Option("--reason", metavar="CODE[:text]", help="Why; it stays in the audit trail.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("verify", verify, "dateline verify --live https://news.example.org"),
        ("link-response", link_response, "dateline link-response 7F3A resp_abc --reason PROVIDER_LOG"),
        ("confirm-not-created", confirm_not_created, "dateline confirm-not-created 7F3A --reason PROVIDER_LOG"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


def verify(
    ctx: typer.Context,
    live: Annotated[
        str | None, typer.Option("--live", metavar="URL", help="Where readers look (default: [verify] url).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare what was decided with the repository, the pages and what is served."""
    here = session(ctx)
    workspace = here.workspace
    profile = profile_of(workspace, editorial_of(workspace))
    with here.store() as db, repository_of(workspace) as repository:
        found = survey(db, repository, profile, url=workspace.verify.url if live is None else live)
    if as_json:
        rows = [(f.key, f.difference) for f in found]
        here.out.json(
            [
                {"key": key, "drift": d.drift, "place": d.place, "expected": d.expected, "found": d.found}
                for key, d in rows
            ]
        )
    elif found:
        cells = [(f.key, f.difference.drift, f.difference.place, f.difference.found) for f in found]
        here.out.table(("EDITION", "DRIFT", "PLACE", "FOUND"), cells)
    else:
        here.out.line("Everything agrees.")
    if found:
        raise typer.Exit(FINDING)


def link_response(
    ctx: typer.Context,
    job: Id,
    response: Annotated[str, typer.Argument(metavar="RESPONSE", help="The id in the provider's log.")],
    reason: Reason,
) -> None:
    """Say which response an unknown create made: it is fetched and compared before it is believed."""
    _order(ctx, job, lambda orders, found: orders.link_response(found, response, _signed(ctx, reason, response)))


def confirm_not_created(ctx: typer.Context, job: Id, reason: Reason) -> None:
    """Say that an unknown create made nothing: it may then be sent again."""
    _order(ctx, job, lambda orders, found: orders.confirm_not_created(found, _signed(ctx, reason, found.id)))


def _order(ctx: typer.Context, job: str, act: Callable[[Orders, Job], Job]) -> None:
    here = session(ctx)
    with open_house(here.workspace) as house:
        with house.db.read() as conn:
            found = jobs.find(conn, job)
        orders = Orders(
            house.db,
            house.correspondence,
            house.editorial,
            lease_ms=house.lease_ms,
            timeout_ms=round(here.workspace.provider.timeout_s * 1000),
        )
        changed = act(orders, found)
    here.out.line(f"job {changed.id} is {changed.state.value} now")


def _signed(ctx: typer.Context, reason: str, key: str) -> Signature:
    """Errors: `RefusedByState` for an actor that `[operators] allow` does not name."""
    workspace: Workspace = session(ctx).workspace
    actor = os.environ.get("DATELINE_ACTOR") or getpass.getuser()
    if workspace.operators.allow and actor not in workspace.operators.allow:
        raise RefusedByState(
            f"{actor} may not give orders here", hint="[operators] allow in dateline.toml says who may"
        )
    code, _, text = reason.partition(":")
    unique = f"{key}:{entropy.new_token()[:8]}"
    return Signature(actor=actor, reason_code=code, reason_text=text, key=unique)
