"""Accepted evidence as values: candidates, patches to them, and the ids that are assigned here.

Rules:
* an accepted candidate is never edited; what is learned later is an `EvidencePatch`, applied on reading
  (`patched`), so that every digest taken from a candidate stays true;
* ids are ours: `evt-<process suffix>-<8 hex of the folded event key>`, with `-2`, `-3` … where two different
  events share it; claims and sources are numbered inside their event, patches going on where it ended;
* the same answer, bound again, gets the same ids.

Source: Daily Brief workflow, "Primary-research contract" (candidate ids) and "Merging rules".
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from orchestrator.contracts.models import ContractModel, IsoDate
from orchestrator.contracts.package import PackageClaim, PackageSource
from orchestrator.contracts.scout import Precision, Signal
from orchestrator.contracts.task import AcceptedRecord
from orchestrator.core.canonical import digest
from orchestrator.evidence.prose import folded


class AcceptedCandidate(ContractModel):
    """One event that may enter the edition, with claims bound to retrieved sources only."""

    candidate_id: str
    event_key: str
    event_date: IsoDate
    precision: Precision
    headline_fact: str
    regions: tuple[str, ...]
    topics: tuple[str, ...]
    update: bool
    significance: Signal
    novelty: Signal
    claims: tuple[PackageClaim, ...]
    sources: tuple[PackageSource, ...]
    claims_refused: int

    @property
    def publishers(self) -> int:
        """Independent publishers: as many as there are different names and different hosts."""
        from_names = {folded(source.publisher) for source in self.sources}
        from_hosts = {source.url.split("/")[2].lower() for source in self.sources}
        return min(len(from_names), len(from_hosts))

    @property
    def evidence_digest(self) -> str:
        """SHA-256 over the canonical form: what a supplement is told instead of the evidence itself."""
        return digest(self.model_dump(mode="json"))


class EvidencePatch(ContractModel):
    """More evidence for an accepted candidate."""

    candidate_id: str
    claims: tuple[PackageClaim, ...]
    sources: tuple[PackageSource, ...]


def patched(candidate: AcceptedCandidate, patches: Iterable[EvidencePatch]) -> AcceptedCandidate:
    """The candidate with its patches; patches of other candidates are passed over."""
    own = [patch for patch in patches if patch.candidate_id == candidate.candidate_id]
    claims = (*candidate.claims, *(claim for patch in own for claim in patch.claims))
    sources = (*candidate.sources, *(source for patch in own for source in patch.sources))
    return candidate.model_copy(update={"claims": claims, "sources": sources})


def all_patched(
    candidates: Sequence[AcceptedCandidate], patches: Sequence[EvidencePatch]
) -> tuple[AcceptedCandidate, ...]:
    """Every candidate as it stands now."""
    return tuple(patched(candidate, patches) for candidate in candidates)


def accepted_record(candidate: AcceptedCandidate) -> AcceptedRecord:
    """What a supplement is told about it."""
    return AcceptedRecord(
        candidate_id=candidate.candidate_id,
        event_key=candidate.event_key,
        region=candidate.regions[0],
        topics=candidate.topics,
        evidence_digest=candidate.evidence_digest,
    )


def candidate_id(process_suffix: str, event_key: str, taken: Collection[str]) -> str:
    """The id of a new candidate; `taken` are the ids of the process so far."""
    stem = hashlib.sha256(folded(event_key).encode()).hexdigest()[:8]
    first = f"evt-{process_suffix.lower()}-{stem}"
    rest = (f"{first}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (first, *rest) if name not in taken)


def claim_id(owner: str, number: int) -> str:
    """The id of the owner's `number`-th claim, from 1."""
    return f"clm-{owner.removeprefix('evt-')}-{number}"


def source_id(owner: str, number: int) -> str:
    """The id of the owner's `number`-th source, from 1."""
    return f"src-{owner.removeprefix('evt-')}-{number}"
