"""The words that say something about a fact, read once from `data/*.toml` and CLDR (babel), ready to be looked up.

Rules:
* a phrase is looked up by its first word; the longest phrase that stands in the text wins;
* a word may mean several things ("May", "second", "cuarto"); who reads decides by its neighbours;
* a proper name needs its capital, an abbreviation all of its capitals; everything else is lower case;
* looking up is remembered, since the words of news come again and again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum, auto
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from babel import Locale
from babel.dates import get_day_names, get_month_names

LANGUAGES = ("en", "es")
REMEMBERED_WORDS = 60_000


class Tag(IntEnum):
    """What a word or phrase means."""

    NUMBER = auto()
    SCALE = auto()
    ONE = auto()
    HALF = auto()
    JOINING = auto()
    IMPLIED = auto()
    SOFT = auto()
    SPAN = auto()
    VAGUE = auto()
    FRACTION = auto()
    ORDINAL = auto()
    MASK = auto()
    NOON = auto()
    MONTH = auto()
    SHORT_MONTH = auto()
    WEEKDAY = auto()
    ZONE = auto()
    RATE = auto()
    CURRENCY = auto()
    CURRENCY_MARK = auto()
    UNIT = auto()
    MORE = auto()
    LESS = auto()
    MORE_WIDE = auto()
    LESS_WIDE = auto()
    NAME = auto()
    STRONG = auto()
    WEAK = auto()
    POLAR = auto()
    MEMBER = auto()
    HOLIDAY = auto()


LAST_NUMERIC = Tag.NOON
"""Tags up to this one are words of numbers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One meaning of a phrase: the words after the first, and how the first must be spelled."""

    rest: tuple[str, ...]
    tag: Tag
    value: Any
    capital: bool = False
    upper: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure. `base` names its dimension, `factor` how many of the dimension's own unit it is."""

    name: str
    base: str
    factor: float
    role: bool


Index = dict[str, list[Entry]]
_BREAK = re.compile(r"[\s\-\u2010\u2011/]+|(?<=[°º])(?=\w)")


def _data(name: str) -> Mapping[str, Any]:
    return tomllib.loads(resources.files("orchestrator.evidence").joinpath("data", name).read_text("utf-8"))


_WORDS, _MEASURES, _NAMES = _data("words.toml"), _data("measures.toml"), _data("names.toml")
_OPPOSITES = _data("polar.toml")
_POLAR = _OPPOSITES["pairs"]


def listed(text: str) -> Iterator[str]:
    """The phrases of a list that is separated by commas."""
    return (phrase.strip() for phrase in text.split(",") if phrase.strip())


def spaced(text: str) -> frozenset[str]:
    """The words of a list that is separated by spaces."""
    return frozenset(text.split())


UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        name: Unit(name, row.get("base", ""), float(row.get("factor", 0)), row.get("role", False))
        for name, row in _MEASURES["units"].items()
    }
)
UNJUDGED: Mapping[str, frozenset[str]] = MappingProxyType(
    {lang: frozenset(listed(_WORDS["names_unjudged"][lang])) for lang in LANGUAGES}
)
TITLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {lang: frozenset(listed(_WORDS["title"][lang])) for lang in LANGUAGES}
)
CURRENCY_FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {code: (code, *row.get("any_of", ())) for code, row in _MEASURES["currencies"].items()}
)
"""A currency and those that it may be: plain "pesos" are anybody's."""
SIGNS: Mapping[str, str] = MappingProxyType(
    {
        mark: code
        for code, row in _MEASURES["currencies"].items()
        for mark in listed(row["marks"])
        if not mark.isalpha()
    }
)
_NOT_CONDITIONAL = frozenset(listed(_WORDS["not_conditional"]["es"]))
TONES = ("negation", "hedge", "report", "modal", "conditional", "attribution", "rank")
"""What must have its answer in the other language: a strong word there asks, a weak one here answers."""


