"""Rows as values: what the store hands out and what the machine reads.

All instants are UTC epoch milliseconds of the database's clock; all money is in millionths of the currency
of `[provider.prices]` (`*_micro`). A record is never changed; a transition answers with changes to write.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.states import JobState, Reason


class JobStage(StrEnum):
    """Which contract a job executes. The value travels in the provider's metadata."""

    RESEARCH_PRIMARY = "research_primary"
    RESEARCH_SUPPLEMENTAL = "research_supplemental"
    COMPOSITION = "composition"


class ProcessStage(StrEnum):
    """What the publication of one product on one date is doing (Daily Brief workflow, supervisor model)."""

    RESEARCH_PRIMARY = "RESEARCH_PRIMARY"
    RESEARCH_ASSESS = "RESEARCH_ASSESS"
    RESEARCH_SUPPLEMENTAL = "RESEARCH_SUPPLEMENTAL"
    RESEARCH_ACCEPTED = "RESEARCH_ACCEPTED"
    COMPOSITION = "COMPOSITION"
    COMPOSITION_VALIDATE = "COMPOSITION_VALIDATE"
    READY_FOR_EDITORIAL = "READY_FOR_EDITORIAL"
    READY_TO_PUBLISH = "READY_TO_PUBLISH"
    PUBLISHED = "PUBLISHED"


class Overlay(StrEnum):
    """What lies over a stage without changing it; ABANDONED and MISSED end the process."""

    NONE = "NONE"
    DELAYED = "DELAYED"
    QUARANTINED = "QUARANTINED"
    SUSPENDED = "SUSPENDED"
    ABANDONED = "ABANDONED"
    MISSED = "MISSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One provider execution. `next_due_ms` is its due time and, while leased, the lease's end."""

    id: str
    process_id: str
    slot: str | None
    state: JobState
    version: int
    stage: JobStage
    generation: int = 0
    priority: int = 0
    deadline_ms: int | None = None
    next_due_ms: int | None = None
    lease_owner: str | None = None
    fingerprint: str | None = None
    contract_digest: str | None = None
    request_digest: str | None = None
    client_request_id: str | None = None
    response_id: str | None = None
    x_request_id: str | None = None
    generation_attempts: int = 0
    throttle_count: int = 0  # refusals in a row that used no attempt; drives the backoff only
    poll_count: int = 0
    retrieve_count: int = 0
    validate_count: int = 0
    delete_count: int = 0
    created_ms: int = 0
    eligible_ms: int | None = None  # CREATE_ELIGIBLE since; the age limit counts from here
    create_started_ms: int | None = None
    accepted_ms: int | None = None
    last_poll_ms: int | None = None
    missing_since_ms: int | None = None
    missing_count: int = 0
    terminal_seen_ms: int | None = None
    cancel_requested_ms: int | None = None
    cancel_calls: int = 0  # calls of an ordered cancel that brought no answer; all of them once one did
    delete_requested_ms: int | None = None
    discard_ordered_ms: int | None = None  # a person dropped the remote answer without custody
    deleted_ms: int | None = None
    quarantine_reason: Reason | None = None
    quarantined_ms: int | None = None
    owner: str | None = None
    owner_deadline_ms: int | None = None
    acked_ms: int | None = None
    resume_state: JobState | None = None
    superseded_by: str | None = None
    no_replacement: bool = False
    abandoned: bool = False
    drift_waived: bool = False  # a person lets it finish under its recorded contract
    diagnostic: str | None = None  # last provider code or error class, from a bounded set
    cost_ceiling_micro: int | None = None
    output_ceiling_tokens: int = 0
    payload_digest: str | None = None
    report_digest: str | None = None
    result_commit_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The publication of one product on one date. `version` is its fence, `revision` its checkpoint."""

    id: str
    product: str
    target_date: str
    languages: tuple[str, ...]
    version: int
    revision: int
    stage: ProcessStage
    overlay: Overlay = Overlay.NONE
    reason: str | None = None  # why missed, late, abandoned or quarantined
    supplemental_rounds: int = 0
    evidence_digest: str | None = None  # the frozen package
    accepted_research_revision: int | None = None
    composition_revision: int | None = None
    backfill: bool = False
    owner: str | None = None
    acked_ms: int | None = None  # its owner has seen that it is quarantined
    created_ms: int = 0
    scheduled_ms: int = 0
    deadline_ms: int | None = None
    progress_ms: int = 0  # last meaningful progress
    published_ms: int | None = None
    verified_ms: int | None = None

    @property
    def suffix(self) -> str:
        """Six characters that name the process in public: the only part of its id that leaves the house."""
        return self.id.replace("-", "")[-6:].upper()
