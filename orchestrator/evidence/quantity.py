"""A quantity: what it is, its readings without a language, how much it says, what it counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from orchestrator.evidence.lexicon import Tag
from orchestrator.evidence.numerals import Weight
from orchestrator.evidence.scan import Scan


class Kind(StrEnum):
    """What a number says."""

    NUMBER = "number"
    PERCENTAGE = "percentage"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    ORDINAL = "ordinal"
    FRACTION = "fraction"
    MAGNITUDE = "magnitude"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity; `values` are its possible readings, likeliest first. `unit` names what it counts, if known.

    `bound` is MORE or LESS where the text says "more than" or "nearly"; `start` and `end` are offsets.
    """

    kind: Kind
    values: tuple[str, ...]
    start: int
    end: int
    weight: Weight = Weight.STATED
    unit: str = ""
    bound: str = ""

    @property
    def stated(self) -> bool:
        """Whether the other language must say it too."""
        return self.weight is Weight.STATED


def span_of(found: Scan, first: int, last: int) -> tuple[int, int]:
    return found.tokens[first].start, found.tokens[last - 1].end


def bounded(quantity: Quantity, first: int, found: Scan) -> Quantity:
    for step in (1, 2, 3, 4):
        for mark in found.marks.get(first - step, ()):
            if mark.tag in (Tag.MORE, Tag.LESS) and mark.last in (first, first - 1):
                return replace(quantity, bound=mark.tag.name)
    return quantity
