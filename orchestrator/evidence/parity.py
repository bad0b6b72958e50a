"""The bilingual parity layer: what English and Spanish must have in common.

Compared sentence by sentence where both sides have as many, else event by event, with everything that
`comparison` knows: figures, money, dates, times, units, names, hedges, negation, attribution, quotations, language,
length. Then the claims that an event rests on. What cannot be judged is no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from orchestrator.contracts.composition import ComposedEvent, LanguageVersion
from orchestrator.evidence.comparison import Comparison, compare_texts
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.reading import read


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts that say the same thing, and where the Spanish one stands."""

    english: str
    spanish: str
    place: Place


def parity_failures(event: ComposedEvent, place: Place) -> list[Failure]:
    """Where the two versions of an event part ways. Pointers lead to the Spanish side."""
    return [failure for check in CHECKS for failure in check(event, place)]


@lru_cache(maxsize=1_024)
def _compared(english: str, spanish: str) -> Comparison:
    """An answer is validated when it arrives and read again when it is used: the same pairs twice."""
    return compare_texts(english, spanish)


def _texts(event: ComposedEvent, place: Place) -> Iterator[Failure]:
    for pair in _pairs(event, place):
        seen = set()
        for finding in _compared(pair.english, pair.spanish).findings:
            if (finding.code, finding.detail) not in seen:
                seen.add((finding.code, finding.detail))
                yield pair.place.fails(finding.code, finding.detail)


def _pairs(event: ComposedEvent, place: Place) -> Iterator[_Pair]:
    english, spanish = event.english, event.spanish
    yield _Pair(english.headline, spanish.headline, place.at("spanish", "headline"))
    if len(english.sentences) != len(spanish.sentences):
        yield _Pair(_joined(english), _joined(spanish), place.at("spanish", "sentences"))
        return
    for index, (one, other) in enumerate(zip(english.sentences, spanish.sentences, strict=True)):
        yield _Pair(one.text, other.text, place.at("spanish", "sentences", index, "text"))


def _claims(event: ComposedEvent, place: Place) -> Iterator[Failure]:
    if _claim_ids(event.english) != _claim_ids(event.spanish):
        yield place.at("spanish", "sentences").fails(Code.PARITY_CLAIMS, "CLAIM_SETS_DIFFER")
    elif len(event.english.sentences) == len(event.spanish.sentences):
        for index, (one, other) in enumerate(zip(event.english.sentences, event.spanish.sentences, strict=True)):
            if set(one.claim_ids) != set(other.claim_ids):
                place_of = place.at("spanish", "sentences", index, "claim_ids")
                yield place_of.fails(Code.PARITY_CLAIMS, "SENTENCE_CLAIMS_DIFFER")


def _claim_ids(version: LanguageVersion) -> set[str]:
    return {claim_id for sentence in version.sentences for claim_id in sentence.claim_ids}


def _joined(version: LanguageVersion) -> str:
    return " ".join(sentence.text for sentence in version.sentences)


CHECKS: Sequence[Callable[[ComposedEvent, Place], Iterator[Failure]]] = (_texts, _claims)


def forget() -> None:
    """Compare every pair afresh from now on; for measuring."""
    _compared.cache_clear()
    read.cache_clear()
