"""Fresh databases for the tests, on every engine that the store supports.

Rules: one database per engine and flavour for a whole session, emptied before each test; never the database
that the address names. An engine that cannot be reached is skipped with its reason, or fails the test where
DATELINE_REQUIRE_ENGINES=1. DATELINE_TEST_POSTGRESQL and DATELINE_TEST_MARIADB replace the addresses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, Connection, Table, create_engine, make_url, select, text
from sqlalchemy.exc import DBAPIError

from outbox.database import Database

ENGINES = ("sqlite", "postgresql", "mariadb")

_SERVERS = {
    "postgresql": ("DATELINE_TEST_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/test"),
    "mariadb": ("DATELINE_TEST_MARIADB", "mariadb+pymysql://root@127.0.0.1:3306/test"),
}


@dataclass(frozen=True)
class Flavour:
    """What a fresh database holds: `make` opens it and creates the tables."""

    name: str
    make: Callable[[str], Database]
    tables: Iterable[Table]


class Engines:
    """Makes a database when a test first asks for it, and drops what it made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[tuple[str, str], Database] = {}
        self._made: list[tuple[URL, str]] = []

    def fresh_url(self, engine: str) -> str:
        """The address of an empty database of its own; it goes away with the session."""
        name = f"dateline_{uuid4().hex[:12]}"
        if engine == "sqlite":
            return f"sqlite:///{self._folder / name}.db"
        variable, default = _SERVERS[engine]
        server = make_url(os.environ.get(variable, default))
        _administer(engine, server, f"CREATE DATABASE {name}")
        self._made.append((server, name))
        if engine == "postgresql":  # what the tests kill are programs, not this server
            _administer(engine, server, f"ALTER DATABASE {name} SET synchronous_commit = off")
        return server.set(database=name).render_as_string(hide_password=False)

    def database(self, engine: str, flavour: Flavour) -> Database:
        """The session's database of this engine and flavour, emptied."""
        key = (engine, flavour.name)
        if key not in self._open:
            self._open[key] = flavour.make(self.fresh_url(engine))
        db = self._open[key]
        with db.write() as conn:
            _empty(conn, list(flavour.tables))
        return db

    def close(self) -> None:
        """Drop every database that was made."""
        for db in self._open.values():
            db.close()
        for server, name in self._made:
            force = " WITH (FORCE)" if server.get_backend_name() == "postgresql" else ""
            with suppress(pytest.skip.Exception):
                _administer(server.get_backend_name(), server, f"DROP DATABASE IF EXISTS {name}{force}")


def _administer(engine: str, server: URL, statement: str) -> None:
    admin = create_engine(server, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})
    try:
        with admin.connect() as conn:
            conn.exec_driver_sql(statement)
    except DBAPIError as error:
        reason = f"{engine} cannot be reached: {error.orig}"
        if os.environ.get("DATELINE_REQUIRE_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    finally:
        admin.dispose()


def _empty(conn: Connection, tables: list[Table]) -> None:
    used = [table for table in tables if conn.execute(select(1).select_from(table).limit(1)).first()]
    if used:
        _EMPTIERS[conn.dialect.name](conn, used)


def _empty_sqlite(conn: Connection, tables: list[Table]) -> None:
    triggers = conn.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
    for name, _ in triggers:
        conn.exec_driver_sql(f"DROP TRIGGER {name}")
    conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    for table in tables:
        conn.exec_driver_sql(f"DELETE FROM {table.name}")
    for _, body in triggers:
        conn.exec_driver_sql(body)


def _empty_postgresql(conn: Connection, tables: list[Table]) -> None:
    """By DELETE, with triggers and foreign keys at rest: TRUNCATE makes new files and takes ten times as long."""
    conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
    for table in tables:
        conn.exec_driver_sql(f"DELETE FROM {table.name}")
        if _counts_up(table):
            conn.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), 1, false)")


def _empty_mariadb(conn: Connection, tables: list[Table]) -> None:
    conn.exec_driver_sql("SET SESSION foreign_key_checks = 0")
    guarded = conn.execute(
        text(
            "SELECT DISTINCT event_object_table FROM information_schema.triggers"
            " WHERE trigger_schema = DATABASE() AND event_manipulation = 'DELETE'"
        )
    )
    names = set(guarded.scalars())
    for table in tables:
        whole = _counts_up(table) or table.name in names
        conn.exec_driver_sql(f"{'TRUNCATE TABLE' if whole else 'DELETE FROM'} {table.name}")
    conn.exec_driver_sql("SET SESSION foreign_key_checks = 1")


def _counts_up(table: Table) -> bool:
    return table.autoincrement_column is not None


_EMPTIERS = {"sqlite": _empty_sqlite, "postgresql": _empty_postgresql, "mariadb": _empty_mariadb}
