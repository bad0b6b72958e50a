"""What the groups of the machine are given and what they answer.

`Case` is everything a verdict may rest on. `Verdict` names the event and what only the group can know;
`core.machine` looks the row up, adds what every transition has in common, and makes the `Decision`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.core.limits import MachinePolicy
from orchestrator.core.observations import Usage
from orchestrator.core.records import Job
from orchestrator.core.states import Event, JobState, Reason

Changes = Mapping[str, object]

_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A job as it was claimed, its budgets, the database's instant, and chance in [0, 1) for jitter."""

    job: Job
    policy: MachinePolicy
    now_ms: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One event. `to` chooses among a rule's targets; `reason` is why a job becomes quarantined.

    `delay_ms` is the wait before the next step where the target is stepped at all; `dormant` says that
    nothing is due although the state would be stepped (held, superseded).
    """

    event: Event
    to: JobState | None = None
    reason: Reason | None = None
    changes: Changes = field(default_factory=dict)
    delay_ms: int = 0
    dormant: bool = False
    code: str = ""
    gate_until_ms: int | None = None
    attempt_outcome: str | None = None
    payload: bytes | None = None
    usage: Usage | None = None


def bounded(code: str) -> str:
    """A provider's code or an error class as it may be stored and shown: short and plain, or "other"."""
    return code if _CODE.fullmatch(code) else "other"


def past_age(case: Case, last_try_ms: int | None) -> bool:
    """Whether the age limit counts: it has passed, and one try or look was made after it had.

    So a gap (host asleep, loop paused) never quarantines a job before it was looked at once.
    """
    eligible_ms = case.job.eligible_ms
    if eligible_ms is None or last_try_ms is None:
        return False
    return last_try_ms > eligible_ms + case.policy.age_ms


def past_patience(case: Case, hint_ms: int | None) -> bool:
    """Whether a hint is longer than the cap, or carries the job past a deadline that it could still meet."""
    if hint_ms is None:
        return False
    deadline_ms = case.job.deadline_ms
    if hint_ms > case.policy.hint_cap_ms:
        return True
    return deadline_ms is not None and case.now_ms < deadline_ms < case.now_ms + hint_ms


def gate_until(case: Case, wait_ms: int) -> int:
    """When the provider gate may open again; one answer never closes it for longer than the hint's cap."""
    return case.now_ms + min(wait_ms, case.policy.hint_cap_ms)


def fresh_start(case: Case) -> dict[str, object]:
    """Counters at 0 and the age counted from now: a person or a signed fact gave the job a new chance."""
    return {
        "generation_attempts": 0,
        "throttle_count": 0,
        "poll_count": 0,
        "retrieve_count": 0,
        "missing_count": 0,
        "missing_since_ms": None,
        "eligible_ms": case.now_ms if case.job.eligible_ms is not None else None,
    }
