"""When two quantities are the same: by value, by another way to write it, or by conversion.

Rules:
* readings are compared as sets, so a figure with two readings agrees with either;
* a known unit must be the same, or convert (60 miles = 97 kilometres; a fortnight = 15 días; 86 °F = 30 °C);
* an ordinal agrees with a number, a fraction with its per cent; what is only implied never with an ordinal.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.evidence.lexicon import UNITS
from orchestrator.evidence.numerals import Weight
from orchestrator.evidence.quantity import Kind, Quantity

LENGTH_TOLERANCE = 0.04  # of conversions: 60 miles are "97" and "100" kilometres
DURATION_TOLERANCE = 0.08  # a fortnight is "15 días"


def quantity_met(one: Quantity, others: Sequence[Quantity]) -> bool:
    """Whether the other side says it. What is stated with a unit decides before what is only implied."""
    if not one.values:
        return True
    answers = [other for other in others if _equal(one, other)]
    if one.unit and one.stated and answers and not any(other.stated for other in answers):
        return not any(other.stated and other.unit and set(one.values) & set(other.values) for other in others)
    return bool(answers)


def _equal(one: Quantity, other: Quantity) -> bool:
    ordinal = (one.kind is Kind.ORDINAL) != (other.kind is Kind.ORDINAL)
    if ordinal and Weight.IMPLIED in (one.weight, other.weight) and Kind.NUMBER in (one.kind, other.kind):
        return False
    if set(one.values) & set(other.values):
        return _same_unit(one, other)
    if one.kind is other.kind is Kind.DATE:
        return False
    if _crossed(one) & _crossed(other):
        return True
    return _converted(one, other)


def _same_unit(one: Quantity, other: Quantity) -> bool:
    if not one.unit or not other.unit or one.unit == other.unit:
        return True
    left, right = UNITS[one.unit], UNITS[other.unit]
    if left.role != right.role or {one.unit, other.unit} <= _LOOSE:
        return True
    return {one.unit, other.unit} in ({"deg", "c"}, {"deg", "f"}, {"m", "mi"})


_LOOSE = frozenset({"house", "job", "school", "hospital", "seat", "vote", "goal"})
"""What is counted in other words too often to be weighed against each other."""


def _crossed(one: Quantity) -> frozenset[str]:
    """The value as other kinds would write it: an ordinal or code as number, a fraction as per cent."""
    match one.kind:
        case Kind.NUMBER | Kind.ORDINAL if one.kind is Kind.ORDINAL or one.weight is not Weight.IMPLIED:
            ordinal = [f"o {value}" for value in one.values] if one.kind is Kind.ORDINAL else []
            return frozenset([*(f"n {value}" for value in one.values), *ordinal])
        case Kind.FRACTION:
            value = float(one.values[0])
            nth = [f"o {round(1 / value)}"] if value and abs(1 / value - round(1 / value)) < 0.01 else []
            return frozenset({f"n {one.values[0]}", f"% {value * 100:g}", f"pp {value:g}", *nth})
        case Kind.PERCENTAGE:
            return frozenset(_rate(value) for value in one.values)
        case Kind.MAGNITUDE:
            return frozenset(f"n {value}" for value in one.values)
        case Kind.DATE if one.values[0].startswith(("decade", "century")):
            return frozenset()
        case Kind.TIME:
            return frozenset()
        case Kind.CODE:
            return frozenset("n " + "".join(c for c in value if c.isdigit()) for value in one.values)
        case _:
            return frozenset()


def _rate(value: str) -> str:
    """Per cent, or points; 25 basis points are a quarter of a point."""
    number, _, unit = value.rpartition(" ")
    amount = float(number or 0)
    return f"pp {amount / 100:g}" if unit == "bp" else f"{unit} {amount:g}"


def _converted(one: Quantity, other: Quantity) -> bool:
    """60 miles = 97 kilometres; a fortnight = 15 días; 86 °F = 30 °C."""
    if one.kind is not Kind.NUMBER or other.kind is not Kind.NUMBER or not one.unit or not other.unit:
        return False
    if one.unit == other.unit:
        return False
    left, right = UNITS[one.unit], UNITS[other.unit]
    a, b = float(one.values[0]), float(other.values[0])
    if {left.name, right.name} == {"c", "f"}:
        celsius, fahrenheit = (a, b) if left.name == "c" else (b, a)
        return abs(celsius * 9 / 5 + 32 - fahrenheit) <= 2
    if not left.base or left.base != right.base:
        return False
    tolerance = DURATION_TOLERANCE if left.base == "duration" else LENGTH_TOLERANCE
    return abs(a * left.factor - b * right.factor) <= tolerance * max(abs(a * left.factor), abs(b * right.factor))
