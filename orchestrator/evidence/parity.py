"""The bilingual parity layer: what English and Spanish must have in common.

Compared, sentence by sentence where both sides have as many, else event by event: numbers, percentages, money,
dates, weekdays and times as exact values; the claims an event rests on; the language of each text; the ratio
of lengths. What cannot be judged is no failure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from orchestrator.contracts.composition import ComposedEvent, LanguageVersion
from orchestrator.evidence import wording
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.prose import language_of
from orchestrator.evidence.quantities import Kind, Quantity, quantities

_CODES = {
    Kind.NUMBER: Code.PARITY_NUMBER,
    Kind.PERCENTAGE: Code.PARITY_PERCENTAGE,
    Kind.MONEY: Code.PARITY_MONEY,
    Kind.DATE: Code.PARITY_DATE,
}
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W\d_]+\b")
SHORTEST_JUDGED = 80  # characters; below that a ratio says nothing
RATIO = (0.6, 2.2)  # Spanish over English; agency pairs lie between 0.9 and 1.5


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts that say the same thing, and where the Spanish one stands."""

    english: str
    spanish: str
    place: Place


def parity_failures(event: ComposedEvent, place: Place) -> list[Failure]:
    """Where the two versions of an event part ways. Pointers lead to the Spanish side."""
    return [failure for check in CHECKS for failure in check(event, place)]


def compare(english: str, spanish: str) -> Iterator[tuple[Kind, str]]:
    """Kinds of quantity that differ, and which side has more: ONLY_ENGLISH, ONLY_SPANISH, DIFFERENT."""
    left, right = (quantities(text, lang) for text, lang in _nameless(english, spanish))
    for kind in Kind:
        alone, other = _unmatched(
            [quantity for quantity in left if quantity.kind is kind],
            [quantity for quantity in right if quantity.kind is kind],
        )
        if alone or other:
            yield kind, "DIFFERENT" if alone and other else "ONLY_ENGLISH" if alone else "ONLY_SPANISH"


def _nameless(english: str, spanish: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both texts with the number words taken out that are names: *Tres Mareas* is the same in both."""
    shared = set(_CAPITALISED.findall(english)) & set(_CAPITALISED.findall(spanish))
    names = {word for word in shared if any(word.lower() in known for known in wording.NUMBER_WORDS.values())}
    if not names:
        return (english, "en"), (spanish, "es")
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(names))})\b")
    return (pattern.sub("·", english), "en"), (pattern.sub("·", spanish), "es")


def _unmatched(left: list[Quantity], right: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    """What is stated on one side only. Figures with one reading choose first."""
    alone, other = [], list(right)
    for quantity in sorted(left, key=lambda one: len(one.values)):
        match = next((o for o in other if set(o.values) & set(quantity.values)), None)
        if match is None:
            alone.append(quantity)
        else:
            other.remove(match)
    return [one for one in alone if one.stated], [one for one in other if one.stated]


def _quantities(event: ComposedEvent, place: Place) -> Iterator[Failure]:
    for pair in _pairs(event, place):
        for kind, detail in compare(pair.english, pair.spanish):
            yield pair.place.fails(_CODES[kind], detail)


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


def _claim_ids(version: LanguageVersion) -> set[str]:
    return {claim_id for sentence in version.sentences for claim_id in sentence.claim_ids}


def _length(event: ComposedEvent, place: Place) -> Iterator[Failure]:
    english, spanish = len(_joined(event.english)), len(_joined(event.spanish))
    if max(english, spanish) >= SHORTEST_JUDGED and not RATIO[0] <= spanish / max(1, english) <= RATIO[1]:
        yield place.at("spanish", "sentences").fails(Code.PARITY_LENGTH, "RATIO")


def _language(event: ComposedEvent, place: Place) -> Iterator[Failure]:
    for name, lang, version in (("english", "en", event.english), ("spanish", "es", event.spanish)):
        texts = [("headline", version.headline)]
        texts += [(f"sentences/{n}/text", sentence.text) for n, sentence in enumerate(version.sentences)]
        for path, text in texts:
            if language_of(text) not in (lang, None):
                yield place.at(name, path).fails(Code.PARITY_LANGUAGE, "OTHER_LANGUAGE")


def _joined(version: LanguageVersion) -> str:
    return " ".join(sentence.text for sentence in version.sentences)


CHECKS: Sequence[Callable[[ComposedEvent, Place], Iterator[Failure]]] = (
    _quantities,
    _claims,
    _length,
    _language,
)
