"""How each promised edition ended, or who has it: silence is never an answer.

Every product and date that was planned is open, verified, missed, abandoned, or waits for its owner; for whatever
is not verified, the reason and the name that answers for it come with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection

from orchestrator.core.records import Job, Overlay, Process
from orchestrator.core.states import JobState
from orchestrator.desk.shapes import Json
from orchestrator.store import events, jobs


class Ending(StrEnum):
    """What became of an obligation (completed tables §10; MISSED, ABANDONED: §2)."""

    OPEN = "OPEN"
    VERIFIED_COMPLETE = "VERIFIED_COMPLETE"
    MISSED = "MISSED"
    ABANDONED = "ABANDONED"
    QUARANTINED_REQUIRES_OWNER = "QUARANTINED_REQUIRES_OWNER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """One outcome. `by`: who ended it, or the role that owes an answer."""

    ending: Ending
    reason: str | None = None
    by: str | None = None


def obligation(conn: Connection, process: Process) -> Obligation:
    """How the process stands with its promise."""
    if process.verified_ms is not None:
        return Obligation(ending=Ending.VERIFIED_COMPLETE)
    if process.overlay is Overlay.ABANDONED:
        by = _actor(conn, process, f"OVERLAY_{Overlay.ABANDONED.value}")
        return Obligation(ending=Ending.ABANDONED, reason=process.reason, by=by)
    if process.overlay is Overlay.MISSED:
        return Obligation(ending=Ending.MISSED, reason=process.reason, by=_actor(conn, process, "TARGET_"))
    if process.overlay is Overlay.QUARANTINED:
        return Obligation(ending=Ending.QUARANTINED_REQUIRES_OWNER, reason=process.reason, by=process.owner)
    stuck = _stuck(jobs.current(conn, process.id))
    return stuck or Obligation(ending=Ending.OPEN, reason=_late(process))


def obligation_json(found: Obligation) -> Json:
    """The keys that `processes --json` adds."""
    return {"outcome": found.ending.value, "outcome_reason": found.reason, "outcome_by": found.by}


def _stuck(job: Job | None) -> Obligation | None:
    if job is None or job.state is not JobState.QUARANTINED or job.abandoned:
        return None
    reason = job.quarantine_reason.value if job.quarantine_reason else None
    return Obligation(ending=Ending.QUARANTINED_REQUIRES_OWNER, reason=reason, by=job.owner)


def _late(process: Process) -> str | None:
    return process.overlay.value if process.overlay is not Overlay.NONE else None


def _actor(conn: Connection, process: Process, event_type: str) -> str | None:
    lines = events.of_process(conn, process.id)
    return next((line.actor for line in reversed(lines) if line.event_type.startswith(event_type)), None)
