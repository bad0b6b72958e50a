"""The loop: workers, a relay and a scheduler in one process, until told to stop.

Rules:
* what is due is always computed from stored state; `schedule` only wakes the loop, so a missed or doubled wake-up
  changes nothing;
* a worker takes one job at a time, so that a lease never waits behind another job's call;
* a step that raises is logged and its job comes back later; it never stops the loop or another product;
* an operator's order is taken between steps, or at the claim of its job; paused, nothing is claimed;
* asked to stop, every thread finishes the step in hand, and no lease is left behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import schedule
import structlog

from orchestrator import entropy
from orchestrator.assembly import House
from orchestrator.core.records import Job
from orchestrator.core.states import WORKER_STATES
from orchestrator.orders.presence import present
from orchestrator.store import commands, jobs, pause
from orchestrator.worker import claim_of
from outbox import store as ledger
from outbox.clock import read_now_ms
from outbox.errors import OutboxError, StaleFence

RETRY_MS = 30_000
"""When a job comes back whose step raised: a bug or a full disk must not spin."""

log = structlog.get_logger("dateline")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where the work stands at one moment: what is due now, held by this process, and due next."""

    now_ms: int
    due: bool
    busy: bool
    next_due_ms: int | None


class Notifier(Protocol):
    """Tells the service manager that the loop lives."""

    def ready(self) -> None: ...
    def alive(self) -> None: ...


