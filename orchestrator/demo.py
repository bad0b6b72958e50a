"""The demonstration: three mornings of every product, researched, checked, published and verified, in a minute.

Nothing in it is a stand-in: the loop, the provider client, the emulator's socket, the repository, the preview
server and the verifier are those of every other run. What it adds is time, which it moves forward whenever nothing
is due, and an operator for the one case that needs a person: a create whose outcome is unknown after a kill. It
looks the request up in the emulator's journal, as a person would in the provider's log, and links the response or
confirms that there is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from orchestrator import entropy
from orchestrator.assembly import House
from orchestrator.core.instants import utc_day
from orchestrator.core.limits import acceptance_unknown, settled_ms
from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.core.targets import scheduled_ms
from orchestrator.daemon import Loop, Standing
from orchestrator.errors import RefusedByState
from orchestrator.orders import Orders, Signature
from orchestrator.store import attempts, jobs, processes
from outbox.clock import advance, offset_ms, read_now_ms

EARLY_MS = 60_000
"""How long before the first morning's schedule a fresh demonstration begins."""

PATIENCE_MS = 6 * 3_600_000
"""Virtual time without progress after which the demonstration ends and says what is open."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One obligation of the demonstration."""

    product: str
    day: date


class Demo:
    """Runs a house until `days` days of every product are verified, or nothing moves any more."""

    def __init__(self, house: House, *, days: int, observe: Callable[[Sequence[Process]], None]) -> None:
        self._house = house
        self._days = days
        self.stopped = False
        self._observe = observe
        self._loop = Loop(house)
        self._wanted: tuple[Wanted, ...] = ()
        self._moved_ms = 0
        self._orders = Orders(
            house.db,
            house.correspondence,
            house.editorial,
            lease_ms=house.lease_ms,
            timeout_ms=round(house.workspace.provider.timeout_s * 1000),
        )

    def run(self) -> bool:
        """True when every wanted edition is verified as readers see it."""
        self._set_the_stage()
        if not self._finished():
            self._loop.run(until=self._next, observe=self._show)
        self._restore_time()
        self._show()
        return self._all_verified()

    @property
    def loop(self) -> Loop:
        """The loop that works for it."""
        return self._loop

    def stop(self) -> None:
        """End after the steps in hand."""
        self.stopped = True
        self._loop.stop()

    def processes(self) -> list[Process]:
        """The demonstration's processes, oldest date first, by product."""
        wanted = {(w.product, w.day.isoformat()) for w in self._wanted}
        with self._house.db.read() as conn:
            rows = processes.listing(conn)
        chosen = [p for p in rows if (p.product, p.target_date) in wanted]
        return sorted(chosen, key=lambda p: (p.product, p.target_date))

    # time -----------------------------------------------------------------------------------------------------

    def _set_the_stage(self) -> None:
        """Choose the days; begin a fresh store on the first morning, so that every day comes as itself."""
        with self._house.db.write() as conn:
            now_ms = read_now_ms(conn)
            # of the database's own clock: an interrupted demonstration has left it on an earlier morning
            today = date.fromisoformat(utc_day(now_ms - offset_ms(conn)))
            days = [today - timedelta(days=back) for back in reversed(range(self._days))]
            self._wanted = tuple(Wanted(p, day) for p in sorted(self._house.editorial.products) for day in days)
            self._house.ticker.begins = days[0]
            begin_ms = min(self._scheduled(w) for w in self._wanted) - EARLY_MS
            if not processes.listing(conn, limit=1) and begin_ms < now_ms:
                advance(conn, begin_ms - now_ms)

    def _scheduled(self, wanted: Wanted) -> int:
        return scheduled_ms(self._house.editorial.policy(wanted.product).schedule, wanted.day)

    def _move(self, by_ms: int) -> None:
        with self._house.db.write() as conn:
            advance(conn, by_ms)
        self._moved_ms += by_ms

    def _restore_time(self) -> None:
        """A demonstration that began in the past ends in the present."""
        with self._house.db.write() as conn:
            behind_ms = -offset_ms(conn)
            if behind_ms > 0:
                advance(conn, behind_ms)

    # what happens next ----------------------------------------------------------------------------------------

    def _next(self, standing: Standing) -> bool:
        """Called whenever nothing is due: finish, act as the operator, plan, or let time pass."""
        if self._finished() and standing.next_due_ms is None:
            return True
        if self._serve_the_unknown() or self._plan_missing(standing.now_ms):
            return False
        step_ms = self._step_ms(standing)
        if step_ms is None or self._stuck(standing.now_ms + step_ms):
            return True
        self._move(step_ms)
        self._serve_the_unknown()
        self._loop.tick()  # what the new time makes due, at once
        return False

    def _step_ms(self, standing: Standing) -> int | None:
        """To the next thing that is due: a job, an effect, or a scheduled morning. None: nothing ever is."""
        waits = [w - standing.now_ms for w in map(self._scheduled, self._unplanned()) if w > standing.now_ms]
        if standing.next_due_ms is not None:
            waits.append(max(1, standing.next_due_ms - standing.now_ms))
        if self._unknown():
            waits.append(self._until_believable_ms(standing.now_ms))
        return min(waits, default=None)

    def _until_believable_ms(self, now_ms: int) -> int:
        """How long until the first unknown create may be confirmed as never made."""
        lease_ms, timeout_ms = self._house.lease_ms, round(self._house.workspace.provider.timeout_s * 1000)
        instants = [
            settled_ms(job.create_started_ms or now_ms, lease_ms=lease_ms, timeout_ms=timeout_ms)
            for job in self._unknown()
        ]
        return max(1, min(instants) - now_ms)

    def _stuck(self, then_ms: int) -> bool:
        if self._unplanned():
            return False
        progress_ms = max((p.progress_ms for p in self.processes()), default=then_ms)
        return then_ms - progress_ms > PATIENCE_MS

    def _plan_missing(self, now_ms: int) -> bool:
        """Days that the schedule will not plan any more (an older store, a second day) are ordered."""
        overdue = [w for w in self._unplanned() if self._scheduled(w) <= now_ms]
        planned = [self._house.ticker.plan(w.product, w.day) for w in overdue]
        return any(planned)

    def _unplanned(self) -> list[Wanted]:
        there = {(p.product, p.target_date) for p in self.processes()}
        return [w for w in self._wanted if (w.product, w.day.isoformat()) not in there]

    def _finished(self) -> bool:
        return not self._unplanned() and self._all_verified()

    def _all_verified(self) -> bool:
        rows = self.processes()
        return len(rows) == len(self._wanted) and all(p.verified_ms is not None for p in rows)

    # the operator ---------------------------------------------------------------------------------------------

    def _unknown(self) -> list[Job]:
        with self._house.db.read() as conn:
            return [job for job in jobs.listing(conn, JobState.QUARANTINED) if acceptance_unknown(job)]

    def _serve_the_unknown(self) -> bool:
        """Look each unknown create up in the emulator's journal. True when one was settled."""
        if self._house.emulator is None:
            return False
        settled = [self._look_up(job) for job in self._unknown()]
        return any(settled)

    def _look_up(self, job: Job) -> bool:
        with self._house.db.read() as conn:
            sent = attempts.of_job(conn, job.id)[-1]
        emulator = self._house.emulator
        found = emulator.accepted(json.loads(sent.metadata_json)) if emulator else ()
        by = Signature(
            actor="demo", reason_code="PROVIDER_LOG", reason_text="emulator journal", key=entropy.new_token()
        )
        try:
            if found:
                self._orders.link_response(job, found[-1], by)
            else:
                self._orders.confirm_not_created(job, by)
        except RefusedByState:
            return False  # too early to believe it: time passes first
        return True

    def _show(self) -> None:
        self._observe(self.processes())
