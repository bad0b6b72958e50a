"""Opens the store and brings its schema up to date.

Rules: a store that is current costs one SELECT; a store written by a newer program is refused and left as it
is; two programs that start together migrate once.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from orchestrator.errors import ConfigurationError, Unavailable
from orchestrator.store.schema import SCHEMA
from outbox.database import Database
from outbox.errors import OutboxError, StoreUnavailable

_LOCK = {
    "postgresql": "SELECT pg_advisory_xact_lock(7316273)",
    "mariadb": "SELECT GET_LOCK('dateline_migrate', 60)",
}
_UNLOCK = {"mariadb": ("COMMIT", "SELECT RELEASE_LOCK('dateline_migrate')")}
"""MariaDB's lock is the session's: it is kept until the version is there for the next program to see."""


def open_store(url: str) -> Database:
    """The store at `url`, created or migrated where needed.

    ConfigurationError: unusable address, folder or driver, or a newer schema. Unavailable: locked or not there.
    """
    try:
        db = Database.open(url)
    except StoreUnavailable as error:
        raise Unavailable(str(error), hint="Try again when the database answers") from error
    except OutboxError as error:
        raise ConfigurationError(str(error), hint=error.hint) from error
    try:
        _bring_up(db)
    except BaseException:
        db.close()
        raise
    return db


def schema_version(db: Database) -> int:
    """The schema in the database; 0 when it is empty."""
    try:
        with db.read() as conn:
            return _version(conn)
    except DBAPIError:  # no such table: each driver says it in its own way
        return 0


def _bring_up(db: Database) -> None:
    found = schema_version(db)
    if found > SCHEMA:
        raise ConfigurationError(
            f"{_place(db)} was written by a newer version (schema {found}, this program knows {SCHEMA})",
            hint="Install a later release; nothing was changed.",
        )
    if found < SCHEMA:
        try:
            with db.write() as conn:
                _migrate(conn)
        except StoreUnavailable as error:
            raise Unavailable(f"the schema was not brought up to date: {error}") from error


def _migrate(conn: Connection) -> None:
    from alembic import command  # noqa: PLC0415  # a store that is current never pays for the import
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    dialect = conn.dialect.name
    if dialect in _LOCK:
        conn.execute(text(_LOCK[dialect]))
    command.upgrade(config, "head")
    for statement in _UNLOCK.get(dialect, ()):
        conn.execute(text(statement))


def _version(conn: Connection) -> int:
    return int(conn.execute(text("SELECT version_num FROM alembic_version")).scalar() or 0)


def _place(db: Database) -> str:
    return db.url.database if db.dialect == "sqlite" and db.url.database else db.url.render_as_string()
