"""Budgets of one job, with their defaults and units, and the questions they answer.

Rules:
* a number here is the default of completed tables §4; a product file may override it (`core.policy`);
* counting is the machine's business, these functions only compare;
* every reason why a job may be replaced, given up or deleted is decided here, in one place each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import JobState, Reason

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS

CANCEL_CALLS = 3  # how often an ordered cancel is sent before the state is simply read
CONFIRM_MARGIN_MS = 10 * MINUTE_MS  # after lease and timeout, before "never created" may be believed


class OnUnknown(StrEnum):
    """What to do with a create whose outcome stays unknown past the ambiguity age."""

    HOLD = "hold"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePolicy:
    """What the machine may spend on one job. Counts are inclusive: `polls = 30` allows 30 GETs.

    Source: completed tables §4 (budgets) and §6 (retry matrix).
    """

    generation_attempts: int = 3  # creates that were accepted, rejected or stayed unknown
    generations: int = 3  # jobs per research stage, the first included
    composition_generations: int = 3  # jobs per evidence package, the first included
    polls: int = 30  # GETs while the provider is at work
    retrievals: int = 10  # GETs once it is known to have ended
    poll_min_ms: int = 20 * SECOND_MS
    poll_max_ms: int = 60 * SECOND_MS
    backoff_min_ms: int = 2 * SECOND_MS
    backoff_max_ms: int = 300 * SECOND_MS
    delete_backoff_max_ms: int = HOUR_MS
    age_ms: int = 2 * HOUR_MS  # CREATE_ELIGIBLE to COMPLETED_NOT_RETRIEVED
    missing_times: int = 3  # 404s before a response counts as gone …
    missing_for_ms: int = 120 * SECOND_MS  # … and the least time between the first and the last
    hint_cap_ms: int = HOUR_MS  # a longer wait is a person's business
    ambiguity_window_ms: int = 15 * MINUTE_MS
    ambiguity_max_age_ms: int = 24 * HOUR_MS
    on_unknown: OnUnknown = OnUnknown.HOLD


def replacement_refusal(job: Job, policy: MachinePolicy) -> Reason | None:
    """Why generation + 1 of this job may not be opened by policy; None when it may.

    Money is not judged here: the caller reserves it in the same transaction. An operator's `replace` does
    not ask.
    """
    if job.no_replacement or job.cancel_requested_ms is not None:
        return Reason.OPERATOR  # whatever a cancel was answered with, only a person buys it again
    composing = job.stage is JobStage.COMPOSITION
    limit = policy.composition_generations if composing else policy.generations
    if job.generation + 1 < limit:
        return None
    return Reason.COMPOSITION_BUDGET_EXHAUSTED if composing else Reason.GENERATIONS_EXHAUSTED


def acceptance_unknown(job: Job) -> bool:
    """Whether the provider may hold a response of this job that nobody can name."""
    unknown = (Reason.CREATE_ACCEPTANCE_UNKNOWN, Reason.CORRELATION_CONFLICT)
    return (
        job.state is JobState.QUARANTINED
        and job.response_id is None
        and not job.abandoned
        and job.quarantine_reason in unknown
    )


def ambiguity_over(job: Job, policy: MachinePolicy, now_ms: int) -> bool:
    """Whether policy gives this unknown create up now: past the maximum age, and only under "replace"."""
    if policy.on_unknown is OnUnknown.HOLD or not acceptance_unknown(job):
        return False
    started_ms = job.create_started_ms or job.quarantined_ms
    return started_ms is not None and now_ms >= started_ms + policy.ambiguity_max_age_ms


def near_a_cap(job: Job, policy: MachinePolicy) -> bool:
    """Whether an open job has used more than half of one of its budgets, so that a release means something."""
    used = (
        (job.generation_attempts, policy.generation_attempts),
        (job.poll_count, policy.polls),
        (job.retrieve_count, policy.retrievals),
    )
    return any(2 * count > limit for count, limit in used)


def within_window(job: Job, policy: MachinePolicy, now_ms: int) -> bool:
    """Whether an unknown create is so young that its response may still be named by a webhook."""
    started_ms = job.create_started_ms or job.quarantined_ms
    young = started_ms is not None and now_ms < started_ms + policy.ambiguity_window_ms
    return acceptance_unknown(job) and young


def settled_ms(create_started_ms: int, *, lease_ms: int, timeout_ms: int) -> int:
    """When "it was never created" may first be believed: the worker is surely gone and its call over."""
    return create_started_ms + lease_ms + timeout_ms + CONFIRM_MARGIN_MS


def may_delete(job: Job) -> bool:
    """Whether DELETE may be sent for this job (I10): custody first, or a person gave it up.

    False in CLEANUP_PENDING means that there is nothing to delete: no response id, or the provider answered
    404 until it counted as gone. The worker then observes `RemoteDeleted(how="missing")` without a call.
    """
    in_custody = job.payload_digest is not None
    return job.state is JobState.CLEANUP_PENDING and bool(job.response_id) and (in_custody or job.abandoned)
