"""Numbers in running text, by language, as exact values.

Rules:
* English groups with commas and has a decimal point; Spanish groups with points or spaces and has a decimal
  comma; thin and no-break spaces group in both;
* Mexican copy writes 1,234.56: in Spanish text a comma before exactly three digits has two readings, and a
  point that cannot group is a decimal point; `1.500` in Spanish is 1500 and nothing else;
* scale words multiply: billion = mil millones = 10^9, trillion = billón = 10^12;
* words count from two upwards; "one", "un" and "una" only before a scale word, since they are articles too;
* digits glued to letters in front (COVID-19, F-16, G7), ordinals and decades are names, not amounts.

Source: reference B24 (`22,10` is not 2210, `2.0001` is not 20001).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from orchestrator.evidence import wording

LONGEST_FIGURE = 40  # longer is an identifier, not an amount
LONGEST_RUN = 12  # words and figures of one number

_THIN = "\u00a0\u202f\u2009"
_NUMERALS = {
    "en": rf"\d{{1,3}}(?:[,{_THIN}]\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?",
    "es": rf"\d{{1,3}}(?:[. {_THIN}]\d{{3}})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)*",
}
_GROUPED_ES = re.compile(rf"\d{{1,3}}(?:[. {_THIN}]\d{{3}})+(?:,\d+)?\Z")
_MEXICAN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_NAMES = re.compile(
    r"\b(?:1[6-9]|20)\d0s\b"  # the 1990s
    r"|\baños\s+(?:\d0|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)\b"
    r"|\d+(?:st|nd|rd|th)\b|\d+\.?[ºª]"  # ordinals
)
_WORD = r"[^\W\d_]+"
_POR_CIENTO = re.compile(r"\bpor\s+ciento\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number where it stands. `values` are its possible readings, plain decimal text, likeliest first.

    `stated` is False for "both", "either" and "ambos", which imply a number.
    """

    start: int
    end: int
    values: tuple[str, ...]
    stated: bool = True


def numerals(text: str, lang: str) -> tuple[Numeral, ...]:
    """Every amount of the text, in order, scale words included."""
    shown = _NAMES.sub(_blank, text)
    if lang == "es":
        shown = _POR_CIENTO.sub(_blank, shown)
    return tuple(_scaled(list(_tokens(shown, lang)), shown, lang))


def _blank(match: re.Match[str]) -> str:
    """Something that is no number and takes as much room, so that offsets hold."""
    return "·" * len(match.group())


@dataclass(frozen=True, slots=True)
class _Token:
    """A figure or a word that may belong to a number."""

    start: int
    end: int
    kind: str  # "figure", "number", "both", "one", "half", "scale", "joining"
    values: tuple[Decimal, ...]


@cache
def _pattern(lang: str) -> re.Pattern[str]:
    glued = r"(?<![\w])(?<![A-Za-z]-)"
    return re.compile(rf"{glued}(?P<figure>{_NUMERALS[lang]})|(?P<word>{_WORD})")


def _tokens(text: str, lang: str) -> Iterator[_Token]:
    for match in _pattern(lang).finditer(text):
        if match["figure"]:
            if len(match["figure"]) > LONGEST_FIGURE:
                continue
            yield _Token(match.start(), match.end(), "figure", _readings(match["figure"], lang))
        else:
            token = _word_token(match, lang)
            if token is not None:
                yield token


def _word_token(match: re.Match[str], lang: str) -> _Token | None:
    word, span = match.group().lower(), match.span()
    if word in wording.SCALES[lang]:
        return _Token(*span, "scale", (Decimal(wording.SCALES[lang][word]),))
    if word in wording.NUMBER_WORDS[lang]:
        return _Token(*span, "number", (Decimal(wording.NUMBER_WORDS[lang][word]),))
    if word in wording.BOTH_WORDS[lang]:
        return _Token(*span, "both", (Decimal(2),))
    if word in wording.ONE_WORDS[lang]:
        return _Token(*span, "one", (Decimal(1),))
    if word in wording.HALF_WORDS[lang]:
        return _Token(*span, "half", (Decimal("0.5"),))
    return _Token(*span, "joining", ()) if word in wording.JOINING_WORDS[lang] else None


def _readings(figure: str, lang: str) -> tuple[Decimal, ...]:
    bare = re.sub(rf"[ {_THIN}]", "", figure)
    if lang == "en":
        return (Decimal(bare.replace(",", "")),)
    if _MEXICAN.match(figure) and (figure.count(",") > 1 or "." in figure):
        return (Decimal(figure.replace(",", "")),)
    if _GROUPED_ES.match(figure):
        return (Decimal(bare.replace(".", "").replace(",", ".")),)
    if bare.count(",") + bare.count(".") > 1:  # a version or section number: kept as one figure
        return (Decimal(re.sub(r"\D", "", bare)),)
    decimal = Decimal(bare.replace(",", "."))
    return (decimal, Decimal(bare.replace(",", ""))) if _MEXICAN.match(bare) else (decimal,)


def _scaled(tokens: list[_Token], text: str, lang: str) -> Iterator[Numeral]:
    """Runs of tokens that stand together become one number each."""
    run: list[_Token] = []
    for token in tokens:
        if run and not _continues(run, token, text):
            yield from _numeral(run, lang)
            run = []
        run.append(token)
    yield from _numeral(run, lang)


def _continues(run: list[_Token], token: _Token, text: str) -> bool:
    if len(run) >= LONGEST_RUN:
        return False
    last, between = run[-1], text[run[-1].end : token.start]
    if between.strip(f" -{_THIN}\t") or token.kind == "figure":
        return False
    match token.kind:
        case "scale":
            # "5m" is five million, "5 m" is five metres
            return token.end - token.start > 2 or (last.kind == "figure" and not between)
        case "joining":
            return last.kind in ("number", "scale") and 30 <= last.values[0] <= 100
        case "one":
            return last.kind in ("half", "joining")
        case "number":
            return last.kind == "joining" or _may_add(last, token)
        case _:
            return False


def _may_add(last: _Token, token: _Token) -> bool:
    """twenty-five, doscientos diez, two thousand six: the larger part first."""
    return last.kind in ("number", "scale") and last.values[0] >= 20 and token.values[0] < last.values[0]


def _numeral(run: list[_Token], lang: str) -> Iterator[Numeral]:
    while run and run[-1].kind in ("joining", "one", "half"):
        run = run[:-1]
    while run and run[0].kind == "joining":
        run = run[1:]
    scales = [token for token in run if token.kind == "scale"]
    if not run or (len(scales) == len(run) and not _stands_alone(run, lang)):
        return
    values = tuple(dict.fromkeys(plain(_value(run, reading)) for reading in _choices(run)))
    yield Numeral(run[0].start, run[-1].end, values, stated=run[0].kind != "both")


def _stands_alone(run: list[_Token], lang: str) -> bool:
    alone = {Decimal(wording.SCALES[lang][word]) for word in wording.STANDALONE_SCALES[lang]}
    return run[0].values[0] in alone


def _choices(run: list[_Token]) -> range:
    return range(max(len(token.values) for token in run))


def _value(run: list[_Token], reading: int) -> Decimal:
    """Left to right: parts add up, and a scale multiplies everything before it that is smaller."""
    total = part = Decimal(0)
    half = run[0].kind == "half"
    for token in run:
        value = token.values[min(reading, len(token.values) - 1)] if token.values else Decimal(0)
        if token.kind != "scale":
            part += Decimal(0) if half and token.kind == "one" else value
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