class Loop:
    """Runs a house's machine. One object, one run."""

    def __init__(self, house: House, *, workers: int | None = None) -> None:
        self._house = house
        self._workers = workers or house.workspace.loop.workers
        self._tick_s = house.workspace.loop.tick_s
        self._stopping = threading.Event()
        self._mail = threading.Event()
        self._beat_s = entropy.monotonic_s()
        self._bell = threading.Condition()
        self._threads: list[threading.Thread] = []

    # one step each --------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Plan what is due and read the mail; whether there was anything."""
        ordered = self._guarded("orders", self._house.orders.step) or 0
        planned = self._guarded("ticker", self._house.ticker.tick) or 0
        read = self._guarded("correspondence", self._house.correspondence.step) or 0
        if ordered or planned or read:
            self._ring()
        return bool(ordered or planned or read)

    def step_job(self, owner: str) -> bool:
        """Claim one job and step it; False when none was due."""
        house = self._house
        claimed_s = entropy.monotonic_s()
        with house.db.write() as conn:
            claimed = jobs.claim(conn, owner=owner, lease_ms=house.lease_ms, limit=1)
            waiting = commands.open_orders(conn) if claimed.jobs else []
        for job in claimed.jobs:
            claim = claim_of(job, now_ms=claimed.now_ms, gate_until_ms=claimed.gate_until_ms, claimed_s=claimed_s)
            try:
                if waiting and house.orders.at_claim(job, waiting):
                    continue
                if job.state in WORKER_STATES:
                    house.worker.step(claim)
                else:
                    house.supervisor.step(job)
            except Exception as error:  # noqa: BLE001  the one catch-all of the workers
                self._put_back(job, error)
        return bool(claimed.jobs)

    def step_effects(self) -> bool:
        """Let the relay carry out what is due; False when nothing was."""
        return bool(self._guarded("relay", self._house.relay.step))

    def sweep(self, *, limit: int = 100_000) -> int:
        """Everything that is due, in this thread, until nothing is: what `dateline tick` does."""
        owner, done = f"{self._house.name}-sweep", 0
        with present(self._house.workspace.var):
            self.tick()
            while done < limit and not self._stopping.is_set():
                if not (self.step_job(owner) or self.step_effects()):
                    return done
                done += 1
        return done

    # the threads ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the workers and the relay."""
        for number in range(self._workers):
            self._spawn(f"{self._house.name}-w{number}", self.step_job)
        self._spawn(f"{self._house.name}-relay", lambda _owner: self.step_effects())

    def run(
        self,
        *,
        until: Callable[[Standing], bool],
        notifier: Notifier | None = None,
        observe: Callable[[], None] | None = None,
    ) -> None:
        """Work until `until` says so of an idle moment, or `stop` is called. Starts and joins the threads."""
        with present(self._house.workspace.var):
            self._run(until, notifier, observe)

    def _run(
        self,
        until: Callable[[Standing], bool],
        notifier: Notifier | None,
        observe: Callable[[], None] | None,
    ) -> None:
        waker = schedule.Scheduler()
        waker.every(max(1, round(self._tick_s))).seconds.do(self.tick)
        self.start()
        self.tick()
        if notifier is not None:
            notifier.ready()
        try:
            while not self._stopping.is_set():
                self._beat_s = entropy.monotonic_s()
                waker.run_pending()
                if self._mail.is_set():
                    self._mail.clear()
                    self.tick()
                if notifier is not None:
                    notifier.alive()
                if observe is not None:
                    observe()
                standing = self._guarded("standing", self.standing)
                idle = standing is not None and not standing.due and not standing.busy
                if idle and standing is not None:
                    if until(standing):
                        break
                    standing = self._guarded("standing", self.standing)  # time may have been moved
                    self._ring()
                self._nap(standing)
        finally:
            self.stop()
            self.join()

    def standing(self) -> Standing:
        """What is due, held and coming, in one snapshot."""
        with self._house.db.read() as conn:
            now_ms, name = read_now_ms(conn), self._house.name
            paused = pause.read(conn) is not None  # nothing is claimed, so nothing is worth waking up for
            coming = () if paused else (jobs.next_due_ms(conn), ledger.next_due_ms(conn))
            dues = [due for due in coming if due is not None]
            return Standing(
                now_ms=now_ms,
                due=any(due <= now_ms for due in dues),
                busy=jobs.any_leased_to(conn, name) or ledger.any_leased_to(conn, name),
                next_due_ms=min(dues, default=None),
            )

    def wake(self) -> None:
        """Something has arrived from outside: look at it now. Safe from any thread."""
        self._mail.set()
        self._ring()

    @property
    def silent_s(self) -> float:
        """Seconds since the loop last went round; it does so at least once a tick."""
        return entropy.monotonic_s() - self._beat_s

    def stop(self) -> None:
        """Ask everything to stop after the step in hand."""
        self._stopping.set()
        self._ring()

    def join(self) -> None:
        """Wait for the threads."""
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _spawn(self, name: str, step: Callable[[str], bool]) -> None:
        def body() -> None:
            while not self._stopping.is_set():
                if self._guarded(name, lambda: step(name)):
                    self._ring()
                else:
                    self._nap(self._guarded(name, self.standing))

        thread = threading.Thread(target=body, name=name)
        self._threads.append(thread)
        thread.start()

    def _nap(self, standing: Standing | None) -> None:
        """Sleep until something is due, the bell rings, or the tick has passed."""
        wait_s = self._tick_s
        if standing is not None and standing.next_due_ms is not None:
            wait_s = min(wait_s, max(0.005, (standing.next_due_ms - standing.now_ms) / 1000))
        with self._bell:
            if not self._stopping.is_set() and not self._mail.is_set():
                self._bell.wait(wait_s)

    def _ring(self) -> None:
        with self._bell:
            self._bell.notify_all()

    # trouble --------------------------------------------------------------------------------------------------

    def _put_back(self, job: Job, error: Exception) -> None:
        log.error("step failed", job=job.id, state=job.state.value, error=type(error).__name__, detail=str(error))
        try:
            with self._house.db.write() as conn:
                jobs.release_lease(conn, job, due_ms=read_now_ms(conn) + RETRY_MS)
        except OutboxError as lost:
            # the lease has moved on, or the store is away: the lease's end brings the job back
            log.warning("lease not returned", job=job.id, error=type(lost).__name__)

    def _guarded(self, name: str, act: Callable[[], T]) -> T | None:
        try:
            return act()
        except StaleFence:
            return None
        except Exception as error:  # noqa: BLE001  a thread of the loop must outlive what it meets
            log.error("loop step failed", part=name, error=type(error).__name__, detail=str(error))
            self._stopping.wait(1.0)
            return None
