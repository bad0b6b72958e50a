"""Editions: one product, date, language and revision each; at most one revision of a key is published.

A row is written SAVED, and may be written again while it is. Publishing it supersedes the revision that was
current, in the same transaction; from then on its content never changes. `key` is `<product>/<date>/<lang>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import Connection, func, select, update
from sqlalchemy import insert as into

from orchestrator.errors import NotFound, RefusedByState
from orchestrator.store.codes import EditionStatus, Provenance
from orchestrator.store.rows import plain
from orchestrator.store.schema import edition as table
from publisher.edition import Edition, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEdition:
    """What is known when an edition is saved. `content` and `evidence` are JSON of publisher's models.

    `digest` is that of edition.md; `report_digest` names the stored report that let it pass (or, for an
    adopted edition with an owner, that did not).
    """

    process_id: str
    job_id: str | None
    product: str
    target_date: str
    lang: str
    revision: int
    number: int
    content: str
    evidence: str
    digest: str
    package_digest: str
    composition_digest: str
    report_digest: str
    report_passed: bool = True
    provenance: Provenance = Provenance.PROVIDER
    owner: str | None = None

    @property
    def key(self) -> str:
        """The edition slot, the same in every revision."""
        return f"{self.product}/{self.target_date}/{self.lang}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedEdition(NewEdition):
    """A row. `ended_ms`: when it was superseded or withdrawn."""

    id: int
    status: EditionStatus
    saved_ms: int
    approved_by: str | None = None
    published_ms: int | None = None
    ended_ms: int | None = None

    def edition(self) -> Edition:
        """The content as the publisher takes it."""
        return Edition.model_validate_json(self.content)

    def trail(self) -> Evidence:
        """The evidence that travels beside it."""
        return Evidence.model_validate_json(self.evidence)


_NAMES = tuple(field.name for field in fields(SavedEdition))
_SELECT = select(*(table.c[name] for name in _NAMES))


def insert(conn: Connection, new: NewEdition, *, now_ms: int) -> SavedEdition:
    """Write the edition as SAVED; the same key and revision a second time is refused (I2)."""
    values = {field.name: getattr(new, field.name) for field in fields(NewEdition)}
    row = plain({**values, "status": EditionStatus.SAVED, "saved_ms": now_ms})
    key = conn.execute(into(table), row).inserted_primary_key
    return SavedEdition(**values, id=key[0] if key else 0, status=EditionStatus.SAVED, saved_ms=now_ms)


def rewrite(conn: Connection, saved: SavedEdition, new: NewEdition) -> SavedEdition:
    """Replace the content of a revision that nobody has seen. RefusedByState: it is not SAVED any more."""
    values: dict[str, Any] = {"content": new.content, "evidence": new.evidence, "digest": new.digest}
    chosen = update(table).where(table.c.id == saved.id, table.c.status == str(EditionStatus.SAVED))
    if conn.execute(chosen.values(**values)).rowcount != 1:
        raise RefusedByState(f"{saved.key} revision {saved.revision} is not waiting to be published")
    return replace(saved, **values)


def publish(conn: Connection, edition: SavedEdition, *, now_ms: int, approved_by: str) -> SavedEdition:
    """Make a saved revision the current one of its key; the one before it becomes SUPERSEDED.

    RefusedByState: it is not SAVED, or a newer revision was published already.
    """
    now_current = current(conn, edition.key)
    if now_current is not None and now_current.revision >= edition.revision:
        raise RefusedByState(f"{edition.key}: revision {now_current.revision} is published already")
    if now_current is not None:
        _end(conn, now_current, EditionStatus.SUPERSEDED, now_ms)
    changes: dict[str, Any] = {
        "status": EditionStatus.PUBLISHED,
        "approved_by": approved_by,
        "published_ms": now_ms,
    }
    chosen = update(table).where(table.c.id == edition.id, table.c.status == str(EditionStatus.SAVED))
    if conn.execute(chosen.values(**plain(changes), current_slot=edition.key)).rowcount != 1:
        raise RefusedByState(f"{edition.key} revision {edition.revision} is not waiting to be published")
    return replace(edition, **changes)


def withdraw(conn: Connection, key: str, *, now_ms: int) -> SavedEdition:
    """Take the current revision of the key back; NotFound when none is published."""
    edition = current(conn, key)
    if edition is None:
        raise NotFound(f"no published edition {key}")
    return _end(conn, edition, EditionStatus.WITHDRAWN, now_ms)


def current(conn: Connection, key: str) -> SavedEdition | None:
    """The published revision of the key."""
    return _edition(conn.execute(_SELECT.where(table.c.current_slot == key)).mappings().first())


def by_key_revision(conn: Connection, key: str, revision: int) -> SavedEdition | None:
    """One revision of the key."""
    product, date, lang = key.split("/")
    chosen = _SELECT.where(
        table.c.product == product,
        table.c.target_date == date,
        table.c.lang == lang,
        table.c.revision == revision,
    )
    return _edition(conn.execute(chosen).mappings().first())


def of_process(conn: Connection, process_id: str) -> list[SavedEdition]:
    """Every revision in every language, by revision and language."""
    chosen = _SELECT.where(table.c.process_id == process_id).order_by(table.c.revision, table.c.lang)
    return [SavedEdition(**_typed(row)) for row in conn.execute(chosen).mappings()]


def listing(conn: Connection, *, status: EditionStatus | None = None, limit: int = 1_000) -> list[SavedEdition]:
    """Editions, newest date first, then by product, language and revision."""
    query = _SELECT.order_by(
        table.c.target_date.desc(), table.c.product, table.c.lang, table.c.revision.desc()
    ).limit(limit)
    if status is not None:
        query = query.where(table.c.status == str(status))
    return [SavedEdition(**_typed(row)) for row in conn.execute(query).mappings()]


def count_newer(conn: Connection, key: str) -> int:
    """How many published editions of the same product and language have a later date: the place in its feed."""
    product, date, lang = key.split("/")
    later = select(func.count()).where(
        table.c.product == product,
        table.c.target_date > date,
        table.c.lang == lang,
        table.c.status == str(EditionStatus.PUBLISHED),
    )
    return int(conn.execute(later).scalar_one())


def next_number(conn: Connection, product: str, target_date: str | None = None) -> int:
    """The number of the product's next edition; of `target_date`, when that date has one already."""
    if target_date is not None:
        same = select(func.max(table.c.number)).where(
            table.c.product == product, table.c.target_date == target_date
        )
        if (number := conn.execute(same).scalar()) is not None:
            return int(number)
    highest = select(func.max(table.c.number)).where(table.c.product == product)
    return int(conn.execute(highest).scalar() or 0) + 1


def _end(conn: Connection, edition: SavedEdition, status: EditionStatus, now_ms: int) -> SavedEdition:
    values = {"status": str(status), "current_slot": None, "ended_ms": now_ms}
    conn.execute(update(table).where(table.c.id == edition.id).values(**values))
    return replace(edition, status=status, ended_ms=now_ms)


def _edition(row: Mapping[Any, Any] | None) -> SavedEdition | None:
    return SavedEdition(**_typed(row)) if row else None


def _typed(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        **row,
        "status": EditionStatus(row["status"]),
        "provenance": Provenance(row["provenance"]),
    }
