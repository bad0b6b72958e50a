"""Words of English and Spanish that checks need: numbers, scales, currencies, negation, function words.

Data only. Month and weekday names come from CLDR (babel), so that no list is kept here that others keep better.
Keys are lower case with their accents; each table has the same languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from babel.dates import get_day_names, get_month_names

LANGUAGES = ("en", "es")


def _numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * n for n, word in enumerate(words.split())}


_EN_NUMBERS = _numbered(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    2,
) | _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)

_ES_NUMBERS = (
    _numbered(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
        "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
        "veintisiete veintiocho veintinueve",
        2,
    )
    | _numbered("treinta cuarenta cincuenta sesenta setenta ochenta noventa cien", 30, 10)
    | _numbered(
        "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos", 200, 100
    )
    | _numbered(
        "doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas", 200, 100
    )
    | {"ciento": 100, "veintiún": 21, "veintiuna": 21}
)

BOTH_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"en": frozenset({"both", "either"}), "es": frozenset({"ambos", "ambas"})}
)
"""They imply two: enough beside the other language's *los dos*, and no statement of a number by themselves."""

NUMBER_WORDS: Mapping[str, Mapping[str, int]] = MappingProxyType({"en": _EN_NUMBERS, "es": _ES_NUMBERS})
"""Words from two upwards; "one", "un" and "una" are articles too and count only before a scale word."""

ONE_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"en": frozenset({"one", "a"}), "es": frozenset({"un", "una", "uno"})}
)
HALF_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"en": frozenset({"half"}), "es": frozenset({"medio", "media"})}
)
JOINING_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"en": frozenset({"and", "a"}), "es": frozenset({"y"})}
)
"""Words that may stand inside a number: two hundred *and* five, half *a* million, treinta *y* dos."""

SCALES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "en": {
            "hundred": 10**2,
            "thousand": 10**3,
            "million": 10**6,
            "m": 10**6,
            "billion": 10**9,
            "bn": 10**9,
            "trillion": 10**12,
            "tn": 10**12,
        },
        "es": {
            "mil": 10**3,
            "millón": 10**6,
            "millones": 10**6,
            "millardo": 10**9,
            "millardos": 10**9,
            "billón": 10**12,
            "billones": 10**12,
        },
    }
)

STANDALONE_SCALES: Mapping[str, frozenset[str]] = MappingProxyType({"en": frozenset(), "es": frozenset({"mil"})})
"""Scale words that are a number by themselves: *mil personas*."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A unit of proportion: how it is written after the figure."""

    name: str
    words: Mapping[str, tuple[str, ...]]


RATES = (
    Rate("bp", {"en": ("basis points", "basis point"), "es": ("puntos básicos", "punto básico")}),
    Rate(
        "pp",
        {
            "en": ("percentage points", "percentage point", "points", "point"),
            "es": ("puntos porcentuales", "punto porcentual", "puntos", "punto"),
        },
    ),
    Rate("%", {"en": ("%", "percent", "per cent"), "es": ("%", "por ciento")}),
)
"""Longest first: 25 basis points are no percentage points."""


@dataclass(frozen=True, slots=True)
class Currency:
    """How a currency is written: marks before or after the figure in both languages, and words after it."""

    code: str
    marks: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]


def _currency(code: str, marks: str, words: Mapping[str, str]) -> Currency:
    return Currency(code, tuple(marks.split()), {lang: tuple(of.split()) for lang, of in words.items()})


CURRENCIES = (
    _currency("USD", "US$ USD $", {"en": "dollar dollars", "es": "dólar dólares"}),
    _currency("EUR", "€ EUR", {"en": "euro euros", "es": "euro euros"}),
    _currency("GBP", "£ GBP", {"en": "pound pounds", "es": "libra libras"}),
    _currency("JPY", "¥ JPY", {"en": "yen", "es": "yen yenes"}),
    _currency("CNY", "CNY RMB", {"en": "yuan", "es": "yuan yuanes"}),
    _currency("CHF", "CHF", {"en": "franc francs", "es": "franco francos"}),
    _currency("MXN", "MXN", {"en": "peso pesos", "es": "peso pesos"}),
    _currency("BRL", "R$ BRL", {"en": "real reais", "es": "real reales"}),
    _currency("INR", "₹ INR", {"en": "rupee rupees", "es": "rupia rupias"}),
    _currency("RUB", "₽ RUB", {"en": "ruble rubles rouble roubles", "es": "rublo rublos"}),
    _currency("KRW", "₩ KRW", {"en": "won", "es": "won wones"}),
    _currency("SEK", "SEK NOK DKK", {"en": "krona kronor krone kroner crown crowns", "es": "corona coronas"}),
    _currency("TRY", "₺ TRY", {"en": "lira liras", "es": "lira liras"}),
    _currency("ILS", "₪ ILS", {"en": "shekel shekels", "es": "séquel séqueles shekel shekels"}),
    _currency("UAH", "₴ UAH", {"en": "hryvnia hryvnias", "es": "grivna grivnas"}),
)


def _names(names: Mapping[int, str], shift: int) -> dict[str, int]:
    return {name.rstrip(".").lower(): number + shift for number, name in names.items()}


def _months(lang: str) -> dict[str, int]:
    forms = [get_month_names(width, "format", lang) for width in ("wide", "abbreviated")]
    return {name: number for form in forms for name, number in _names(form, 0).items()}


MONTHS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {"en": _months("en") | {"sept": 9}, "es": _months("es") | {"setiembre": 9}}
)
WIDE_MONTHS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {lang: _names(get_month_names("wide", "format", lang), 0) for lang in LANGUAGES}
)
WEEKDAYS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {lang: _names(get_day_names("wide", "format", lang), 1) for lang in LANGUAGES}
)
"""Name → 1 (Monday) to 7."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "en": _words("not no never nor neither none nobody nothing cannot"),
        "es": _words("no ni nunca jamás tampoco ningún ninguno ninguna nadie nada"),
    }
)

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "en": _words(
            "the of and to in is was were that for with on by from as at it its has have had are be been this "
            "which after before said would will not their they an but or"
        ),
        "es": _words(
            "el la los las de del y en que es fue fueron por para con su sus se al lo una un como más ha han "
            "había tras antes dijo según este esta pero o no"
        ),
    }
)
"""The commonest words; "no" and "a" stand in both languages' texts, and weigh little."""
