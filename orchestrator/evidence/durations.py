"""Lengths of time of several parts: "2 hours, 4 minutes and 31 seconds" is one quantity of seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from orchestrator.evidence.numerals import plain
from orchestrator.evidence.quantity import Kind, Quantity
from orchestrator.evidence.scan import Scan

_CLOCK_UNITS = {"hour": 3600, "minute": 60, "second": 1}
_BETWEEN_DURATIONS = re.compile(r"[\s,]*(?:y|and)?\s*\Z")


def joined_durations(read: list[Quantity], found: Scan) -> Iterator[Quantity]:
    """Two hours, 4 minutes and 31 seconds are one duration."""
    held: Quantity | None = None
    least = 0  # the smallest unit taken so far, in seconds
    for one in read:
        size = _CLOCK_UNITS.get(one.unit, 0) if one.kind is Kind.NUMBER and one.stated else 0
        if held and size and size < least and _BETWEEN_DURATIONS.fullmatch(found.text[held.end : one.start]):
            value = _seconds(held) + _seconds(one)
            held, least = replace(held, values=(plain(value),), unit="second", end=one.end), size
            continue
        if held:
            yield held
        held, least = one, size
    if held:
        yield held


def _seconds(one: Quantity) -> Decimal:
    return Decimal(one.values[0]) * _CLOCK_UNITS[one.unit]
