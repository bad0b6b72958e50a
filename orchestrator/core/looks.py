"""Looking at the provider's answer, and deleting it: the verdicts while a response id is known.

Rules:
* a GET counts once: as a poll while the provider is at work, as a retrieval once it is known to have ended;
* an answer in hand always wins over a budget: only looks that bring nothing final can exhaust one;
* a 404 inside its grace never ages a job out, and a look that follows a gap is always made first;
* a failed or cancelled answer is kept as evidence too.

Source: completed tables §1 (looking, cleanup), §4, §6.
"""

from __future__ import annotations

from typing import assert_never

from orchestrator.core import delays
from orchestrator.core.observations import (
    Garbled,
    GateFound,
    Missing,
    Polled,
    ProviderStatus,
    RemoteDeleted,
    Throttled,
    Unreachable,
    Usage,
    WebhookSeen,
)
from orchestrator.core.records import Job
from orchestrator.core.states import LOOKED_AT, PENDING_REMOTE, Event, JobState, Reason
from orchestrator.core.verdicts import Case, Changes, Verdict, bounded, gate_until, past_age, past_patience

LookObservation = Polled | Garbled | Missing | Throttled | Unreachable | RemoteDeleted | GateFound | WebhookSeen

ENDED = frozenset(ProviderStatus) - {ProviderStatus.QUEUED, ProviderStatus.IN_PROGRESS}
"""Statuses that a response never leaves."""

REFUSED_CODES = frozenset(
    {"invalid_prompt", "bio_policy", "misalignment_policy_violation", "data_residency_mismatch"}
    | {"image_content_policy_violation"}
)
"""Failed because of what was asked: buying it again would fail again."""

QUOTA_CODES = frozenset(
    {"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded"}
    | {"project_spend_limit_exceeded", "organization_usage_limit_exceeded"}
    | {"billing_hard_limit_reached", "billing_not_active"}
)
"""Refused or failed because of the account: no waiting cures it, a person has to pay or to raise a limit."""


def verdict(case: Case, seen: LookObservation) -> Verdict:
    """What a look, a deletion, a closed gate or a webhook means for this job."""
    match seen:
        case Polled():
            return _polled(case, seen)
        case Garbled():
            return _ended(case, Event.POLLED_TERMINAL, body=seen.body, code=bounded(seen.code))
        case Missing():
            return _missing(case)
        case Throttled() | Unreachable():
            return _troubled(case, seen)
        case RemoteDeleted():
            return _deleted(case, bounded(seen.how))
        case GateFound():
            return Verdict(event=Event.GATE_CLOSED, delay_ms=max(0, seen.until_ms - case.now_ms))
        case WebhookSeen():
            return _webhook(case)
        case _:
            assert_never(seen)


def refusal(code: str | None) -> Reason | None:
    """The reason why a response that failed with this code is not bought again; None when it may be."""
    if code in QUOTA_CODES:
        return Reason.QUOTA_EXHAUSTED
    return Reason.PROVIDER_REFUSED if code in REFUSED_CODES else None


def harvestable(job: Job) -> bool:
    """Whether a finished response of a quarantined job is still wanted: its id known, its body not."""
    unwanted = (Reason.CONFIGURATION_DRIFT, Reason.COST_CEILING)
    return (
        job.state is JobState.QUARANTINED
        and job.response_id is not None
        and job.payload_digest is None
        and not job.abandoned
        and job.superseded_by is None
        and job.quarantine_reason not in unwanted
    )


def _polled(case: Case, seen: Polled) -> Verdict:
    match seen.status:
        case ProviderStatus.QUEUED:
            return _unfinished(case, Event.POLLED_QUEUED, changes=_found_again(case))
        case ProviderStatus.IN_PROGRESS:
            return _unfinished(case, Event.POLLED_IN_PROGRESS, changes=_found_again(case))
        case ProviderStatus.COMPLETED | ProviderStatus.INCOMPLETE:
            return _ended(case, Event.POLLED_TERMINAL, body=seen.body, usage=seen.usage)
        case ProviderStatus.CANCELLED:
            return _cancelled(case, seen)
        case ProviderStatus.FAILED:
            return _failed(case, seen)
        case _:
            assert_never(seen.status)


