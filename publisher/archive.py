"""The archive as pages read it: what stands in a slot, what stands beside it, what is newest.

Rules: an `Archive` is one snapshot and asks the content tree only for what a page needs, never for all of
it. A slot holds an edition, else a notice, else nothing. What was read from a blob is remembered by the
blob's digest, in a `Memory` that outlives the snapshot, so that the neighbours of a new edition are not
parsed again.
"""

from __future__ import annotations

import calendar
import datetime as dt
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from publisher.content import Content, EditionKey
from publisher.edition import Edition, Evidence
from publisher.errors import BadEdition
from publisher.markdown import Glance, edition_with, glance, read_evidence
from publisher.notice import Notice, read_notice

PUBLISHED = "PUBLISHED"
NEIGHBOUR_DAYS = 366  # previous and next are looked for this far, so that a long gap costs a bounded walk
NEWEST_GAP_DAYS = 366  # slots passed over, beyond those wanted, when a language has long gaps

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A dict that forgets what was used longest ago."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """What is held for `key`, made now if nothing is."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]
        made = self._held[key] = make()
        if len(self._held) > self._size:
            self._held.popitem(last=False)
        return made


@dataclass(frozen=True, slots=True)
class StandingEdition:
    """An edition in its slot; the digests are `sha256:…` of the blobs edition.md and evidence.json."""

    key: EditionKey
    digest: str
    evidence_digest: str
    edition: Edition
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class StandingNotice:
    """A notice in its slot; `digest` is that of the notice.md blob."""

    key: EditionKey
    digest: str
    notice: Notice


Standing = StandingEdition | StandingNotice


@dataclass(frozen=True, slots=True)
class Line:
    """One slot as a list shows it; `status` is PUBLISHED or the kind of the notice."""

    key: EditionKey
    status: str
    headline: str
    late: bool
    synthetic: bool
    changed: str

    @property
    def is_edition(self) -> bool:
        """Whether an edition stands there, not a notice."""
        return self.status == PUBLISHED


class Memory:
    """What was read from blobs, by digest."""

    def __init__(self, editions: int = 256, glances: int = 4096) -> None:
        self.editions: Recent[tuple[str, str], tuple[Edition, Evidence]] = Recent(editions)
        self.glances: Recent[str, Glance] = Recent(glances)
        self.notices: Recent[str, Notice] = Recent(glances)


def digest_of(blob: bytes) -> str:
    """`sha256:…`, as trailers and pages name a blob."""
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


