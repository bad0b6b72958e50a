"""Operator orders and late evidence: the verdicts on jobs that wait for a person or for a fact.

Rules:
* an order that makes sense but not now raises `RefusedByState` with what to do instead; one that the table
  does not know in this state raises `IllegalTransition` like any other event;
* an abandoned or superseded job can never come back;
* an unknown create is never released: only a link, a confirmation or giving it up leads out.

Source: completed tables §1 (recovery), §9 (operator commands).
"""

from __future__ import annotations

from typing import assert_never

from orchestrator.core.limits import acceptance_unknown, near_a_cap
from orchestrator.core.looks import harvestable, harvested
from orchestrator.core.observations import (
    Abandoned,
    CancelOrdered,
    ConfirmedNotCreated,
    CorrelationFailed,
    DiscardOrdered,
    Harvested,
    Linked,
    OperatorObservation,
    PayloadSupplied,
    Released,
    ResumeOrdered,
    SuspendOrdered,
)
from orchestrator.core.records import Job
from orchestrator.core.states import TRANSITIONS, Event, JobState, Reason
from orchestrator.core.verdicts import Case, Verdict, fresh_start
from orchestrator.errors import InvariantBroken, RefusedByState


def verdict(case: Case, seen: OperatorObservation) -> Verdict:
    """What an order or a piece of late evidence means for this job."""
    match seen:
        case Linked():
            return _linked(case, seen)
        case CorrelationFailed():
            return _correlation_failed(case)
        case Harvested():
            return _harvested(case)
        case PayloadSupplied():
            return _supplied(case, seen)
        case ConfirmedNotCreated():
            return _confirmed(case, seen)
        case Released():
            return _released(case, seen)
        case Abandoned():
            return _abandoned(case)
        case DiscardOrdered():
            return _discarded(case)
        case SuspendOrdered():
            return _suspended(case)
        case ResumeOrdered():
            return _resumed(case)
        case CancelOrdered():
            changes = {"cancel_requested_ms": case.now_ms, "cancel_calls": 0}
            return Verdict(event=Event.CANCEL_ORDERED, changes=changes)
        case _:
            assert_never(seen)


def _linked(case: Case, seen: Linked) -> Verdict:
    _only_unknown(case.job, "only a create whose outcome is unknown can be linked")
    changes = {
        **fresh_start(case),
        "generation_attempts": case.job.generation_attempts,
        "response_id": seen.response_id,
        "accepted_ms": case.now_ms,
    }
    return Verdict(event=Event.LINKED, changes=changes, attempt_outcome="CREATED")


def _correlation_failed(case: Case) -> Verdict:
    _only_unknown(case.job, "only a create whose outcome is unknown can be linked")
    reason = Reason.CORRELATION_CONFLICT
    return Verdict(event=Event.CORRELATION_FAILED, changes={"quarantine_reason": reason}, code=reason)


def _harvested(case: Case) -> Verdict:
    job = case.job
    if job.state is JobState.QUARANTINED and not harvestable(job):
        raise RefusedByState(
            f"job {job.id}: its response is not wanted ({_why(job)})",
            hint="It is unknown, already stored, given up, or quarantined for drift or cost.",
        )
    return harvested(case)


def _supplied(case: Case, seen: PayloadSupplied) -> Verdict:
    _not_given_up(case.job)
    if case.job.state is JobState.QUARANTINED and case.job.contract_digest is None:
        raise RefusedByState(
            f"job {case.job.id}: it has no contract that a payload could answer",
            hint="It was stopped before its contract was authorised: replace it.",
        )
    changes = {"payload_digest": seen.payload_digest, "terminal_seen_ms": case.now_ms}
    return Verdict(event=Event.PAYLOAD_SUPPLIED, changes=changes)


