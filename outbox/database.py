"""One database behind one door: a writer and a reader for SQLite, PostgreSQL and MariaDB.

Rules:
* `write()` is one transaction that commits as a whole or leaves nothing; `read()` is a snapshot that cannot
  write. Errors of three drivers come out as the tree of `outbox.errors`, and nothing else does.
* SQLite: WAL, `synchronous=FULL`, foreign keys. Python opens a transaction at the first write by itself,
  which loses read-then-write updates; so the driver is left in autocommit and BEGIN IMMEDIATE is sent here.
* SQLite's busy handler is unfair (waits of seconds), so the writers of one process take turns, first come
  first served, before they ask the file.
* PostgreSQL and MariaDB: READ COMMITTED for writers (guards decide, not snapshots), REPEATABLE READ for
  readers; sessions in UTC.
"""

from __future__ import annotations

import os
import sqlite3
from _thread import LockType
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import Any, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from outbox.driver_errors import translated
from outbox.errors import StoreUnavailable, StoreUnusable

Dialect = Literal["sqlite", "postgresql", "mariadb"]

BUSY_MS = 10_000  # how long one statement waits for a lock that another process holds
TURN_S = 60.0  # how long a writer waits for the writers before it in the same process
CONNECT_S = 10
_HANDED_OVER = -1  # taken, by a thread that has not said its name yet

_DRIVERS = {"sqlite": "pysqlite", "postgresql": "psycopg", "mariadb": "pymysql"}
_KNOWN = "sqlite:///PATH, postgresql+psycopg://… or mariadb+pymysql://…"