class Archive:
    """One snapshot of the content tree, read on demand."""

    def __init__(self, content: Content, memory: Memory) -> None:
        self._content = content
        self._memory = memory
        self._blobs: Recent[str, bytes | None] = Recent(256)
        self._lines: dict[EditionKey, Line | None] = {}
        self._years: dict[str, list[int]] = {}
        self._months: dict[tuple[str, int], list[int]] = {}
        self._days: dict[tuple[str, int, int], list[int]] = {}

    def years(self, product: str) -> list[int]:
        """Years of a product, oldest first."""
        if product not in self._years:
            self._years[product] = [year for year in self._content.years(product) if year]
        return self._years[product]

    def months(self, product: str, year: int) -> list[int]:
        """Months of that year, oldest first."""
        if (product, year) not in self._months:
            months = self._content.months(product, year)
            self._months[product, year] = [month for month in months if 1 <= month <= 12]
        return self._months[product, year]

    def days(self, product: str, year: int, month: int) -> list[int]:
        """Days of that month, oldest first."""
        if (product, year, month) not in self._days:
            days = self._content.days(product, year, month)
            last = calendar.monthrange(year, month)[1]
            self._days[product, year, month] = [day for day in days if 1 <= day <= last]
        return self._days[product, year, month]

    def standing(self, key: EditionKey) -> Standing | None:
        """What stands in the slot. BadEdition, naming the file, when it cannot be read."""
        blob = self._blob(key.edition_path)
        if blob is not None:
            return self._edition(key, blob)
        blob = self._blob(key.notice_path)
        if blob is None:
            return None
        return StandingNotice(key, digest_of(blob), self._notice(key, blob))

    def line(self, key: EditionKey) -> Line | None:
        """The slot as lists show it, without reading all of an edition."""
        if key not in self._lines:
            self._lines[key] = self._line(key)
        return self._lines[key]

    def before(self, key: EditionKey) -> EditionKey | None:
        """The slot before it in its language."""
        return self._neighbour(key, self._dates_before(key.product, key.date), -1)

    def after(self, key: EditionKey) -> EditionKey | None:
        """The slot after it in its language."""
        return self._neighbour(key, self._dates_after(key.product, key.date), 1)

    def newest(self, product: str, lang: str, count: int, *, editions_only: bool = False) -> list[Line]:
        """The newest `count` slots of a product in a language, newest first."""
        wanted = count + NEWEST_GAP_DAYS
        keys = (
            EditionKey(product, date, lang) for date in islice(self._dates_before(product, "9999-99-99"), wanted)
        )
        lines = (line for key in keys if (line := self.line(key)) is not None)
        kept = (line for line in lines if line.is_edition or not editions_only)
        return list(islice(kept, count))

    def _edition(self, key: EditionKey, blob: bytes) -> StandingEdition:
        evidence_blob = self._blob(key.evidence_path)
        if evidence_blob is None:
            raise BadEdition(f"{key.edition_path}: evidence.json is missing beside it")
        digest, evidence_digest = digest_of(blob), digest_of(evidence_blob)
        try:
            edition, evidence = self._memory.editions.get(
                (digest, evidence_digest),
                lambda: _read(blob, evidence_blob),
            )
        except BadEdition as error:
            raise _at(key.edition_path, error) from None
        if edition.key != key.slot:
            raise BadEdition(f"{key.edition_path}: holds the edition {edition.key}")
        return StandingEdition(key, digest, evidence_digest, edition, evidence)

    def _notice(self, key: EditionKey, blob: bytes) -> Notice:
        try:
            notice = self._memory.notices.get(digest_of(blob), lambda: read_notice(blob))
        except BadEdition as error:
            raise _at(key.notice_path, error) from None
        if notice.key != key:
            raise BadEdition(f"{key.notice_path}: holds the notice of {notice.key.slot}")
        return notice

    def _line(self, key: EditionKey) -> Line | None:
        blob = self._blob(key.edition_path)
        if blob is not None:
            return self._edition_line(key, blob)
        blob = self._blob(key.notice_path)
        if blob is None:
            return None
        notice = self._notice(key, blob)
        return Line(key, notice.kind, "", late=False, synthetic=notice.synthetic, changed=notice.at)

    def _edition_line(self, key: EditionKey, blob: bytes) -> Line:
        try:
            seen = self._memory.glances.get(digest_of(blob), lambda: glance(blob))
        except BadEdition as error:
            raise _at(key.edition_path, error) from None
        return Line(key, PUBLISHED, seen.headline, seen.late, seen.synthetic, seen.revised_at)

    def _blob(self, path: str) -> bytes | None:
        return self._blobs.get(path, lambda: self._content.file(path))

    def _neighbour(self, key: EditionKey, dates: Iterator[str], way: int) -> EditionKey | None:
        limit = _moved(key.date, way * NEIGHBOUR_DAYS)
        for date in dates:
            if date < limit if way < 0 else date > limit:
                return None
            neighbour = EditionKey(key.product, date, key.lang)
            if self.line(neighbour) is not None:
                return neighbour
        return None

    def _dates_before(self, product: str, date: str) -> Iterator[str]:
        for year in reversed(self.years(product)):
            if year > int(date[:4]):
                continue
            for month in reversed(self.months(product, year)):
                if f"{year:04d}-{month:02d}" <= date[:7]:
                    dates = (_date(year, month, day) for day in reversed(self.days(product, year, month)))
                    yield from (each for each in dates if each < date)

    def _dates_after(self, product: str, date: str) -> Iterator[str]:
        for year in self.years(product):
            if year < int(date[:4]):
                continue
            for month in self.months(product, year):
                if f"{year:04d}-{month:02d}" >= date[:7]:
                    dates = (_date(year, month, day) for day in self.days(product, year, month))
                    yield from (each for each in dates if each > date)


def _date(year: int, month: int, day: int) -> str:
    return f"{year:04d}-{month:02d}-{day:02d}"


def _moved(date: str, days: int) -> str:
    ordinal = dt.date.fromisoformat(date).toordinal() + days
    return dt.date.fromordinal(min(max(ordinal, 1), dt.date.max.toordinal())).isoformat()


def _read(edition_md: bytes, evidence_json: bytes) -> tuple[Edition, Evidence]:
    evidence = read_evidence(evidence_json)
    return edition_with(edition_md, evidence), evidence


def _at(path: str, error: BadEdition) -> BadEdition:
    return BadEdition(f"{path}: {error}", hint=error.hint)
