"""The 18 job states and every legal transition, as data (durable orchestration §4–§6).

`TRANSITIONS[(state, event)]` is the only place that says what may follow what. The machine, the tests (every
state × every event), the diagram in ARCHITECTURE.md and `dateline explain` read it; nothing else encodes it.

Rules:
* a pair that is not in the table is illegal and raises `IllegalTransition`;
* a rule with several targets lists them all; the machine chooses one and is checked against the list;
* `through` names states that are passed inside one commit; each gets an audit event of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class JobState(StrEnum):
    """Where one provider execution stands. The job never says what the publication is doing."""

    NO_JOB = "NO_JOB"
    CREATE_ELIGIBLE = "CREATE_ELIGIBLE"
    CREATE_IN_FLIGHT = "CREATE_IN_FLIGHT"
    ACCEPTED = "ACCEPTED"
    QUEUED = "QUEUED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED_NOT_RETRIEVED = "COMPLETED_NOT_RETRIEVED"
    RETRIEVED_NOT_VALIDATED = "RETRIEVED_NOT_VALIDATED"
    VALIDATION_FAILED_RETAINED = "VALIDATION_FAILED_RETAINED"
    READY_TO_COMPOSE = "READY_TO_COMPOSE"
    COMPOSED_NOT_SAVED = "COMPOSED_NOT_SAVED"
    SAVED_NOT_PUBLIC = "SAVED_NOT_PUBLIC"
    PUBLISHED = "PUBLISHED"
    CLEANUP_PENDING = "CLEANUP_PENDING"
    DELETED = "DELETED"
    PROVIDER_EXPIRED_OR_MISSING = "PROVIDER_EXPIRED_OR_MISSING"
    QUARANTINED = "QUARANTINED"
    MANUALLY_SUSPENDED = "MANUALLY_SUSPENDED"


class Reason(StrEnum):
    """Why a job is quarantined."""

    CREATE_ACCEPTANCE_UNKNOWN = "CREATE_ACCEPTANCE_UNKNOWN"
    PROVIDER_REJECTED = "PROVIDER_REJECTED"
    PROVIDER_REFUSED = "PROVIDER_REFUSED"
    CREDENTIALS_REJECTED = "CREDENTIALS_REJECTED"
    QUOTA_EXHAUSTED = "QUOTA_EXHAUSTED"
    PROVIDER_THROTTLED = "PROVIDER_THROTTLED"
    GENERATION_BUDGET_EXHAUSTED = "GENERATION_BUDGET_EXHAUSTED"
    GENERATIONS_EXHAUSTED = "GENERATIONS_EXHAUSTED"
    POLL_BUDGET_EXHAUSTED = "POLL_BUDGET_EXHAUSTED"
    RETRIEVAL_BUDGET_EXHAUSTED = "RETRIEVAL_BUDGET_EXHAUSTED"
    COMPOSITION_BUDGET_EXHAUSTED = "COMPOSITION_BUDGET_EXHAUSTED"
    COST_CEILING = "COST_CEILING"
    AGE_LIMIT = "AGE_LIMIT"
    CONFIGURATION_DRIFT = "CONFIGURATION_DRIFT"
    CORRELATION_CONFLICT = "CORRELATION_CONFLICT"
    OPERATOR = "OPERATOR"


class Event(StrEnum):
    """What happened to a job, in the past tense. One row of the table each."""

    INTENT_AUTHORISED = "INTENT_AUTHORISED"
    GATE_CLOSED = "GATE_CLOSED"
    DISPATCHED = "DISPATCHED"
    DISPATCH_REFUSED = "DISPATCH_REFUSED"
    CREATED = "CREATED"
    CREATED_TERMINAL = "CREATED_TERMINAL"
    NOT_CREATED_RETRYABLE = "NOT_CREATED_RETRYABLE"
    NOT_CREATED_FINAL = "NOT_CREATED_FINAL"
    CREATION_UNKNOWN = "CREATION_UNKNOWN"
    POLLED_QUEUED = "POLLED_QUEUED"
    POLLED_IN_PROGRESS = "POLLED_IN_PROGRESS"
    POLLED_TERMINAL = "POLLED_TERMINAL"
    POLLED_FAILED = "POLLED_FAILED"
    POLLED_REFUSED = "POLLED_REFUSED"
    POLLED_CANCELLED = "POLLED_CANCELLED"
    WEBHOOK_TERMINAL = "WEBHOOK_TERMINAL"
    MISSING_IN_GRACE = "MISSING_IN_GRACE"
    MISSING_FOR_GOOD = "MISSING_FOR_GOOD"
    LOOK_TROUBLED = "LOOK_TROUBLED"
    THROTTLED_TOO_LONG = "THROTTLED_TOO_LONG"
    POLLS_EXHAUSTED = "POLLS_EXHAUSTED"
    RETRIEVALS_EXHAUSTED = "RETRIEVALS_EXHAUSTED"
    AGED_OUT = "AGED_OUT"
    VALIDATION_PASSED = "VALIDATION_PASSED"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    EVIDENCE_MERGED = "EVIDENCE_MERGED"
    EDITIONS_BUILT = "EDITIONS_BUILT"
    EDITIONS_SAVED = "EDITIONS_SAVED"
    APPROVED = "APPROVED"
    HELD = "HELD"
    CLEANUP_ORDERED = "CLEANUP_ORDERED"
    SALVAGED = "SALVAGED"
    REPLACED = "REPLACED"
    REPLACEMENT_REFUSED = "REPLACEMENT_REFUSED"
    REMOTE_DELETED = "REMOTE_DELETED"
    DELETE_TROUBLED = "DELETE_TROUBLED"
    LINKED = "LINKED"
    CORRELATION_FAILED = "CORRELATION_FAILED"
    HARVESTED = "HARVESTED"
    PAYLOAD_SUPPLIED = "PAYLOAD_SUPPLIED"
    CONFIRMED_NOT_CREATED = "CONFIRMED_NOT_CREATED"
    RELEASED = "RELEASED"
    ABANDONED = "ABANDONED"
    DISCARDED = "DISCARDED"
    SUSPENDED = "SUSPENDED"
    RESUMED = "RESUMED"
    DRIFTED = "DRIFTED"
    CANCEL_ORDERED = "CANCEL_ORDERED"


class Kind(StrEnum):
    """M monotonic, R may be repeated without a side effect, T terminal, H needs a person or a policy."""

    MONOTONIC = "M"
    REPEATABLE = "R"
    TERMINAL = "T"
    HUMAN = "H"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: the states it may lead to, its class, states passed on the way, the guard in words."""

    targets: frozenset[JobState]
    kind: Kind
    guard: str
    through: tuple[JobState, ...] = ()


