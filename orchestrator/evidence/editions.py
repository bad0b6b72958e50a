"""From a validated composition and its package to editions: one per language, with the evidence beside it.

Pure: everything that is not in composition, package or policy comes as `Facts`. A sentence that holds a number, a
date, a name, a quotation or a negation is a fact in the edition, whatever the composer called it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.contracts import composition as composed
from orchestrator.contracts.composition import CompositionAnswer, LanguageVersion, SentenceKind
from orchestrator.contracts.contract import OperationContract
from orchestrator.contracts.package import EvidencePackage, PackageEvent, PackageSource
from orchestrator.core.policy import ProductPolicy
from orchestrator.evidence.failure import Cost, Layer
from orchestrator.evidence.package import package_digest
from orchestrator.evidence.prose import factual_marks
from orchestrator.evidence.report import ValidationReport
from publisher.edition import (
    Claim,
    Edition,
    Event,
    Evidence,
    EvidenceSource,
    Made,
    Sentence,
    SentenceTrail,
    Source,
)

EVIDENCE_VERSION = "evidence-2026-08"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the machine knows about the publication. Instants are RFC 3339; digests `sha256:…`."""

    revision: int
    number: int
    published_at: str
    revised_at: str
    composition_digest: str
    made: Made
    synthetic: bool = False
    late: bool = False
    provenance: Literal["PROVIDER", "CORRECTION", "ADOPTED"] = "PROVIDER"


@dataclass(frozen=True, slots=True)
class Built:
    """One language's edition and its evidence."""

    edition: Edition
    evidence: Evidence


def build_editions(
    answer: CompositionAnswer, package: EvidencePackage, policy: ProductPolicy, *, facts: Facts
) -> tuple[Built, ...]:
    """The editions of every language of the product, in the policy's order.

    `answer` must have passed validation against `package`. Errors: KeyError for a language that a
    composition does not have.
    """
    return tuple(_built(lang, answer, package, policy=policy, facts=facts) for lang in policy.languages)


def made_of(
    reports: Sequence[ValidationReport],
    contracts: Iterable[OperationContract],
    package: EvidencePackage,
    *,
    began_at: str,
    approved_by: str,
) -> Made:
    """How the edition was made, from the reports of its research jobs in order and every contract used."""
    used = list(contracts)
    return Made(
        began_at=began_at,
        candidates_found=sum(report.counts.get("candidates_received", 0) for report in reports),
        candidates_accepted=sum(report.counts.get("candidates_accepted", 0) for report in reports),
        candidates_refused=dict(sorted(_refusals(reports).items())),
        sources_usable=len({source.url for event in package.events for source in event.sources}),
        research_rounds=len(reports),
        checks_passed=tuple(layer.value for layer in Layer),
        approved_by=approved_by,
        contracts={contract.stage.value: contract.contract_version for contract in used},
        model=used[-1].model if used else "",
    )


def _refusals(reports: Sequence[ValidationReport]) -> Counter[str]:
    """The first reason of each refused candidate."""
    reasons: Counter[str] = Counter()
    for report in reports:
        first: dict[str, str] = {}
        for failure in report.failures:
            if failure.cost is Cost.CANDIDATE:
                first.setdefault("/".join(failure.path.split("/")[:3]), failure.code.value)
        reasons.update(first.values())
    return reasons


def _built(
    lang: str, answer: CompositionAnswer, package: EvidencePackage, *, policy: ProductPolicy, facts: Facts
) -> Built:
    approved = {event.event_id: event for event in package.events}
    events = tuple(_event(approved[event.event_id], _version(event, lang), lang) for event in answer.events)
    edition = Edition(
        product=policy.slug,
        product_title=policy.titles[lang],
        date=package.target_date,
        lang=lang,
        revision=facts.revision,
        number=facts.number,
        published_at=facts.published_at,
        revised_at=facts.revised_at,
        provenance=facts.provenance,
        synthetic=facts.synthetic,
        late=facts.late,
        fewer_events=len(events) < policy.composition.events_min,
        events=events,
    )
    return Built(edition, _evidence(edition, package, facts))


def _version(event: composed.ComposedEvent, lang: str) -> LanguageVersion:
    return {"en": event.english, "es": event.spanish}[lang]


def _event(approved: PackageEvent, version: LanguageVersion, lang: str) -> Event:
    return Event(
        event_id=approved.event_id,
        region=approved.region,
        topics=approved.topics,
        headline=version.headline.strip(),
        update=approved.update,
        sentences=tuple(_sentence(sentence, lang) for sentence in version.sentences),
        claims=tuple(
            Claim(claim_id=claim.claim_id, text=claim.text, source_ids=claim.source_ids)
            for claim in approved.claims
        ),
        sources=tuple(Source(**_source_fields(source)) for source in approved.sources),
    )


def _sentence(sentence: composed.Sentence, lang: str) -> Sentence:
    factual = sentence.kind is SentenceKind.FACT or bool(factual_marks(sentence.text, lang))
    return Sentence(
        text=sentence.text.strip(), kind="fact" if factual else "analysis", claim_ids=sentence.claim_ids
    )


def _source_fields(source: PackageSource) -> dict[str, str]:
    return {
        "source_id": source.source_id,
        "title": source.title,
        "publisher": source.publisher,
        "url": source.url,
        "published_at": source.published_at,
        "kind": source.source_type.value,
    }


def _evidence(edition: Edition, package: EvidencePackage, facts: Facts) -> Evidence:
    sources = [source for event in package.events for source in event.sources]
    return Evidence(
        evidence_version=EVIDENCE_VERSION,
        product=edition.product,
        date=edition.date,
        lang=edition.lang,
        revision=edition.revision,
        package_digest=package_digest(package),
        composition_digest=facts.composition_digest,
        payload_digests=tuple(sorted({source.payload_digest for source in sources})),
        sentences=tuple(_trails(edition)),
        claims=tuple(claim for event in edition.events for claim in event.claims),
        sources=tuple(
            EvidenceSource(**_source_fields(source), payload_digest=source.payload_digest) for source in sources
        ),
        made=facts.made,
    )


def _trails(edition: Edition) -> Iterable[SentenceTrail]:
    for e, event in enumerate(edition.events):
        for s, sentence in enumerate(event.sentences):
            yield SentenceTrail(
                path=f"{e}/{s}", text=sentence.text, kind=sentence.kind, claim_ids=sentence.claim_ids
            )
