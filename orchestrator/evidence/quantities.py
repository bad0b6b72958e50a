"""Numbers with their meaning: percentages, points, money, dates, weekdays, times, and what is left as number.

Each piece of text is read once: a date's figures are not numbers too, nor is a percentage's. Values are language
neutral (`1500`, `EUR 1500`, `2026-11-30`, `-11-30` without a year), so that two languages can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from orchestrator.evidence import wording
from orchestrator.evidence.numerals import Numeral, numerals


class Kind(StrEnum):
    """What a number says."""

    NUMBER = "number"
    PERCENTAGE = "percentage"
    MONEY = "money"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity; `values` are its possible readings, likeliest first. `stated`: as in `Numeral`."""

    kind: Kind
    values: tuple[str, ...]
    start: int
    end: int
    stated: bool = True


_SPACE = r"[\s\u00a0\u202f\u2009]*"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d{2})"
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_TIMES = {
    "en": re.compile(r"\b(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?:\s*(?P<half>[ap])\.?m\b\.?)?", re.I),
    "es": re.compile(
        r"\b(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)|\.(?P<minute_>[0-5]\d)(?=\s*(?:h\b|horas\b)))"
        r"(?:\s*(?P<half>[ap])\.?\s?m\b\.?)?",
        re.I,
    ),
}


def quantities(text: str, lang: str) -> tuple[Quantity, ...]:
    """Every quantity of the text, in order of place."""
    found: list[Quantity] = []
    for find in (_dates, _times):
        for quantity in find(text, lang):
            found.append(quantity)
            text = text[: quantity.start] + "·" * (quantity.end - quantity.start) + text[quantity.end :]
    found.extend(_measured(numeral, text, lang) for numeral in numerals(text, lang))
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _dates(text: str, lang: str) -> Iterator[Quantity]:
    taken: list[tuple[int, int]] = []
    for pattern, read in _date_patterns(lang):
        for match in pattern.finditer(text):
            start, end = match.span()
            if all(end <= other[0] or other[1] <= start for other in taken):
                taken.append((start, end))
                yield Quantity(Kind.DATE, (read(match),), start, end)


@cache
def _date_patterns(lang: str) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]:
    month = "|".join(sorted(wording.MONTHS[lang], key=len, reverse=True))
    wide = "|".join(wording.WIDE_MONTHS[lang])
    week = "|".join(wording.WEEKDAYS[lang])
    days: tuple[str, ...]
    if lang == "en":
        days = (
            rf"\b(?P<month>(?i:{month}))\b\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+{_YEAR}\b)?",
            rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>(?i:{month}))\b\.?(?:,?\s+{_YEAR}\b)?",
        )
        months = rf"\b(?P<month>(?i:{wide}))\s+(?:of\s+)?{_YEAR}\b"
        weekdays = rf"\b(?P<week>{'|'.join(name.title() for name in wording.WEEKDAYS[lang])})\b"
    else:
        day = r"\b(?P<day>\d{1,2}|primero)(?:\.?[ºo])?"
        days = (rf"{day}\s+de\s+(?P<month>(?i:{month}))\b\.?(?:\s+del?\s+(?:año\s+)?{_YEAR}\b)?",)
        months = rf"\b(?P<month>(?i:{wide}))\s+(?:del?\s+)?{_YEAR}\b"
        weekdays = rf"\b(?P<week>{week})\b"
    dated = tuple((re.compile(pattern), lambda m: _date(m, lang)) for pattern in (*days, months))
    return ((_ISO, _iso), *dated, (re.compile(weekdays), lambda m: _weekday(m, lang)))


def _iso(match: re.Match[str]) -> str:
    return f"{match['year']}-{match['month']}-{match['day']}"


def _date(match: re.Match[str], lang: str) -> str:
    groups = match.groupdict()
    month = wording.MONTHS[lang][match["month"].lower()]
    day = "1" if groups.get("day") == "primero" else groups.get("day")
    return f"{groups.get('year') or ''}-{month:02}" + (f"-{int(day):02}" if day else "")


def _weekday(match: re.Match[str], lang: str) -> str:
    return f"weekday {wording.WEEKDAYS[lang][match['week'].lower()]}"


def _times(text: str, lang: str) -> Iterator[Quantity]:
    for match in _TIMES[lang].finditer(text):
        groups = match.groupdict()
        hour, minute = int(match["hour"]), groups["minute"] or groups.get("minute_")
        if groups["half"]:
            hour = hour % 12 + (12 if groups["half"].lower() == "p" else 0)
        yield Quantity(Kind.DATE, (f"{hour:02}:{minute}",), *match.span())


def _measured(numeral: Numeral, text: str, lang: str) -> Quantity:
    """The number with what stands beside it: a percent sign or word, a currency, a minus sign."""
    after, before = text[numeral.end :], text[: numeral.start]
    sign = "-" if re.search(r"(?:\A|[\s(])[-−]\Z", before) else ""
    values = tuple(f"{sign}{value}" for value in numeral.values)
    for unit, pattern in _unit_patterns(lang):
        found = pattern.match(after)
        if found:
            return _quantity(numeral, Kind.PERCENTAGE, [f"{value} {unit}" for value in values], more=found.end())
    for code, led, followed in _currency_patterns(lang):
        found = followed.match(after)
        if found or led.search(before.rstrip("-−")):
            end = found.end() if found else 0
            return _quantity(numeral, Kind.MONEY, [f"{code} {value}" for value in values], more=end)
    return Quantity(Kind.NUMBER, values, numeral.start, numeral.end, stated=numeral.stated)


def _quantity(numeral: Numeral, kind: Kind, values: list[str], *, more: int) -> Quantity:
    return Quantity(kind, tuple(values), numeral.start, numeral.end + more)


@cache
def _unit_patterns(lang: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (unit.name, re.compile(rf"{_SPACE}-?(?:{_either(unit.words[lang])})(?!\w)")) for unit in wording.RATES
    )


@cache
def _currency_patterns(lang: str) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    """For each currency its code, the mark before a figure, the mark or word after it."""
    of = r"(?:(?:de|-)\s*)?" if lang == "es" else r"-?"
    found = []
    for currency in wording.CURRENCIES:
        marks, words = _either(currency.marks), _either(currency.words[lang])
        led = re.compile(rf"(?<![A-Za-z])(?:{marks}){_SPACE}\Z")
        followed = re.compile(rf"{_SPACE}{of}(?:(?i:{words})\b|(?:{marks})(?![A-Za-z]))")
        found.append((currency.code, led, followed))
    return tuple(found)


def _either(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