class Turn:
    """A fair lock: first come, first served, handed from one to the next."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._waiting: deque[LockType] = deque()
        self._owner: int | None = None

    @property
    def waiting(self) -> int:
        """How many threads wait for the turn."""
        return len(self._waiting)

    @contextmanager
    def taken(self, timeout_s: float = TURN_S) -> Iterator[None]:
        """Hold the turn; StoreUnavailable when it does not come within `timeout_s`.

        A thread that asks twice gets RuntimeError instead of waiting for itself.
        """
        self._take(timeout_s)
        self._owner = get_ident()
        try:
            yield
        finally:
            self._hand_on()

    def _take(self, timeout_s: float) -> None:
        gate = Lock()
        with self._mutex:
            if self._owner == get_ident():
                raise RuntimeError("a write transaction is already open in this thread")
            if self._owner is None:
                self._owner = _HANDED_OVER
                return
            gate.acquire()
            self._waiting.append(gate)
        try:
            came = gate.acquire(timeout=timeout_s)
        except BaseException:  # a signal's: nobody stands behind this gate any more
            if not self._left(gate):
                self._hand_on()
            raise
        if not came and self._left(gate):
            raise StoreUnavailable(f"no turn to write within {timeout_s:g} s")

    def _left(self, gate: LockType) -> bool:
        """Leave the queue. False: the turn was handed to this gate just now."""
        with self._mutex:
            if gate not in self._waiting:
                return False
            self._waiting.remove(gate)
            return True

    def _hand_on(self) -> None:
        with self._mutex:
            self._owner = _HANDED_OVER if self._waiting else None
            if self._waiting:
                self._waiting.popleft().release()


class Database:
    """A writer engine and a reader engine on one database; close it when done."""

    def __init__(self, url: URL, dialect: Dialect) -> None:
        self.url = url
        self.dialect = dialect
        self.writer = _engine(url, dialect, reads_only=False)
        self.reader = _engine(url, dialect, reads_only=True)
        self._turn = Turn() if dialect == "sqlite" else None
        self._held: Connection | None = None  # SQLite's one writer: fetching it anew costs a tenth of a commit

    @classmethod
    def open(cls, url: str) -> Database:
        """Connect once and hand out the database; a missing SQLite file and its folder are created.

        StoreUnusable: the address, driver or folder is wrong. StoreUnavailable: the server does not answer.
        """
        parsed, dialect = _parsed(url)
        if dialect == "sqlite":
            _prepare_folder(Path(parsed.database or ""))
        db = cls(parsed, dialect)
        try:
            with db.write():
                pass
        except BaseException:
            db.close()
            raise
        return db

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One write transaction: committed on exit, rolled back on any error."""
        with self._mapped(), self._in_turn(self._turn) if self._turn else self.writer.begin() as conn:
            yield conn

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One snapshot that cannot write (`ReadOnly`)."""
        with self._mapped(), self.reader.begin() as conn:
            yield conn

    def close(self) -> None:
        """Give every connection back."""
        self._let_go()
        self.writer.dispose()
        self.reader.dispose()

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    @contextmanager
    def _in_turn(self, turn: Turn) -> Iterator[Connection]:
        with turn.taken():
            if self._held is None:
                self._held = self.writer.connect()
            try:
                with self._held.begin():
                    yield self._held
            except BaseException:
                self._let_go()  # after a COMMIT that failed nobody sends ROLLBACK but the pool's reset
                raise

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            known = translated(error.orig, self.dialect)
            if known is None:
                raise
            raise known from error
        except PoolTimeout as error:
            raise StoreUnavailable("every database connection is in use") from error


def _parsed(url: str) -> tuple[URL, Dialect]:
    try:
        parsed = make_url(url)
        driver = parsed.get_driver_name()
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreUnusable(f"the store's address cannot be used: {error}", hint=f"Use {_KNOWN}") from error
    dialect = parsed.get_backend_name()
    if _DRIVERS.get(dialect) != driver:
        raise StoreUnusable(f"{dialect}+{driver} is not a store this program knows", hint=f"Use {_KNOWN}")
    if dialect == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StoreUnusable("a SQLite store needs a file", hint="Use sqlite:///PATH")
    return parsed, dialect  # type: ignore[return-value]  # checked against _DRIVERS


def _prepare_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusable(f"the store's folder {path.parent} cannot be made: {error.strerror}") from error
    if path.is_dir():
        raise StoreUnusable(f"{path} is a folder", hint="The store's address must name a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise StoreUnusable(f"{path} cannot be written", hint="Give this user write access to it")


def _engine(url: URL, dialect: Dialect, *, reads_only: bool) -> Engine:
    if dialect == "sqlite":
        return _sqlite_engine(url, reads_only=reads_only)
    level = "REPEATABLE READ" if reads_only else "READ COMMITTED"
    try:
        engine = create_engine(
            url,
            hide_parameters=True,  # an error is logged; what was being written is nobody's business
            isolation_level=level,
            pool_size=8,
            max_overflow=24,
            pool_timeout=30,
            connect_args={"connect_timeout": CONNECT_S},
        )
    except ModuleNotFoundError as error:
        raise StoreUnusable(
            f"the driver of {dialect} is missing: {error}", hint=f"Install dateline[{dialect}]"
        ) from error
    prepare = _prepare_postgresql if dialect == "postgresql" else _prepare_mariadb
    event.listen(engine, "connect", lambda raw, _record: prepare(raw, reads_only))
    return engine


def _sqlite_engine(url: URL, *, reads_only: bool) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=32 if reads_only else 1,
        max_overflow=0,
        pool_reset_on_return=None if reads_only else "rollback",  # a reader has nothing to take back
        connect_args={"isolation_level": None, "check_same_thread": False, "timeout": BUSY_MS / 1000},
    )
    event.listen(engine, "connect", lambda raw, _record: _prepare_sqlite(raw, reads_only))
    begin = "BEGIN" if reads_only else "BEGIN IMMEDIATE"

    def on_begin(conn: Connection) -> None:
        raw: Any = conn.connection.dbapi_connection
        try:
            raw.execute(begin)
        except sqlite3.Error as error:
            raise translated(error, "sqlite") or error from error

    event.listen(engine, "begin", on_begin)
    return engine


def _prepare_sqlite(raw: Any, reads_only: bool) -> None:
    mode = raw.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StoreUnusable(f"SQLite cannot keep a write-ahead log here (journal mode {mode})")
    for pragma in (
        "synchronous = FULL",
        "foreign_keys = ON",
        f"query_only = {'ON' if reads_only else 'OFF'}",
    ):
        raw.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(raw: Any, reads_only: bool) -> None:
    raw.execute(f"SET lock_timeout = {BUSY_MS}")
    if reads_only:
        raw.execute("SET default_transaction_read_only = on")
    raw.commit()


def _prepare_mariadb(raw: Any, reads_only: bool) -> None:
    with raw.cursor() as cursor:
        cursor.execute("SET SESSION time_zone = '+00:00'")
        cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
        cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {BUSY_MS // 1000}")
        if reads_only:
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
