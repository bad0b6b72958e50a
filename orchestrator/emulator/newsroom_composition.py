"""The composition answer: every event of the package in both languages, from its claims and nothing else.

A story is found again by its event key; a fact is written only where the package holds its claim, word for
word. A package with an event that this newsroom did not report cannot be written in two languages and is
declined as a whole, in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.contracts.composition import (
    COMPOSITION_CONTRACT,
    ComposedEvent,
    CompositionAnswer,
    LanguageVersion,
    Sentence,
    SentenceKind,
)
from orchestrator.contracts.package import EvidencePackage, PackageEvent
from orchestrator.emulator.newsroom_story import Fact, Story, Storyteller, Thought
from orchestrator.emulator.newsroom_wording import Pair

FACTS = 4  # a reader has two minutes

Line = tuple[SentenceKind, Pair, tuple[str, ...]]
"""Kind, both texts, claim ids."""


class Unwritable(Exception):
    """The package holds an event that this newsroom cannot write; `str()` says which and why."""


class Composer:
    """Writes packages. `sentences` are the least and most sentences of an event."""

    def __init__(self, storyteller: Storyteller, sentences: tuple[int, int]) -> None:
        self._storyteller = storyteller
        self._least, self._most = sentences

    def answer(self, package: EvidencePackage) -> CompositionAnswer:
        """The whole composition. Errors: Unwritable."""
        return CompositionAnswer(
            contract_version=COMPOSITION_CONTRACT,
            target_date=package.target_date,
            events=tuple(self._event(package.product, event) for event in package.events),
        )

    def lines(self, story: Story, event: PackageEvent) -> list[Line]:
        """The event's sentences: facts that the package carries, then what they mean."""
        facts = list(_carried(story, event))[: min(FACTS, max(1, self._most - 1))]
        if not facts:
            raise Unwritable(f"Event {event.event_id} carries none of the claims that this newsroom reported.")
        thoughts = _thoughts(story.thoughts, self._least - len(facts), self._most - len(facts))
        lines: list[Line] = [(SentenceKind.FACT, fact.sentence, ids) for fact, ids in facts]
        return lines + [(SentenceKind.ANALYSIS, thought.sentence, ()) for thought in thoughts]

    def _event(self, product: str, event: PackageEvent) -> ComposedEvent:
        story = self._storyteller.tell(product, event.event_key)
        if story is None:
            raise Unwritable(f"Event {event.event_id} is not a story of the synthetic newsroom.")
        lines = self.lines(story, event)
        english, spanish = (_version(story.headlines[0][side], lines, side) for side in (0, 1))
        return ComposedEvent(event_id=event.event_id, english=english, spanish=spanish)


def _carried(story: Story, event: PackageEvent) -> Iterable[tuple[Fact, tuple[str, ...]]]:
    for fact in (*story.facts, *story.reserve):
        ids = tuple(claim.claim_id for claim in event.claims if claim.text == fact.claim)
        if ids:
            yield fact, ids


def _thoughts(thoughts: Sequence[Thought], least: int, most: int) -> Sequence[Thought]:
    """One sentence of analysis, two after few facts, none where there is no room."""
    wanted = len(thoughts) if most > len(thoughts) else 1
    return thoughts[: max(0, min(most, max(least, wanted)))]


def _version(headline: str, lines: Sequence[Line], side: int) -> LanguageVersion:
    sentences = tuple(Sentence(text=texts[side], claim_ids=ids, kind=kind) for kind, texts, ids in lines)
    return LanguageVersion(headline=headline, sentences=sentences)
