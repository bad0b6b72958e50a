"""Transactions, readers and errors on every engine; SQLite's own rules; turns."""

from __future__ import annotations

import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread, main_thread
from time import sleep

import pytest
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from outbox.clock import read_now_ms
from outbox.database import Database, Turn
from outbox.errors import ConstraintRefused, ReadOnly, StoreUnavailable, StoreUnusable
from outbox.schema import clock
from tests.engines import Engines


def _rows(db: Database) -> int:
    with db.read() as conn:
        return int(conn.execute(select(func.count()).select_from(clock)).scalar_one())


def _write(db: Database, *ids: int, then: Exception | None = None) -> None:
    with db.write() as conn:
        for row_id in ids:
            conn.execute(insert(clock), {"id": row_id, "offset_ms": 5})
        if then is not None:
            raise then


def _fill(db: Database) -> None:
    with db.write() as conn:
        conn.execute(update(clock).values(offset_ms=77))
        for _ in range(50):
            conn.execute(text("INSERT INTO bulk (body) VALUES (zeroblob(4000))"))


def test_a_transaction_commits_on_exit(db: Database) -> None:
    with db.write() as conn:
        conn.execute(insert(clock), {"id": 1, "offset_ms": 5})

    assert _rows(db) == 1


def test_an_error_leaves_nothing_behind(db: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        _write(db, 1, then=ZeroDivisionError())

    assert _rows(db) == 0


def test_a_reader_cannot_write(db: Database) -> None:
    with pytest.raises(ReadOnly), db.read() as conn:
        conn.execute(insert(clock), {"id": 1, "offset_ms": 5})

    assert _rows(db) == 0


def test_a_reader_sees_one_snapshot(db: Database) -> None:
    with db.read() as reading:
        before = reading.execute(select(func.count()).select_from(clock)).scalar()
        with db.write() as conn:
            conn.execute(insert(clock), {"id": 1, "offset_ms": 5})
        after = reading.execute(select(func.count()).select_from(clock)).scalar()

    assert (before, after) == (0, 0)


def test_a_refused_row_is_named_and_rolls_back(db: Database) -> None:
    with pytest.raises(ConstraintRefused):
        _write(db, 1, 2)  # CHECK (id = 1)
    with pytest.raises(ConstraintRefused):
        _write(db, 1, 1)

    assert _rows(db) == 0


def test_the_database_goes_on_after_an_error(db: Database) -> None:
    with pytest.raises(ConstraintRefused), db.write() as conn:
        conn.execute(insert(clock), {"id": 2, "offset_ms": 5})
    with db.write() as conn:
        conn.execute(insert(clock), {"id": 1, "offset_ms": 5})

    assert _rows(db) == 1


def test_a_second_transaction_of_the_same_thread_is_refused_instead_of_waiting(sqlite_db: Database) -> None:
    with sqlite_db.write(), pytest.raises(RuntimeError, match="already open"), sqlite_db.write():
        pass


@pytest.fixture
def sqlite_db(engines: Engines) -> Database:
    db = Database.open(engines.fresh_url("sqlite"))
    with db.write() as conn:
        clock.create(conn)
        conn.execute(insert(clock), {"id": 1, "offset_ms": 0})
    return db


def test_sqlite_is_set_up_for_durability(sqlite_db: Database) -> None:
    for enter in (sqlite_db.write, sqlite_db.read):
        with enter() as conn:
            found = [conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
            assert found == ["wal", 2]
            assert conn.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_unguarded_reads_followed_by_writes_are_not_lost_on_sqlite(sqlite_db: Database) -> None:
    def bump(_: int) -> None:
        with sqlite_db.write() as conn:
            offset = conn.execute(select(clock.c.offset_ms)).scalar_one()
            conn.execute(update(clock).values(offset_ms=offset + 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bump, range(100)))
    with sqlite_db.read() as conn:
        assert conn.execute(select(clock.c.offset_ms)).scalar() == 100


def test_a_file_locked_by_another_process_is_unavailable_and_then_works_again(sqlite_db: Database) -> None:
    with sqlite_db.write() as conn:
        conn.exec_driver_sql("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(str(sqlite_db.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked") as caught, sqlite_db.write():
        pass
    other.execute("ROLLBACK")
    other.close()

    assert caught.value.retryable
    with sqlite_db.write() as conn:
        assert read_now_ms(conn) > 0


def test_a_full_disk_is_unavailable_and_leaves_nothing_half_written(sqlite_db: Database) -> None:
    with sqlite_db.write() as conn:
        conn.execute(text("CREATE TABLE bulk (id INTEGER PRIMARY KEY, body BLOB)"))
    with sqlite_db.write() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreUnavailable, match="full"):
        _fill(sqlite_db)
    with sqlite_db.read() as conn:
        assert conn.execute(select(clock.c.offset_ms)).scalar() == 0
        assert conn.execute(text("SELECT count(*) FROM bulk")).scalar() == 0
    with sqlite_db.write() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count = 1000000")
        conn.execute(text("INSERT INTO bulk (body) VALUES (zeroblob(4000))"))


def test_a_commit_that_fails_leaves_no_transaction_open(sqlite_db: Database) -> None:
    with sqlite_db.write() as conn:
        conn.execute(text("CREATE TABLE parent (id INTEGER PRIMARY KEY)"))
        conn.execute(text("CREATE TABLE child (of INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)"))
    with pytest.raises(ConstraintRefused), sqlite_db.write() as conn:
        conn.execute(text("INSERT INTO child VALUES (1)"))  # SQLite looks at it in COMMIT, and keeps it open
    with sqlite_db.write() as conn:
        assert conn.execute(text("SELECT count(*) FROM child")).scalar() == 0


def test_an_error_of_the_driver_does_not_tell_what_was_being_written(db: Database) -> None:
    with pytest.raises(DBAPIError) as caught, db.write() as conn:
        conn.execute(text("INSERT INTO nowhere VALUES (:body)"), {"body": "a secret"})

    assert "a secret" not in str(caught.value)


def test_the_folder_of_a_sqlite_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.db"
    Database.open(f"sqlite:///{path}").close()

    assert path.is_file()


def test_a_place_that_cannot_hold_a_file_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="folder"):
        Database.open(f"sqlite:///{tmp_path}/file/x.db")
    with pytest.raises(StoreUnusable, match="is a folder"):
        Database.open(f"sqlite:///{tmp_path}")


