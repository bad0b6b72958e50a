"""Numbers that are said in phrases: fractions, shares, magnitudes, ordinals, stopwatch times, codes."""

from __future__ import annotations

from decimal import Decimal

from orchestrator.evidence.calendar_marks import roman
from orchestrator.evidence.lexicon import Tag, spaced
from orchestrator.evidence.numerals import Weight, plain
from orchestrator.evidence.quantity import Kind, Quantity, bounded, span_of
from orchestrator.evidence.scan import Mark, Scan

_ORDINAL_ENDS = spaced("st nd rd th º ª ro do er to ta mo ma vo va no na ra da")
_SHARE_LINKS = {
    "en": (("in",), ("out", "of"), ("in", "every"), ("of", "every")),
    "es": (("de", "cada"), ("por", "cada")),
}


def phrases(found: Scan, used: set[int]) -> list[Quantity]:
    """Fractions, magnitudes, ordinals and codes; their tokens are taken."""
    read = []
    odd = [n for n, (kind, key, _, _) in enumerate(found.tokens) if kind == "c" or (key.isupper() and len(key) > 1)]
    for at in sorted({*found.numeric, *odd}) if odd else found.numeric:
        token = found.tokens[at]
        if at in used:
            continue
        one = _code(found, at) if token.kind == "c" else _phrase(found, at)
        if one is not None:
            quantity, last = one
            used.update(range(at, last))
            read.append(quantity)
    return read


def _code(found: Scan, at: int) -> tuple[Quantity, int]:
    key = found.tokens[at].key.upper().replace("-", "")
    return Quantity(Kind.CODE, (key,), *span_of(found, at, at + 1), Weight.SOFT), at + 1


def _phrase(found: Scan, at: int) -> tuple[Quantity, int] | None:
    token = found.tokens[at]
    if share := _share(found, at):
        return share
    if token.kind == "f" and token.key.count(":") == 2:
        return _stopwatch(found, at)
    if token.kind == "f" and token.key.isdigit():
        return _figure_ordinal(found, at)
    if token.key.isupper() and len(token.key) > 1 and (number := roman(token.key)):
        return Quantity(Kind.ORDINAL, (str(number),), *span_of(found, at, at + 1), Weight.IMPLIED), at + 1
    for mark in found.marks.get(at, ()):
        match mark.tag:
            case Tag.SPAN if not _names_decade(found, mark.last):
                amount, unit = mark.value
                place = span_of(found, at, mark.last)
                return Quantity(Kind.NUMBER, (plain(amount),), *place, Weight.STATED, unit), mark.last
            case Tag.FRACTION if scaled := _of_scale(found, mark):
                return scaled
            case Tag.FRACTION:
                read = Quantity(Kind.FRACTION, (_shown(mark.value),), *span_of(found, at, mark.last))
                return bounded(read, at, found), mark.last
            case Tag.VAGUE if found.tokens[at - 1].kind != "f" and not _after_number(found, at):
                return _magnitude(found, at, mark.last)
            case Tag.ORDINAL if not _is_unit(found, at):
                return _word_ordinal(found, at, mark.last, mark.value)
            case Tag.MASK:
                return None if mark.last == at + 1 else (_nothing(found, at, mark.last), mark.last)
    return None


def _of_scale(found: Scan, mark: Mark) -> tuple[Quantity, int] | None:
    """A quarter of a million; un cuarto de millón."""
    at = mark.last
    while found.word(at) in ("of", "de", "a", "un"):
        at += 1
    scale = found.tagged(at, Tag.SCALE)
    if scale is None or at - mark.last > 2:
        return None
    value = plain(mark.value * Decimal(scale.value))
    return Quantity(Kind.NUMBER, (value,), *span_of(found, mark.first, scale.last)), scale.last


def _share(found: Scan, at: int) -> tuple[Quantity, int] | None:
    """One in five; dos de cada tres; 3 out of 10."""
    top = _small(found, at)
    if top is None:
        return None
    for link in _SHARE_LINKS[found.lang]:
        after = at + 1 + len(link)
        if tuple(found.low[at + 1 : after]) == link:
            bottom = _small(found, after)
            if bottom is not None and 0 < top < bottom and top < 10:
                value = _shown(top / bottom)
                return Quantity(Kind.FRACTION, (value,), *span_of(found, at, after + 1)), after + 1
    return None