def _ended(
    case: Case,
    event: Event,
    *,
    body: bytes,
    usage: Usage | None = None,
    code: str | None = None,
    reason: Reason | None = None,
) -> Verdict:
    """The look brought something final; it is kept whatever it is."""
    seen_ms = case.job.terminal_seen_ms
    changes = {
        **_counted(case),
        **_found_again(case),
        "terminal_seen_ms": case.now_ms if seen_ms is None else seen_ms,
        "diagnostic": code,
    }
    return Verdict(event=event, reason=reason, changes=changes, code=code or "", payload=body, usage=usage)


def _failed(case: Case, seen: Polled) -> Verdict:
    code = bounded(seen.error_code or "unknown")
    reason = refusal(seen.error_code)
    event = Event.POLLED_FAILED if reason is None else Event.POLLED_REFUSED
    return _ended(case, event, body=seen.body, usage=seen.usage, code=code, reason=reason)


def _cancelled(case: Case, seen: Polled) -> Verdict:
    """A cancel that a person ordered is not answered by buying the same again."""
    ended = _ended(case, Event.POLLED_CANCELLED, body=seen.body, usage=seen.usage, code="PROVIDER_CANCELLED")
    if case.job.cancel_requested_ms is None:
        return ended
    return Verdict(
        event=ended.event,
        changes={**ended.changes, "no_replacement": True},
        code=ended.code,
        payload=ended.payload,
        usage=ended.usage,
    )


def _missing(case: Case) -> Verdict:
    job, policy = case.job, case.policy
    if job.state is JobState.CLEANUP_PENDING:
        return _deleted(case, "missing")
    since_ms = case.now_ms if job.missing_since_ms is None else job.missing_since_ms
    times = job.missing_count + 1
    changes: Changes = {"missing_since_ms": since_ms, "missing_count": times}
    if times >= policy.missing_times and case.now_ms - since_ms >= policy.missing_for_ms:
        pending = job.state in PENDING_REMOTE
        code = "NOT_FOUND" if pending else "EXPIRED_BEFORE_RETRIEVAL"
        changes = {**_counted(case), **changes, "diagnostic": code}
        return Verdict(event=Event.MISSING_FOR_GOOD, changes=changes, code=code)
    return _unfinished(case, Event.MISSING_IN_GRACE, changes=changes, code="NOT_FOUND")


def _troubled(case: Case, seen: Throttled | Unreachable) -> Verdict:
    code = bounded(seen.code)
    if case.job.state is JobState.CLEANUP_PENDING:
        return _delete_troubled(case, seen, code)
    changes: dict[str, object] = {"diagnostic": code}
    if isinstance(seen, Throttled):
        changes["throttle_count"] = case.job.throttle_count + 1
    gate_ms = _gate(case, seen)
    if past_patience(case, seen.hint_ms):
        return Verdict(
            event=Event.THROTTLED_TOO_LONG,
            reason=Reason.PROVIDER_THROTTLED,
            changes={**_counted(case), **changes},
            gate_until_ms=gate_ms,
        )
    return _unfinished(
        case, Event.LOOK_TROUBLED, changes=changes, code=code, gate_until_ms=gate_ms, hint_ms=seen.hint_ms
    )


def _gate(case: Case, seen: Throttled | Unreachable) -> int | None:
    """A 429 closes the provider's gate; other trouble with one response does so only with a hint."""
    if seen.hint_ms is not None:
        return gate_until(case, seen.hint_ms)
    if isinstance(seen, Unreachable):
        return None
    own_ms = delays.backoff_ms(case.job.throttle_count, case.policy, chance=case.chance)
    return gate_until(case, own_ms)


def _unfinished(
    case: Case,
    event: Event,
    *,
    changes: Changes,
    code: str = "",
    gate_until_ms: int | None = None,
    hint_ms: int | None = None,
) -> Verdict:
    """The look brought nothing final: count it, and see whether a budget or the age ends it here."""
    merged = {**_counted(case), **changes}
    stop = _stopped(case, event)
    if stop is not None:
        by, reason = stop
        return Verdict(event=by, reason=reason, changes=merged, gate_until_ms=gate_until_ms)
    gate_wait_ms = 0 if gate_until_ms is None else gate_until_ms - case.now_ms
    delay_ms = max(_spacing(case, hint_ms), gate_wait_ms)
    return Verdict(event=event, changes=merged, delay_ms=delay_ms, code=code, gate_until_ms=gate_until_ms)


