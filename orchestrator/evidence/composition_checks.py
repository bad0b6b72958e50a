"""The composition layer: the text against the frozen package it was made from, and against the policy.

Any failure costs the composition; the package stays, and the next attempt is told the codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.contracts.composition import ComposedEvent, CompositionAnswer, Sentence, SentenceKind
from orchestrator.contracts.package import EvidencePackage, PackageEvent
from orchestrator.core.policy import CompositionPolicy
from orchestrator.evidence.binding import Ground, binding_failures
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.parity import parity_failures
from orchestrator.evidence.prose import factual_marks
from orchestrator.evidence.safety import prose_failures
from orchestrator.evidence.urls import comparison_key

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?<![\w@.])(?:[^\W_A-Z]+(?:-[^\W_A-Z]+)*\.)+(?:com|org|net|info|io|co|eu|gov|edu|int|test|example|invalid|app|dev|xyz|biz|es|"
    r"uk|mx|ar|us|de|fr|ru|cn)(?:/\S*)?(?![\w.-])",
)
_CLOSING = ".,;:!?)]}»”\"'"


@dataclass(frozen=True, slots=True)
class _Version:
    """One language of one event, and the event of the package that it belongs to."""

    name: str
    lang: str
    event: ComposedEvent
    approved: PackageEvent
    ground: Ground
    place: Place

    @property
    def headline(self) -> str:
        return (self.event.english if self.lang == "en" else self.event.spanish).headline

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return (self.event.english if self.lang == "en" else self.event.spanish).sentences

    def sentence_place(self, index: int) -> Place:
        return self.place.at("sentences", index)


Check = Callable[[_Version, CompositionPolicy], Iterator[Failure]]


def composition_failures(
    answer: CompositionAnswer, package: EvidencePackage, policy: CompositionPolicy
) -> list[Failure]:
    """Every failure of the layers composition, parity and safety, in this order for each event."""
    failures = list(_event_set(answer, package))
    approved = {event.event_id: event for event in package.events}
    for index, event in enumerate(answer.events):
        if event.event_id in approved:
            place = Place(f"/events/{index}", event.event_id)
            failures.extend(_event_failures(event, approved[event.event_id], policy=policy, place=place))
    return failures


def _event_failures(
    event: ComposedEvent, approved: PackageEvent, *, policy: CompositionPolicy, place: Place
) -> Iterator[Failure]:
    ground = Ground(approved)
    for name, lang in (("english", "en"), ("spanish", "es")):
        version = _Version(name, lang, event, approved, ground, place.at(name))
        for check in CHECKS:
            yield from check(version, policy)
    yield from parity_failures(event, place)


def _event_set(answer: CompositionAnswer, package: EvidencePackage) -> Iterator[Failure]:
    wanted = [event.event_id for event in package.events]
    given = [event.event_id for event in answer.events]
    for event_id in wanted:
        if event_id not in given:
            yield Place("/events", event_id).fails(Code.EVENT_SET_MISMATCH, "EVENT_MISSING")
    for index, event_id in enumerate(given):
        place = Place(f"/events/{index}/event_id")
        if event_id not in wanted:
            yield place.fails(Code.EVENT_SET_MISMATCH, "EVENT_NOT_APPROVED")
        elif event_id in given[:index]:
            yield place.fails(Code.EVENT_SET_MISMATCH, "EVENT_TWICE")
    if sorted(given) == sorted(wanted) and given != wanted:
        yield Place("/events").fails(Code.EVENT_SET_MISMATCH, "ORDER")


def _present(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    if not version.headline.strip():
        yield version.place.at("headline").fails(Code.LANGUAGE_SET_MISMATCH, "EMPTY")
    if not version.sentences:
        yield version.place.at("sentences").fails(Code.LANGUAGE_SET_MISMATCH, "EMPTY")
    for index, sentence in enumerate(version.sentences):
        if not sentence.text.strip():
            yield version.sentence_place(index).at("text").fails(Code.LANGUAGE_SET_MISMATCH, "EMPTY")


def _supplied(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    supplied = {claim.claim_id for claim in version.approved.claims}
    for index, sentence in enumerate(version.sentences):
        for number, claim_id in enumerate(sentence.claim_ids):
            if claim_id not in supplied:
                place = version.sentence_place(index).at("claim_ids", number)
                yield place.fails(Code.CLAIM_NOT_SUPPLIED, "NOT_OF_THIS_EVENT")


def _grounded(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    for index, sentence in enumerate(version.sentences):
        if sentence.claim_ids:
            continue
        marks = factual_marks(sentence.text, version.lang)
        if sentence.kind is SentenceKind.FACT or marks:
            detail = marks[0] if marks else "LABELLED_FACT"
            yield version.sentence_place(index).fails(Code.FACT_WITHOUT_CLAIM, detail)


def _bound(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    """The figures of an English sentence are those of its claims; the Spanish one is held to it by parity."""
    if version.lang == "en":
        for index, sentence in enumerate(version.sentences):
            yield from binding_failures(sentence, version.ground, version.sentence_place(index))


def _linkless(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    allowed = {comparison_key(source.url) for source in version.approved.sources}
    # A name such as Booking.com may be in the news; then the evidence says it too.
    said = " ".join([version.approved.headline_fact, *(claim.text for claim in version.approved.claims)])
    for text, place in _texts(version):
        links = [match.group().rstrip(_CLOSING) for match in _URL.finditer(text)]
        names = [match.group() for match in _DOMAIN.finditer(_URL.sub(" ", text))]
        foreign = any(comparison_key(link) not in allowed for link in links)
        if foreign or any(name not in said for name in names):
            yield place.fails(Code.URL_IN_PROSE, "NOT_APPROVED")


def _sized(version: _Version, policy: CompositionPolicy) -> Iterator[Failure]:
    if len(version.headline) > policy.headline_chars_max:
        yield version.place.at("headline").fails(Code.LENGTH_OUT_OF_RANGE, "HEADLINE")
    count = len(version.sentences)
    if count and not policy.sentences_min <= count <= policy.sentences_max:
        yield version.place.at("sentences").fails(Code.LENGTH_OUT_OF_RANGE, "SENTENCES")
    for index, sentence in enumerate(version.sentences):
        if len(sentence.text) > policy.sentence_chars_max:
            yield version.sentence_place(index).at("text").fails(Code.LENGTH_OUT_OF_RANGE, "SENTENCE")


def _safe(version: _Version, _policy: CompositionPolicy) -> Iterator[Failure]:
    for text, place in _texts(version):
        yield from prose_failures(text, place)


def _texts(version: _Version) -> Iterator[tuple[str, Place]]:
    yield version.headline, version.place.at("headline")
    for index, sentence in enumerate(version.sentences):
        yield sentence.text, version.sentence_place(index).at("text")


CHECKS: tuple[Check, ...] = (_present, _supplied, _grounded, _bound, _linkless, _sized, _safe)
