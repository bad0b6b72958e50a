"""Numbers with their meaning: percentages, points, money, units, ordinals, dates, times, and plain numbers.

Each piece of text is read once: a date's figures are not numbers too, nor is a percentage's. Values are language
neutral (`1500`, `EUR 1500`, `12 %`, `2026-11-30`, `--11-30` without a year), so that two languages can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from orchestrator.evidence.calendar_marks import Moment, moments
from orchestrator.evidence.durations import joined_durations
from orchestrator.evidence.lexicon import CURRENCY_FAMILIES, SIGNS, UNITS, Tag, spaced
from orchestrator.evidence.numerals import Numeral, Weight, amounts, plain
from orchestrator.evidence.phrases import phrases
from orchestrator.evidence.quantity import Kind, Quantity, bounded, span_of
from orchestrator.evidence.scan import Mark, Scan, scan

_MOMENTS = {
    "date": (Kind.DATE, Weight.STATED),
    "holiday": (Kind.DATE, Weight.IMPLIED),
    "weekday": (Kind.DATE, Weight.STATED),
    "time": (Kind.TIME, Weight.STATED),
    "zone": (Kind.TIME, Weight.SOFT),
    "decade": (Kind.DATE, Weight.STATED),
    "century": (Kind.DATE, Weight.STATED),
}
_RANGE = re.compile(r"\s*[-–—]\s*\Z")
_RANGE_WORDS = {"en": frozenset({"to", "and", "or"}), "es": frozenset({"a", "y", "o", "e"})}
_ROLE_REACH = 5
_AGED = spaced("people those children women men adults anyone everyone workers voters youths residents aged")
_LARGEST_RATE = 100  # "57,213 points" are an index, no percentage
_YEARS = frozenset({"decade", "century", "década", "decenio", "siglo", "lustro", "quinquenio"})


def quantities(text: str, lang: str) -> tuple[Quantity, ...]:
    """Every quantity that the text states or half states, in order of place."""
    return tuple(one for one in measured(scan(text, lang)) if one.weight is not Weight.IMPLIED)


@lru_cache(maxsize=512)
def read_quantities(text: str, lang: str) -> tuple[Quantity, ...]:
    """Every quantity, those included that only answer the other language's."""
    return measured(scan(text, lang))


def measured(found: Scan) -> tuple[Quantity, ...]:
    """Every quantity of a scanned text, in order of place."""
    times, used = moments(found)
    read = [_moment(one, found) for one in times]
    read += phrases(found, used)
    numbers = list(amounts(found, used))
    read += _ranged(numbers, [_quantity(number, found) for number in numbers], found)
    return tuple(joined_durations(sorted(read, key=lambda quantity: quantity.start), found))


def _moment(one: Moment, found: Scan) -> Quantity:
    kind, weight = _MOMENTS[one.kind]
    if one.kind == "date" and re.fullmatch(r"--\d\d", one.values[0]):
        before = {found.word(one.first - step) for step in (1, 2, 3)}
        loose = found.word(one.first - 1) in ("the", "a") or before & {"months", "meses"}
        weight = Weight.SOFT if loose else Weight.STATED
    return Quantity(kind, one.values, *span_of(found, one.first, one.last), weight)


def _quantity(number: Numeral, found: Scan) -> Quantity:
    """The number with what stands beside it: a percent sign or word, a currency, a unit, a minus sign."""
    before = found.text[number.start - 2 : number.start] if number.start >= 2 else found.text[: number.start]
    sign = "-" if re.search(r"(?:\A|[\s(])[-−]\Z", before) else ""
    values = tuple(sign + value for value in number.values)
    if number.weight is Weight.IMPLIED:
        return _implied(number, values, found)
    for at in _next_places(number, found):
        for mark in found.marks.get(at, ()):
            if mark.tag is Tag.RATE and not _is_index(mark, number):
                end = found.tokens[mark.last - 1].end
                tagged = tuple(f"{value} {mark.value}" for value in values)
                return bounded(Quantity(Kind.PERCENTAGE, tagged, number.start, end), number.first, found)
    money = _money(number, values, found)
    if money is not None:
        return bounded(money, number.first, found)
    unit, last = _unit(number, found)
    if unit and _half_more(found, last):
        values = tuple(plain(Decimal(value) + Decimal("0.5")) for value in values)
        last += 3 if found.word(last + 1) == "a" else 2
    end = found.tokens[last - 1].end
    return bounded(Quantity(Kind.NUMBER, values, number.start, end, number.weight, unit), number.first, found)


