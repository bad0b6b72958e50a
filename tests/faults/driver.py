"""A shift: sweeps of everything due, virtual time between them, and an operator for creates of unknown outcome.

The operator does what a person would: looks the request up in the provider's log by its client request id, links
the response that is there, or confirms that there is none once that may be believed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from orchestrator import entropy
from orchestrator.assembly import House
from orchestrator.core.limits import acceptance_unknown
from orchestrator.core.records import Job
from orchestrator.core.states import JobState
from orchestrator.daemon import Loop, Standing
from orchestrator.errors import RefusedByState, Unavailable
from orchestrator.orders import Signature
from orchestrator.store import jobs
from outbox import inbox
from outbox.clock import advance

HOUR_MS = 3_600_000
CONFIRM_STEP_MS = 60_000
STEPS = 5_000


class StillBusy(AssertionError):
    """Something was due for ever, or far beyond the patience of the shift."""


@dataclass(frozen=True)
class Shift:
    """Works a house until nothing is due. `log` None: nobody reads the provider's log."""

    house: House
    log: Path | None = None
    begins: date | None = None
    patience_ms: int = 26 * HOUR_MS
    until: Callable[[], bool] | None = None  # looked at between sweeps; true ends the shift

    def to_idle(self) -> int:
        """Answers how far time was moved, in ms."""
        self.house.ticker.begins = self.begins
        loop, moved_ms = Loop(self.house, workers=1), 0
        for _ in range(STEPS):
            loop.sweep()
            if self.until is not None and self.until():
                return moved_ms
            if self._serve_the_unknown():
                continue
            wait_ms = self._wait_ms(loop)
            if wait_ms is None:
                return moved_ms
            moved_ms += wait_ms
            if moved_ms > self.patience_ms:
                break
            with self.house.db.write() as conn:
                advance(conn, wait_ms)
        raise StillBusy(f"not idle after {moved_ms / HOUR_MS:.1f} virtual hours")

    def in_threads(self, workers: int) -> int:
        """The same by the loop's own threads: so many workers and a relay, time moved when none has work."""
        self.house.ticker.begins = self.begins
        loop, moved = Loop(self.house, workers=workers), [0]

        def idle(_standing: Standing) -> bool:
            if self.until is not None and self.until():
                return True
            if self._serve_the_unknown():
                return False
            wait_ms = self._wait_ms(loop)
            if wait_ms is None or moved[0] > self.patience_ms:
                return True
            with self.house.db.write() as conn:
                advance(conn, wait_ms)
            moved[0] += wait_ms
            return False

        loop.run(until=idle)
        if moved[0] > self.patience_ms:
            raise StillBusy(f"not idle after {moved[0] / HOUR_MS:.1f} virtual hours")
        return moved[0]

    def _wait_ms(self, loop: Loop) -> int | None:
        standing = loop.standing()
        waits = [] if standing.next_due_ms is None else [max(1, standing.next_due_ms - standing.now_ms)]
        with self.house.db.read() as conn:
            mail = bool(inbox.pending(conn, 1))
        if mail or (self.log is not None and self._unknown()):
            waits.append(CONFIRM_STEP_MS)
        return min(waits, default=None)

    def _unknown(self) -> list[Job]:
        with self.house.db.read() as conn:
            return [job for job in jobs.listing(conn, JobState.QUARANTINED) if acceptance_unknown(job)]

    def _serve_the_unknown(self) -> bool:
        served = [self._serve(job, self.log) for job in self._unknown()] if self.log is not None else []
        return any(served)

    def _serve(self, job: Job, log: Path) -> bool:
        found = accepted(log, job.client_request_id or "")
        by = Signature(actor="night desk", reason_code="PROVIDER_LOG", key=entropy.new_token())
        try:
            if found:
                self.house.orders.link_response(job, found[-1], by)
            else:
                self.house.orders.confirm_not_created(job, by)
        except (RefusedByState, Unavailable):
            return False  # too early to believe it, or held: time passes first
        return True


def accepted(log: Path, client_request_id: str) -> list[str]:
    """The responses that the provider's log shows for a client request id."""
    lines = log.read_text().splitlines() if log.exists() else []
    entries = [json.loads(line) for line in lines if client_request_id in line]
    return [e["response_id"] for e in entries if e["accepted"] and e["client_request_id"] == client_request_id]
