"""The public status of one process: bounded enums and counts, nothing that names an account, a key or a host.

Pure: a process, its current job and two counts in, the payload of INTERFACE `status.json` out. It is written in
the transition's own transaction, so that a reader of the status never asks the machine anything.
Source: Daily Brief workflow, "Redacted diagnostics and public status".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.instants import rfc3339
from orchestrator.core.records import Job, JobStage, Overlay, Process, ProcessStage
from orchestrator.core.states import JobState, Reason


class ProviderState(StrEnum):
    """What the provider is doing for us."""

    NONE = "NONE"
    SUBMITTING = "SUBMITTING"
    PROCESSING = "PROCESSING"
    READY = "READY"
    UNKNOWN = "UNKNOWN"
    FAILED = "FAILED"


class Health(StrEnum):
    """How the process fares."""

    OK = "OK"
    EVIDENCE_DEFICIT = "EVIDENCE_DEFICIT"
    PROVIDER_DEGRADED = "PROVIDER_DEGRADED"
    DELAYED = "DELAYED"
    QUARANTINED = "QUARANTINED"
    SUSPENDED = "SUSPENDED"
    PAUSED = "PAUSED"


class NextAction(StrEnum):
    """What happens next."""

    WAIT_FOR_RESEARCH = "WAIT_FOR_RESEARCH"
    WAIT_FOR_SUPPLEMENTAL_RESEARCH = "WAIT_FOR_SUPPLEMENTAL_RESEARCH"
    WAIT_FOR_COMPOSITION = "WAIT_FOR_COMPOSITION"
    RETRIEVE = "RETRIEVE"
    VALIDATE = "VALIDATE"
    COMPOSE = "COMPOSE"
    AWAIT_APPROVAL = "AWAIT_APPROVAL"
    PUBLISH = "PUBLISH"
    VERIFY = "VERIFY"
    OPERATOR = "OPERATOR"
    NONE = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the evidence amounts to, and what it lacks."""

    candidates_accepted: int = 0
    sources_usable: int = 0
    deficit_codes: tuple[str, ...] = ()


_PROVIDER_STATES = {
    JobState.CREATE_ELIGIBLE: ProviderState.SUBMITTING,
    JobState.CREATE_IN_FLIGHT: ProviderState.SUBMITTING,
    JobState.ACCEPTED: ProviderState.PROCESSING,
    JobState.QUEUED: ProviderState.PROCESSING,
    JobState.IN_PROGRESS: ProviderState.PROCESSING,
    JobState.COMPLETED_NOT_RETRIEVED: ProviderState.READY,
    JobState.RETRIEVED_NOT_VALIDATED: ProviderState.READY,
    JobState.VALIDATION_FAILED_RETAINED: ProviderState.FAILED,
    JobState.PROVIDER_EXPIRED_OR_MISSING: ProviderState.FAILED,
}

_WAITS = {
    JobStage.RESEARCH_PRIMARY: NextAction.WAIT_FOR_RESEARCH,
    JobStage.RESEARCH_SUPPLEMENTAL: NextAction.WAIT_FOR_SUPPLEMENTAL_RESEARCH,
    JobStage.COMPOSITION: NextAction.WAIT_FOR_COMPOSITION,
}

_ACTIONS = {
    JobState.COMPLETED_NOT_RETRIEVED: NextAction.RETRIEVE,
    JobState.RETRIEVED_NOT_VALIDATED: NextAction.VALIDATE,
    JobState.READY_TO_COMPOSE: NextAction.COMPOSE,
    JobState.COMPOSED_NOT_SAVED: NextAction.COMPOSE,
    JobState.SAVED_NOT_PUBLIC: NextAction.PUBLISH,
    JobState.QUARANTINED: NextAction.OPERATOR,
    JobState.MANUALLY_SUSPENDED: NextAction.OPERATOR,
}


def public_status(process: Process, job: Job | None, counts: Counts, *, paused: bool = False) -> dict[str, object]:
    """The payload. Instants are RFC 3339 in UTC."""
    return {
        "process_suffix": process.suffix,
        "product": process.product,
        "target_date": process.target_date,
        "revision": process.revision,
        "stage_code": process.stage.value,
        "provider_state_code": provider_state(job).value,
        "health_code": health(process, job, counts, paused=paused).value,
        "last_meaningful_progress": rfc3339(process.progress_ms),
        "next_eligible_cycle": rfc3339(job.next_due_ms) if job and job.next_due_ms is not None else None,
        "evidence_counts": {
            "candidates_accepted": counts.candidates_accepted,
            "sources_usable": counts.sources_usable,
        },
        "deficit_codes": sorted(set(counts.deficit_codes)),
        "next_action": next_action(process, job).value,
    }


def provider_state(job: Job | None) -> ProviderState:
    """What the provider is doing for this job."""
    if job is None:
        return ProviderState.NONE
    if job.state is JobState.QUARANTINED:
        unknown = job.quarantine_reason in (Reason.CREATE_ACCEPTANCE_UNKNOWN, Reason.CORRELATION_CONFLICT)
        return ProviderState.UNKNOWN if unknown else ProviderState.FAILED
    return _PROVIDER_STATES.get(job.state, ProviderState.NONE)


def health(process: Process, job: Job | None, counts: Counts, *, paused: bool = False) -> Health:
    """The worst that is true."""
    if process.overlay is Overlay.QUARANTINED or (job is not None and job.state is JobState.QUARANTINED):
        return Health.QUARANTINED
    if process.overlay is Overlay.SUSPENDED or (job is not None and job.state is JobState.MANUALLY_SUSPENDED):
        return Health.SUSPENDED
    if process.overlay is Overlay.DELAYED:
        return Health.DELAYED
    if paused:
        return Health.PAUSED
    if job is not None and (job.throttle_count or job.missing_count):
        return Health.PROVIDER_DEGRADED
    return Health.EVIDENCE_DEFICIT if counts.deficit_codes else Health.OK


def next_action(process: Process, job: Job | None) -> NextAction:
    """What happens next, or who has to act."""
    if process.overlay in (Overlay.ABANDONED, Overlay.MISSED):
        return NextAction.NONE
    if process.overlay is Overlay.QUARANTINED:
        return NextAction.OPERATOR
    if process.stage is ProcessStage.PUBLISHED:
        return NextAction.NONE if process.verified_ms is not None else NextAction.VERIFY
    if job is None:
        return NextAction.NONE
    if job.state is JobState.SAVED_NOT_PUBLIC and job.next_due_ms is None:
        return NextAction.AWAIT_APPROVAL
    return _ACTIONS.get(job.state) or _WAITS[job.stage]