def _small(found: Scan, at: int) -> Decimal | None:
    """A whole number of one token from 1 to 1,000, in figures or in a word."""
    if not 0 <= at < len(found.tokens):
        return None
    if found.tokens[at].kind == "f" and found.tokens[at].key.isdigit() and len(found.tokens[at].key) <= 4:
        return Decimal(found.tokens[at].key)
    if found.word(at) in ("one", "uno", "una", "un"):
        return Decimal(1)
    mark = found.tagged(at, Tag.NUMBER)
    return Decimal(mark.value) if mark else None


def _names_decade(found: Scan, at: int) -> bool:
    """La década de los sesenta, la década de 1990."""
    after = at + 2 if found.word(at + 1) == "los" else at + 1
    if found.word(at) != "de" or after >= len(found.tokens):
        return False
    return found.tokens[after].kind == "f" or found.tagged(after, Tag.NUMBER) is not None


def _nothing(found: Scan, first: int, last: int) -> Quantity:
    return Quantity(Kind.CODE, (), *span_of(found, first, last), Weight.IMPLIED)


def _after_number(found: Scan, at: int) -> bool:
    return any(mark.tag in (Tag.NUMBER, Tag.ONE) and mark.last == at for mark in found.marks.get(at - 1, ())) and (
        found.word(at - 1) not in ("a", "un", "una", "one", "uno")
    )


def _is_unit(found: Scan, at: int) -> bool:
    """Ten seconds; cuatro segundos."""
    before = at - 1
    return found.word(at) in ("seconds", "segundos", "second", "segundo") and (
        before >= 0 and (found.tokens[before].kind in "fx" or found.tagged(before, Tag.NUMBER) is not None)
    )


def _magnitude(found: Scan, at: int, last: int) -> tuple[Quantity, int]:
    """Hundreds; tens of thousands = decenas de miles; miles de millones = billions."""
    mark = found.tagged(at, Tag.VAGUE)
    value = Decimal(mark.value) if mark else Decimal(1)
    while found.word(last) in ("of", "de"):
        more = found.tagged(last + 1, Tag.VAGUE) or found.tagged(last + 1, Tag.SCALE)
        if more is None:
            break
        value, last = value * Decimal(more.value), more.last
    return Quantity(Kind.MAGNITUDE, (plain(value),), *span_of(found, at, last), Weight.SOFT), last


def _stopwatch(found: Scan, at: int) -> tuple[Quantity, int] | None:
    """2:04:31 are 7,471 seconds."""
    hours, minutes, seconds = (int(part) if part.isdigit() else -1 for part in found.tokens[at].key.split(":"))
    if min(hours, minutes, seconds) < 0:
        return None
    value = str(hours * 3600 + minutes * 60 + seconds)
    return Quantity(Kind.NUMBER, (value,), *span_of(found, at, at + 1), Weight.STATED, "second"), at + 1


def _figure_ordinal(found: Scan, at: int) -> tuple[Quantity, int] | None:
    after = at + 1
    if after >= len(found.tokens) or found.tokens[after].key.lower() not in _ORDINAL_ENDS:
        return None
    if found.gap(at, after) not in ("", "."):
        return None
    if found.tokens[after].key in "ºª" and found.word(after + 1) in ("c", "celsius", "f"):
        return None
    value = str(int(found.tokens[at].key))
    return Quantity(Kind.ORDINAL, (value,), *span_of(found, at, after + 1)), after + 1


def _word_ordinal(found: Scan, at: int, last: int, value: Decimal) -> tuple[Quantity, int]:
    if found.lang == "es" and value in (10, 20, 30, 40, 50) and (unit := found.tagged(last, Tag.ORDINAL)):
        value, last = value + Decimal(unit.value), unit.last
    return Quantity(Kind.ORDINAL, (plain(value),), *span_of(found, at, last), Weight.SOFT), last


def _shown(value: Decimal) -> str:
    return plain(round(value, 4))
