"""What the accepted evidence still lacks: computed from it and the policy, never guessed.

Rules:
* whole-edition deficits: too few candidates for the desk to choose from (`scout.candidates`), a required region
  or topic without any;
* deficits of one candidate name it as their subject, and while one of `UNPUBLISHABLE` is open the candidate does
  not enter an edition;
* while candidates are missing, every refused one says what its place was lost to (citation, chronology, overlap).

Source: completed tables §2, deficit table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from orchestrator.contracts.scout import Precision, SourceType
from orchestrator.contracts.supplement import Deficit, OpenDeficit
from orchestrator.contracts.task import RejectedRecord
from orchestrator.core.policy import ProductPolicy, ScoutPolicy
from orchestrator.evidence.candidate import AcceptedCandidate
from orchestrator.evidence.failure import Code
from orchestrator.evidence.numerals import numerals
from orchestrator.evidence.prose import folded

UNPUBLISHABLE = frozenset(
    {
        Deficit.CORROBORATION_GAP,
        Deficit.PRIMARY_SOURCE_GAP,
        Deficit.CHRONOLOGY_GAP,
        Deficit.FRESHNESS_GAP,
        Deficit.CONTRADICTION_UNRESOLVED,
    }
)

_LOST_TO = {
    Code.SOURCE_NOT_RETRIEVED: Deficit.CITATION_GAP,
    Code.CANDIDATE_WITHOUT_CLAIM: Deficit.CITATION_GAP,
    Code.CHRONOLOGY_INVALID: Deficit.CHRONOLOGY_GAP,
    Code.CHRONOLOGY_OUTSIDE_WINDOW: Deficit.CHRONOLOGY_GAP,
    Code.ALREADY_PUBLISHED: Deficit.DUPLICATE_OVERLAP,
    Code.DUPLICATE_CANDIDATE: Deficit.DUPLICATE_OVERLAP,
}


def deficits(
    candidates: Sequence[AcceptedCandidate],
    policy: ProductPolicy,
    *,
    target_date: str,
    rejected: Sequence[RejectedRecord] = (),
) -> tuple[OpenDeficit, ...]:
    """The deficit vector, each entry once, in a fixed order. `candidates` with their patches applied."""
    scout, day = policy.scout, date.fromisoformat(target_date)
    found = [*_whole(candidates, scout)]
    for candidate in candidates:
        found.extend(
            OpenDeficit(code=code, subject=candidate.candidate_id) for code in _of_candidate(candidate, scout, day)
        )
    if len(candidates) < scout.candidates:
        found.extend(_lost(rejected))
    return tuple(dict.fromkeys(found))


def publishable(
    candidates: Sequence[AcceptedCandidate], policy: ProductPolicy, *, target_date: str
) -> tuple[AcceptedCandidate, ...]:
    """The candidates that may enter an edition as they stand, in the given order."""
    day = date.fromisoformat(target_date)
    return tuple(
        candidate
        for candidate in candidates
        if not UNPUBLISHABLE.intersection(_of_candidate(candidate, policy.scout, day))
    )


def _whole(candidates: Sequence[AcceptedCandidate], scout: ScoutPolicy) -> Iterator[OpenDeficit]:
    if len(candidates) < scout.candidates:
        yield OpenDeficit(code=Deficit.CANDIDATE_SHORTFALL, subject="")
    regions = {region for candidate in candidates for region in candidate.regions}
    topics = {topic for candidate in candidates for topic in candidate.topics}
    for region in sorted(set(scout.required_regions) - regions):
        yield OpenDeficit(code=Deficit.REGION_GAP, subject=region)
    for topic in sorted(set(scout.required_topics) - topics):
        yield OpenDeficit(code=Deficit.TOPIC_GAP, subject=topic)


def _lost(rejected: Sequence[RejectedRecord]) -> Iterator[OpenDeficit]:
    for record in rejected:
        codes = (_LOST_TO[Code(reason)] for reason in record.reasons if reason in _LOST_TO)
        for code in dict.fromkeys(codes):
            yield OpenDeficit(code=code, subject=record.candidate)


def _of_candidate(candidate: AcceptedCandidate, scout: ScoutPolicy, day: date) -> Iterator[Deficit]:
    return (code for code, lacks in _CHECKS if lacks(candidate, scout, day))


def _uncorroborated(candidate: AcceptedCandidate, scout: ScoutPolicy, _day: date) -> bool:
    return candidate.publishers < scout.corroboration


def _without_primary(candidate: AcceptedCandidate, scout: ScoutPolicy, _day: date) -> bool:
    wanted = bool(set(candidate.topics) & set(scout.primary_source_topics))
    return wanted and all(source.source_type is not SourceType.PRIMARY for source in candidate.sources)


def _imprecise(candidate: AcceptedCandidate, _scout: ScoutPolicy, _day: date) -> bool:
    return candidate.precision is not Precision.DAY


def _lost_claims(candidate: AcceptedCandidate, _scout: ScoutPolicy, _day: date) -> bool:
    return candidate.claims_refused > 0


def _stale(candidate: AcceptedCandidate, scout: ScoutPolicy, day: date) -> bool:
    newest = max(source.published_at for source in candidate.sources)
    return date.fromisoformat(newest) < day - timedelta(days=scout.freshness_days)


def _contradictory(candidate: AcceptedCandidate, _scout: ScoutPolicy, _day: date) -> bool:
    """Two claims that say the same thing with different figures."""
    said: dict[str, tuple[str, ...]] = {}
    for claim in candidate.claims:
        figures = numerals(claim.text, "en")
        skeleton = folded(re.sub(r"\d", " ", _without(claim.text, [(n.start, n.end) for n in figures])))
        values = tuple(figure.values[0] for figure in figures)
        if values and said.setdefault(skeleton, values) != values:
            return True
    return False


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text


_CHECKS: tuple[tuple[Deficit, Callable[[AcceptedCandidate, ScoutPolicy, date], bool]], ...] = (
    (Deficit.CORROBORATION_GAP, _uncorroborated),
    (Deficit.PRIMARY_SOURCE_GAP, _without_primary),
    (Deficit.CHRONOLOGY_GAP, _imprecise),
    (Deficit.CITATION_GAP, _lost_claims),
    (Deficit.FRESHNESS_GAP, _stale),
    (Deficit.CONTRADICTION_UNRESOLVED, _contradictory),
)
