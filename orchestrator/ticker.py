"""Turns the calendar into obligations: a process and its first job for every target that is due.

What is due is computed from stored state and the database's clock, so that a wake-up that comes late, twice or
never changes nothing. Every target leaves a row: one that is missed or skipped is recorded with its reason, so
that silence is never an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.authorisation import next_job, replaced
from orchestrator.core.limits import ambiguity_over, replacement_refusal
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import Job, JobStage, Overlay, Process, ProcessStage
from orchestrator.core.stages import overlay_at
from orchestrator.core.states import JobState
from orchestrator.core.targets import Target, TargetVerdict, due_targets, next_wake_ms, target_on
from orchestrator.editorial import Editorial
from orchestrator.recording import Recorder, write_status
from orchestrator.store import events, jobs, processes
from orchestrator.store.codes import ActorType
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import ConstraintRefused

_ENDS_AT_ONCE = (TargetVerdict.MISSED, TargetVerdict.SKIPPED)


class Ticker:
    """Plans what is due and marks what is late, in the name of the scheduler."""

    def __init__(self, db: Database, editorial: Editorial, *, actor: str = "scheduler") -> None:
        self.begins: date | None = None  # dates before it were never promised
        self._db = db
        self._editorial = editorial
        self._actor = actor

    def tick(self) -> int:
        """Plan everything that is due and refresh what the clock alone changes; answers what was planned."""
        planned = sum(self._plan_due(policy) for policy in self._editorial.products.values())
        self._mark_late()
        self._replace_unknown()
        return planned

    def plan(self, product: str, day: date) -> Process | None:
        """Plan one date by hand, due at once. None: it was planned before, whatever became of it."""
        try:
            with self._db.write() as conn:
                return self.planned(conn, product, day)
        except ConstraintRefused:
            with self._db.read() as conn:
                if processes.by_key(conn, product, day.isoformat()) is None:
                    raise
            return None  # somebody else planned it in the same moment; the unique key kept one (I2)

    def planned(self, conn: Connection, product: str, day: date) -> Process | None:
        """The same in the caller's transaction."""
        policy = self._editorial.policy(product)
        if processes.by_key(conn, product, day.isoformat()) is not None:
            return None
        target = target_on(policy.schedule, day, now_ms=read_now_ms(conn))
        return self._obligation(conn, policy, target, ordered=True)

    def next_wake_ms(self, now_ms: int) -> int | None:
        """The next scheduled instant of any product."""
        wakes = [next_wake_ms(p.schedule, now_ms=now_ms) for p in self._editorial.products.values()]
        return min(wakes, default=None)

    def _plan_due(self, policy: ProductPolicy) -> int:
        with self._db.read() as conn:
            targets = self._due(conn, policy)
        if not targets:
            return 0
        try:
            with self._db.write() as conn:
                # looked up again: another scheduler may have been here
                return len([self._obligation(conn, policy, target) for target in self._due(conn, policy)])
        except ConstraintRefused:
            with self._db.read() as conn:
                if self._due(conn, policy) == targets:
                    raise
            return 0  # it was here in the same moment; what it left is due in the next tick

    def _due(self, conn: Connection, policy: ProductPolicy) -> list[Target]:
        dates = processes.dates(conn, policy.slug)
        targets = due_targets(
            policy.schedule,
            now_ms=read_now_ms(conn),
            last_planned=max(dates.scheduled, default=None),
            planned=dates.all,
        )
        return [target for target in targets if self.begins is None or target.target_date >= self.begins]

    def _obligation(
        self, conn: Connection, policy: ProductPolicy, target: Target, *, ordered: bool = False
    ) -> Process:
        """Write the process, and the NO_JOB row that the loop will pick up, in the caller's transaction."""
        now_ms = read_now_ms(conn)
        process = _process_for(policy, target, now_ms=now_ms, ordered=ordered)
        processes.insert(conn, process)
        line = events.Entry(
            occurred_ms=now_ms,
            event_type=f"TARGET_{target.verdict.value}",
            actor_type=ActorType.SCHEDULER,
            actor=self._actor,
            process_id=process.id,
            process_revision=process.revision,
            fence=process.version,
            stage_code=process.stage.value,
            diagnostic_code=target.reason.value,
        )
        events.append(conn, line)
        job = next_job(policy, process, JobStage.RESEARCH_PRIMARY, now_ms=now_ms)
        if process.overlay is not Overlay.MISSED:
            jobs.insert(conn, job)
        write_status(conn, process, None if process.overlay is Overlay.MISSED else job)
        return process

    def _replace_unknown(self) -> None:
        """Where a product says so, a create that stayed unknown past the ambiguity age is bought again.

        The old generation is fenced off; with the generations used up, it keeps waiting for its owner.
        """
        with self._db.read() as conn:
            unknown = [job for job in jobs.listing(conn, JobState.QUARANTINED) if self._is_over(conn, job)]
        recorder = Recorder(self._editorial, actor=self._actor, actor_type=ActorType.SCHEDULER)
        for job in unknown:
            with self._db.write() as conn:
                process = processes.get(conn, job.process_id)
                replaced(conn, recorder, process, job)

    def _is_over(self, conn: Connection, job: Job) -> bool:
        product = processes.get(conn, job.process_id).product
        if product not in self._editorial.products:
            return False
        limits = self._editorial.limits(product)
        return ambiguity_over(job, limits, read_now_ms(conn)) and replacement_refusal(job, limits) is None

    def _mark_late(self) -> None:
        """DELAYED from the deadline until readers can see it."""
        with self._db.read() as conn:
            now_ms = read_now_ms(conn)
            late = [p for p in processes.past_deadline(conn) if overlay_at(p, now_ms=now_ms) is not p.overlay]
        if late:
            self._write_late(late)

    def _write_late(self, late: Iterable[Process]) -> None:
        for process in late:
            with self._db.write() as conn:
                now_ms = read_now_ms(conn)
                current = processes.get(conn, process.id)
                overlay = overlay_at(current, now_ms=now_ms)
                if overlay is current.overlay:
                    continue
                changed = processes.update(
                    conn,
                    current,
                    now_ms=now_ms,
                    event_type="DEADLINE_PASSED",
                    actor_type=ActorType.SCHEDULER,
                    actor=self._actor,
                    overlay=overlay,
                )
                write_status(conn, changed, jobs.current(conn, process.id))


def _process_for(policy: ProductPolicy, target: Target, *, now_ms: int, ordered: bool) -> Process:
    ends = target.verdict in _ENDS_AT_ONCE and not ordered
    backfill = target.backfill or (ordered and target.deadline_ms < now_ms)
    return Process(
        id=entropy.new_uuid(),
        product=policy.slug,
        target_date=target.target_date.isoformat(),
        languages=policy.languages,
        version=1,
        revision=0,
        stage=ProcessStage.RESEARCH_PRIMARY,
        overlay=Overlay.MISSED if ends else Overlay.NONE,
        reason=target.reason.value,
        backfill=backfill,
        owner=policy.owners.recovery,
        created_ms=now_ms,
        scheduled_ms=target.scheduled_ms,
        # what is ordered after its deadline has none left to miss; it is shown as backfill instead
        deadline_ms=None if backfill else target.deadline_ms,
        progress_ms=now_ms,
    )