def _is_index(mark: Mark, number: Numeral) -> bool:
    return mark.last - mark.first == 1 and mark.value == "pp" and Decimal(number.values[0]) > _LARGEST_RATE


def _implied(number: Numeral, values: tuple[str, ...], found: Scan) -> Quantity:
    """What "a", "half", "un" or "decade" imply; "half a percentage point" and "un dólar" say more."""
    unit, last = _unit(number, found)
    quantity = Quantity(Kind.NUMBER, values, number.start, number.end, number.weight, unit)
    if unit and values[0] == "1" and _half_more(found, last):
        return replace(quantity, values=("1.5",), weight=Weight.STATED)
    if found.word(number.first) in _YEARS:
        return replace(quantity, unit="year")
    places = _next_places(number, found)
    if places and found.word(places[0]) == "a":
        places = [places[0] + 1]
    for mark in (mark for at in places for mark in found.marks.get(at, ())):
        if mark.tag is Tag.RATE and (mark.last - mark.first > 1 or values[0] == "0.5"):
            return replace(
                quantity,
                kind=Kind.PERCENTAGE,
                values=(f"{values[0]} {mark.value}",),
                weight=Weight.STATED if values[0] == "0.5" else Weight.SOFT,
                end=found.tokens[mark.last - 1].end,
            )
        if mark.tag is Tag.CURRENCY:
            return replace(quantity, kind=Kind.MONEY, values=(f"{mark.value} {values[0]}",))
    return quantity


def _next_places(number: Numeral, found: Scan) -> list[int]:
    """Where a unit may begin: next to the number, or after "de" or "of"; never beyond punctuation."""
    at = number.last
    if at >= len(found.tokens) or not found.touches(at - 1, at):
        return []
    skip = found.word(at) in ("de", "of") and found.touches(at, at + 1) if at + 1 < len(found.tokens) else False
    return [at, at + 1] if skip else [at]


def _money(number: Numeral, values: tuple[str, ...], found: Scan) -> Quantity | None:
    for at in _next_places(number, found):
        token = found.tokens[at]
        if token.kind == "s" and token.key in SIGNS and not _leads(found, at):
            return _in_currency(number, values, SIGNS[token.key], token.end)
        for mark in found.marks.get(at, ()):
            if mark.tag in (Tag.CURRENCY, Tag.CURRENCY_MARK):
                code, _, scale = str(mark.value).partition(" ")
                scaled = tuple(plain(Decimal(value) * 10**6) for value in values) if scale else values
                return _in_currency(number, scaled, code, found.tokens[mark.last - 1].end)
    lead = _led_by(number.first, found)
    return _in_currency(number, values, lead, number.end) if lead else None


def _led_by(first: int, found: Scan) -> str:
    """The currency whose mark stands before a token; empty for none."""
    before = first - 1
    if before < 0 or found.gap(before, first).strip(" -−\u00a0\u202f"):
        return ""
    token = found.tokens[before]
    if token.kind == "s":
        return SIGNS.get(token.key, "")
    mark = found.tagged(before, Tag.CURRENCY_MARK)
    return str(mark.value) if mark else ""


def _leads(found: Scan, at: int) -> bool:
    """The sign belongs to the figure behind it: "5 ($6)"."""
    return (
        at + 1 < len(found.tokens)
        and found.tokens[at + 1].kind == "f"
        and not found.gap(at, at + 1)
        and bool(found.gap(at - 1, at))
    )


def _in_currency(number: Numeral, values: tuple[str, ...], code: str, end: int) -> Quantity:
    named = tuple(f"{one} {value}" for one in CURRENCY_FAMILIES.get(code, (code,)) for value in values)
    return Quantity(Kind.MONEY, named, number.start, end)


