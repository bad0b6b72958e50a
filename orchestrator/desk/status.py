"""The status: outcomes first, then who is needed, then the machine.

Rules: accepted means that a process row exists, once for each of its languages; verified means that readers of
every language were seen to get it; a process that was missed or given up is accepted, and no longer open.
Source: completed tables §10 (top row of every dashboard).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, and_, case, func, select

from orchestrator.core.instants import rfc3339, utc_day
from orchestrator.core.limits import acceptance_unknown
from orchestrator.core.records import Job, Overlay, Process
from orchestrator.core.stages import ENDED_OVERLAYS
from orchestrator.core.states import JobState
from orchestrator.desk.listings import processes_of
from orchestrator.desk.shapes import Json
from orchestrator.store import costs, gate, jobs, pause, processes, projection
from orchestrator.store.costs import Totals
from orchestrator.store.pause import Pause
from orchestrator.store.work_tables import process as table
from outbox import inbox
from outbox import store as outbox_store
from outbox.clock import now_ms, read_now_ms
from outbox.delivery import OPEN
from outbox.message import EffectStatus, InboxMessage, InboxStatus

SHOWN_STUCK = 1_000  # more quarantined jobs than this are one incident, not a list

_p = table.c
_LANGUAGES = func.length(_p.languages) - func.length(func.replace(_p.languages, ",", "")) + 1
_IS_OPEN = and_(_p.verified_ms.is_(None), _p.overlay.not_in(sorted(str(o) for o in ENDED_OVERLAYS)))


def _sum_where(condition: Any) -> Any:
    return func.coalesce(func.sum(case((condition, _LANGUAGES), else_=0)), 0)


_EDITIONS = select(
    func.coalesce(func.sum(_LANGUAGES), 0),
    _sum_where(_p.verified_ms.is_not(None)),
    _sum_where(_IS_OPEN),
    _sum_where(and_(_IS_OPEN, _p.deadline_ms < now_ms())),
    _sum_where(_p.overlay == str(Overlay.MISSED)),
    func.min(case((_IS_OPEN, _p.created_ms))),
)
_OPEN_PROCESSES = select(_p.id).where(_IS_OPEN).order_by(_p.target_date.desc(), _p.product)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """The top row, in editions; `oldest_unreconciled_s` is the age of the oldest open one, None without any."""

    accepted: int
    verified_complete: int
    unreconciled: int
    past_deadline: int
    unknown_outcome: int
    compensation_pending: int
    quarantined_without_owner: int
    oldest_unreconciled_s: int | None
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """What waits for a person."""

    jobs: tuple[tuple[Job, Process], ...]
    processes: tuple[Process, ...]  # quarantined themselves, none of their jobs is
    effects: int
    messages: tuple[InboxMessage, ...]
    approvals: tuple[Process, ...]  # editions that only a person lets out

    @property
    def count(self) -> int:
        """How many things."""
        named = (self.jobs, self.processes, self.messages, self.approvals)
        return sum(map(len, named)) + self.effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything that the status says, at one instant of the database."""

    as_of_ms: int
    paused: Pause | None
    outcomes: Outcomes
    stuck: Stuck
    late: tuple[Process, ...]
    jobs: Mapping[JobState, int]
    processes: tuple[Json, ...]
    gate_until_ms: int | None
    next_due_ms: int | None
    open_effects: int
    cost_today: Totals


def read_status(conn: Connection) -> Status:
    """The status as one snapshot shows it."""
    at_ms = read_now_ms(conn)
    stuck = _stuck(conn)
    ledger = outbox_store.counts(conn)
    return Status(
        as_of_ms=at_ms,
        paused=pause.read(conn),
        outcomes=_outcomes(conn, at_ms, stuck, ledger),
        stuck=stuck,
        late=tuple(processes.past_deadline(conn)),
        jobs=jobs.counts(conn),
        processes=tuple(projection.listing(conn)),
        gate_until_ms=gate.read(conn),
        next_due_ms=_earliest(jobs.next_due_ms(conn), outbox_store.next_due_ms(conn)),
        open_effects=sum(ledger.by_status.get(status, 0) for status in OPEN),
        cost_today=costs.totals(conn, day=utc_day(at_ms)),
    )


def status_json(status: Status) -> Json:
    """The status as the interface promises it."""
    stopped = status.paused
    return {
        "as_of": rfc3339(status.as_of_ms),
        "paused": stopped is not None,
        "pause": stopped and {
            "actor": stopped.actor,
            "reason": stopped.reason,
            "since": rfc3339(stopped.since_ms),
        },
        "outcomes": asdict(status.outcomes),
        "jobs": {state.value: count for state, count in sorted(status.jobs.items())},
        "processes": list(status.processes),
    }  # fmt: skip


def open_processes(conn: Connection, *, limit: int) -> list[Process]:
    """Processes that readers have not been seen to get yet, newest date first."""
    ids = conn.execute(_OPEN_PROCESSES.limit(limit)).scalars().all()
    return list(processes_of(conn, ids).values())


def _outcomes(conn: Connection, at_ms: int, stuck: Stuck, ledger: outbox_store.Counts) -> Outcomes:
    accepted, verified, unverified, late, missed, oldest_ms = conn.execute(_EDITIONS).one()
    unknown = [job for job, _ in stuck.jobs if acceptance_unknown(job)]
    unseen = [job for job, _ in stuck.jobs if job.acked_ms is None]
    unseen_processes = [process for process in stuck.processes if process.acked_ms is None]
    unseen_messages = [message for message in stuck.messages if message.acked_ms is None]
    return Outcomes(
        accepted=int(accepted),
        verified_complete=int(verified),
        unreconciled=int(unverified),
        past_deadline=int(late),
        unknown_outcome=len(unknown) + ledger.by_status.get(EffectStatus.UNKNOWN_OUTCOME, 0),
        compensation_pending=ledger.compensation_pending,
        quarantined_without_owner=(
            len(unseen) + len(unseen_processes) + ledger.unacknowledged + len(unseen_messages)
        ),
        oldest_unreconciled_s=None if oldest_ms is None else max(0, at_ms - int(oldest_ms)) // 1000,
        missed=int(missed),
    )


def _stuck(conn: Connection) -> Stuck:
    quarantined = [j for j in jobs.listing(conn, JobState.QUARANTINED, limit=SHOWN_STUCK) if not j.abandoned]
    owners = processes_of(conn, {job.process_id for job in quarantined})
    ids = conn.execute(select(_p.id).where(_p.overlay == str(Overlay.QUARANTINED))).scalars().all()
    alone = [process_id for process_id in ids if process_id not in owners]
    saved = jobs.listing(conn, JobState.SAVED_NOT_PUBLIC, limit=SHOWN_STUCK)
    held = {job.process_id for job in saved if job.next_due_ms is None}
    return Stuck(
        jobs=tuple((job, owners[job.process_id]) for job in quarantined),
        processes=tuple(processes_of(conn, alone).values()),
        effects=outbox_store.counts(conn).by_status.get(EffectStatus.DEAD_LETTERED, 0),
        messages=tuple(inbox.listing(conn, statuses=[InboxStatus.QUARANTINED])),
        approvals=tuple(processes_of(conn, held).values()),
    )


def _earliest(*instants: int | None) -> int | None:
    return min((at for at in instants if at is not None), default=None)
