"""Numbers in running text, by language, as exact values.

Rules:
* English groups with commas and has a decimal point; Spanish groups with points or spaces and has a decimal
  comma; thin and no-break spaces group in both;
* Mexican copy writes 1,234.56: in Spanish text a comma before exactly three digits has two readings, and a
  point that cannot group is a decimal point; `1.500` in Spanish is 1500 and nothing else;
* scale words multiply: billion = mil millones = 10^9, trillion = billón = 10^12; 10 mil 500 = 10,500;
* "one", "a", "un" and "una" count as numbers only before a scale word, and elsewhere are enough beside the other
  language's 1;
* digits glued to letters in front (COVID-19, F-16, G7) are names, not amounts.

Source: reference B24 (`22,10` is not 2210, `2.0001` is not 20001).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from math import prod

from orchestrator.evidence.lexicon import Tag
from orchestrator.evidence.scan import SPACES, Scan, scan

LONGEST_FIGURE = 40  # longer is an identifier, not an amount
LONGEST_RUN = 12  # words and figures of one number


class Weight(IntEnum):
    """How much a quantity says: IMPLIED only answers, SOFT is weighed against SOFT, STATED must be answered."""

    IMPLIED = 0
    SOFT = 1
    STATED = 2


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number where it stands. `values` are its possible readings, plain decimal text, likeliest first.

    `first` and `last` are its tokens, `last` exclusive; `scale` is what its scale words multiply by.
    """

    start: int
    end: int
    values: tuple[str, ...]
    first: int
    last: int
    weight: Weight = Weight.STATED
    scale: Decimal = Decimal(1)

    @property
    def stated(self) -> bool:
        """Whether it must stand in the other language too."""
        return self.weight is Weight.STATED


def numerals(text: str, lang: str) -> tuple[Numeral, ...]:
    """Every amount of the text that it states, in order, scale words included."""
    return tuple(one for one in amounts(scan(text, lang), frozenset()) if one.weight is Weight.STATED)


@dataclass(frozen=True, slots=True)
class _Part:
    """A figure or a word that may belong to a number. `kind`: figure, number, one, half, scale, joining."""

    kind: str
    values: tuple[Decimal, ...]
    first: int
    last: int


_KINDS = {
    Tag.NUMBER: "number",
    Tag.SCALE: "scale",
    Tag.ONE: "one",
    Tag.HALF: "half",
    Tag.JOINING: "joining",
}
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_SINGLE = {Tag.IMPLIED: Weight.IMPLIED, Tag.SOFT: Weight.SOFT}


def amounts(found: Scan, used: frozenset[int] | set[int]) -> Iterator[Numeral]:
    """Every number of the text but those of tokens in `used`, in order; the implied ones too."""
    run: list[_Part] = []
    for at in found.numeric:
        if at in used:
            continue
        part = _part(found, at)
        if run and (part is None or not _continues(run, part, found)):
            yield from _numeral(run, found)
            run = []
        if part is not None:
            if run or part.kind != "joining":
                run.append(part)
        elif at in found.marks:
            yield from _singles(found, at)
    if run:
        yield from _numeral(run, found)


def _part(found: Scan, at: int) -> _Part | None:
    kind, key, _, _ = found.tokens[at]
    if kind == "f":
        if len(key) > LONGEST_FIGURE:
            return None
        return _Part("figure", readings(key, found.lang), at, at + 1)
    for mark in found.marks.get(at, ()):
        name = _KINDS.get(mark.tag)
        if name is not None:
            value = mark.value if isinstance(mark.value, Decimal) else _WORTH[name]
            return _Part(name, (value,), at, mark.last)
    return None


_WORTH = {"one": Decimal(1), "half": Decimal("0.5"), "joining": Decimal(0)}


def _singles(found: Scan, at: int) -> Iterator[Numeral]:
    for mark in found.marks[at]:
        weight = _SINGLE.get(mark.tag)
        if weight is not None:
            start, end = found.tokens[at].start, found.tokens[mark.last - 1].end
            value = _multiplied(found, at, mark.value)
            yield Numeral(start, end, (plain(value),), at, mark.last, weight)


def _multiplied(found: Scan, at: int, value: Decimal) -> Decimal:
    """Two dozen, tres docenas."""
    before = found.tagged(at - 1, Tag.NUMBER)
    return value * Decimal(before.value) if before and value in (10, 12) else value


def readings(figure: str, lang: str) -> tuple[Decimal, ...]:
    """What a figure may mean, likeliest first."""
    if figure in _FRACTIONS:
        return (_FRACTIONS[figure],)
    bare = re.sub(rf"[{SPACES}]", "", figure)
    dots, commas, colons = bare.count("."), bare.count(","), bare.count(":")
    if not dots and not commas and not colons:
        return (Decimal(bare),)
    if colons:
        return (Decimal(re.sub(r"\D", "", bare)),)
    mark, group = (".", ",") if lang == "en" else (",", ".")
    if _grouped(bare, group, mark):
        return (Decimal(bare.replace(group, "").replace(mark, ".")),)
    if dots + commas == 1:
        decimal = Decimal(bare.replace(",", "."))
        mexican = lang == "es" and commas and _grouped(bare, mark, group) and not bare.startswith("0")
        return (decimal, Decimal(bare.replace(",", ""))) if mexican else (decimal,)
    if _grouped(bare, mark, group):  # the other language's way
        return (Decimal(bare.replace(mark, "").replace(group, ".")),)
    return (Decimal(re.sub(r"\D", "", bare)),)  # a version or section number: kept as one figure


