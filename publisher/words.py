"""Every word that the site itself says, per language, and how a language writes dates and times.

Rules: short and adult, the same in both languages. Dates come from CLDR by way of babel and never from the
process's locale. A language without words of its own speaks English, with its own dates.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from babel.core import Locale
from babel.dates import format_date

from publisher.phrases import ENGLISH, LAYERS, NAMES, REASONS, SPANISH, Phrases

_DATE = {"en": "EEEE, d MMMM y", "es": "EEEE, d 'de' MMMM 'de' y"}
_DAY = {"en": "EEEE, d MMMM", "es": "EEEE, d 'de' MMMM"}
_SHORT = {"en": "d MMM y", "es": "d MMM y"}
_MONTH = {"en": "MMMM y", "es": "MMMM 'de' y"}


@lru_cache(maxsize=4096)
def _formatted(date: str, pattern: str, lang: str) -> str:
    return format_date(dt.date.fromisoformat(date), pattern, locale=lang)


@dataclass(frozen=True)
class Words:
    """One language: its phrases as attributes of `say`, its dates, and names for codes."""

    lang: str
    say: Phrases

    @property
    def notices(self) -> Mapping[str, str]:
        """Kind of notice → sentence with `{moment}`."""
        return {
            "WITHDRAWN": self.say.withdrawn_at,
            "DELAYED": self.say.delayed_at,
            "MISSED": self.say.missed_at,
        }

    def date(self, date: str) -> str:
        """`Monday, 30 November 2026`; `lunes, 30 de noviembre de 2026`."""
        return _formatted(date, _DATE.get(self.lang, "full"), self.lang)

    def day(self, date: str) -> str:
        """`Monday, 30 November`; for lists whose year is known."""
        return _formatted(date, _DAY.get(self.lang, "EEEE, d MMMM"), self.lang)

    def short_date(self, date: str) -> str:
        """`30 Nov 2026`; for sources."""
        return _formatted(date, _SHORT.get(self.lang, "medium"), self.lang)

    def month(self, year: int, month: int) -> str:
        """`November 2026`; `noviembre de 2026`."""
        return _formatted(f"{year:04d}-{month:02d}-01", _MONTH.get(self.lang, "MMMM y"), self.lang)

    def month_name(self, month: int) -> str:
        """`November`; standing alone."""
        return _formatted(f"2026-{month:02d}-01", "LLLL", self.lang)

    def time(self, instant: str) -> str:
        """`06:02 UTC`."""
        return f"{instant[11:16]} UTC"

    def moment(self, instant: str) -> str:
        """`30 November 2026, 06:02 UTC`, as the language says it."""
        day = _formatted(instant[:10], "d 'de' MMMM 'de' y" if self.lang == "es" else "d MMMM y", self.lang)
        return f"{day}, {self.time(instant)}"

    def corrected(self, at: str, edition_date: str) -> str:
        """`Corrected at 09:14 UTC`; with the date when it was another day."""
        if at[:10] == edition_date:
            return self.say.corrected_at.format(time=self.time(at))
        return self.say.corrected_on.format(moment=self.moment(at))

    def name(self, code: str) -> str:
        """A region or topic code as readers know it; an unknown one with its hyphens taken out."""
        return _named(NAMES, code, self.lang)

    def layer(self, code: str) -> str:
        """A validation layer in plain words."""
        return _named(LAYERS, code, self.lang)

    def reason(self, code: str) -> str:
        """A refusal's or notice's reason code in plain words."""
        return _named(REASONS, code, self.lang)


def _named(names: Mapping[str, Mapping[str, str]], code: str, lang: str) -> str:
    slug = code.strip().lower().replace("_", "-").replace(" ", "-")
    readable = code.replace("_", " ").replace("-", " ").strip()
    return names.get(lang, {}).get(slug) or (readable.lower() if readable.isupper() else readable)


@lru_cache(maxsize=64)
def words_of(lang: str) -> Words:
    """The words of a language."""
    return Words(lang, SPANISH if lang == "es" else ENGLISH)


@lru_cache(maxsize=64)
def language_name(lang: str) -> str:
    """What a language calls itself: `English`, `Español`."""
    name = Locale(lang).get_display_name(lang) or lang
    return name[:1].upper() + name[1:]
