"""The primary-research answer: the day's stories as candidates, and the searches that found their pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.contracts.scout import (
    SCOUT_CONTRACT,
    Precision,
    ScoutAnswer,
    ScoutCandidate,
    ScoutClaim,
    SelectionSignals,
    Signal,
)
from orchestrator.emulator.answers import Search
from orchestrator.emulator.newsroom_press import Page, Press
from orchestrator.emulator.newsroom_request import CANDIDATES, MAX_CANDIDATES, Asked
from orchestrator.emulator.newsroom_rota import Rota, Turn
from orchestrator.emulator.newsroom_story import Fact, Story, Storyteller
from orchestrator.errors import InvariantBroken

CORROBORATION = 2
MAX_CORROBORATION = 4
_GRADES = (Signal.HIGH, Signal.MEDIUM, Signal.MEDIUM, Signal.LOW)


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate and the search that found its pages."""

    candidate: ScoutCandidate
    search: Search


class Scout:
    """Finds stories for one request."""

    def __init__(self, storyteller: Storyteller, *, rota: Rota, press: Press, asked: Asked) -> None:
        self._storyteller = storyteller
        self._rota = rota
        self._press = press
        self._asked = asked
        self.least_publishers = min(asked.number("corroboration", CORROBORATION), MAX_CORROBORATION)

    def answer(self) -> tuple[ScoutAnswer, tuple[Search, ...]]:
        """Exactly as many candidates as asked for, and the searches."""
        chosen, _ = self.plan()
        findings = [self.finding(turn) for turn in chosen]
        answer = ScoutAnswer(
            contract_version=SCOUT_CONTRACT,
            target_date=self._asked.target_date.isoformat(),
            candidates=tuple(finding.candidate for finding in findings),
        )
        return answer, within([finding.search for finding in findings], self._asked.searches)

    def plan(self) -> tuple[list[Turn], list[Turn]]:
        """The turns of the day that are reported, and the spare ones."""
        count = min(self._asked.number("candidates", CANDIDATES), MAX_CANDIDATES)
        return self._rota.edition(self._asked.target_date, count)

    def key_of(self, turn: Turn) -> str:
        """The event key under which this turn's story is reported."""
        return self._storyteller.key_of(turn, self._asked.target_date)

    def finding(self, turn: Turn) -> Finding:
        """The turn's story as a candidate."""
        key = self.key_of(turn)
        story = self._storyteller.tell(self._asked.product, key)
        if story is None:  # the rota and the storyteller read the same fixtures
            raise InvariantBroken(f"the rota names a story that cannot be told: {key}")
        pages = self._press.pages(story, self.least_publishers)
        return Finding(_candidate(story, turn, pages), self._press.search(story, pages))


def claims_of(facts: Sequence[Fact], pages: Sequence[Page]) -> tuple[ScoutClaim, ...]:
    """The facts as claims; the leading one rests on every page, so that none is left unused."""
    refs = refs_of(pages)
    return tuple(
        ScoutClaim(
            claim_id=f"claim-{number + 1}",
            claim=fact.claim,
            source_refs=refs if number == 0 else (refs[number % len(refs)],),
            support_type=fact.support,
        )
        for number, fact in enumerate(facts)
    )


def refs_of(pages: Sequence[Page]) -> tuple[str, ...]:
    """Local references for the pages, from src-1."""
    return tuple(f"src-{number + 1}" for number in range(len(pages)))


def within(searches: Iterable[Search], limit: int) -> tuple[Search, ...]:
    """At most `limit` searches; results of the further ones are moved into the last, so no page is lost."""
    every = list(searches)
    if len(every) <= limit or limit <= 0:
        return tuple(every) if limit > 0 else ()
    kept, rest = every[:limit], every[limit:]
    sources = [url for search in (kept[-1], *rest) for url in search.sources]
    return (*kept[:-1], Search(query=kept[-1].query, sources=tuple(dict.fromkeys(sources))))


def _candidate(story: Story, turn: Turn, pages: Sequence[Page]) -> ScoutCandidate:
    return ScoutCandidate(
        proposed_event_key=story.key,
        event_date=story.event_date.isoformat(),
        chronology_precision=Precision.DAY,
        headline_fact=story.lead.claim,
        regions=(turn.region,),
        topics=turn.topics,
        claims=claims_of(story.facts, pages),
        sources=tuple(page.as_source(ref) for page, ref in zip(pages, refs_of(pages), strict=True)),
        selection_signals=SelectionSignals(
            international_significance=story.chance.pick(_GRADES, "significance"),
            novelty=story.chance.pick(_GRADES, "novelty"),
            corroboration=Signal.HIGH if len(pages) > CORROBORATION else Signal.MEDIUM,
            update_of_earlier_story=False,
        ),
    )
