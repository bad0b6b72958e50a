"""Opens the store for reading: no write transaction, no migration, no waiting for writers.

Rules: a SQLite file that exists is only ever read; one that does not exist yet is made, because an empty store is
what a fresh workspace has; a store of another schema is refused and left as it is, since a reader that migrated
it would pull it away from under a loop of the older program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from orchestrator.errors import ConfigurationError
from orchestrator.store.open import open_store, schema_version
from orchestrator.store.schema import SCHEMA
from outbox.database import Database


@contextmanager
def reading(url: str) -> Iterator[Database]:
    """The store at `url`, for `db.read()` only; closed on exit.

    Errors: `ConfigurationError` for an unusable address or another schema; `StoreUnavailable`, `Unavailable` when
    it does not answer.
    """
    db = _open(url)
    try:
        yield db
    finally:
        db.close()


def _open(url: str) -> Database:
    file = sqlite_file(url)
    if file is None or not file.is_file() or file.stat().st_size == 0:
        return open_store(url)
    db = Database(make_url(url), "sqlite")
    try:
        found = schema_version(db)
    except BaseException:
        db.close()
        raise
    if found == SCHEMA:
        return db
    db.close()
    if 0 < found < SCHEMA:
        raise ConfigurationError(
            f"{file} is of an older version (schema {found}, this program writes {SCHEMA})",
            hint="Stop the older program and start `dateline run`, which brings it up to date.",
        )
    return open_store(url)  # an empty file is filled; a newer schema is refused in the store's own words


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite store, None for any other address."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return Path(str(parsed.database)) if is_file else None
