"""Choosing and freezing the evidence package: all that composition will see.

Rules:
* only publishable candidates (`deficits.publishable`), at most `composition.events_max`;
* first the best of each required region and topic, then the best of the rest;
* the order is editorial and total: significance, novelty, independent publishers, newest event, id. The same
  evidence gives the same package, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from orchestrator.contracts.package import PACKAGE_VERSION, EvidencePackage, PackageEvent
from orchestrator.contracts.scout import Signal
from orchestrator.core.canonical import canonical_bytes, digest_bytes
from orchestrator.core.policy import ProductPolicy
from orchestrator.evidence.candidate import AcceptedCandidate
from orchestrator.evidence.deficits import publishable

_GRADES = {Signal.HIGH: 0, Signal.MEDIUM: 1, Signal.LOW: 2}


def freeze_package(
    candidates: Sequence[AcceptedCandidate], policy: ProductPolicy, *, target_date: str
) -> EvidencePackage:
    """The package of an edition. `candidates` with their patches applied.

    Errors: ValueError when no candidate is publishable; how few are too few is decided before
    (`core.stages.next_stage`).
    """
    ranked = sorted(publishable(candidates, policy, target_date=target_date), key=_rank)
    if not ranked:
        raise ValueError("no candidate is publishable: there is nothing to freeze")
    chosen = sorted(_chosen(ranked, policy), key=_rank)
    return EvidencePackage(
        package_version=PACKAGE_VERSION,
        product=policy.slug,
        target_date=target_date,
        events=tuple(map(_event, chosen)),
    )


def package_bytes(package: EvidencePackage) -> bytes:
    """Canonical JSON: what is stored, what is sent, and what the digest is taken over."""
    return canonical_bytes(package.model_dump(mode="json"))


def package_digest(package: EvidencePackage) -> str:
    """`sha256:…` of the stored bytes."""
    return digest_bytes(package_bytes(package))


def read_package(stored: bytes) -> EvidencePackage:
    """The package that `package_bytes` wrote."""
    return EvidencePackage.model_validate_json(stored)


def _rank(candidate: AcceptedCandidate) -> tuple[int, int, int, int, str]:
    return (
        _GRADES[candidate.significance],
        _GRADES[candidate.novelty],
        -candidate.publishers,
        -date.fromisoformat(candidate.event_date).toordinal(),
        candidate.candidate_id,
    )


def _chosen(ranked: Sequence[AcceptedCandidate], policy: ProductPolicy) -> list[AcceptedCandidate]:
    order = {c.candidate_id: c for c in (*_required(ranked, policy), *ranked)}
    return list(order.values())[: policy.composition.events_max]


def _required(ranked: Sequence[AcceptedCandidate], policy: ProductPolicy) -> Iterator[AcceptedCandidate]:
    for region in policy.scout.required_regions:
        yield from [c for c in ranked if region in c.regions][:1]
    for topic in policy.scout.required_topics:
        yield from [c for c in ranked if topic in c.topics][:1]


def _event(candidate: AcceptedCandidate) -> PackageEvent:
    return PackageEvent(
        event_id=candidate.candidate_id,
        event_key=candidate.event_key,
        event_date=candidate.event_date,
        precision=candidate.precision,
        headline_fact=candidate.headline_fact,
        region=candidate.regions[0],
        topics=candidate.topics,
        update=candidate.update,
        claims=candidate.claims,
        sources=candidate.sources,
    )
