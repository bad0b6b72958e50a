"""Commands that list: status, processes, jobs, effects, inbox, editions, events, timeline. They only read."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text
from sqlalchemy import Connection

from orchestrator.cli.board import show_status
from orchestrator.cli.house import session
from orchestrator.cli.listing import Listing, answer
from orchestrator.cli.options import Json, Limit, a_date, rows, since_ms
from orchestrator.cli.output import Cell
from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.desk import finding, listings, shapes, words
from orchestrator.desk.clockface import NOTHING, Clockface
from orchestrator.desk.edition_rows import EditionRow, edition_json, edition_rows
from orchestrator.desk.obligations import Ending, Obligation, obligation, obligation_json
from orchestrator.desk.status import read_status, status_json
from orchestrator.store import events as trail
from orchestrator.store.events import Line
from outbox.clock import read_now_ms
from outbox.message import Effect, EffectStatus, InboxMessage, InboxStatus


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("status", status, "dateline status --json"),
        ("processes", list_processes, "dateline processes --date 2026-11-30"),
        ("jobs", list_jobs, "dateline jobs --state QUARANTINED"),
        ("effects", list_effects, "dateline effects --status DEAD_LETTERED"),
        ("inbox", list_inbox, "dateline inbox --status PENDING"),
        ("editions", list_editions, "dateline editions --json"),
        ("events", list_events, "dateline events --since 2h"),
        ("timeline", timeline, "dateline timeline daily-brief/2026-11-30"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Say what readers have, and who is needed."""
    here = session(ctx)
    with here.snapshot() as conn:
        found = read_status(conn)
        if as_json:
            here.out.json(status_json(found))
        else:
            show_status(here, conn, found)


