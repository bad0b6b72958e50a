"""Claim binding: the figures and names of an English sentence must occur in the claims that it cites.

Rules:
* numbers, percentages, money, dates and times of the sentence are among those of the claims that it cites, or are
  the event's date; a weekday may be the weekday of one of those dates;
* places and organisations of the tables, and whole names, occur in what the event holds: its claims, its fact,
  its sources' titles and publishers;
* what a sentence only implies ("both", "the first") is not demanded.

The Spanish sentence is held to the English one by parity. A sentence without claims is another check's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property

from orchestrator.contracts.composition import Sentence
from orchestrator.contracts.package import PackageEvent
from orchestrator.evidence.agreement import quantity_met
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.names import Names, bare
from orchestrator.evidence.quantity import Kind, Quantity
from orchestrator.evidence.reading import read

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CODES = {
    Kind.PERCENTAGE: "PERCENTAGE",
    Kind.MONEY: "MONEY",
    Kind.DATE: "DATE",
    Kind.TIME: "TIME",
}


class Ground:
    """What an event holds: quantities by claim, its names, its date; each read when it is first needed."""

    def __init__(self, event: PackageEvent) -> None:
        self.event_date = event.event_date
        self.claims = {claim.claim_id: claim.text for claim in event.claims}
        self._said = (
            event.headline_fact,
            *self.claims.values(),
            *(text for source in event.sources for text in (source.publisher, source.title)),
        )

    def quantities(self, cited: list[str]) -> list[Quantity]:
        """The quantities of these claims."""
        return [quantity for claim_id in cited for quantity in read(self.claims[claim_id], "en").quantities]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the event, without case and accents."""
        return frozenset(map(bare, _WORD.findall(" ".join(self._said).replace("’s", "").replace("'s", ""))))

    @cached_property
    def names(self) -> frozenset[str]:
        """What the names of the event name."""
        return frozenset(name for text in self._said for name in read(text, "en").names.ids)


def binding_failures(sentence: Sentence, ground: Ground, place: Place) -> Iterator[Failure]:
    """What an English sentence states beyond its claims. `place` is the sentence's."""
    cited = [claim_id for claim_id in sentence.claim_ids if claim_id in ground.claims]
    if not cited or any(sentence.text in ground.claims[claim_id] for claim_id in cited):
        return  # without claims it is another check's matter; word for word it states nothing else
    text = read(sentence.text, "en")
    held = ground.quantities(cited)
    for quantity in text.quantities:
        if quantity.stated and not _held(quantity, held, ground):
            yield place.at("text").fails(Code.FACT_NOT_IN_CLAIM, _CODES.get(quantity.kind, "NUMBER"))
            return
    if _invented(text.names, ground):
        yield place.at("text").fails(Code.FACT_NOT_IN_CLAIM, "NAME")


def _held(one: Quantity, held: list[Quantity], ground: Ground) -> bool:
    if quantity_met(one, held):
        return True
    if one.kind is not Kind.DATE:
        return False
    days = list(_days(held, ground.event_date))
    value = one.values[0]
    if value.startswith("weekday"):
        return any(value == f"weekday {day.isoweekday()}" for day in days)
    return any(value in _forms(day) for day in days)


def _forms(day: date) -> Iterable[str]:
    return (f"{day:%Y-%m-%d}", f"-{day:-%m-%d}", f"{day:%Y-%m}", f"-{day:-%m}")


def _days(held: list[Quantity], event_date: str) -> Iterator[date]:
    year = event_date[:4]
    for value in (event_date, *(value for one in held if one.kind is Kind.DATE for value in one.values)):
        text = value.replace("--", f"{year}-", 1) if value.startswith("--") else value
        try:
            yield date.fromisoformat(text)
        except ValueError:
            continue


def _invented(names: Names, ground: Ground) -> bool:
    """A place or organisation that the event does not know, or somebody's whole name of which nothing is in it."""
    for known in names.known:
        if not ground.words.issuperset(known.letters) and known.name not in ground.names:
            return known.kind in ("country", "places", "organisations")
    for run in dict.fromkeys(one.run for one in names.strange):
        whole = [one for one in names.strange if one.run == run]
        judged = (len(whole) >= 2 or whole[0].titled) and any(one.demanded for one in whole)
        if judged and all(bare(one.letters) not in ground.words for one in whole):
            return True
    return False
