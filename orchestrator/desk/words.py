"""Codes as an operator reads them. One table per enum; tests check that none of its members is missing.

Rules: a state says what is happening, a reason why it stopped; both are parts of a sentence, in the present tense.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from orchestrator.core.observations import Phase
from orchestrator.core.public import NextAction
from orchestrator.core.states import Event, JobState, Reason

S, R, E = JobState, Reason, Event

STATES: Mapping[JobState, str] = MappingProxyType(
    {
        S.NO_JOB: "planned, nothing bought yet",
        S.CREATE_ELIGIBLE: "about to be sent",
        S.CREATE_IN_FLIGHT: "being sent",
        S.ACCEPTED: "accepted by the provider",
        S.QUEUED: "queued at the provider",
        S.IN_PROGRESS: "the provider is at work",
        S.COMPLETED_NOT_RETRIEVED: "complete, to be fetched",
        S.RETRIEVED_NOT_VALIDATED: "stored, to be checked",
        S.VALIDATION_FAILED_RETAINED: "checked and refused, kept",
        S.READY_TO_COMPOSE: "checked and accepted",
        S.COMPOSED_NOT_SAVED: "editions built, to be saved",
        S.SAVED_NOT_PUBLIC: "editions saved, not out yet",
        S.PUBLISHED: "published",
        S.CLEANUP_PENDING: "done here, to be deleted at the provider",
        S.DELETED: "done",
        S.PROVIDER_EXPIRED_OR_MISSING: "lost at the provider",
        S.QUARANTINED: "waits for a person",
        S.MANUALLY_SUSPENDED: "suspended by a person",
    }
)

REASONS: Mapping[Reason, str] = MappingProxyType(
    {
        R.CREATE_ACCEPTANCE_UNKNOWN: "creation unknown",
        R.PROVIDER_REJECTED: "the provider rejected the request",
        R.PROVIDER_REFUSED: "the provider refused to answer",
        R.CREDENTIALS_REJECTED: "the provider rejected the key",
        R.QUOTA_EXHAUSTED: "the provider's quota is used up",
        R.PROVIDER_THROTTLED: "throttled for longer than it may wait",
        R.GENERATION_BUDGET_EXHAUSTED: "create attempts used up",
        R.GENERATIONS_EXHAUSTED: "replacements used up",
        R.POLL_BUDGET_EXHAUSTED: "looks used up, the provider is still at work",
        R.RETRIEVAL_BUDGET_EXHAUSTED: "retrievals used up",
        R.COMPOSITION_BUDGET_EXHAUSTED: "compositions used up",
        R.COST_CEILING: "the cost ceiling leaves no room",
        R.AGE_LIMIT: "older than its age limit",
        R.CONFIGURATION_DRIFT: "the configuration changed since it was planned",
        R.CORRELATION_CONFLICT: "the response that was named belongs to something else",
        R.OPERATOR: "stopped by a person",
    }
)

EVENTS: Mapping[Event, str] = MappingProxyType(
    {
        E.INTENT_AUTHORISED: "authorised; its cost was reserved",
        E.GATE_CLOSED: "waited for the provider's gate",
        E.DISPATCHED: "dispatched",
        E.DISPATCH_REFUSED: "not dispatched",
        E.CREATED: "accepted by the provider",
        E.CREATED_TERMINAL: "answered at once",
        E.NOT_CREATED_RETRYABLE: "proven not created; it will be sent again",
        E.NOT_CREATED_FINAL: "proven not created; sending again cannot help",
        E.CREATION_UNKNOWN: "creation unknown: it may exist and may have been charged",
        E.POLLED_QUEUED: "looked: queued",
        E.POLLED_IN_PROGRESS: "looked: in progress",
        E.POLLED_TERMINAL: "looked: ended; the answer was stored",
        E.POLLED_FAILED: "looked: failed at the provider",
        E.POLLED_REFUSED: "looked: refused by the provider",
        E.POLLED_CANCELLED: "looked: cancelled",
        E.WEBHOOK_TERMINAL: "a signed webhook said that it ended",
        E.MISSING_IN_GRACE: "looked: not found, for now",
        E.MISSING_FOR_GOOD: "looked: not found for good",
        E.LOOK_TROUBLED: "looked: no usable answer",
        E.THROTTLED_TOO_LONG: "the provider asked for a longer wait than is allowed",
        E.POLLS_EXHAUSTED: "the last look that is allowed was used",
        E.RETRIEVALS_EXHAUSTED: "the last retrieval that is allowed was used",
        E.AGED_OUT: "grew older than its age limit",
        E.VALIDATION_PASSED: "checked: accepted",
        E.VALIDATION_FAILED: "checked: refused",
        E.EVIDENCE_MERGED: "its evidence was merged into the process",
        E.EDITIONS_BUILT: "editions built",
        E.EDITIONS_SAVED: "editions saved",
        E.APPROVED: "approved and published",
        E.HELD: "held by a person",
        E.CLEANUP_ORDERED: "deletion at the provider ordered",
        E.SALVAGED: "the valid part was kept",
        E.REPLACED: "replaced by a new generation",
        E.REPLACEMENT_REFUSED: "not replaced",
        E.REMOTE_DELETED: "deleted at the provider",
        E.DELETE_TROUBLED: "deletion not answered; it will be repeated",
        E.LINKED: "its response was found and linked",
        E.CORRELATION_FAILED: "the response that was named belongs to something else",
        E.HARVESTED: "its response turned out to be complete",
        E.PAYLOAD_SUPPLIED: "a person supplied the answer",
        E.CONFIRMED_NOT_CREATED: "a person confirmed that it was never created",
        E.RELEASED: "released by a person",
        E.ABANDONED: "given up",
        E.DISCARDED: "its remote answer was dropped by a person",
        E.SUSPENDED: "suspended by a person",
        E.RESUMED: "resumed by a person",
        E.DRIFTED: "the configuration had changed",
        E.CANCEL_ORDERED: "a person ordered it cancelled",
    }
)

ACTIONS: Mapping[NextAction, str] = MappingProxyType(
    {
        NextAction.WAIT_FOR_RESEARCH: "research",
        NextAction.WAIT_FOR_SUPPLEMENTAL_RESEARCH: "more research",
        NextAction.WAIT_FOR_COMPOSITION: "composition",
        NextAction.RETRIEVE: "fetches the answer",
        NextAction.VALIDATE: "checks the answer",
        NextAction.COMPOSE: "composes",
        NextAction.AWAIT_APPROVAL: "waits for approval",
        NextAction.PUBLISH: "publishes",
        NextAction.VERIFY: "waits to be seen as readers see it",
        NextAction.OPERATOR: "waits for a person",
        NextAction.NONE: "",
    }
)

PHASES: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.LOCAL: "before anything was sent",
        Phase.CONNECT: "while connecting",
        Phase.SEND: "while the request was being sent",
        Phase.WAIT: "after the request was sent, before an answer",
        Phase.READ: "while the answer was being read",
        Phase.DONE: "after the answer",
    }
)


def counted(number: int, noun: str) -> str:
    """`1 source`, `2 sources`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def spoken(code: str | None) -> str:
    """A code that has no table of its own: `OLDER_THAN_CATCH_UP` as `older than catch up`."""
    return "" if code is None else code.replace("_", " ").lower()


def event(event_type: str) -> str:
    """An audit line's event in words; events outside the job's table read as they are written."""
    return EVENTS[Event(event_type)] if event_type in Event.__members__ else spoken(event_type)
