"""Between rows and records: plain values in, frozen dataclasses out, and inserts that leave what is there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Executable, Table, insert
from sqlalchemy.dialects import mysql, postgresql, sqlite


def plain(values: Mapping[str, object]) -> dict[str, object]:
    """Enum members as the text they stand for: a driver may otherwise store their name."""
    return {name: str(value) if isinstance(value, StrEnum) else value for name, value in values.items()}


def insert_missing(conn: Connection, table: Table, values: Mapping[str, object]) -> None:
    """Insert the row unless its key is taken; a row that is there stays as it is."""
    conn.execute(_insert_missing(table, conn.dialect.name), plain(values))


def lock_row(conn: Connection, table: Table, values: Mapping[str, object]) -> None:
    """Insert the row unless its primary key is taken, and hold it to the end of the transaction.

    One statement, because a lock that is first shared and then exclusive deadlocks on MariaDB.
    """
    conn.execute(_lock_row(table, conn.dialect.name), plain(values))


@lru_cache(maxsize=64)
def _lock_row(table: Table, dialect: str) -> Executable:
    key = [column.name for column in table.primary_key]
    as_it_is = {name: table.c[name] for name in key}
    statements: dict[str, Any] = {
        "sqlite": lambda: sqlite.insert(table).on_conflict_do_update(index_elements=key, set_=as_it_is),
        "postgresql": lambda: postgresql.insert(table).on_conflict_do_update(index_elements=key, set_=as_it_is),
        "mariadb": lambda: mysql.insert(table).on_duplicate_key_update(as_it_is),
    }
    statement: Executable = statements[dialect]()
    return statement


@lru_cache(maxsize=64)
def _insert_missing(table: Table, dialect: str) -> Executable:
    statements: dict[str, Any] = {
        "sqlite": lambda: sqlite.insert(table).on_conflict_do_nothing(),
        "postgresql": lambda: postgresql.insert(table).on_conflict_do_nothing(),
        "mariadb": lambda: insert(table).prefix_with("IGNORE"),
    }
    statement: Executable = statements[dialect]()
    return statement
