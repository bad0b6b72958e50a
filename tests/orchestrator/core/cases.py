"""Jobs, observations and named scenarios: one for each way that a row of the transition table is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator.core import observations as seen
from orchestrator.core.limits import HOUR_MS, MINUTE_MS, MachinePolicy
from orchestrator.core.observations import Call, Phase, ProviderStatus, Usage
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import LOOKED_AT, PENDING_REMOTE, SUSPENDABLE, Event, JobState, Reason

NOW_MS = 1_796_000_000_000
POLICY = MachinePolicy()
CALL = Call(phase=Phase.DONE, elapsed_ms=12, http_status=200, x_request_id="req_1")
USAGE = Usage(input_tokens=10, output_tokens=20, searches=3)
BODY = b'{"id": "resp_1"}'

S, E, R = JobState, Event, Reason

WITHOUT_ID = (S.NO_JOB, S.CREATE_ELIGIBLE, S.CREATE_IN_FLIGHT)
IN_CUSTODY = (
    S.RETRIEVED_NOT_VALIDATED,
    S.VALIDATION_FAILED_RETAINED,
    S.READY_TO_COMPOSE,
    S.COMPOSED_NOT_SAVED,
    S.SAVED_NOT_PUBLIC,
    S.PUBLISHED,
    S.CLEANUP_PENDING,
    S.DELETED,
)
UNKNOWN = {
    "quarantine_reason": R.CREATE_ACCEPTANCE_UNKNOWN,
    "response_id": None,
    "resume_state": S.CREATE_ELIGIBLE,
}


def job(state: JobState, **changes: object) -> Job:
    """A plausible job in this state, created a minute ago."""
    made = Job(
        id="11111111-2222-4333-8444-555555555555",
        process_id="process-1",
        slot=None if state is S.NO_JOB else "process-1",
        state=state,
        version=7,
        stage=JobStage.RESEARCH_PRIMARY,
        contract_digest=None if state is S.NO_JOB else "sha256:c",
        eligible_ms=None if state is S.NO_JOB else NOW_MS - MINUTE_MS,
        response_id=None if state in WITHOUT_ID else "resp_1",
        payload_digest="sha256:p" if state in IN_CUSTODY else None,
        generation_attempts=0 if state in (S.NO_JOB, S.CREATE_ELIGIBLE) else 1,
    )
    if state is S.QUARANTINED:
        made = replace(
            made,
            quarantine_reason=R.POLL_BUDGET_EXHAUSTED,
            quarantined_ms=NOW_MS - 5,
            resume_state=S.IN_PROGRESS,
        )
    if state is S.MANUALLY_SUSPENDED:
        made = replace(made, resume_state=S.IN_PROGRESS)
    return replace(made, **changes)  # type: ignore[arg-type]


def composing(state: JobState, **changes: object) -> Job:
    return job(state, stage=JobStage.COMPOSITION, **changes)


def polled(status: ProviderStatus, error_code: str | None = None) -> seen.Polled:
    return seen.Polled(call=CALL, status=status, body=BODY, error_code=error_code, usage=USAGE)


def created(status: ProviderStatus, body: bytes | None = None) -> seen.Created:
    return seen.Created(call=CALL, response_id="resp_1", status=status, body=body, usage=USAGE)


def not_created(**changes: object) -> seen.NotCreated:
    return replace(seen.NotCreated(call=CALL, code="rate_limit_exceeded"), **changes)  # type: ignore[arg-type]


def dispatch(
    *, gate_until_ms: int | None = None, affordable: bool = True, drifted: bool = False
) -> seen.DispatchDue:
    return seen.DispatchDue(gate_until_ms=gate_until_ms, affordable=affordable, drifted=drifted)


INTENT = seen.IntentAuthorised(
    fingerprint="f" * 64,
    contract_digest="sha256:c",
    request_digest="sha256:r",
    client_request_id="client-1",
    cost_ceiling_micro=310_000,
    output_ceiling_tokens=24_000,
    deadline_ms=NOW_MS + HOUR_MS,
)
MISSING = seen.Missing(call=CALL)
THROTTLED = seen.Throttled(call=CALL, code="rate_limit_exceeded")
UNREACHABLE = seen.Unreachable(call=CALL, code="ReadTimeout")
GONE = seen.RemoteDeleted(call=CALL, how="deleted")
VALID = seen.Validated(passed=True, report_digest="sha256:v", code="VALID")
INVALID = seen.Validated(passed=False, report_digest="sha256:v", code="CANDIDATE_COUNT")
LONG_MISSING = {"missing_count": 2, "missing_since_ms": NOW_MS - 130_000}


@dataclass(frozen=True)
class Scenario:
    """Given this job, seeing this, the event and the state that must follow."""

    name: str
    job: Job
    seen: seen.Observation
    event: Event
    to: JobState
    reason: Reason | None = None


def scenarios() -> Iterator[Scenario]:
    for group in (_creation, _dispatch, _looks, _ended_looks, _stopped_looks, _custody, _cleanup, _recovery):
        yield from group()


def _creation() -> Iterator[Scenario]:
    flight = job(S.CREATE_IN_FLIGHT)
    yield Scenario("authorised", job(S.NO_JOB), INTENT, E.INTENT_AUTHORISED, S.CREATE_ELIGIBLE)
    yield Scenario(
        "no room for the reservation",
        job(S.NO_JOB),
        seen.CostRefused(),
        E.DISPATCH_REFUSED,
        S.QUARANTINED,
        R.COST_CEILING,
    )
    yield Scenario("accepted", flight, created(ProviderStatus.QUEUED), E.CREATED, S.ACCEPTED)
    yield Scenario(
        "accepted by a synchronous server",
        flight,
        created(ProviderStatus.COMPLETED, BODY),
        E.CREATED_TERMINAL,
        S.RETRIEVED_NOT_VALIDATED,
    )
    yield Scenario(
        "throttled create",
        flight,
        not_created(throttled=True, hint_ms=5_000),
        E.NOT_CREATED_RETRYABLE,
        S.CREATE_ELIGIBLE,
    )
    yield Scenario(
        "throttled past an hour",
        flight,
        not_created(throttled=True, hint_ms=HOUR_MS + 1),
        E.THROTTLED_TOO_LONG,
        S.QUARANTINED,
        R.PROVIDER_THROTTLED,
    )
    for reason in (R.PROVIDER_REJECTED, R.CREDENTIALS_REJECTED, R.QUOTA_EXHAUSTED):
        observed = not_created(code="invalid", final=reason)
        yield Scenario(f"create refused: {reason}", flight, observed, E.NOT_CREATED_FINAL, S.QUARANTINED, reason)
    for name, unknown in (
        ("cut while waiting", seen.CreationUnknown(call=CALL, code="ReadError")),
        ("lease ended in flight", seen.LeaseEndedInFlight()),
    ):
        yield Scenario(name, flight, unknown, E.CREATION_UNKNOWN, S.QUARANTINED, R.CREATE_ACCEPTANCE_UNKNOWN)


def _dispatch() -> Iterator[Scenario]:
    eligible = job(S.CREATE_ELIGIBLE)
    yield Scenario("dispatch", eligible, dispatch(), E.DISPATCHED, S.CREATE_IN_FLIGHT)
    yield Scenario(
        "gate closed at dispatch",
        eligible,
        dispatch(gate_until_ms=NOW_MS + 9),
        E.GATE_CLOSED,
        S.CREATE_ELIGIBLE,
    )
    yield Scenario(
        "drift at dispatch",
        eligible,
        dispatch(drifted=True),
        E.DRIFTED,
        S.QUARANTINED,
        R.CONFIGURATION_DRIFT,
    )
    for reason, refused, observed in (
        (R.GENERATION_BUDGET_EXHAUSTED, job(S.CREATE_ELIGIBLE, generation_attempts=3), dispatch()),
        (R.COST_CEILING, eligible, dispatch(affordable=False)),
        (
            R.AGE_LIMIT,
            job(S.CREATE_ELIGIBLE, eligible_ms=NOW_MS - 3 * HOUR_MS, create_started_ms=NOW_MS - 9),
            dispatch(),
        ),
    ):
        yield Scenario(f"dispatch refused: {reason}", refused, observed, E.DISPATCH_REFUSED, S.QUARANTINED, reason)


def _looks() -> Iterator[Scenario]:
    for state in LOOKED_AT:
        done = state is S.COMPLETED_NOT_RETRIEVED
        moves = state in (S.ACCEPTED, S.QUEUED)
        yield Scenario(
            "queued",
            job(state),
            polled(ProviderStatus.QUEUED),
            E.POLLED_QUEUED,
            S.QUEUED if moves else state,
        )
        yield Scenario(
            "in progress",
            job(state),
            polled(ProviderStatus.IN_PROGRESS),
            E.POLLED_IN_PROGRESS,
            state if done else S.IN_PROGRESS,
        )
        yield Scenario("first 404", job(state), MISSING, E.MISSING_IN_GRACE, state)
        yield Scenario(
            "gone for good",
            job(state, **LONG_MISSING),
            MISSING,
            E.MISSING_FOR_GOOD,
            S.PROVIDER_EXPIRED_OR_MISSING,
        )
        yield Scenario("429", job(state), THROTTLED, E.LOOK_TROUBLED, state)
        yield Scenario("5xx", job(state), UNREACHABLE, E.LOOK_TROUBLED, state)
        yield Scenario("gate closed", job(state), seen.GateFound(until_ms=NOW_MS + 9), E.GATE_CLOSED, state)


def _ended_looks() -> Iterator[Scenario]:
    for state in LOOKED_AT:
        for status in (ProviderStatus.COMPLETED, ProviderStatus.INCOMPLETE):
            yield Scenario(f"{status}", job(state), polled(status), E.POLLED_TERMINAL, S.RETRIEVED_NOT_VALIDATED)
        garbled = seen.Garbled(call=CALL, body=b"{", code="NOT_JSON")
        yield Scenario("garbled", job(state), garbled, E.POLLED_TERMINAL, S.RETRIEVED_NOT_VALIDATED)
        for code in ("server_error", "rate_limit_exceeded", "vector_store_timeout", None):
            failed = polled(ProviderStatus.FAILED, code)
            yield Scenario(f"failed: {code}", job(state), failed, E.POLLED_FAILED, S.PROVIDER_EXPIRED_OR_MISSING)
        for code, reason in (
            ("invalid_prompt", R.PROVIDER_REFUSED),
            ("insufficient_quota", R.QUOTA_EXHAUSTED),
            ("billing_not_active", R.QUOTA_EXHAUSTED),
        ):
            failed = polled(ProviderStatus.FAILED, code)
            yield Scenario(f"refused: {code}", job(state), failed, E.POLLED_REFUSED, S.QUARANTINED, reason)
        cancelled = polled(ProviderStatus.CANCELLED)
        yield Scenario("cancelled", job(state), cancelled, E.POLLED_CANCELLED, S.PROVIDER_EXPIRED_OR_MISSING)
    for state in PENDING_REMOTE:
        for status in (ProviderStatus.COMPLETED, ProviderStatus.INCOMPLETE, ProviderStatus.FAILED):
            yield Scenario(
                f"webhook: {status}",
                job(state),
                seen.WebhookSeen(status=status),
                E.WEBHOOK_TERMINAL,
                S.COMPLETED_NOT_RETRIEVED,
            )
        yield Scenario("cancel", job(state), seen.CancelOrdered(), E.CANCEL_ORDERED, state)


def _stopped_looks() -> Iterator[Scenario]:
    for state in LOOKED_AT:
        old = job(state, eligible_ms=NOW_MS - 3 * HOUR_MS, last_poll_ms=NOW_MS - 1)
        for look in (polled(ProviderStatus.QUEUED), UNREACHABLE):
            yield Scenario("too old", old, look, E.AGED_OUT, S.QUARANTINED, R.AGE_LIMIT)
        hinted = replace(THROTTLED, hint_ms=HOUR_MS + 1)
        yield Scenario(
            "throttled for hours",
            job(state),
            hinted,
            E.THROTTLED_TOO_LONG,
            S.QUARANTINED,
            R.PROVIDER_THROTTLED,
        )
    for state in PENDING_REMOTE:
        last = job(state, poll_count=29)
        for observed in (polled(ProviderStatus.IN_PROGRESS), UNREACHABLE, MISSING):
            yield Scenario(
                "polls used up",
                last,
                observed,
                E.POLLS_EXHAUSTED,
                S.QUARANTINED,
                R.POLL_BUDGET_EXHAUSTED,
            )
    yield Scenario(
        "retrievals used up",
        job(S.COMPLETED_NOT_RETRIEVED, retrieve_count=9),
        UNREACHABLE,
        E.RETRIEVALS_EXHAUSTED,
        S.QUARANTINED,
        R.RETRIEVAL_BUDGET_EXHAUSTED,
    )


def _custody() -> Iterator[Scenario]:
    stored = job(S.RETRIEVED_NOT_VALIDATED)
    yield Scenario("valid", stored, VALID, E.VALIDATION_PASSED, S.READY_TO_COMPOSE)
    yield Scenario("invalid", stored, INVALID, E.VALIDATION_FAILED, S.VALIDATION_FAILED_RETAINED)
    for state in (S.CREATE_ELIGIBLE, S.RETRIEVED_NOT_VALIDATED, S.READY_TO_COMPOSE):
        yield Scenario("drift", job(state), seen.DriftFound(), E.DRIFTED, S.QUARANTINED, R.CONFIGURATION_DRIFT)
    merged = seen.EvidenceMerged(result_commit_key="key")
    yield Scenario("merged", job(S.READY_TO_COMPOSE), merged, E.EVIDENCE_MERGED, S.CLEANUP_PENDING)
    built = seen.EditionsBuilt()
    yield Scenario("built", composing(S.READY_TO_COMPOSE), built, E.EDITIONS_BUILT, S.COMPOSED_NOT_SAVED)
    saved = seen.EditionsSaved(result_commit_key="key")
    yield Scenario("saved", composing(S.COMPOSED_NOT_SAVED), saved, E.EDITIONS_SAVED, S.SAVED_NOT_PUBLIC)
    yield Scenario("approved", composing(S.SAVED_NOT_PUBLIC), seen.Approved(), E.APPROVED, S.PUBLISHED)
    yield Scenario("held", composing(S.SAVED_NOT_PUBLIC), seen.Held(), E.HELD, S.SAVED_NOT_PUBLIC)


def _cleanup() -> Iterator[Scenario]:
    ordered = seen.CleanupOrdered()
    yield Scenario("cleanup", composing(S.PUBLISHED), ordered, E.CLEANUP_ORDERED, S.CLEANUP_PENDING)
    failed, expired = job(S.VALIDATION_FAILED_RETAINED), job(S.PROVIDER_EXPIRED_OR_MISSING)
    salvaged, replaced = seen.Salvaged(result_commit_key="key"), seen.Replaced(successor="job-2")
    yield Scenario("salvaged", failed, salvaged, E.SALVAGED, S.CLEANUP_PENDING)
    yield Scenario("replaced after failing", failed, replaced, E.REPLACED, S.CLEANUP_PENDING)
    yield Scenario("replaced after expiry", expired, replaced, E.REPLACED, S.CLEANUP_PENDING)
    nameless = job(S.PROVIDER_EXPIRED_OR_MISSING, response_id=None)
    yield Scenario("replaced without an id", nameless, replaced, E.REPLACED, S.PROVIDER_EXPIRED_OR_MISSING)
    for refused, reason in (
        (failed, R.GENERATIONS_EXHAUSTED),
        (failed, R.COMPOSITION_BUDGET_EXHAUSTED),
        (expired, R.OPERATOR),
    ):
        yield Scenario(
            f"not replaced: {reason}",
            refused,
            seen.ReplacementRefused(reason=reason),
            E.REPLACEMENT_REFUSED,
            S.QUARANTINED,
            reason,
        )
    cleaning = job(S.CLEANUP_PENDING)
    yield Scenario("deleted", cleaning, GONE, E.REMOTE_DELETED, S.DELETED)
    yield Scenario("deleted before", cleaning, MISSING, E.REMOTE_DELETED, S.DELETED)
    for observed in (THROTTLED, UNREACHABLE):
        yield Scenario("delete troubled", cleaning, observed, E.DELETE_TROUBLED, S.CLEANUP_PENDING)


def _recovery() -> Iterator[Scenario]:
    unknown, known = job(S.QUARANTINED, **UNKNOWN), job(S.QUARANTINED)
    linked = seen.Linked(response_id="resp_9")
    yield Scenario("linked", unknown, linked, E.LINKED, S.ACCEPTED)
    conflicting = seen.CorrelationFailed()
    yield Scenario("correlation failed", unknown, conflicting, E.CORRELATION_FAILED, S.QUARANTINED)
    for observed in (seen.Harvested(), seen.WebhookSeen(status=ProviderStatus.COMPLETED)):
        yield Scenario("harvested", known, observed, E.HARVESTED, S.COMPLETED_NOT_RETRIEVED)
    supplied = seen.PayloadSupplied(payload_digest="sha256:s")
    yield Scenario("supplied", unknown, supplied, E.PAYLOAD_SUPPLIED, S.RETRIEVED_NOT_VALIDATED)
    confirmed = seen.ConfirmedNotCreated(settled_ms=NOW_MS)
    yield Scenario("confirmed never created", unknown, confirmed, E.CONFIRMED_NOT_CREATED, S.CREATE_ELIGIBLE)
    yield Scenario("released", known, seen.Released(), E.RELEASED, S.IN_PROGRESS)
    for state in (S.CREATE_ELIGIBLE, *LOOKED_AT):
        worn = job(state, generation_attempts=2)
        yield Scenario("released near a cap", worn, seen.Released(), E.RELEASED, state)
    for state in (*LOOKED_AT, S.QUARANTINED):
        yield Scenario("discarded", job(state), seen.DiscardOrdered(), E.DISCARDED, S.CLEANUP_PENDING)
    yield Scenario("given up with an id", known, seen.Abandoned(), E.ABANDONED, S.CLEANUP_PENDING)
    for declined in (job(S.NO_JOB), job(S.CREATE_ELIGIBLE), composing(S.SAVED_NOT_PUBLIC)):
        yield Scenario("declined", declined, seen.Abandoned(), E.ABANDONED, S.CLEANUP_PENDING)
    yield Scenario("given up without", unknown, seen.Abandoned(), E.ABANDONED, S.QUARANTINED)
    for state in SUSPENDABLE:
        yield Scenario("suspended", job(state), seen.SuspendOrdered(), E.SUSPENDED, S.MANUALLY_SUSPENDED)
    parked = job(S.MANUALLY_SUSPENDED, resume_state=S.QUEUED)
    yield Scenario("resumed", parked, seen.ResumeOrdered(), E.RESUMED, S.QUEUED)


SCENARIOS = tuple(scenarios())
