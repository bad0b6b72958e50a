"""One text being compared, read once, and what a comparison finds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from orchestrator.evidence.failure import Code
from orchestrator.evidence.language import language_of
from orchestrator.evidence.names import Names, names_of
from orchestrator.evidence.quantities import measured
from orchestrator.evidence.quantity import Quantity
from orchestrator.evidence.scan import Scan, scan
from orchestrator.evidence.tone import sentences

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference: its code, which side has more, where it stands in each text, the values compared."""

    code: Code
    detail: str
    english: Span | None = None
    spanish: Span | None = None
    values: tuple[str, str] = ("", "")


class Text:
    """One text being compared; each kind of reading is made when it is first needed."""

    def __init__(self, text: str, lang: str) -> None:
        self.scan: Scan = scan(text, lang)
        self.lang = lang

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Every quantity, the implied ones too."""
        return measured(self.scan)

    @cached_property
    def names(self) -> Names:
        """Its proper names."""
        return names_of(self.scan)

    @cached_property
    def sentences(self) -> list[Span]:
        """Where its sentences begin and end."""
        return sentences(self.scan.text)

    @cached_property
    def language(self) -> str | None:
        """Which language it is in, None where there is too little to judge."""
        return language_of(self.scan.text)

    @property
    def blank(self) -> bool:
        """Nothing to read."""
        return not self.scan.text.strip()


@lru_cache(maxsize=1_024)
def read(text: str, lang: str) -> Text:
    """A text, read once for all checks that look at it."""
    return Text(text, lang)
