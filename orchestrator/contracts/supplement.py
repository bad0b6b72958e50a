"""The supplemental-research contract: a delta that closes deficits and never restarts the research.

Accepted candidates never change: a patch adds claims and sources to one of them; new candidates fill what is
missing. Source: Daily Brief workflow, "Supplemental-research contract".
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.contracts.models import ContractModel, IsoDate
from orchestrator.contracts.scout import ScoutCandidate, ScoutClaim, ScoutSource

SUPPLEMENT_CONTRACT = "supplemental-research-2026-08"


class Deficit(StrEnum):
    """What the accepted evidence still lacks (completed tables §2)."""

    CANDIDATE_SHORTFALL = "CANDIDATE_SHORTFALL"
    CORROBORATION_GAP = "CORROBORATION_GAP"
    REGION_GAP = "REGION_GAP"
    TOPIC_GAP = "TOPIC_GAP"
    PRIMARY_SOURCE_GAP = "PRIMARY_SOURCE_GAP"
    CHRONOLOGY_GAP = "CHRONOLOGY_GAP"
    CITATION_GAP = "CITATION_GAP"
    FRESHNESS_GAP = "FRESHNESS_GAP"
    DUPLICATE_OVERLAP = "DUPLICATE_OVERLAP"
    CONTRADICTION_UNRESOLVED = "CONTRADICTION_UNRESOLVED"


class CandidatePatch(ContractModel):
    """More evidence for an accepted candidate, named by the id that the binder gave it."""

    candidate_id: str
    claims: tuple[ScoutClaim, ...]
    sources: tuple[ScoutSource, ...]


class OpenDeficit(ContractModel):
    """A deficit, and the candidate, region or topic that it is about ("" where it is about the whole)."""

    code: Deficit
    subject: str


class SupplementAnswer(ContractModel):
    """The whole answer."""

    contract_version: str
    target_date: IsoDate
    addressed_deficits: tuple[OpenDeficit, ...]
    candidate_patches: tuple[CandidatePatch, ...]
    new_candidates: tuple[ScoutCandidate, ...]
    unresolved_deficits: tuple[OpenDeficit, ...]