class _Book:
    """Collects the entries of one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.index: Index = {}
        self.stems: Index = {}
        self.suffixes: Index = {}

    def add(self, phrase: str, tag: Tag, value: Any, *, spelled: bool = False) -> None:
        """One phrase; `spelled`: its capitals matter."""
        if phrase.startswith("-"):
            self.suffixes.setdefault(phrase[1:], []).append(Entry((), tag, value))
            return
        first, *rest = [word for word in _BREAK.split(phrase.replace(".", "")) if word]
        stem = phrase.endswith("*")
        entry = Entry(
            tuple(word.lower() for word in rest),
            tag,
            value,
            capital=spelled and first[0].isupper(),
            upper=spelled and len(first) > 1 and first.rstrip("s+").isupper(),
        )
        if stem and not rest:
            self.stems.setdefault(first[:-1].lower(), []).append(entry)
        else:
            self.index.setdefault(first.lower(), []).append(entry)

    def add_all(self, text: str, tag: Tag, value: Any, *, spelled: bool = False) -> None:
        """All phrases of a list, with one meaning."""
        for phrase in listed(text):
            self.add(phrase, tag, value, spelled=spelled)

    def add_valued(self, text: str, tag: Tag) -> None:
        """A list whose phrases end in their number: `dozen 12`, `two thirds 2/3`."""
        for phrase in listed(text):
            words, number = phrase.rsplit(" ", 1)
            top, _, bottom = number.partition("/")
            self.add(words, tag, Decimal(top) / Decimal(bottom) if bottom else Decimal(top))


@cache
def _book(lang: str) -> _Book:
    book = _Book(lang)
    _add_numbers(book)
    _add_calendar(book)
    _add_measures(book)
    _add_tones(book)
    _add_names(book)
    return book


def _add_numbers(book: _Book) -> None:
    lang = book.lang
    valued = {
        "number": Tag.NUMBER,
        "scale": Tag.SCALE,
        "implied": Tag.IMPLIED,
        "soft": Tag.SOFT,
        "vague": Tag.VAGUE,
        "fraction": Tag.FRACTION,
        "ordinal": Tag.ORDINAL,
    }
    for name, tag in valued.items():
        book.add_valued(_WORDS[name][lang], tag)
    for phrase in listed(_WORDS["span"][lang]):
        word, amount, unit = phrase.split(" ")
        book.add(word, Tag.SPAN, (Decimal(amount), unit))
    if lang == "es":
        for number, word in _compound_ordinals():
            book.add(word, Tag.ORDINAL, Decimal(number))
    for name, tag in {"one": Tag.ONE, "half": Tag.HALF, "joining": Tag.JOINING, "mask": Tag.MASK}.items():
        book.add_all(_WORDS[name][lang], tag, name)
    for tag in (Tag.MORE, Tag.LESS, Tag.MORE_WIDE, Tag.LESS_WIDE):
        book.add_all(_WORDS[tag.name.lower()][lang], tag, tag.name)


def _compound_ordinals() -> Iterator[tuple[int, str]]:
    """Vigesimoctava, trigésima primera in one word."""
    tens = ("vigesimo", "trigesimo", "cuadragesimo", "quincuagesimo")
    units = ("primer", "segund", "tercer", "cuart", "quint", "sext", "séptim", "octav", "noven")
    for ten, start in enumerate(tens, 2):
        for unit, stem in enumerate(units, 1):
            for ending in ("o", "a", "") if stem in ("primer", "tercer") else ("o", "a"):
                yield 10 * ten + unit, f"{start[:-1] if stem == 'octav' else start}{stem}{ending}"


def _add_calendar(book: _Book) -> None:
    lang = book.lang
    for number, name in get_month_names("wide", "format", lang).items():
        book.add(name.title() if lang == "en" else name, Tag.MONTH, number, spelled=lang == "en")
    for number, name in get_month_names("abbreviated", "format", lang).items():
        short = name.rstrip(".")
        book.add(short, Tag.SHORT_MONTH, number, spelled=lang == "en")
    for name, number in {"en": {"Sept": 9}, "es": {"setiembre": 9, "set": 9, "sep": 9}}[lang].items():
        book.add(name, Tag.SHORT_MONTH if len(name) < 5 else Tag.MONTH, number, spelled=lang == "en")
    for number, name in get_day_names("wide", "format", lang).items():
        for form in {name, name + "s"} if lang == "en" or name in ("sábado", "domingo") else {name}:
            book.add(form, Tag.WEEKDAY, number + 1, spelled=lang == "en")
    book.add_all(_WORDS["noon"][lang], Tag.NOON, "12:00")
    book.add_all(_WORDS["midnight"][lang], Tag.NOON, "00:00")
    for phrase in listed(_WORDS["zone"][lang]):
        words, value = phrase.rsplit(" ", 1)
        book.add(words, Tag.ZONE, value)


def _add_measures(book: _Book) -> None:
    lang = book.lang
    for name, unit in {"percent": "%", "points": "pp", "basis_points": "bp", "permille": "‰"}.items():
        book.add_all(_WORDS[name][lang], Tag.RATE, unit)
    for code, row in _MEASURES["currencies"].items():
        book.add_all(row[lang], Tag.CURRENCY, code)
        for mark in listed(row["marks"]):
            if mark[0].isalpha() and mark.isalpha():
                book.add(mark, Tag.CURRENCY_MARK, code, spelled=True)
    for name, row in _MEASURES["units"].items():
        book.add_all(row[lang], Tag.UNIT, name)
    if lang == "es":
        book.add("mdd", Tag.CURRENCY, "USD M")
        book.add("mdp", Tag.CURRENCY, "PESO M")


def _add_tones(book: _Book) -> None:
    lang = book.lang
    for tone in TONES:
        book.add_all(_WORDS[f"strong_{tone}"][lang], Tag.STRONG, tone)
        book.add_all(_WORDS[f"weak_{tone}"][lang], Tag.WEAK, tone)
    for number, row in enumerate(_POLAR):
        for side in (0, 1):
            book.add_all(row[side if lang == "en" else side + 2], Tag.POLAR, (number, side))


def _add_names(book: _Book) -> None:
    lang = book.lang
    place = LANGUAGES.index(lang)
    for family, members in _OPPOSITES["families"].items():
        for member, row in members.items():
            book.add_all(row[place], Tag.MEMBER, (family, member))
    for day, row in _NAMES["holidays"].items():
        book.add_all(row[place], Tag.HOLIDAY, day, spelled=True)
    for code, name in Locale(lang).territories.items():
        bare = name.split("(")[0].strip()
        if len(code) == 2 and bare.replace(" ", "").isalpha() and code not in ("JO", "GG", "JE", "IM"):
            book.add(bare, Tag.NAME, (code, "country"), spelled=True)
    for code, row in _NAMES["countries"].items():
        for form in listed(row[place]):
            kind = "country" if form[0].isupper() and not form.endswith("*") else "demonym"
            book.add(form, Tag.NAME, (code, kind), spelled=True)
    for kind in ("places", "organisations", "people"):
        for number, row in enumerate(_NAMES[kind]["rows"]):
            for form in listed(row[place]):
                # Spanish writes "el ejército", "el tribunal supremo" small where English has capitals.
                small = lang == "es" and kind == "organisations" and not form.isupper()
                book.add(form, Tag.NAME, (f"{kind}{number}", kind), spelled=not small)


def _stemmed(word: str, book: _Book) -> Iterable[Entry]:
    for length in range(2, len(word) + 1):
        yield from book.stems.get(word[:length], ())
    if word not in _NOT_CONDITIONAL:
        for suffix, entries in book.suffixes.items():
            if word.endswith(suffix) and len(word) > len(suffix) + 1:
                # "Podría" is a possibility, and no report of somebody's.
                yield from (e for e in entries if e.value == "modal" or not word.startswith("podr"))


@lru_cache(maxsize=REMEMBERED_WORDS)
def entries(word: str, lang: str) -> tuple[Entry, ...]:
    """Every meaning of phrases that begin with this word, the longest first. `word` as it is spelled."""
    book = _book(lang)
    key = word.lower()
    found = [*book.index.get(key, ()), *_stemmed(key, book)]
    if key.endswith("n't"):
        found.append(Entry((), Tag.STRONG, "negation"))
    fitting = [entry for entry in dict.fromkeys(found) if _spelled_so(entry, word)]
    return tuple(sorted(fitting, key=lambda entry: -len(entry.rest)))


def _spelled_so(entry: Entry, word: str) -> bool:
    if entry.upper:
        return word.rstrip("s+").isupper()
    return not entry.capital or word[0].isupper()
