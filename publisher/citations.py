"""Which note number stands for which source, and which notes a sentence carries.

Rules: notes are numbered through the edition in the order in which its events list their sources, so that
Markdown, page and feed say the same number; a sentence carries the notes of every source of every claim
that it names, in that order, each once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from publisher.edition import Edition, Event
from publisher.errors import BadEdition


def note_numbers(edition: Edition) -> list[dict[str, int]]:
    """Per event: source id → note number, from 1."""
    numbers: list[dict[str, int]] = []
    first = 1
    for event in edition.events:
        numbers.append({source.source_id: first + place for place, source in enumerate(event.sources)})
        first += len(event.sources)
    return numbers


def notes_of(claim_ids: Sequence[str], event: Event, numbers: Mapping[str, int]) -> list[int]:
    """The notes of a sentence that names `claim_ids`. BadEdition when a claim or source is not the event's."""
    sources = {claim.claim_id: claim.source_ids for claim in event.claims}
    try:
        return sorted({numbers[source_id] for claim_id in claim_ids for source_id in sources[claim_id]})
    except KeyError as missing:
        raise BadEdition(
            f"event {event.event_id}: {missing} is cited and not among its claims and sources",
            hint="every claim that a sentence names, and every source of it, must travel with the event",
        ) from None