S, E, K = JobState, Event, Kind

PENDING_REMOTE = (S.ACCEPTED, S.QUEUED, S.IN_PROGRESS)
"""The provider has it and has not said that it is done."""

LOOKED_AT = (*PENDING_REMOTE, S.COMPLETED_NOT_RETRIEVED)
"""States whose one provider call is a GET."""

WORKER_STATES = frozenset(
    {S.CREATE_ELIGIBLE, S.CREATE_IN_FLIGHT, *LOOKED_AT, S.RETRIEVED_NOT_VALIDATED, S.CLEANUP_PENDING}
)
"""A claimed job in one of these is stepped by the worker: one provider call or one validation at most."""

SUPERVISOR_STATES = frozenset(
    {
        S.NO_JOB,
        S.READY_TO_COMPOSE,
        S.COMPOSED_NOT_SAVED,
        S.SAVED_NOT_PUBLIC,
        S.PUBLISHED,
        S.VALIDATION_FAILED_RETAINED,
        S.PROVIDER_EXPIRED_OR_MISSING,
    }
)
"""A claimed job in one of these moves the process too, in one local transaction."""

PARKED_STATES = frozenset({S.DELETED, S.QUARANTINED, S.MANUALLY_SUSPENDED})
"""Never due by themselves; `next_due_ms` is NULL."""

SUSPENDABLE = tuple(s for s in S if s not in (S.DELETED, S.MANUALLY_SUSPENDED, S.CREATE_IN_FLIGHT))
"""CREATE_IN_FLIGHT is left out: an unknown create must become known or quarantined first."""


