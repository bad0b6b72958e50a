"""Commands about one thing: explain, show. They only read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy import Connection

from orchestrator.cli.house import Session, session
from orchestrator.cli.options import Id, Json
from orchestrator.core.instants import parse_rfc3339
from orchestrator.core.records import Job, Process
from orchestrator.desk import finding, shapes, showing, telling
from orchestrator.desk.clockface import Clockface
from orchestrator.desk.edition_rows import edition_json
from orchestrator.desk.explaining import Patience, explain_json
from orchestrator.desk.explaining import explain as explained
from orchestrator.store import processes
from outbox.clock import read_now_ms
from publisher.markdown import edition_md

STORY_LABEL = 24


class Part(StrEnum):
    """What `show` can show of a thing."""

    ITSELF = "itself"
    REPORT = "report"
    EVIDENCE = "evidence"
    EDITION = "edition"
    PAYLOAD = "payload"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("explain", epilog="Example: dateline explain daily-brief/2026-11-30")(explain)
    app.command("show", epilog="Example: dateline show daily-brief/2026-11-30/en --edition")(show)


def explain(ctx: typer.Context, wanted: Id, as_json: Json = False) -> None:
    """Tell what happened, what is safe, and what heals it."""
    here = session(ctx)
    loop, provider = here.workspace.loop, here.workspace.provider
    patience = Patience(lease_ms=round(loop.lease_s * 1000), timeout_ms=round(provider.timeout_s * 1000))
    with here.snapshot() as conn:
        found = explained(conn, wanted, patience)
        if as_json:
            here.out.json(explain_json(found, here.commands))
            return
        clock = Clockface(read_now_ms(conn))
        here.out.line(telling.headline(found), "bold")
        here.out.line()
        here.out.sections(telling.story(found, clock, here.commands), width=STORY_LABEL)


def show(
    ctx: typer.Context,
    wanted: Id,
    *,
    report: Annotated[bool, typer.Option("--report", help="The validation report of its answer.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence", help="The evidence behind it.")] = False,
    edition: Annotated[bool, typer.Option("--edition", help="The edition: Markdown, or JSON.")] = False,
    payload: Annotated[bool, typer.Option("--payload", help="The provider's answer, byte by byte.")] = False,
    as_json: Json = False,
) -> None:
    """Show a job, process or edition, or a part of it."""
    here = session(ctx)
    asked = {Part.REPORT: report, Part.EVIDENCE: evidence, Part.EDITION: edition, Part.PAYLOAD: payload}
    parts = [part for part, chosen in asked.items() if chosen]
    if len(parts) > 1:
        raise typer.BadParameter(f"choose one of {', '.join(f'--{part}' for part in parts)}")
    with here.snapshot() as conn:
        _show(here, conn, wanted, parts[0] if parts else Part.ITSELF, as_json=as_json)


def _show(here: Session, conn: Connection, wanted: str, part: Part, *, as_json: bool) -> None:
    match part:
        case Part.REPORT:
            here.out.json(showing.report(conn, wanted))
        case Part.EVIDENCE:
            here.out.json(showing.evidence_of(conn, wanted))
        case Part.PAYLOAD:
            here.out.raw(showing.payload(conn, wanted).decode(errors="replace"))
        case Part.EDITION:
            edition = showing.edition(conn, wanted)
            if as_json:
                here.out.json(edition.model_dump(mode="json"))
            else:
                here.out.raw(edition_md(edition).decode())
        case Part.ITSELF:
            _itself(here, conn, wanted, as_json=as_json)


def _itself(here: Session, conn: Connection, wanted: str, *, as_json: bool) -> None:
    found = finding.find(conn, wanted)
    parts: tuple[str, ...]
    if isinstance(found, Job):
        shown, parts = shapes.job_json(found, processes.get(conn, found.process_id)), ("report", "payload")
    elif isinstance(found, Process):
        shown, parts = shapes.process_json(found), ("evidence",)
    else:
        row = showing.edition_row(conn, found)
        shown = edition_json(row, here.workspace.site.base_url)
        parts = ("edition", "evidence", "report")
    if as_json:
        here.out.json(shown)
        return
    clock = Clockface(read_now_ms(conn))
    here.out.sections((key, (_said(key, value, clock),)) for key, value in shown.items() if value is not None)
    here.out.line(f"More: dateline show {wanted} {' | '.join(f'--{part}' for part in parts)}", "dim")


def _said(key: str, value: object, clock: Clockface) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key.endswith("_at"):
        return clock.full(parse_rfc3339(str(value)))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
