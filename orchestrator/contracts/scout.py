"""The primary-research contract ("source scout"): what one research answer must look like.

The provider's ids (`proposed_event_key`, `claim_id`, `source_ref`) are input, never authority: the evidence
binder assigns candidate, claim and source ids of its own. Text fields hold neutral facts in English, not
publication prose. Source: Daily Brief workflow, "Primary-research contract".
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.contracts.models import ContractModel, IsoDate

SCOUT_CONTRACT = "primary-research-2026-08"


class SourceType(StrEnum):
    """A primary source is the actor itself: a ministry, a court, a company, a data release."""

    PRIMARY = "primary"
    REPORT = "report"


class Support(StrEnum):
    """How a source carries a claim."""

    DIRECT = "direct"
    ATTRIBUTED = "attributed"
    CONTEXT = "context"


class Signal(StrEnum):
    """A coarse grade."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Precision(StrEnum):
    """How exactly the event's date is known."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class ScoutSource(ContractModel):
    """One page that the answer says it rests on; only pages that the tool returned will count."""

    source_ref: str
    title: str
    publisher: str
    url: str
    published_at: IsoDate
    source_type: SourceType


class ScoutClaim(ContractModel):
    """One independently verifiable proposition and the sources that carry it."""

    claim_id: str
    claim: str
    source_refs: tuple[str, ...]
    support_type: Support


class SelectionSignals(ContractModel):
    """Why the event may deserve a place."""

    international_significance: Signal
    novelty: Signal
    corroboration: Signal
    update_of_earlier_story: bool


class ScoutCandidate(ContractModel):
    """One event that could enter the edition; accepted or rejected on its own."""

    proposed_event_key: str
    event_date: IsoDate
    chronology_precision: Precision
    headline_fact: str
    regions: tuple[str, ...]
    topics: tuple[str, ...]
    claims: tuple[ScoutClaim, ...]
    sources: tuple[ScoutSource, ...]
    selection_signals: SelectionSignals


class ScoutAnswer(ContractModel):
    """The whole answer. The Daily Brief asks for exactly 14 candidates."""

    contract_version: str
    target_date: IsoDate
    candidates: tuple[ScoutCandidate, ...]