SAME = "same state"
ANY_OPEN_RESUME = frozenset(S) - {
    S.DELETED,
    S.QUARANTINED,
    S.MANUALLY_SUSPENDED,
    S.CREATE_IN_FLIGHT,
}
"""Where a release may lead back to; NO_JOB too: it was stopped because its reservation did not fit."""

_Row = tuple[tuple[JobState, ...], Event, "JobState | str | frozenset[JobState]", Kind, str]

_TABLE: tuple[_Row, ...] = (
    # creation ---------------------------------------------------------------------------------------------
    ((S.NO_JOB,), E.INTENT_AUTHORISED, S.CREATE_ELIGIBLE, K.MONOTONIC, "slot claimed; contract, digests, fingerprint, client request id stored; maximum cost reserved"),
    ((S.NO_JOB,), E.DISPATCH_REFUSED, S.QUARANTINED, K.HUMAN, "the cost ceiling leaves no room for the reservation"),
    ((S.CREATE_ELIGIBLE,), E.GATE_CLOSED, SAME, K.REPEATABLE, "due when the provider gate opens; no attempt is used"),
    ((S.CREATE_ELIGIBLE,), E.DISPATCHED, S.CREATE_IN_FLIGHT, K.MONOTONIC, "create_attempt row; committed before any byte is sent"),
    ((S.CREATE_ELIGIBLE,), E.DISPATCH_REFUSED, S.QUARANTINED, K.HUMAN, "attempts used up, cost ceiling or age limit"),
    ((S.CREATE_IN_FLIGHT,), E.CREATED, S.ACCEPTED, K.MONOTONIC, "2xx and a well-formed id; response id, x-request-id, next poll"),
    ((S.CREATE_IN_FLIGHT,), E.CREATED_TERMINAL, S.RETRIEVED_NOT_VALIDATED, K.MONOTONIC, "synchronous server: id, payload and digest in one commit"),
    ((S.CREATE_IN_FLIGHT,), E.NOT_CREATED_RETRYABLE, S.CREATE_ELIGIBLE, K.REPEATABLE, "proven not created: gate closed until hint or backoff; attempt marked NOT_CREATED"),
    ((S.CREATE_IN_FLIGHT,), E.NOT_CREATED_FINAL, S.QUARANTINED, K.HUMAN, "proven not created and not retryable: rejected, credentials or quota, by status and code"),
    ((S.CREATE_IN_FLIGHT,), E.CREATION_UNKNOWN, S.QUARANTINED, K.HUMAN, "no proof either way, or the lease ended here; reservation and slot kept; never re-sent"),
    ((S.CREATE_IN_FLIGHT, *LOOKED_AT), E.THROTTLED_TOO_LONG, S.QUARANTINED, K.HUMAN, "hint beyond one hour or the deadline"),
    # looking ----------------------------------------------------------------------------------------------
    ((S.ACCEPTED, S.QUEUED), E.POLLED_QUEUED, S.QUEUED, K.MONOTONIC, "poll_count + 1"),
    ((S.ACCEPTED, S.QUEUED), E.POLLED_IN_PROGRESS, S.IN_PROGRESS, K.MONOTONIC, "poll_count + 1"),
    ((S.IN_PROGRESS, S.COMPLETED_NOT_RETRIEVED), E.POLLED_QUEUED, SAME, K.REPEATABLE, "a late 'queued' never moves it back"),
    ((S.IN_PROGRESS, S.COMPLETED_NOT_RETRIEVED), E.POLLED_IN_PROGRESS, SAME, K.REPEATABLE, "counted; state kept"),
    (PENDING_REMOTE, E.WEBHOOK_TERMINAL, S.COMPLETED_NOT_RETRIEVED, K.MONOTONIC, "a signed event says it ended; no provider call is needed for this step"),
    (LOOKED_AT, E.POLLED_TERMINAL, S.RETRIEVED_NOT_VALIDATED, K.MONOTONIC, "body present: payload, evidence, digest, usage stored in the same commit"),
    (LOOKED_AT, E.POLLED_FAILED, S.PROVIDER_EXPIRED_OR_MISSING, K.MONOTONIC, "failed with server_error, rate_limit_exceeded or an unknown code"),
    (LOOKED_AT, E.POLLED_REFUSED, S.QUARANTINED, K.HUMAN, "failed with a policy, prompt or quota code; never bought again by itself"),
    (LOOKED_AT, E.POLLED_CANCELLED, S.PROVIDER_EXPIRED_OR_MISSING, K.MONOTONIC, "an ordered cancel sets no_replacement"),
    (LOOKED_AT, E.MISSING_IN_GRACE, SAME, K.REPEATABLE, "404 fewer than 3 times or for less than 120 s; missing_since kept"),
    (LOOKED_AT, E.MISSING_FOR_GOOD, S.PROVIDER_EXPIRED_OR_MISSING, K.MONOTONIC, "404 at least 3 times over at least 120 s"),
    (LOOKED_AT, E.LOOK_TROUBLED, SAME, K.REPEATABLE, "429, 5xx or transport error: counted; 429 closes the gate"),
    (PENDING_REMOTE, E.POLLS_EXHAUSTED, S.QUARANTINED, K.HUMAN, "30 polls used; response id kept, remote work goes on"),
    ((S.COMPLETED_NOT_RETRIEVED,), E.RETRIEVALS_EXHAUSTED, S.QUARANTINED, K.HUMAN, "10 retrievals used; id kept"),
    (LOOKED_AT, E.AGED_OUT, S.QUARANTINED, K.HUMAN, "older than 2 h, judged only after one look following a gap; id kept"),
    (LOOKED_AT, E.GATE_CLOSED, SAME, K.REPEATABLE, "polls wait for the gate too; nothing is counted"),
    (PENDING_REMOTE, E.CANCEL_ORDERED, SAME, K.HUMAN, "cancel_requested_ms; settled by the next look; a completed result is harvested"),
    # custody, composing, publishing -----------------------------------------------------------------------
    ((S.RETRIEVED_NOT_VALIDATED,), E.VALIDATION_PASSED, S.READY_TO_COMPOSE, K.MONOTONIC, "immutable report stored"),
    ((S.RETRIEVED_NOT_VALIDATED,), E.VALIDATION_FAILED, S.VALIDATION_FAILED_RETAINED, K.MONOTONIC, "immutable report stored; payload kept"),
    ((S.READY_TO_COMPOSE,), E.EVIDENCE_MERGED, S.CLEANUP_PENDING, K.MONOTONIC, "research: process compare-and-swap in the same transaction; slot handed over"),
    ((S.READY_TO_COMPOSE,), E.EDITIONS_BUILT, S.COMPOSED_NOT_SAVED, K.MONOTONIC, "composition: editions built in memory"),
    ((S.COMPOSED_NOT_SAVED,), E.EDITIONS_SAVED, S.SAVED_NOT_PUBLIC, K.MONOTONIC, "unique (product, date, language, revision)"),
    ((S.SAVED_NOT_PUBLIC,), E.APPROVED, S.PUBLISHED, K.MONOTONIC, "edition status and outbox events in one transaction; slot cleared"),
    ((S.SAVED_NOT_PUBLIC,), E.HELD, SAME, K.HUMAN, "waits for a person"),
    ((S.PUBLISHED,), E.CLEANUP_ORDERED, S.CLEANUP_PENDING, K.MONOTONIC, "deletion command row written before the call"),
    ((S.VALIDATION_FAILED_RETAINED,), E.SALVAGED, S.CLEANUP_PENDING, K.MONOTONIC, "scout count only: the binder keeps the valid candidates; slot handed over"),
    ((S.VALIDATION_FAILED_RETAINED,), E.REPLACED, S.CLEANUP_PENDING, K.MONOTONIC, "generation + 1; report and payload stay; slot handed over"),
    ((S.VALIDATION_FAILED_RETAINED,), E.REPLACEMENT_REFUSED, S.QUARANTINED, K.HUMAN, "generations used up or no cost left"),
    ((S.PROVIDER_EXPIRED_OR_MISSING,), E.REPLACED, frozenset({S.CLEANUP_PENDING, S.PROVIDER_EXPIRED_OR_MISSING}), K.MONOTONIC, "generation + 1; cleaned up where a remote id is known, else superseded in place"),
    ((S.PROVIDER_EXPIRED_OR_MISSING,), E.REPLACEMENT_REFUSED, S.QUARANTINED, K.HUMAN, "generations used up, no cost left, or no_replacement"),
    ((S.CLEANUP_PENDING,), E.REMOTE_DELETED, S.DELETED, K.TERMINAL, "deleted, 404, or a server without DELETE"),
    ((S.CLEANUP_PENDING,), E.DELETE_TROUBLED, SAME, K.REPEATABLE, "retried for ever with backoff; readers see nothing of it"),
    ((S.CREATE_ELIGIBLE, S.RETRIEVED_NOT_VALIDATED, S.READY_TO_COMPOSE), E.DRIFTED, S.QUARANTINED, K.HUMAN, "the recorded contract differs from the running configuration"),
    # recovery ---------------------------------------------------------------------------------------------
    ((S.QUARANTINED,), E.LINKED, S.ACCEPTED, K.MONOTONIC, "acceptance unknown; id from late evidence, webhook or operator, metadata matching"),
    ((S.QUARANTINED,), E.CORRELATION_FAILED, SAME, K.HUMAN, "the id belongs to something else: CORRELATION_CONFLICT"),
    ((S.QUARANTINED,), E.HARVESTED, S.COMPLETED_NOT_RETRIEVED, K.MONOTONIC, "id known, not drift or cost: a look or webhook says completed"),
    ((S.QUARANTINED,), E.PAYLOAD_SUPPLIED, S.RETRIEVED_NOT_VALIDATED, K.HUMAN, "operator; digest and actor recorded"),
    ((S.QUARANTINED,), E.CONFIRMED_NOT_CREATED, S.CREATE_ELIGIBLE, K.HUMAN, "acceptance unknown; refused until lease + timeout + 10 min have passed"),
    ((S.QUARANTINED,), E.RELEASED, ANY_OPEN_RESUME, K.HUMAN, "state before; counters back to 0; drift needs --under-recorded-contract"),
    ((S.CREATE_ELIGIBLE, *LOOKED_AT), E.RELEASED, SAME, K.HUMAN, "a counter is near its cap: counters back to 0"),
    ((*LOOKED_AT, S.QUARANTINED), E.DISCARDED, S.CLEANUP_PENDING, K.HUMAN, "response id known: a person drops the remote answer without custody; slot cleared; it can never commit"),
    ((S.NO_JOB, S.CREATE_ELIGIBLE, S.SAVED_NOT_PUBLIC), E.ABANDONED, S.CLEANUP_PENDING, K.HUMAN, "nothing was bought yet, or a person declines the saved editions: they are never published"),
    ((S.QUARANTINED,), E.ABANDONED, frozenset({S.CLEANUP_PENDING, S.QUARANTINED}), K.HUMAN, "slot cleared; cleaned up where the id is known, else marked abandoned; it can never commit"),
    (SUSPENDABLE, E.SUSPENDED, S.MANUALLY_SUSPENDED, K.HUMAN, "applied when no lease is held; resume_state kept"),
    ((S.MANUALLY_SUSPENDED,), E.RESUMED, frozenset(SUSPENDABLE), K.HUMAN, "resume_state"),
)  # fmt: skip

_THROUGH: Mapping[Event, tuple[JobState, ...]] = {
    E.POLLED_TERMINAL: (S.COMPLETED_NOT_RETRIEVED,),
    E.CREATED_TERMINAL: (S.ACCEPTED, S.COMPLETED_NOT_RETRIEVED),
}


def _build() -> Mapping[tuple[JobState, Event], Rule]:
    table: dict[tuple[JobState, Event], Rule] = {}
    for sources, event, to, kind, guard in _TABLE:
        for source in sources:
            if (source, event) in table:
                raise AssertionError(f"two rows for {source} and {event}")
            through = tuple(s for s in _THROUGH.get(event, ()) if s is not source)
            table[source, event] = Rule(_targets(source, to), kind, guard, through)
    return MappingProxyType(table)


def _targets(source: JobState, to: JobState | str | frozenset[JobState]) -> frozenset[JobState]:
    if isinstance(to, JobState):
        return frozenset([to])
    return to if isinstance(to, frozenset) else frozenset([source])


TRANSITIONS: Mapping[tuple[JobState, Event], Rule] = _build()