def test_a_file_that_is_no_database_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("this is a letter, not a database" * 40)
    with pytest.raises(StoreUnusable, match="not a database"):
        Database.open(f"sqlite:///{tmp_path}/x.db")


@pytest.mark.parametrize(
    "url", ["sqlite://", "nonsense", "oracle://x/y", "mysql+pymysql://root@localhost/x", "postgresql+pg8000://x/y"]
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(StoreUnusable) as caught:
        Database.open(url)

    assert "sqlite:///PATH" in caught.value.hint


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://nobody@127.0.0.1:1/x", "mariadb+pymysql://nobody@127.0.0.1:1/x"]
)
def test_a_server_that_does_not_answer_is_unavailable(url: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        Database.open(url)

    assert caught.value.retryable


def test_a_signal_that_interrupts_a_waiting_writer_leaves_its_place_to_the_next() -> None:
    turn, held, leave = Turn(), Event(), Event()

    def hold() -> None:
        with turn.taken():
            held.set()
            leave.wait()

    def interrupt() -> None:
        while not turn.waiting:
            sleep(0.001)
        signal.pthread_kill(main_thread().ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    threads = [Thread(target=hold), Thread(target=interrupt)]
    try:
        threads[0].start()
        held.wait()
        threads[1].start()
        with pytest.raises(KeyboardInterrupt), turn.taken():
            pass
    finally:
        leave.set()
        for thread in threads:
            thread.join()
        signal.signal(signal.SIGUSR1, before)
    with turn.taken(timeout_s=1):
        assert turn.waiting == 0


def test_turns_are_given_in_the_order_in_which_they_were_asked_for() -> None:
    turn, served = Turn(), list[int]()

    def ask(number: int) -> None:
        with turn.taken():
            served.append(number)

    with turn.taken():
        threads = []
        for number in range(6):
            threads.append(Thread(target=ask, args=(number,)))
            threads[-1].start()
            while turn.waiting <= number:
                pass
    for thread in threads:
        thread.join()

    assert served == list(range(6))


def test_a_turn_that_does_not_come_is_unavailable_and_gives_up_its_place() -> None:
    turn, held, go = Turn(), Event(), Event()

    def hold() -> None:
        with turn.taken():
            held.set()
            go.wait(10)

    holder = Thread(target=hold)
    holder.start()
    held.wait(10)
    with pytest.raises(StoreUnavailable), turn.taken(timeout_s=0.01):
        pass
    assert turn.waiting == 0
    go.set()
    holder.join()
    with turn.taken():
        pass
