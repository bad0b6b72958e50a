"""The status as a screen: what readers have, who is needed, what is open, how the machine fares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text
from sqlalchemy import Connection

from orchestrator.cli.house import Session
from orchestrator.core.instants import parse_rfc3339
from orchestrator.core.public import NextAction
from orchestrator.core.records import Job, Overlay, Process
from orchestrator.core.stages import ENDED_OVERLAYS
from orchestrator.desk import finding, words
from orchestrator.desk.clockface import NOTHING, Clockface, span
from orchestrator.desk.explaining import amount
from orchestrator.desk.listings import process_rows
from orchestrator.desk.shapes import Json
from orchestrator.desk.status import Status, open_processes

NEEDED_SHOWN = 5
OPEN_SHOWN = 12
DONE_SHOWN = 4

Key = tuple[str, str]  # product, date


def show_status(here: Session, conn: Connection, status: Status) -> None:
    """Print it."""
    clock = Clockface(status.as_of_ms)
    if status.paused is not None:
        by = f"{status.paused.actor}: {status.paused.reason}"
        here.out.line(Text(f"Paused since {clock.brief(status.paused.since_ms)} by {by}", "bold yellow"))
    here.out.sections(_top(status, conn, clock))
    if status.processes:
        here.out.rule()
        _publications(here, conn, status, clock)
    here.out.line(" · ".join(_machine(status, clock)), "dim")


# --- the top row


def _top(status: Status, conn: Connection, clock: Clockface) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "As readers see it", (" · ".join(_readers(status, clock)),)
    yield "Needs a person", tuple(_needed(status, conn, clock)) or ("nobody",)
    oldest_s = status.outcomes.oldest_unreconciled_s
    yield "Oldest unverified", (NOTHING if oldest_s is None else span(oldest_s * 1000),)


def _readers(status: Status, clock: Clockface) -> Iterator[str]:
    outcomes = status.outcomes
    if not outcomes.accepted:
        yield "nothing is planned yet: dateline demo, or dateline run"
        return
    yield f"{outcomes.verified_complete} of {outcomes.accepted} verified complete"
    if status.late:
        late = status.late[0]
        due = f"{late.product} {late.target_date}, due {clock.brief(late.deadline_ms)}"
        yield f"{outcomes.past_deadline} late ({due}, now {clock.since(late.deadline_ms or 0)})"
    if outcomes.missed:
        yield f"{outcomes.missed} missed"


def _needed(status: Status, conn: Connection, clock: Clockface) -> Iterator[str]:
    lines = _stuck(status, conn, clock)
    for number, line in enumerate(lines):
        yield f"{status.stuck.count if number == 0 else '':<4}{line}"


def _stuck(status: Status, conn: Connection, clock: Clockface) -> Iterator[str]:
    stuck = status.stuck
    for job, _ in stuck.jobs[:NEEDED_SHOWN]:
        yield _stuck_job(job, finding.short(conn, job.id), clock)
    if more := len(stuck.jobs) - NEEDED_SHOWN:
        yield from (f"{more} more jobs — dateline jobs --state QUARANTINED",) if more > 0 else ()
    for process in stuck.processes[:NEEDED_SHOWN]:
        key = f"{process.product}/{process.target_date}"
        yield f"{key} quarantined: {words.spoken(process.reason)} — dateline explain {key}"
    for process in stuck.approvals[:NEEDED_SHOWN]:
        key = f"{process.product}/{process.target_date}"
        yield f"{key} waits for approval — dateline approve {key} --reason READ"
    if stuck.effects:
        yield f"{stuck.effects} outward acts stopped — dateline effects --status DEAD_LETTERED"
    if stuck.messages:
        yield f"{len(stuck.messages)} messages in conflict — dateline inbox --status QUARANTINED"


def _stuck_job(job: Job, short: str, clock: Clockface) -> str:
    reason = words.REASONS[job.quarantine_reason] if job.quarantine_reason else "stopped"
    since = clock.brief(job.quarantined_ms)
    seen = "" if job.acked_ms is None else ", acknowledged"
    return f"job {short} quarantined: {reason} since {since}{seen} — dateline explain {short}"


# --- publications


def _publications(here: Session, conn: Connection, status: Status, clock: Clockface) -> None:
    public = {(payload["product"], payload["target_date"]): payload for payload in status.processes}
    waiting = open_processes(conn, limit=OPEN_SHOWN + 1)
    newest = process_rows(conn, limit=DONE_SHOWN + OPEN_SHOWN)
    done = [p for p in newest if p.verified_ms is not None or p.overlay in ENDED_OVERLAYS][:DONE_SHOWN]
    rows = [_publication(p, public, clock) for p in (*waiting[:OPEN_SHOWN], *done)]
    here.out.table(("", "", "", "", ""), rows)
    if len(waiting) > OPEN_SHOWN:
        here.out.line("… and more that are open: dateline processes", "dim")


def _publication(process: Process, public: Mapping[Key, Json], clock: Clockface) -> list[str | Text]:
    head: list[str | Text] = [process.product, process.target_date]
    if process.verified_ms is not None:
        return [*head, Text(f"verified {clock.brief(process.verified_ms)}", "green"), "", ""]
    if process.overlay in ENDED_OVERLAYS:
        return [*head, f"{words.spoken(process.overlay)}: {words.spoken(process.reason)}", "", ""]
    payload = public.get((process.product, process.target_date), {})
    action = words.ACTIONS[NextAction(payload.get("next_action", NextAction.NONE))]
    needs = payload.get("next_action") == NextAction.OPERATOR or process.overlay is Overlay.QUARANTINED
    cycle = payload.get("next_eligible_cycle")
    look = clock.until(parse_rfc3339(cycle) if cycle else None)
    return [*head, words.spoken(process.stage), Text(action, "yellow" if needs else ""), f"next look {look}"]


# --- the machine


def _machine(status: Status, clock: Clockface) -> Iterator[str]:
    gate = status.gate_until_ms
    yield "provider open" if gate is None else f"provider gate closed, opens {clock.until(gate)}"
    yield f"next step {clock.until(status.next_due_ms)}" if status.next_due_ms is not None else "nothing is due"
    yield f"relay: {status.open_effects} open" if status.open_effects else "relay idle"
    cost = status.cost_today
    reserved = f", {amount(cost.reserved_micro)} reserved" if cost.reserved_micro else ""
    yield f"cost today {amount(cost.spent_micro)}{reserved}"