def list_processes(
    ctx: typer.Context,
    date: Annotated[str | None, typer.Option("--date", metavar="D", help="Only of this date.")] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List publications, one product on one date each."""
    here, day = session(ctx), a_date(date)
    with here.snapshot() as conn:
        clock = Clockface(read_now_ms(conn))
        listing = Listing[Process](
            heads=("PROCESS", "PRODUCT", "DATE", "STAGE", "STANDS", "DEADLINE"),
            nothing=f"No process is planned{f' for {day}' if day else ''}",
            shape=lambda p: shapes.process_json(p) | obligation_json(obligation(conn, p)),
            cells=lambda process: _process_cells(conn, process, clock),
        )
        found = listings.process_rows(conn, day, limit=rows(limit, as_json=as_json))
        answer(here, found, listing, limit=limit, as_json=as_json)


def list_jobs(
    ctx: typer.Context,
    state: Annotated[
        JobState | None, typer.Option("--state", metavar="S", case_sensitive=False, help="Only in this state.")
    ] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List provider executions, newest first."""
    here = session(ctx)
    with here.snapshot() as conn:
        clock = Clockface(read_now_ms(conn))
        listing = Listing[tuple[Job, Process]](
            heads=("JOB", "PRODUCT", "DATE", "STAGE", "GEN", "STATE", "REASON", "NEXT STEP"),
            nothing=f"No job is {state}" if state else "No job exists",
            shape=lambda row: shapes.job_json(*row),
            cells=lambda row: _job_cells(conn, row, clock),
        )
        found = listings.job_rows(conn, state, limit=rows(limit, as_json=as_json))
        answer(here, found, listing, limit=limit, as_json=as_json)


def list_effects(
    ctx: typer.Context,
    status: Annotated[
        EffectStatus | None,
        typer.Option("--status", metavar="S", case_sensitive=False, help="Only in this status."),
    ] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List outward acts: commit, render, verify and more."""
    here = session(ctx)
    with here.snapshot() as conn:
        clock = Clockface(read_now_ms(conn))
        listing = Listing[Effect](
            heads=("ID", "EDITION", "ACT", "STATUS", "FAILED", "NEXT TRY", "LEFT OR LAST ERROR"),
            nothing=f"No act is {status}" if status else "No act is planned",
            shape=shapes.effect_json,
            cells=lambda effect: _effect_cells(effect, clock),
        )
        found = listings.effect_rows(conn, status, limit=rows(limit, as_json=as_json))
        answer(here, found, listing, limit=limit, as_json=as_json)


def list_inbox(
    ctx: typer.Context,
    status: Annotated[
        InboxStatus | None,
        typer.Option("--status", metavar="S", case_sensitive=False, help="Only in this status."),
    ] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List what was heard from outside: webhooks, late evidence."""
    here = session(ctx)
    with here.snapshot() as conn:
        clock = Clockface(read_now_ms(conn))
        listing = Listing[InboxMessage](
            heads=("ID", "SOURCE", "EVENT", "KIND", "STATUS", "RECEIVED", "NOTE"),
            nothing=f"No message is {status}" if status else "Nothing was received",
            shape=shapes.inbox_json,
            cells=lambda message: _inbox_cells(message, clock),
        )
        found = listings.inbox_rows(conn, status, limit=rows(limit, as_json=as_json))
        answer(here, found, listing, limit=limit, as_json=as_json)


def list_editions(ctx: typer.Context, limit: Limit = None, as_json: Json = False) -> None:
    """List editions and how far each has come."""
    here = session(ctx)
    base_url = here.workspace.site.base_url
    listing = Listing[EditionRow](
        heads=("EDITION", "REV", "OUTCOME", "DIGEST", "COMMIT", "ADDRESS"),
        nothing="No edition is saved yet",
        shape=lambda row: edition_json(row, base_url),
        cells=lambda row: _edition_cells(row, base_url),
    )
    with here.snapshot() as conn:
        found = edition_rows(conn, limit=rows(limit, as_json=as_json))
    answer(here, found, listing, limit=limit, as_json=as_json)


def list_events(
    ctx: typer.Context,
    since: Annotated[
        str | None, typer.Option("--since", metavar="T", help="An instant, or a time ago like 2h.")
    ] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List the audit trail: what changed, and by whom."""
    here = session(ctx)
    with here.snapshot() as conn:
        from_ms = since_ms(since, read_now_ms(conn))
        found = listings.event_rows(conn, from_ms, limit=rows(limit, as_json=as_json))
        answer(here, found, _trail(conn), limit=limit, as_json=as_json)


def timeline(
    ctx: typer.Context,
    root: Annotated[str, typer.Argument(metavar="ROOT", help="A process, or anything that belongs to it.")],
    as_json: Json = False,
) -> None:
    """List what happened to one publication, in order."""
    here = session(ctx)
    with here.snapshot() as conn:
        found = trail.of_process(conn, finding.find_process(conn, root).id)
        answer(here, found, _trail(conn), limit=len(found) or 1, as_json=as_json)


# --- rows


def _process_cells(conn: Connection, process: Process, clock: Clockface) -> list[Cell]:
    return [
        process.suffix,
        process.product,
        process.target_date,
        words.spoken(process.stage),
        _stands(process, obligation(conn, process), clock),
        clock.brief(process.deadline_ms),
    ]


def _stands(process: Process, found: Obligation, clock: Clockface) -> Cell:
    if process.verified_ms is not None:
        return Text(f"verified {clock.brief(process.verified_ms)}", "green")
    if found.ending is Ending.OPEN:
        return Text(words.spoken(found.reason), "yellow") if found.reason else "open"
    stands = "quarantined" if found.ending is Ending.QUARANTINED_REQUIRES_OWNER else words.spoken(found.ending)
    reason = f": {words.spoken(found.reason)}" if found.reason else ""
    by = f" ({found.by})" if found.by else ""
    return Text(f"{stands}{reason}{by}", "yellow")


def _job_cells(conn: Connection, row: tuple[Job, Process], clock: Clockface) -> list[Cell]:
    job, process = row
    reason = words.REASONS[job.quarantine_reason] if job.quarantine_reason else ""
    step = f"leased, {clock.until(job.next_due_ms)}" if job.lease_owner else clock.until(job.next_due_ms)
    return [
        finding.short(conn, job.id),
        process.product,
        process.target_date,
        job.stage.value.replace("_", " "),
        str(job.generation),
        Text(job.state.value, "yellow" if job.state is JobState.QUARANTINED else ""),
        reason,
        step,
    ]


def _effect_cells(effect: Effect, clock: Clockface) -> list[Cell]:
    return [
        str(effect.id),
        f"{effect.entity}@{effect.revision}",
        effect.intent.lower(),
        Text(effect.status.value, "yellow" if effect.owner else ""),
        str(effect.attempts),
        clock.until(effect.next_due_ms),
        effect.last_error or effect.note or (effect.reference or "")[:40],
    ]


def _inbox_cells(message: InboxMessage, clock: Clockface) -> list[Cell]:
    received = clock.brief(message.received_ms)
    return [
        str(message.id),
        message.source,
        message.event_id,
        message.kind,
        message.status.value,
        received,
        message.note or "",
    ]


def _edition_cells(row: EditionRow, base_url: str) -> list[Cell]:
    shown = edition_json(row, base_url)
    commit = shown["source_commit"]
    return [
        row.key.slot,
        str(row.revision),
        Text(row.reached.level.value, "green" if row.reached.verified else ""),
        row.digest[:15],
        commit[:10] if commit else NOTHING,
        shown["url"],
    ]


def _trail(conn: Connection) -> Listing[Line]:
    clock = Clockface(read_now_ms(conn))
    return Listing(
        heads=(f"WHEN ({clock.offset()})", "WHAT", "FROM", "TO", "FENCE", "BY", "JOB", "CODE"),
        nothing="Nothing happened yet",
        shape=shapes.event_json,
        cells=lambda line: _event_cells(conn, line, clock),
    )


def _event_cells(conn: Connection, line: Line, clock: Clockface) -> list[Cell]:
    return [
        clock.second(line.occurred_ms),
        words.event(line.event_type),
        line.from_state or "",
        line.to_state if line.to_state and line.to_state != line.from_state else "",
        str(line.fence) if line.fence is not None else "",
        line.actor,
        finding.short(conn, line.job_id) if line.job_id else "",
        line.diagnostic_code or "",
    ]