def _stopped(case: Case, event: Event) -> tuple[Event, Reason] | None:
    job, policy = case.job, case.policy
    if job.state in PENDING_REMOTE and job.poll_count + 1 >= policy.polls:
        return Event.POLLS_EXHAUSTED, Reason.POLL_BUDGET_EXHAUSTED
    if job.state is JobState.COMPLETED_NOT_RETRIEVED and job.retrieve_count + 1 >= policy.retrievals:
        return Event.RETRIEVALS_EXHAUSTED, Reason.RETRIEVAL_BUDGET_EXHAUSTED
    if job.state not in LOOKED_AT or event is Event.MISSING_IN_GRACE:
        return None
    answered = event is not Event.LOOK_TROUBLED
    return (Event.AGED_OUT, Reason.AGE_LIMIT) if past_age(case, _look_ms(case, answered=answered)) else None


def _look_ms(case: Case, *, answered: bool) -> int | None:
    """The last look that counts for the age: this one when the provider answered it, else the one before."""
    return case.now_ms if answered else case.job.last_poll_ms


def _spacing(case: Case, hint_ms: int | None) -> int:
    job, policy = case.job, case.policy
    if job.state is JobState.COMPLETED_NOT_RETRIEVED:
        return delays.backoff_ms(job.retrieve_count, policy, chance=case.chance, hint_ms=hint_ms)
    return delays.poll_spacing_ms(job.poll_count, policy, chance=case.chance, hint_ms=hint_ms)


def _counted(case: Case) -> dict[str, object]:
    """The GET that was just made, in its own counter (I4)."""
    job = case.job
    if job.state is JobState.COMPLETED_NOT_RETRIEVED:
        return {"retrieve_count": job.retrieve_count + 1, "last_poll_ms": case.now_ms}
    return {"poll_count": job.poll_count + 1, "last_poll_ms": case.now_ms}


def _found_again(case: Case) -> dict[str, object]:
    """The provider knows the response and answers: earlier 404s and refusals are over."""
    changes: dict[str, object] = {}
    if case.job.missing_count:
        changes |= {"missing_count": 0, "missing_since_ms": None}
    if case.job.throttle_count:
        changes["throttle_count"] = 0
    return changes


def _deleted(case: Case, how: str) -> Verdict:
    return Verdict(event=Event.REMOTE_DELETED, changes={"deleted_ms": case.now_ms}, code=how)


def _delete_troubled(case: Case, seen: Throttled | Unreachable, code: str) -> Verdict:
    count = case.job.delete_count
    delay_ms = delays.delete_backoff_ms(count, case.policy, chance=case.chance, hint_ms=seen.hint_ms)
    return Verdict(
        event=Event.DELETE_TROUBLED,
        changes={"delete_count": count + 1, "diagnostic": code},
        delay_ms=delay_ms,
        code=code,
        gate_until_ms=_gate(case, seen),
    )


def _webhook(case: Case) -> Verdict:
    """Whatever it ended as, the next look says; here only that it ended is taken from the event."""
    if harvestable(case.job):
        return harvested(case)
    seen_ms = case.job.terminal_seen_ms
    changes = {"terminal_seen_ms": case.now_ms if seen_ms is None else seen_ms}
    return Verdict(event=Event.WEBHOOK_TERMINAL, changes=changes)


def harvested(case: Case) -> Verdict:
    """A quarantined job's answer is there: it is fetched with a fresh retrieval budget."""
    changes: dict[str, object] = {"retrieve_count": 0, "missing_count": 0, "missing_since_ms": None}
    if case.job.eligible_ms is not None:
        changes["eligible_ms"] = case.now_ms
    return Verdict(event=Event.HARVESTED, changes={**changes, "terminal_seen_ms": case.now_ms})
