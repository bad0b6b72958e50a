"""What a research check looks at: one candidate or patch of an answer, and the bench it is judged on."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from orchestrator.contracts.scout import ScoutAnswer, ScoutCandidate, ScoutClaim, ScoutSource
from orchestrator.contracts.supplement import CandidatePatch, SupplementAnswer
from orchestrator.contracts.task import PublishedStory
from orchestrator.core.policy import ScoutPolicy
from orchestrator.evidence.candidate import AcceptedCandidate
from orchestrator.evidence.failure import Place

_UNBOUNDED = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What research is judged by. `known` are the process's accepted candidates, patches applied."""

    scout: ScoutPolicy
    target_date: date
    retrieved: Mapping[str, str]  # comparison key → address as the tool gave it
    known: tuple[AcceptedCandidate, ...]
    published: tuple[PublishedStory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A candidate, or a patch to the accepted candidate `patch_target` (then `candidate` is None)."""

    place: Place
    claims: tuple[ScoutClaim, ...]
    sources: tuple[ScoutSource, ...]
    candidate: ScoutCandidate | None = None
    patch_target: str = ""

    @property
    def entity(self) -> str:
        """The scout's key of a candidate, or the candidate id that a patch names, as a report may hold it."""
        return self.place.entity_id

    def source_place(self, index: int) -> Place:
        """Where the source stands; its entity is the scout's reference."""
        return Place(f"{self.place.path}/sources/{index}", bounded(self.sources[index].source_ref))

    def claim_place(self, index: int) -> Place:
        """Where the claim stands; its entity is the scout's claim id."""
        return Place(f"{self.place.path}/claims/{index}", bounded(self.claims[index].claim_id))


def dossiers_of(answer: ScoutAnswer | SupplementAnswer) -> tuple[Dossier, ...]:
    """Every candidate and patch of an answer, in its order; patches first, since they touch what stands."""
    if isinstance(answer, ScoutAnswer):
        return tuple(_candidate("candidates", n, c) for n, c in enumerate(answer.candidates))
    patches = (_patch(n, patch) for n, patch in enumerate(answer.candidate_patches))
    return (*patches, *(_candidate("new_candidates", n, c) for n, c in enumerate(answer.new_candidates)))


def bounded(name: str) -> str:
    """A provider's name for a thing as it may stand in a report: short, and nothing but name characters."""
    return _UNBOUNDED.sub("_", name[:64])


def clean_title(title: str, publisher: str) -> str:
    """A scraped title as text: entities read once, spaces single, the publisher's own suffix taken off."""
    text = unicodedata.normalize("NFC", " ".join(html.unescape(title).split(" "))).strip()
    for separator in (" - ", " | ", " – ", " — "):
        head, found, tail = text.rpartition(separator)
        if found and head.strip() and tail.strip().casefold() == publisher.strip().casefold():
            return head.strip()
    return text


def clean_name(name: str) -> str:
    """A publisher's name as text: entities read once."""
    return unicodedata.normalize("NFC", html.unescape(name)).strip()


def _candidate(where: str, number: int, candidate: ScoutCandidate) -> Dossier:
    place = Place(f"/{where}/{number}", bounded(candidate.proposed_event_key))
    return Dossier(place=place, claims=candidate.claims, sources=candidate.sources, candidate=candidate)


def _patch(number: int, patch: CandidatePatch) -> Dossier:
    place = Place(f"/candidate_patches/{number}", bounded(patch.candidate_id))
    return Dossier(place=place, claims=patch.claims, sources=patch.sources, patch_target=patch.candidate_id)