def _confirmed(case: Case, seen: ConfirmedNotCreated) -> Verdict:
    _only_unknown(case.job, "only a create whose outcome is unknown can be confirmed as never made")
    if case.now_ms < seen.settled_ms:
        wait_s = -((case.now_ms - seen.settled_ms) // 1_000)
        raise RefusedByState(
            f"job {case.job.id}: it is too early to believe that it was never created",
            hint=f"The call may still arrive; ask again in {wait_s} s.",
        )
    changes = {"eligible_ms": case.now_ms, "create_started_ms": None}
    return Verdict(event=Event.CONFIRMED_NOT_CREATED, changes=changes, attempt_outcome="NOT_CREATED")


def _released(case: Case, seen: Released) -> Verdict:
    job = case.job
    if job.state is not JobState.QUARANTINED:
        return _refreshed(case)
    _not_given_up(job)
    if acceptance_unknown(job):
        raise RefusedByState(
            f"job {job.id}: a create with unknown outcome is not sent again on a guess",
            hint="Use link-response, confirm-not-created or replace.",
        )
    if job.quarantine_reason is Reason.CONFIGURATION_DRIFT and not seen.under_recorded_contract:
        raise RefusedByState(
            f"job {job.id}: its recorded contract differs from the running configuration",
            hint="Release it with --under-recorded-contract, or replace it.",
        )
    changes = fresh_start(case)
    if seen.under_recorded_contract:
        changes["drift_waived"] = True
    return Verdict(event=Event.RELEASED, to=_state_before(job), changes=changes)


def _refreshed(case: Case) -> Verdict:
    """An open job goes on where it is, with its counters at 0."""
    if not near_a_cap(case.job, case.policy):
        raise RefusedByState(
            f"job {case.job.id}: none of its counters is near its cap",
            hint="It goes on by itself; release is for what is quarantined or soon would be.",
        )
    return Verdict(event=Event.RELEASED, changes=fresh_start(case))


def _state_before(job: Job) -> JobState:
    before = job.resume_state
    if before is None or before not in TRANSITIONS[JobState.QUARANTINED, Event.RELEASED].targets:
        raise RefusedByState(
            f"job {job.id}: it cannot go back to {before or 'an unknown state'}",
            hint="Replace it.",
        )
    return before


def _abandoned(case: Case) -> Verdict:
    job = case.job
    _not_given_up(job)
    changes: dict[str, object] = {"abandoned": True, "slot": None}
    if job.response_id is None and job.state is JobState.QUARANTINED:
        return Verdict(event=Event.ABANDONED, to=job.state, changes=changes)
    changes["delete_requested_ms"] = case.now_ms
    return Verdict(event=Event.ABANDONED, to=JobState.CLEANUP_PENDING, changes=changes)


def _discarded(case: Case) -> Verdict:
    job = case.job
    _not_given_up(job)
    if job.response_id is None:
        raise RefusedByState(
            f"job {job.id}: no response id is known that could be deleted",
            hint=f"See dateline explain {job.id}.",
        )
    changes = {
        "abandoned": True,
        "slot": None,
        "discard_ordered_ms": case.now_ms,
        "delete_requested_ms": case.now_ms,
    }
    return Verdict(event=Event.DISCARDED, changes=changes)


def _suspended(case: Case) -> Verdict:
    """A quarantined job keeps its quarantine, and the state before it, while it is suspended."""
    _not_given_up(case.job)
    if case.job.state is JobState.QUARANTINED:
        return Verdict(event=Event.SUSPENDED)
    return Verdict(event=Event.SUSPENDED, changes={"resume_state": case.job.state})


def _resumed(case: Case) -> Verdict:
    job = case.job
    if job.quarantine_reason is not None:
        return Verdict(event=Event.RESUMED, to=JobState.QUARANTINED)
    if job.state is JobState.MANUALLY_SUSPENDED and job.resume_state is None:
        raise InvariantBroken(f"job {job.id}: suspended without a state to resume")
    return Verdict(event=Event.RESUMED, to=job.resume_state, changes={"resume_state": None})


def _only_unknown(job: Job, why: str) -> None:
    if job.state is JobState.QUARANTINED and not acceptance_unknown(job):
        raise RefusedByState(f"job {job.id}: {why} ({_why(job)})", hint=f"See dateline explain {job.id}.")


def _not_given_up(job: Job) -> None:
    if job.abandoned or job.superseded_by is not None:
        raise RefusedByState(
            f"job {job.id}: it was given up and can never commit",
            hint="Look for its successor with dateline jobs.",
        )


def _why(job: Job) -> str:
    return "given up" if job.abandoned else str(job.quarantine_reason)
