"""Whether two stories are the same event.

Rules (the title alone never decides: two different stories may have one title):
* the same event key, folded;
* or the same headline fact, folded, on the same date;
* or an address in common with a story that readers have had;
* or, inside one edition, exactly the same addresses.

A repeat of a published story passes when it is marked as an update. Source: completed tables §7 (candidate),
reference B51.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from orchestrator.contracts.package import EvidencePackage, PackageEvent, PackageSource
from orchestrator.contracts.scout import ScoutCandidate
from orchestrator.contracts.task import PublishedStory
from orchestrator.evidence.candidate import AcceptedCandidate
from orchestrator.evidence.prose import folded
from orchestrator.evidence.urls import comparison_key


@dataclass(frozen=True, slots=True)
class Identity:
    """By what an event is recognised."""

    key: str
    headline: str
    date: str
    addresses: frozenset[str]


def of_scouted(candidate: ScoutCandidate) -> Identity:
    """The identity of a candidate as the scout proposed it."""
    return Identity(
        key=folded(candidate.proposed_event_key),
        headline=folded(candidate.headline_fact),
        date=candidate.event_date,
        addresses=_keys(source.url for source in candidate.sources),
    )


def of_accepted(candidate: AcceptedCandidate) -> Identity:
    """The identity of an accepted candidate."""
    return Identity(
        key=folded(candidate.event_key),
        headline=folded(candidate.headline_fact),
        date=candidate.event_date,
        addresses=_keys(source.url for source in candidate.sources),
    )


def same_event(one: Identity, other: Identity) -> bool:
    """Whether two candidates of one edition are one event."""
    if one.key == other.key or (one.headline, one.date) == (other.headline, other.date):
        return True
    return bool(one.addresses) and one.addresses == other.addresses


def repeats(candidate: Identity, published: Collection[PublishedStory]) -> bool:
    """Whether readers have had it."""
    return any(_repeats(candidate, story) for story in published)


def published_stories(package: EvidencePackage) -> tuple[PublishedStory, ...]:
    """What later editions have to be compared with, from the package of a published one."""
    return tuple(_story(package, event) for event in package.events)


def _repeats(candidate: Identity, story: PublishedStory) -> bool:
    same_fact = candidate.headline == folded(story.headline_fact) and candidate.date == story.event_date
    same_key = candidate.key == folded(story.event_key)
    return same_key or same_fact or not candidate.addresses.isdisjoint(story.source_keys)


def _story(package: EvidencePackage, event: PackageEvent) -> PublishedStory:
    return PublishedStory(
        product=package.product,
        date=package.target_date,
        event_key=event.event_key,
        event_date=event.event_date,
        headline_fact=event.headline_fact,
        source_keys=tuple(sorted(_keys(_urls(event.sources)))),
    )


def _urls(sources: Iterable[PackageSource]) -> Iterable[str]:
    return (source.url for source in sources)


def _keys(urls: Iterable[str]) -> frozenset[str]:
    return frozenset(key for key in map(comparison_key, urls) if key is not None)
