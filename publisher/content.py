"""The content tree as everything here reads it: a port, its keys and its paths.

Rules: an edition slot is a folder `<product>/<yyyy>/<mm>/<dd>/<lang>`, and this is the only module that
spells it. Whatever else stands in the tree is not ours and is passed over. A `Content` is one snapshot:
two reads of one path give the same bytes.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

EDITION = "edition.md"
EVIDENCE = "evidence.json"
NOTICE = "notice.md"

_PATH = re.compile(
    r"(?P<product>[a-z0-9]+(?:-[a-z0-9]+)*)/(?P<date>\d{4}/\d{2}/\d{2})/(?P<lang>[a-z]{2})/"
    r"(?:edition\.md|evidence\.json|notice\.md)"
)


@dataclass(frozen=True, order=True, slots=True)
class EditionKey:
    """One slot of the archive: a product, a date (`YYYY-MM-DD`) and a language; the same in every revision."""

    product: str
    date: str
    lang: str

    @property
    def slot(self) -> str:
        """`daily-brief/2026-11-30/en`, as trailers and feed ids spell it."""
        return f"{self.product}/{self.date}/{self.lang}"

    @property
    def folder(self) -> str:
        """`daily-brief/2026/11/30/en`, where it stands on the content branch."""
        return f"{self.product}/{self.date.replace('-', '/')}/{self.lang}"

    @property
    def edition_path(self) -> str:
        """The Markdown, which is the edition."""
        return f"{self.folder}/{EDITION}"

    @property
    def evidence_path(self) -> str:
        """Claims, sources and digests beside it."""
        return f"{self.folder}/{EVIDENCE}"

    @property
    def notice_path(self) -> str:
        """What the tree says while no edition stands there."""
        return f"{self.folder}/{NOTICE}"

    @property
    def year(self) -> int:
        """Of the edition's date."""
        return int(self.date[:4])

    @property
    def month(self) -> int:
        """Of the edition's date."""
        return int(self.date[5:7])


def key_of_slot(slot: str) -> EditionKey:
    """The key written as `<product>/<date>/<lang>`. ValueError when it is none."""
    product, date, lang = slot.split("/")
    return EditionKey(product, date, lang)


def key_of_path(path: str) -> EditionKey | None:
    """The key whose file stands at `path`, or None for a path that is not ours."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    date = found["date"].replace("/", "-")
    try:
        dt.date.fromisoformat(date)
    except ValueError:
        return None
    return EditionKey(found["product"], date, found["lang"])


class Content(Protocol):
    """One snapshot of the content tree. Every list is sorted; a level that does not exist is empty."""

    def products(self) -> list[str]:
        """Slugs that have at least one edition slot."""
        ...

    def years(self, product: str) -> list[int]:
        """Years of a product, oldest first."""
        ...

    def months(self, product: str, year: int) -> list[int]:
        """Months 1…12 of that year, oldest first."""
        ...

    def days(self, product: str, year: int, month: int) -> list[int]:
        """Days of that month, oldest first."""
        ...

    def languages(self, product: str, date: str) -> list[str]:
        """Languages that have a folder on that date (`YYYY-MM-DD`)."""
        ...

    def file(self, path: str) -> bytes | None:
        """The bytes at `path`, None where no file is."""
        ...


class DictContent:
    """A content tree held in a dict of path → bytes; for `dateline render` and tests."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self._below: dict[tuple[object, ...], set[int]] = {}
        self._languages: dict[tuple[str, str], set[str]] = {}
        for path in files:
            key = key_of_path(path)
            if key is not None:
                self._index(key)

    def _index(self, key: EditionKey) -> None:
        product, year, month, day = key.product, key.year, key.month, int(key.date[8:])
        self._below.setdefault((product,), set()).add(year)
        self._below.setdefault((product, year), set()).add(month)
        self._below.setdefault((product, year, month), set()).add(day)
        self._languages.setdefault((product, key.date), set()).add(key.lang)

    def products(self) -> list[str]:
        """See `Content`."""
        return sorted({product for product, _ in self._languages})

    def years(self, product: str) -> list[int]:
        """See `Content`."""
        return sorted(self._below.get((product,), ()))

    def months(self, product: str, year: int) -> list[int]:
        """See `Content`."""
        return sorted(self._below.get((product, year), ()))

    def days(self, product: str, year: int, month: int) -> list[int]:
        """See `Content`."""
        return sorted(self._below.get((product, year, month), ()))

    def languages(self, product: str, date: str) -> list[str]:
        """See `Content`."""
        return sorted(self._languages.get((product, date), ()))

    def file(self, path: str) -> bytes | None:
        """See `Content`."""
        return self._files.get(path)
