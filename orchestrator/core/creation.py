"""Authorising, dispatching and creating: the verdicts before an id is known.

Rules:
* only proof leads out of CREATE_IN_FLIGHT: an id, a proven "not created", else quarantine;
* an attempt is counted at dispatch, and given back when it was proven not created while the provider was
  throttling or unreachable; polling never touches it (I4).

Source: completed tables §1 (creation), §4 (attempts, hint, age), §5 (proof classes).
"""

from __future__ import annotations

from typing import assert_never

from orchestrator.core import delays
from orchestrator.core.observations import (
    CostRefused,
    Created,
    CreationUnknown,
    DispatchDue,
    IntentAuthorised,
    LeaseEndedInFlight,
    NotCreated,
    ProviderStatus,
)
from orchestrator.core.states import Event, JobState, Reason
from orchestrator.core.verdicts import Case, Verdict, bounded, gate_until, past_age, past_patience

CreationObservation = (
    IntentAuthorised | CostRefused | DispatchDue | Created | NotCreated | CreationUnknown | LeaseEndedInFlight
)

PENDING_STATUSES = (ProviderStatus.QUEUED, ProviderStatus.IN_PROGRESS)


def verdict(case: Case, seen: CreationObservation) -> Verdict:
    """What an observation before acceptance means for this job."""
    match seen:
        case IntentAuthorised():
            return _authorised(case, seen)
        case CostRefused():
            changes = {"diagnostic": bounded(seen.code)} if seen.code else {}
            return Verdict(event=Event.DISPATCH_REFUSED, reason=Reason.COST_CEILING, changes=changes)
        case DispatchDue():
            return _dispatch(case, seen)
        case Created():
            return _created(case, seen)
        case NotCreated():
            return _not_created(case, seen)
        case CreationUnknown():
            return _unknown(bounded(seen.code))
        case LeaseEndedInFlight():
            return _unknown("LEASE_ENDED")
        case _:
            assert_never(seen)


def _authorised(case: Case, seen: IntentAuthorised) -> Verdict:
    changes = {
        "slot": case.job.process_id,
        "fingerprint": seen.fingerprint,
        "contract_digest": seen.contract_digest,
        "request_digest": seen.request_digest,
        "client_request_id": seen.client_request_id,
        "cost_ceiling_micro": seen.cost_ceiling_micro,
        "output_ceiling_tokens": seen.output_ceiling_tokens,
        "deadline_ms": seen.deadline_ms,
        "eligible_ms": case.now_ms,
    }
    return Verdict(event=Event.INTENT_AUTHORISED, changes=changes)


def _dispatch(case: Case, seen: DispatchDue) -> Verdict:
    job = case.job
    if seen.drifted:
        return Verdict(event=Event.DRIFTED, reason=Reason.CONFIGURATION_DRIFT)
    if job.generation_attempts >= case.policy.generation_attempts:
        return Verdict(event=Event.DISPATCH_REFUSED, reason=Reason.GENERATION_BUDGET_EXHAUSTED)
    if past_age(case, job.create_started_ms):
        return Verdict(event=Event.DISPATCH_REFUSED, reason=Reason.AGE_LIMIT)
    if not seen.affordable:
        return Verdict(event=Event.DISPATCH_REFUSED, reason=Reason.COST_CEILING)
    if seen.gate_until_ms is not None and seen.gate_until_ms > case.now_ms:
        return Verdict(event=Event.GATE_CLOSED, delay_ms=seen.gate_until_ms - case.now_ms)
    changes = {"generation_attempts": job.generation_attempts + 1, "create_started_ms": case.now_ms}
    return Verdict(event=Event.DISPATCHED, changes=changes)


def _created(case: Case, seen: Created) -> Verdict:
    changes: dict[str, object] = {
        "response_id": seen.response_id,
        "x_request_id": seen.call.x_request_id,
        "accepted_ms": case.now_ms,
        "throttle_count": 0,
        "diagnostic": None if seen.error_code is None else bounded(seen.error_code),
    }
    if seen.status in PENDING_STATUSES or seen.body is None:
        delay_ms = delays.poll_spacing_ms(0, case.policy, chance=case.chance)
        return Verdict(
            event=Event.CREATED,
            changes=changes,
            delay_ms=delay_ms,
            attempt_outcome="CREATED",
            usage=seen.usage,
        )
    return Verdict(
        event=Event.CREATED_TERMINAL,
        changes={**changes, "terminal_seen_ms": case.now_ms},
        attempt_outcome="CREATED",
        payload=seen.body,
        usage=seen.usage,
    )


def _not_created(case: Case, seen: NotCreated) -> Verdict:
    """Proven not created: final, past all patience, or to be tried again after the hint or the backoff."""
    code = bounded(seen.code)
    changes: dict[str, object] = {"diagnostic": code, **_recounted(case, seen)}
    if seen.final is not None:
        return Verdict(
            event=Event.NOT_CREATED_FINAL,
            reason=seen.final,
            changes=changes,
            attempt_outcome="NOT_CREATED",
        )
    own_ms = delays.backoff_ms(case.job.throttle_count, case.policy, chance=case.chance)
    closed_ms = own_ms if seen.hint_ms is None else seen.hint_ms  # the gate opens exactly when hinted
    # due with all that wait for the gate: jitter of its own would let a later deadline overtake it
    wait_ms = closed_ms if seen.throttled else max(own_ms, delays.hinted_ms(seen.hint_ms, case.chance))
    gate_ms = gate_until(case, closed_ms) if seen.throttled else None
    if past_patience(case, seen.hint_ms) or (seen.throttled and _deadline_missed(case)):
        return Verdict(
            event=Event.THROTTLED_TOO_LONG,
            reason=Reason.PROVIDER_THROTTLED,
            changes=changes,
            gate_until_ms=gate_ms,
            attempt_outcome="NOT_CREATED",
        )
    return Verdict(
        event=Event.NOT_CREATED_RETRYABLE,
        changes=changes,
        delay_ms=wait_ms,
        code=code,
        gate_until_ms=gate_ms,
        attempt_outcome="NOT_CREATED",
    )


def _recounted(case: Case, seen: NotCreated) -> dict[str, object]:
    """A throttled or unreachable provider costs no attempt; every refusal in a row lengthens the backoff."""
    changes: dict[str, object] = {"throttle_count": case.job.throttle_count + 1}
    if seen.throttled:
        changes["generation_attempts"] = max(0, case.job.generation_attempts - 1)
    return changes


def _deadline_missed(case: Case) -> bool:
    """Throttled creates go on until the deadline; one that began after it (late, backfill) has none left."""
    deadline_ms, eligible_ms = case.job.deadline_ms, case.job.eligible_ms
    if deadline_ms is None or case.now_ms < deadline_ms:
        return False
    return eligible_ms is None or eligible_ms < deadline_ms


def _unknown(code: str) -> Verdict:
    return Verdict(
        event=Event.CREATION_UNKNOWN,
        reason=Reason.CREATE_ACCEPTANCE_UNKNOWN,
        changes={"diagnostic": code},
        attempt_outcome="UNKNOWN",
    )


def before_creation(state: JobState) -> JobState:
    """Where a job that is quarantined in this state may be released to: a create in flight starts over."""
    return JobState.CREATE_ELIGIBLE if state is JobState.CREATE_IN_FLIGHT else state