def _unit(number: Numeral, found: Scan) -> tuple[str, int]:
    """What the number counts, and the token where that ends."""
    places = _next_places(number, found)
    for at in places:
        for mark in found.marks.get(at, ()):
            if mark.tag is Tag.UNIT and not UNITS[mark.value].role:
                if len(found.tokens[at].key) == 1 and found.tokens[number.last - 1].kind not in "fx":
                    continue
                return str(mark.value), mark.last
    if _is_age(number, found):
        return "year", number.last
    return _role(number, found), number.last


def _half_more(found: Scan, at: int) -> bool:
    """Un año y medio, two hours and a half."""
    if found.word(at) not in ("y", "and"):
        return False
    return found.tagged(at + 1, Tag.HALF) is not None or (
        found.word(at + 1) == "a" and found.tagged(at + 2, Tag.HALF) is not None
    )


def _is_age(number: Numeral, found: Scan) -> bool:
    """Aged 81; at the age of 81; people under 25."""
    one, two = found.word(number.first - 1), found.word(number.first - 2)
    return (
        one in ("aged", "turned") or (one == "of" and two == "age") or (one in ("under", "over") and two in _AGED)
    )


def _role(number: Numeral, found: Scan) -> str:
    """Killed, injured, arrested, in favour: by the verb before the number, else by the nearest word behind it."""
    for step in (1, 2):
        at = number.first - step
        if at < 0 or found.word(at) in ("and", "y", "e") or "," in found.gap(at, at + 1):
            break
        if mark := _role_mark(found, at):
            return mark
    for at in range(number.last, min(number.last + _ROLE_REACH, len(found.tokens))):
        if found.tokens[at].kind in "fx" or found.word(at) in ("and", "y", "e"):
            break
        if re.search(r"[,;.:(]", found.gap(at - 1, at)) or found.tagged(at, Tag.NUMBER):
            break
        if mark := _role_mark(found, at):
            return mark
    return ""


def _role_mark(found: Scan, at: int) -> str:
    for mark in found.marks.get(at, ()):
        if mark.tag is Tag.UNIT and UNITS[mark.value].role and found.word(at) not in ("for", "against"):
            return str(mark.value)
    return ""


def _ranged(numbers: list[Numeral], read: list[Quantity], found: Scan) -> Iterator[Quantity]:
    """The bare start of a range may have its end's scale and unit: "5 to 7 million dollars"."""
    for n, quantity in enumerate(read):
        follows = n + 1 < len(read) and quantity.kind in (Kind.NUMBER, Kind.MONEY) and numbers[n].scale == 1
        if follows and _is_range(numbers[n], numbers[n + 1], found) and read[n + 1].weight is Weight.STATED:
            yield _as_start(quantity, numbers[n + 1], read[n + 1])
        else:
            yield quantity


def _is_range(one: Numeral, other: Numeral, found: Scan) -> bool:
    between = other.first - one.last
    if between == 0:
        return bool(_RANGE.match(found.gap(one.last - 1, other.first)))
    words = [found.word(at) for at in range(one.last, other.first)]
    signs = {word for word in words if word in SIGNS or word.upper() in SIGNS}
    joins = [word for word in words if word in _RANGE_WORDS[found.lang]]
    rest = [w for w in words if w not in signs and w not in joins and w not in ("%", "los", "las", "el", "un")]
    return len(joins) == 1 and not rest and between <= 3


def _as_start(quantity: Quantity, other: Numeral, end: Quantity) -> Quantity:
    bare = [value.split(" ")[-1] for value in quantity.values]
    unit = end.values[0].split(" ")
    found = list(quantity.values)
    for value in bare:
        for amount in dict.fromkeys((value, plain(Decimal(value) * other.scale))):
            match end.kind:
                case Kind.MONEY:
                    found.append(f"{unit[0]} {amount}")
                case Kind.PERCENTAGE:
                    found.append(f"{amount} {unit[-1]}")
                case _:
                    found.append(amount)
    kind = end.kind if quantity.kind is Kind.NUMBER and not quantity.unit else quantity.kind
    return replace(quantity, kind=kind, values=tuple(dict.fromkeys(found)), unit=quantity.unit or end.unit)
