"""The supplemental-research answer: patches for thin candidates, further stories for what is missing.

A deficit about an accepted candidate is closed by facts of the story's reserve on pages that it did not have.
A missing region, topic or number of candidates is closed by the day's spare stories, then by stories from
the spare cities. What cannot be closed is said to be unresolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from orchestrator.contracts.scout import SourceType
from orchestrator.contracts.supplement import (
    SUPPLEMENT_CONTRACT,
    CandidatePatch,
    Deficit,
    OpenDeficit,
    SupplementAnswer,
)
from orchestrator.emulator.answers import Search
from orchestrator.emulator.newsroom_press import Page, Press
from orchestrator.emulator.newsroom_request import Asked
from orchestrator.emulator.newsroom_rota import Rota, Turn
from orchestrator.emulator.newsroom_scout import Scout, claims_of, refs_of, within
from orchestrator.emulator.newsroom_story import Storyteller

PATCHED = frozenset(
    {
        Deficit.CORROBORATION_GAP,
        Deficit.PRIMARY_SOURCE_GAP,
        Deficit.CITATION_GAP,
        Deficit.FRESHNESS_GAP,
    }
)
FILLED = frozenset(
    {
        Deficit.CANDIDATE_SHORTFALL,
        Deficit.REGION_GAP,
        Deficit.TOPIC_GAP,
        Deficit.DUPLICATE_OVERLAP,
    }
)


class Supplement:
    """Closes the deficits of one request."""

    def __init__(self, storyteller: Storyteller, *, rota: Rota, press: Press, scout: Scout, asked: Asked) -> None:
        self._storyteller = storyteller
        self._rota = rota
        self._press = press
        self._scout = scout
        self._asked = asked
        self._deficits = tuple(_open_deficits(asked.entries("deficits")))
        self._used = set(_keys_of(asked))
        self._searches: list[Search] = []

    def answer(self) -> tuple[SupplementAnswer, tuple[Search, ...]]:
        """The delta, and the searches that found its pages."""
        patches = tuple(self._patches())
        patched = {patch.candidate_id for patch in patches}
        turns = self._turns()
        findings = [self._scout.finding(turn) for turn in turns]
        self._searches += [finding.search for finding in findings]
        closed = [deficit for deficit in self._deficits if self._is_closed(deficit, patched, turns)]
        answer = SupplementAnswer(
            contract_version=SUPPLEMENT_CONTRACT,
            target_date=self._asked.target_date.isoformat(),
            addressed_deficits=tuple(closed),
            candidate_patches=patches,
            new_candidates=tuple(finding.candidate for finding in findings),
            unresolved_deficits=tuple(deficit for deficit in self._deficits if deficit not in closed),
        )
        return answer, within(self._searches, self._asked.searches)

    def _patches(self) -> Iterator[CandidatePatch]:
        keys = {str(entry.get("candidate_id")): entry.get("event_key") for entry in self._asked.entries("accepted")}
        wanted = dict.fromkeys(one.subject for one in self._deficits if one.code in PATCHED)
        for candidate_id in wanted:
            patch = self._patch(candidate_id, keys.get(candidate_id))
            if patch is not None:
                yield patch

    def _patch(self, candidate_id: str, key: object) -> CandidatePatch | None:
        story = self._storyteller.tell(self._asked.product, key) if isinstance(key, str) else None
        if story is None:
            return None
        pages = self._press.further(story, self._scout.least_publishers)
        codes = {one.code for one in self._deficits if one.subject == candidate_id}
        if Deficit.PRIMARY_SOURCE_GAP in codes and not any(map(_is_primary, pages)):
            pages = tuple(filter(_is_primary, self._press.pages(story, self._scout.least_publishers))) or pages
        if not pages:
            return None
        self._searches.append(self._press.search(story, pages))
        return CandidatePatch(
            candidate_id=candidate_id,
            claims=claims_of(story.reserve[:1], pages),
            sources=tuple(page.as_source(ref) for page, ref in zip(pages, refs_of(pages), strict=True)),
        )

    def _turns(self) -> list[Turn]:
        """One story for each missing region and topic, then as many as are needed."""
        found: list[Turn] = []
        for deficit in self._deficits:
            if deficit.code is Deficit.REGION_GAP and not _has_region(found, deficit.subject):
                found += self._next(region=deficit.subject)
            elif deficit.code is Deficit.TOPIC_GAP and not _has_topic(found, deficit.subject):
                found += self._next(topic=deficit.subject)
        if any(one.code in (Deficit.CANDIDATE_SHORTFALL, Deficit.DUPLICATE_OVERLAP) for one in self._deficits):
            while len(found) < self._asked.number("needed", 1):
                more = self._next()
                found += more
                if not more:
                    break
        return found

    def _next(self, *, region: str = "", topic: str = "") -> list[Turn]:
        """The next story of this region or topic that was not reported yet; empty when there is none."""
        _, spare = self._scout.plan()
        reserve = self._rota.reserve(self._asked.target_date, region=region, topic=topic)
        for turn in chain(spare, reserve):
            key = self._scout.key_of(turn)
            fits = region in ("", turn.region) and (not topic or topic in turn.topics)
            if fits and key not in self._used:
                self._used.add(key)
                return [turn]
        return []

    def _is_closed(self, deficit: OpenDeficit, patched: set[str], turns: list[Turn]) -> bool:
        match deficit.code:
            case Deficit.REGION_GAP:
                return _has_region(turns, deficit.subject)
            case Deficit.TOPIC_GAP:
                return _has_topic(turns, deficit.subject)
            case Deficit.CANDIDATE_SHORTFALL | Deficit.DUPLICATE_OVERLAP:
                return len(turns) >= self._asked.number("needed", 1)
            case _:
                return deficit.code in PATCHED and deficit.subject in patched


def _open_deficits(entries: tuple[Mapping[str, Any], ...]) -> Iterator[OpenDeficit]:
    for entry in entries:
        code, subject = entry.get("code"), entry.get("subject")
        if code in set(Deficit):
            yield OpenDeficit(code=Deficit(code), subject=subject if isinstance(subject, str) else "")


def _keys_of(asked: Asked) -> Iterator[str]:
    """Keys that must not come back: accepted, rejected, published."""
    for entry in asked.entries("accepted") + asked.entries("already_published"):
        yield str(entry.get("event_key"))
    for entry in asked.entries("rejected"):
        yield str(entry.get("candidate"))


def _is_primary(page: Page) -> bool:
    return page.source_type is SourceType.PRIMARY


def _has_region(turns: list[Turn], region: str) -> bool:
    return any(turn.region == region for turn in turns)


def _has_topic(turns: list[Turn], topic: str) -> bool:
    return any(topic in turn.topics for turn in turns)
