"""Figures, money and dates as English and Spanish write them, from the slot notes of the fixtures.

    int 120..980                 1,234            1.234
    decimal 5.1..7.2             6.4              6,4
    percent 2.1..9.8             4.5%             4,5 %        (no-break space)
    amount 12.10..48.90          12.50 crowns     12,50 coronas
    money 1.2..9.6 billion       4.2 billion      4.200 millones; whole ones: 4 mil millones
    later 5..40 / earlier 5..40  30 November 2026 30 de noviembre de 2026, days from the event

Values are integers of the smallest step, never floats; the same value is written twice.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from orchestrator.emulator.newsroom_chance import Chance
from orchestrator.errors import ConfigurationError

Pair = tuple[str, str]
"""One text in English and Spanish."""

# fmt: off
MONTHS_EN = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)
MONTHS_ES = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)
# fmt: on
NO_BREAK = "\u00a0"
_NOTE = re.compile(
    r"(int|decimal|percent|amount|money|later|earlier) (\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)(?: (million|billion))?"
)
_STEPS = ((100_000, 1_000), (10_000, 100), (2_000, 10))  # large counts are reported in round figures
_LETTERS = str.maketrans({"ı": "i", "ø": "o", "Ø": "O", "đ": "d", "ł": "l", "’": "", "'": ""})


@dataclass(frozen=True, slots=True)
class Note:
    """A slot note of the fixtures: kind, bounds in the smallest step, decimal places, scale word."""

    kind: str
    low: int
    high: int
    places: int
    scale: str

    @property
    def steps(self) -> int:
        """How many different values it can take."""
        return self.high - self.low + 1


@lru_cache(maxsize=4096)
def read_note(text: str) -> Note:
    """The note. Errors: ConfigurationError for one that says nothing."""
    match = _NOTE.fullmatch(text)
    if match is None:
        raise ConfigurationError(f'newsroom: "{text}" is no slot note', hint="Write it like: int 120..980")
    kind, low, high, scale = match.groups()
    places = len(low.partition(".")[2])
    note = Note(kind, _scaled(low), _scaled(high), places, scale or "")
    if note.low >= note.high or (kind == "money") is not bool(scale):
        raise ConfigurationError(f'newsroom: "{text}" has no usable bounds or scale')
    return note


def write(note: Note, *, chance: Chance, currency: Pair, day: date) -> Pair:
    """A value of the note in both languages. `day` is the event's."""
    value = note.low + chance.below(note.steps)
    match note.kind:
        case "int":
            return in_both(_rounded(value), 0)
        case "decimal":
            return in_both(value, note.places)
        case "percent":
            english, spanish = in_both(value, note.places, trim=True)
            return f"{english}%", f"{spanish}{NO_BREAK}%"
        case "amount":
            english, spanish = in_both(_rounded(value) if not note.places else value, note.places)
            return f"{english} {currency[0]}", f"{spanish} {currency[1]}"
        case "money":
            return _money(value, note, currency)
        case _:
            return full_date(day + timedelta(days=value if note.kind == "later" else -value))


def in_both(value: int, places: int, *, trim: bool = False) -> Pair:
    """A number with `places` decimals as English and Spanish write it."""
    unit = 10**places
    whole, rest = divmod(value, unit)
    if not places or (trim and not rest):
        return f"{whole:,}", f"{whole:,}".replace(",", ".")
    decimals = f"{rest:0{places}}"
    return f"{whole:,}.{decimals}", f"{whole:,}".replace(",", ".") + f",{decimals}"


def full_date(day: date) -> Pair:
    """30 November 2026, 30 de noviembre de 2026."""
    english, spanish = short_date(day)
    return f"{english} {day.year}", f"{spanish} de {day.year}"


def short_date(day: date) -> Pair:
    """30 November, 30 de noviembre."""
    return f"{day.day} {MONTHS_EN[day.month - 1]}", f"{day.day} de {MONTHS_ES[day.month - 1]}"


def slug_of(text: str) -> str:
    """Lower-case ASCII words with single hyphens between."""
    bare = unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-")


def _money(value: int, note: Note, currency: Pair) -> Pair:
    unit = 10**note.places
    if note.scale == "billion" and value < unit:
        value, scale = value * 1_000, "million"
    else:
        scale = note.scale
    english, spanish = in_both(value, note.places, trim=True)
    if scale == "billion" and (value % unit or value == unit):
        spanish = in_both(value * 1_000, note.places, trim=True)[1]
    word = "mil millones" if scale == "billion" and not value % unit and value > unit else "millones"
    return f"{english} {scale} {currency[0]}", f"{spanish} {word} de {currency[1]}"


def _rounded(value: int) -> int:
    step = next((step for least, step in _STEPS if value >= least), 1)
    return value - value % step


def _scaled(text: str) -> int:
    return int(text.replace(".", ""))