def _grouped(bare: str, group: str, mark: str) -> bool:
    whole, _, rest = bare.partition(mark)
    first, *others = whole.split(group)
    return bool(others) and len(first) <= 3 and all(len(each) == 3 for each in others) and group not in rest


def _continues(run: list[_Part], part: _Part, found: Scan) -> bool:
    last = run[-1]
    if len(run) >= LONGEST_RUN or part.first != last.last or not found.touches(last.last - 1, part.first):
        return False
    match part.kind:
        case "figure":
            return last.kind == "scale" and found.lang == "es" and part.values[0] < last.values[0] > 100
        case "scale":
            # "5m" is five million, "5 m" is five metres
            glued = not found.gap(last.last - 1, part.first)
            return len(found.tokens[part.first].key) > 2 or (last.kind == "figure" and glued)
        case "joining":
            return last.kind in ("number", "scale", "figure", "one") and _joins(last, part, found)
        case "half":
            return last.kind == "joining"
        case "one":
            word = found.word(part.first)
            units = word in ("one", "un", "uno", "una") and last.kind == "number" and 20 <= last.values[0] <= 90
            return last.kind in ("half", "joining") or (units and found.lang == "en")
        case _:
            return last.kind == "scale" or _may_add(run[-2] if last.kind == "joining" else last, part)


def _joins(last: _Part, part: _Part, found: Scan) -> bool:
    """Two hundred and five, treinta y dos, two and a half; not "thirty and more"."""
    if _half_follows(found, part.last):
        return True
    return (last.kind == "scale" and last.values[0] <= 1000) or (last.kind == "number" and last.values[0] >= 30)


def _half_follows(found: Scan, at: int) -> bool:
    return bool(found.tagged(at, Tag.HALF)) or (found.word(at) == "a" and bool(found.tagged(at + 1, Tag.HALF)))


def _may_add(last: _Part, part: _Part) -> bool:
    """twenty-five, doscientos diez, two thousand six: the larger part first."""
    return last.kind in ("number", "scale") and last.values[0] >= 20 and part.values[0] < last.values[0]


def _numeral(run: list[_Part], found: Scan) -> Iterator[Numeral]:
    extra = _and_a_half(run)
    while run and run[-1].kind in ("joining", "one", "half") and len(run) > 1 and not _and_one(run):
        run = run[:-1]
    while run and run[0].kind == "joining":
        run = run[1:]
    if not run:
        return
    if len(run) == 1 and run[0].kind in ("one", "half"):
        value = run[0].values[0] + extra
        weight = Weight.STATED if extra else Weight.IMPLIED
        yield _made(run, found, (plain(value),), weight)
        return
    if all(part.kind == "scale" for part in run) and not _stands_alone(run, found):
        return
    count = max(len(part.values) for part in run)
    values = tuple(
        dict.fromkeys(plain(_value(run, reading) + extra * _last_scale(run)) for reading in range(count))
    )
    yield _made(run, found, values, _weight(run, found))


def _and_one(run: list[_Part]) -> bool:
    """Twenty-one, treinta y un: the last word is a number here."""
    before = [part for part in run[:-1] if part.kind != "joining"]
    return run[-1].kind == "one" and bool(before) and before[-1].kind == "number" and before[-1].values[0] >= 20


def _made(run: list[_Part], found: Scan, values: tuple[str, ...], weight: Weight) -> Numeral:
    scale = prod(
        (part.values[0] for part in run if part.kind == "scale" and part.values[0] > 100), start=Decimal(1)
    )
    first, last = run[0].first, run[-1].last
    return Numeral(found.tokens[first].start, found.tokens[last - 1].end, values, first, last, weight, scale)


def _weight(run: list[_Part], found: Scan) -> Weight:
    """ "The two leaders" may be "los dirigentes"; a zero may be "no"."""
    if len(run) == 1 and run[0].values[0] == 0:
        return Weight.SOFT
    if len(run) > 1 or run[0].kind != "number":
        return Weight.STATED
    the = found.word(run[0].first - 1) in ("the", "los", "las", "these", "those", "estos", "estas", "sus", "their")
    return Weight.SOFT if the and run[0].values[0] == 2 else Weight.STATED


def _and_a_half(run: list[_Part]) -> Decimal:
    """Two and a half, millón y medio."""
    kinds = [part.kind for part in run]
    for tail in (["joining", "half"], ["joining", "one", "half"]):
        if len(kinds) > len(tail) and kinds[-len(tail) :] == tail:
            return Decimal("0.5")
    return Decimal(0)


def _last_scale(run: list[_Part]) -> Decimal:
    return run[-1].values[0] if run[-1].kind == "scale" else Decimal(1)


def _stands_alone(run: list[_Part], found: Scan) -> bool:
    """Mil personas; of millions without a number only "millón" after "un" counts, and that is a run."""
    word = found.word(run[0].first)
    the = found.word(run[0].first - 1) in ("el", "del", "al")
    return found.lang == "es" and (word == "mil" or (the and word in ("millón", "billón", "millar", "centenar")))


def _value(run: list[_Part], reading: int) -> Decimal:
    """Left to right: parts add up, and a scale multiplies everything before it that is smaller."""
    total = part = Decimal(0)
    halved = run[0].kind == "half"
    for one in run:
        value = one.values[min(reading, len(one.values) - 1)]
        if one.kind != "scale":
            part += Decimal(0) if (halved and one.kind == "one") or one.kind == "joining" else value
            continue
        if total < value:
            total, part = Decimal(0), total + part
        part = (part or Decimal(1)) * value
        if value > 100:
            total, part = total + part, Decimal(0)
    return total + part


def plain(value: Decimal) -> str:
    """Decimal text without exponent or trailing zeros: the same for equal values."""
    return format(value.normalize(), "f")
