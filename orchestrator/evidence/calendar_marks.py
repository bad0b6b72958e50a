"""Dates, weekdays, times of day, decades and centuries of a text, as values without a language.

    2026-11-30    --11-30    2026-11    --11    weekday 1    18:02    zone GMT    decade 90    century 21

Rules: English "May" and "March" are months beside a figure or after a preposition; short forms ("mar.") only
beside a figure; a day that is joined to a dated one has its month ("3-5 May", "del 3 al 5 de mayo"); an hour
without its half of the day has two readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from orchestrator.evidence.lexicon import Tag, spaced
from orchestrator.evidence.scan import Mark, Scan

_BEFORE_MONTH = spaced(
    "in of since until till by from before after last next this early late mid during through and to between"
)
_ALSO_VERBS = frozenset({"may", "march"})
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})\Z")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\Z")
_CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)\Z")
_DOTTED_CLOCK = re.compile(r"([01]?\d|2[0-4])\.([0-5]\d)\Z")
_MILITARY = re.compile(r"([01]\d|2[0-4])([0-5]\d)\Z")
_ROMAN = re.compile(r"[IVXL]{1,6}\Z")
_JOINS = {
    "en": frozenset({"to", "and", "through", "or", "until"}),
    "es": frozenset({"y", "al", "a", "e", "o", "hasta"}),
}
_DAY_PARTS = {
    "am": (0, True), "pm": (12, True), "mañana": (0, False), "madrugada": (0, False),
    "tarde": (12, False), "noche": (12, False), "morning": (0, False), "afternoon": (12, False),
    "evening": (12, False), "night": (12, False),
}  # fmt: skip
_HOUR_WORDS = frozenset({"h", "hs", "hrs", "horas"})
_TENS_WORDS = {
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "en": "twenties thirties forties fifties sixties seventies eighties nineties",
}
_TENS = {word: 20 + 10 * n for words in _TENS_WORDS.values() for n, word in enumerate(words.split())}


@dataclass(frozen=True, slots=True)
class Moment:
    """One mark of time: tokens `first` to `last`, its readings, what kind it is."""

    kind: str  # date, weekday, time, zone, decade, century
    values: tuple[str, ...]
    first: int
    last: int


@dataclass(slots=True)
class _Desk:
    """A text being read; `used` are the tokens that are taken."""

    found: Scan
    used: set[int] = field(default_factory=set)

    def take(self, moment: Moment) -> Moment:
        """The moment, and its tokens from now on taken."""
        self.used.update(range(moment.first, moment.last))
        return moment

    def figure(self, at: int, least: int, most: int) -> int | None:
        """The whole number at a token, when it is one between the bounds and not taken."""
        tokens = self.found.tokens
        if not 0 <= at < len(tokens) or at in self.used or tokens[at].kind not in "fx":
            return None
        key = tokens[at].key
        return int(key) if key.isdigit() and len(key) <= 4 and least <= int(key) <= most else None

    def ends_in_suffix(self, at: int) -> int:
        """How many tokens of "3rd", "1.º", "1ero" follow the figure: 0 or 1."""
        tokens = self.found.tokens
        after = at + 1
        if after >= len(tokens):
            return 0
        gap = self.found.gap(at, after)
        key = tokens[after].key.lower()
        return int(gap in ("", ".") and key in ("st", "nd", "rd", "th", "º", "ª", "ro", "ero", "er", "do", "to"))


def moments(found: Scan) -> tuple[list[Moment], set[int]]:
    """Every mark of time, and the tokens that they take."""
    desk = _Desk(found)
    read: list[Moment] = []
    for reader in (_figures, _holidays, _months, _weekdays, _decades, _centuries, _times, _zones):
        read.extend(reader(desk))
    return read, desk.used


def _figures(desk: _Desk) -> Iterator[Moment]:
    for at in desk.found.figures:
        token = desk.found.tokens[at]
        if len(token.key) < 6:
            continue
        iso, slashed = _ISO.match(token.key), _SLASHED.match(token.key)
        if iso:
            yield desk.take(Moment("date", (f"{iso[1]}-{iso[2]}-{iso[3]}",), at, at + 1))
        elif slashed:
            year = slashed[3] if len(slashed[3]) == 4 else f"20{slashed[3]}"
            one, two = int(slashed[1]), int(slashed[2])
            day_first, month_first = f"{year}-{two:02}-{one:02}", f"{year}-{one:02}-{two:02}"
            order = (month_first, day_first) if desk.found.lang == "en" else (day_first,)
            yield desk.take(Moment("date", tuple(value for value in order if int(value[5:7]) <= 12), at, at + 1))


def _holidays(desk: _Desk) -> Iterator[Moment]:
    """Christmas Day 1948; without a year a holiday only answers."""
    for mark in desk.found.all_tagged(Tag.HOLIDAY):
        last, year = _year(desk, mark.last + 1 if desk.found.word(mark.last) in ("of", "de") else mark.last)
        kind = "date" if year else "holiday"
        yield desk.take(Moment(kind, (f"{year or '-'}-{mark.value}",), mark.first, last if year else mark.last))


def _months(desk: _Desk) -> Iterator[Moment]:
    reader: Callable[[_Desk, Mark], Iterator[Moment]] = {"en": _english, "es": _spanish}[desk.found.lang]
    for mark in desk.found.all_tagged(Tag.MONTH, Tag.SHORT_MONTH):
        if mark.first not in desk.used:
            yield from reader(desk, mark)


def _english(desk: _Desk, mark: Mark) -> Iterator[Moment]:
    found, at = desk.found, mark.first
    before = at - 2 if found.word(at - 1) == "of" else at - 1
    suffix = 0
    if found.word(before) in ("st", "nd", "rd", "th"):
        before, suffix = before - 1, 1
    day = desk.figure(before, 1, 31)
    if day is not None and found.touches(before + suffix, before + suffix + 1):
        last, year = _year(desk, at + 1)
        yield from _joined(desk, before - 1, -1, month=mark.value, year=year)
        yield desk.take(Moment("date", (_date(year, mark.value, day),), before, last))
        return
    day = desk.figure(at + 1, 1, 31)
    if day is not None and found.gap(at, at + 1).strip(" .\u00a0") == "":
        after = at + 2 + desk.ends_in_suffix(at + 1)
        rest = list(_joined(desk, after, 1, month=mark.value, year=""))
        last, year = _year(desk, rest[-1].last if rest else after)
        yield from (
            Moment("date", (year + one.values[0][1:] if year else one.values[0],), one.first, one.last)
            for one in rest
        )
        yield desk.take(Moment("date", (_date(year, mark.value, day),), at, last))
        return
    yield from _month_alone(desk, mark)


def _month_alone(desk: _Desk, mark: Mark) -> Iterator[Moment]:
    found, at = desk.found, mark.first
    of = found.word(at + 1) in ("of", "de", "del") and desk.figure(at + 2, 1500, 2199) is not None
    last, year = _year(desk, at + 2 if of else at + 1)
    if not year:
        last = at + 1
        doubtful = found.lang == "en" and found.word(at) in _ALSO_VERBS and found.word(at - 1) not in _BEFORE_MONTH
        if (
            mark.tag is Tag.SHORT_MONTH
            or doubtful
            or (found.lang == "es" and found.word(at - 1) in ("plaza", "calle"))
        ):
            return
    yield desk.take(Moment("date", (_date(year, mark.value, None),), at, last))


def _spanish(desk: _Desk, mark: Mark) -> Iterator[Moment]:
    found, at = desk.found, mark.first
    linked = found.word(at - 1) == "de"
    before = at - 2 if linked else at - 1
    if before >= 0 and found.tokens[before].key in ("º", "ª", "ro", "ero", "er", "°"):
        before -= 1
    day = 1 if found.word(before) in ("primero", "uno") and linked else desk.figure(before, 1, 31)
    if found.lang == "es" and day is None and linked:
        day = _worded_day(found, before)
    if day is not None and (linked or found.touches(before, at)):
        last, year = _year(desk, at + 2 if found.word(at + 1) in ("de", "del") else at + 1)
        first = before
        yield from _joined(desk, before - 1, -1, month=mark.value, year=year)
        yield desk.take(Moment("date", (_date(year, mark.value, day),), first, last if year else at + 1))
        return
    yield from _month_alone(desk, mark)


def _worded_day(found: Scan, at: int) -> int | None:
    """El quince de mayo."""
    mark = found.tagged(at, Tag.NUMBER)
    return int(mark.value) if mark and 2 <= mark.value <= 31 and found.word(at - 1) in ("el", "del", "al") else None


def _joined(desk: _Desk, at: int, step: int, *, month: int, year: str) -> Iterator[Moment]:
    """The other day of "3-5 May", "May 3 and 5", "entre el 3 y el 5 de mayo"."""
    found = desk.found
    if found.word(at) in ("el", "st", "nd", "rd", "th"):
        at += step
    words = found.word(at) in _JOINS[found.lang]
    if words:
        at += step
    if step < 0 and found.word(at) in ("st", "nd", "rd", "th"):
        at += step
    day = desk.figure(at, 1, 31)
    if day is None:
        return
    gap = found.gap(min(at, at - step), max(at, at - step))
    if words or re.fullmatch(r"\s*[-–—]\s*", gap):
        later = step > 0 and (found.tagged(at + 1, Tag.UNIT) or found.word(at + 1) in ("people", "percent"))
        if not later:
            last = at + 1 + (desk.ends_in_suffix(at) if step > 0 else 0)
            yield desk.take(Moment("date", (_date(year, month, day),), at, last))


def _year(desk: _Desk, at: int) -> tuple[int, str]:
    """Where a date ends, and its year if one follows."""
    found = desk.found
    if found.word(at) == "año":
        at += 1
    year = desk.figure(at, 1500, 2199)
    if year is None or at == 0 or found.gap(at - 1, at).strip(" ,.\u00a0\u202f\n"):
        return at, ""
    return at + 1, str(year)


def _date(year: str, month: int, day: int | None) -> str:
    return f"{year or '-'}-{month:02}" + (f"-{day:02}" if day is not None else "")


def _weekdays(desk: _Desk) -> Iterator[Moment]:
    for mark in desk.found.all_tagged(Tag.WEEKDAY):
        if mark.first not in desk.used:
            yield desk.take(Moment("weekday", (f"weekday {mark.value}",), mark.first, mark.last))


def _decades(desk: _Desk) -> Iterator[Moment]:
    found = desk.found
    places = found.figures if _TENS.keys().isdisjoint(found.low) else range(len(found.low))
    for at in places:
        word, before = found.word(at), found.word(at - 1)
        if at in desk.used:
            continue
        figure = desk.figure(at, 10, 2090)
        if found.lang == "en":
            if figure is not None and figure % 10 == 0 and found.word(at + 1) == "s" and not found.gap(at, at + 1):
                yield desk.take(Moment("decade", (f"decade {figure % 100}",), at, at + 2))
            elif word in _TENS and word.endswith("ies"):
                yield desk.take(Moment("decade", (f"decade {_TENS[word]}",), at, at + 1))
        else:
            of = before in ("años", "década") or (before in ("de", "los") and _decade_named(found, at))
            value = figure if figure is not None else _TENS.get(word)
            if (
                of
                and found.touches(at - 1, at)
                and value is not None
                and value % 10 == 0
                and (value < 100 or value > 1000)
            ):
                yield desk.take(Moment("decade", (f"decade {value % 100}",), at, at + 1))


def _decade_named(found: Scan, at: int) -> bool:
    """La década de los noventa, los años de los 60; "los 90" alone may be a number."""
    return "década" in {found.word(at - step) for step in (2, 3, 4)} or (
        found.word(at - 1) == "los" and found.word(at) in _TENS and not found.tagged(at + 1, Tag.UNIT)
    )


def _centuries(desk: _Desk) -> Iterator[Moment]:
    found = desk.found
    if "centur" not in found.text and "iglo" not in found.text:
        return
    for at in range(len(found.tokens)):
        if found.lang == "en" and found.word(at) in ("century", "centuries"):
            if found.word(at - 1) in ("st", "nd", "rd", "th"):
                value, first = desk.figure(at - 2, 1, 30), at - 2
            else:
                mark = found.tagged(at - 1, Tag.ORDINAL)
                value, first = (int(mark.value), at - 1) if mark else (None, at)
            if value is not None:
                yield desk.take(Moment("century", (f"century {value}",), first, at + 1))
        elif found.lang == "es" and found.word(at) in ("siglo", "siglos") and at + 1 < len(found.tokens):
            key = found.tokens[at + 1].key
            number = roman(key) or desk.figure(at + 1, 1, 30)
            if number:
                yield desk.take(Moment("century", (f"century {number}",), at, at + 2))


def roman(text: str) -> int | None:
    """The value of a Roman numeral of at most 89, None for other words."""
    if not _ROMAN.match(text):
        return None
    worth = [{"I": 1, "V": 5, "X": 10, "L": 50}[letter] for letter in text]
    total = sum(-one if one < two else one for one, two in zip(worth, [*worth[1:], 0], strict=True))
    return total if 0 < total < 90 else None


def _times(desk: _Desk) -> Iterator[Moment]:
    found = desk.found
    for at in found.numeric:
        token = found.tokens[at]
        if at in desk.used:
            continue
        if noon := found.tagged(at, Tag.NOON):
            yield desk.take(Moment("time", (noon.value,), at, noon.last))
            continue
        clock = _CLOCK.match(token.key) if token.kind == "f" else None
        dotted = _DOTTED_CLOCK.match(token.key) if token.kind == "f" and not clock else None
        if dotted and (_is_clock(found, at) or found.word(at + 1) in ("am", "pm")):
            clock = dotted
        if not clock and _MILITARY.match(token.key) and found.tagged(at + 1, Tag.ZONE):
            clock = _MILITARY.match(token.key)
        if clock:
            yield _time(desk, at, int(clock[1]), clock[2])
        else:
            yield from _whole_hour(desk, at)


def _whole_hour(desk: _Desk, at: int) -> Iterator[Moment]:
    """6 p.m.; las 18 horas; las tres y media de la tarde."""
    found = desk.found
    hour = desk.figure(at, 0, 24)
    word = found.tagged(at, Tag.NUMBER)
    if hour is None and word and word.value <= 12:
        hour = int(word.value)
    if hour is None and found.lang == "es" and found.word(at - 1) == "la" and found.word(at) == "una":
        hour = 1
    if hour is None:
        return
    halved = found.word(at + 1) in ("am", "pm", "o'clock") or found.tagged(at + 1, Tag.ZONE) is not None
    spanish = (
        found.lang == "es" and found.word(at - 1) in ("las", "la") and (hour > 0) and _clock_context(found, at)
    )
    if halved or spanish:
        half = spanish and found.word(at + 1) == "y" and found.word(at + 2) in ("media", "cuarto")
        minute = {"media": "30", "cuarto": "15"}[found.word(at + 2)] if half else "00"
        yield _time(desk, at, hour, minute, width=3 if half else 1)


def _clock_context(found: Scan, at: int) -> bool:
    """ "A las 18", "desde las 6", "las 18 horas", "las tres de la tarde"; not "las 18 personas"."""
    after = found.word(at + 1)
    part = after == "de" and found.word(at + 2) == "la" and found.word(at + 3) in _DAY_PARTS
    if part or after in _HOUR_WORDS or after in ("gmt", "hora", "am", "pm"):
        return True
    if found.word(at - 2) not in ("a", "desde", "hasta"):
        return False
    ends = at + 1 >= len(found.tokens) or bool(found.gap(at, at + 1).strip())
    bare = not found.marks.get(at + 1) or found.tagged(at + 1, Tag.ZONE) or after in ("y", "de", "del", "en")
    return (ends or bool(bare)) and after not in ("personas", "víctimas")


def _is_clock(found: Scan, at: int) -> bool:
    if found.tagged(at + 1, Tag.ZONE):
        return True
    return found.lang == "es" and (found.word(at + 1) in _HOUR_WORDS or found.word(at - 1) in ("las", "la"))


def _time(desk: _Desk, at: int, hour: int, minute: str, *, width: int = 1) -> Moment:
    found, last = desk.found, at + width
    part, sure, ends = _day_part(found, last)
    hour %= 24
    if part is not None:
        noonish = hour % 12 + part
        values = [noonish if hour <= 12 else hour]
        if not sure and found.word(ends - 1) in ("night", "noche") and hour % 12 < 6:
            values = [hour % 12]
    else:
        values = [hour, hour + 12] if hour < 12 and width >= 1 and not _padded(found, at) else [hour]
    if ends == last and found.word(last) in _HOUR_WORDS:
        ends = last + 1
    return desk.take(Moment("time", tuple(f"{value % 24:02}:{minute}" for value in values), at, ends))


def _padded(found: Scan, at: int) -> bool:
    """06:02 is on a clock of 24 hours; 6:02 may not be."""
    return found.tokens[at].key.startswith("0")


def _day_part(found: Scan, at: int) -> tuple[int | None, bool, int]:
    word = found.word(at)
    if word in ("am", "pm"):
        return (*_DAY_PARTS[word], at + 1)
    led = (
        at + 2 if word in ("de", "in") and found.word(at + 1) in ("la", "the") else at + 1 if word == "at" else None
    )
    if led is not None and found.word(led) in _DAY_PARTS:
        return (*_DAY_PARTS[found.word(led)], led + 1)
    return None, False, at


def _zones(desk: _Desk) -> Iterator[Moment]:
    for mark in desk.found.all_tagged(Tag.ZONE):
        spelled = desk.found.tokens[mark.first].key
        if mark.first not in desk.used and (spelled.isupper() or mark.last > mark.first + 1):
            yield desk.take(Moment("zone", (f"zone {mark.value}",), mark.first, mark.last))
