"""Orders on the loop, on outward acts and on what waits for an owner: pause, unpause, ack, waive.

`backfill` makes obligations through the scheduler that it is given.
"""

from __future__ import annotations

from datetime import date, timedelta

from sqlalchemy import Connection

from orchestrator.core.instants import utc_day
from orchestrator.core.records import Job, Overlay
from orchestrator.core.states import JobState
from orchestrator.errors import ConfigurationError, NotFound, RefusedByState
from orchestrator.orders.scene import INBOX, Scene
from orchestrator.outcomes import Outcomes
from orchestrator.store import jobs, pause, processes
from orchestrator.store.codes import ActorType
from outbox import inbox
from outbox import store as ledger
from outbox.clock import read_now_ms

LONGEST_BACKFILL_DAYS = 366


def pause_loop(conn: Connection, scene: Scene) -> str:
    """Stop every claim: of jobs and of outward acts. What is in hand is finished."""
    before = pause.read(conn)
    if before is not None:
        return f"the loop is paused, by {before.actor} before"
    reason = ": ".join(filter(None, (scene.command.reason_code, scene.command.reason_text)))
    pause.set(conn, actor=scene.command.actor, reason=reason[:200])
    return "the loop is paused"


def unpause_loop(conn: Connection, scene: Scene) -> str:
    """Let it claim again."""
    if pause.read(conn) is None:
        return "the loop is not paused"
    pause.clear(conn, actor=scene.command.actor, reason=scene.command.reason_code)
    return "the loop goes on"


def ack(conn: Connection, scene: Scene) -> str:
    """An owner has seen it; it stops counting as unattended."""
    target = scene.command.target
    if target.startswith(INBOX):
        seen = inbox.acknowledge(conn, int(target.removeprefix(INBOX)))
        return _acked(f"message {target.removeprefix(INBOX)}", now=seen)
    if target.isdigit():
        audit = Outcomes(actor=scene.command.actor).settled
        seen = ledger.acknowledge(conn, int(target), actor=scene.command.actor, audit=audit)
        return _acked(f"act {target}", now=seen)
    if scene.job is not None and scene.job.state is JobState.QUARANTINED:
        return _ack_job(conn, scene, scene.job)
    return _ack_process(conn, scene)


def _ack_job(conn: Connection, scene: Scene, job: Job) -> str:
    if job.acked_ms is None:
        jobs.amend(conn, job, {"acked_ms": scene.now_ms})
    return _acked(f"job {job.id}", now=job.acked_ms is None)


def _ack_process(conn: Connection, scene: Scene) -> str:
    process = scene.the_process()
    if process.overlay is not Overlay.QUARANTINED:
        raise RefusedByState(f"{scene.command.target} is not quarantined: there is nothing to acknowledge")
    if process.acked_ms is None:
        processes.update(
            conn,
            process,
            now_ms=scene.now_ms,
            event_type="ACKNOWLEDGED",
            actor_type=ActorType.OPERATOR,
            actor=scene.command.actor,
            diagnostic_code=scene.command.reason_code,
            acked_ms=scene.now_ms,
        )
    return _acked(f"{process.product}/{process.target_date}", now=process.acked_ms is None)


def _acked(what: str, *, now: bool) -> str:
    return f"{what} is acknowledged" if now else f"{what} needs no acknowledgement, or has one"


def waive(conn: Connection, scene: Scene) -> str:
    """Let the world go on without an outward act; the actor answers for it."""
    if not scene.command.target.isdigit():
        raise NotFound(f"{scene.command.target} is not an outward act", hint="dateline effects lists them")
    actor, words = scene.command.actor, scene.command.reason_text or scene.command.reason_code
    audit = Outcomes(actor=actor).settled
    waived = ledger.waive(conn, int(scene.command.target), actor=actor, reason=words, audit=audit)
    return f"act {waived.id} is waived"


def backfill(conn: Connection, scene: Scene) -> str:
    """Make the obligations of past dates, at a lower priority than today's; those that exist stay as they are."""
    if scene.plan is None:
        raise RefusedByState("nothing here can plan", hint="order it through the loop")
    wanted = scene.arguments
    chosen = str(wanted["product"]) if wanted.get("product") else None
    products = [scene.editorial.policy(chosen).slug] if chosen else sorted(scene.editorial.products)
    made = [
        process
        for day in days_of(conn, str(wanted["first"]), str(wanted["last"]))
        for product in products
        if _is_promised(scene, product, day) and (process := scene.plan(conn, product, day)) is not None
    ]
    return f"{len(made)} planned: {', '.join(f'{p.product}/{p.target_date}' for p in made[:8])}".rstrip(": ")


def _is_promised(scene: Scene, product: str, day: date) -> bool:
    schedule = scene.editorial.policy(product).schedule
    return schedule.runs_on(day) and day not in schedule.skip


def days_of(conn: Connection, first: str, last: str) -> list[date]:
    """The dates of a backfill, oldest first.

    Errors: `ConfigurationError` (usage) for a span that is empty, too long, or not in the past.
    """
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    today = date.fromisoformat(utc_day(read_now_ms(conn)))
    if begin > end:
        raise ConfigurationError(f"{first} is later than {last}", hint="write the earlier date first")
    if end > today:
        raise ConfigurationError(f"{last} is still to come", hint="its schedule plans it")
    if (end - begin).days >= LONGEST_BACKFILL_DAYS:
        raise ConfigurationError(f"{first} to {last} is more than a year", hint="order it in parts")
    return [begin + timedelta(days=n) for n in range((end - begin).days + 1)]
