"""Claims and fences on every engine, over a table of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, insert, select
from sqlalchemy.dialects import mysql, postgresql, sqlite

from outbox import clock, lease
from outbox.database import Database
from outbox.schema import ENGINE_OPTIONS

metadata = MetaData()
chore = Table(
    "chore",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("lease_owner", String(64)),
    Column("next_due_ms", BigInteger, index=True),
    Column("priority", Integer, nullable=False, default=0),
    Column("done", Integer, nullable=False, default=0),
    **ENGINE_OPTIONS,
)
ORDER = (chore.c.priority, chore.c.next_due_ms)
ONLY_UNDONE = (chore.c.done == 0,)


@pytest.fixture
def chores(db: Database) -> Iterator[Database]:
    with db.write() as conn:
        metadata.create_all(conn)
    yield db
    with db.write() as conn:
        metadata.drop_all(conn)


def _add(db: Database, *rows: tuple[int, int | None, int]) -> int:
    """Rows of (id, due in ms from now or None, priority); answers the database's now."""
    with db.write() as conn:
        now_ms = clock.read_now_ms(conn)
        values = [
            {"id": i, "version": 1, "next_due_ms": None if due is None else now_ms + due, "priority": priority}
            for i, due, priority in rows
        ]
        conn.execute(insert(chore), values)
    return now_ms


def _claim(db: Database, owner: str = "w1", limit: int = 10, lease_ms: int = 60_000) -> list[lease.Claimed]:
    with db.write() as conn:
        return lease.claim(conn, chore, owner=owner, lease_ms=lease_ms, limit=limit, order_by=ORDER)


def _row(db: Database, row_id: int) -> lease.Claimed:
    with db.read() as conn:
        return dict(conn.execute(select(chore).where(chore.c.id == row_id)).mappings().one())


def test_due_rows_come_in_order_and_no_others(chores: Database) -> None:
    _add(chores, (1, -10, 5), (2, -50, 5), (3, -10, 1), (4, 60_000, 0), (5, None, 0))

    assert [row["id"] for row in _claim(chores)] == [3, 2, 1]


def test_a_claim_takes_no_more_than_its_limit(chores: Database) -> None:
    _add(chores, *((i, -i, 0) for i in range(1, 6)))

    assert [row["id"] for row in _claim(chores, limit=2)] == [5, 4]
    assert [row["id"] for row in _claim(chores, limit=9)] == [3, 2, 1]


def test_a_claimed_row_comes_back_as_it_stands_in_the_database(chores: Database) -> None:
    _add(chores, (1, -10, 0))
    (claimed,) = _claim(chores, owner="w7", lease_ms=30_000)

    assert claimed["next_due_ms"] == claimed["now_ms"] + 30_000
    assert {name: value for name, value in claimed.items() if name != "now_ms"} == _row(chores, 1)
    assert (claimed["version"], claimed["lease_owner"]) == (2, "w7")


def test_a_leased_row_is_claimed_again_only_when_its_lease_has_ended(chores: Database) -> None:
    _add(chores, (1, -10, 0))
    _claim(chores, owner="w1", lease_ms=60_000)
    assert _claim(chores, owner="w2") == []

    with chores.write() as conn:
        clock.advance(conn, 61_000)
    (claimed,) = _claim(chores, owner="w2")

    assert (claimed["version"], claimed["lease_owner"]) == (3, "w2")


def test_a_lease_given_before_the_clock_was_set_back_can_be_claimed(chores: Database) -> None:
    _add(chores, (1, -10, 0), (2, 7_200_000, 0))
    _claim(chores, owner="w1", lease_ms=60_000)
    with chores.write() as conn:
        clock.advance(conn, -3_600_000)

    assert [row["id"] for row in _claim(chores, owner="w2", lease_ms=60_000)] == [1]


def test_a_longer_lease_of_another_kind_of_worker_is_respected(chores: Database) -> None:
    _add(chores, (1, -10, 0))
    _claim(chores, owner="slow", lease_ms=600_000)
    with chores.write() as conn:
        again = lease.claim(
            conn, chore, owner="fast", lease_ms=1_000, limit=1, order_by=ORDER, longest_lease_ms=600_000
        )

    assert again == []


def test_conditions_narrow_a_claim(chores: Database) -> None:
    _add(chores, (1, -10, 0), (2, -10, 0))
    with chores.write() as conn:
        lease.fenced_update(conn, chore, 1, 1, {"done": 1})
        rows = lease.claim(conn, chore, owner="w", lease_ms=1_000, limit=5, where=ONLY_UNDONE, order_by=ORDER)

    assert [row["id"] for row in rows] == [2]


def test_a_stale_fence_writes_nothing(chores: Database) -> None:
    _add(chores, (1, -10, 0))
    with chores.write() as conn:
        assert lease.fenced_update(conn, chore, 1, 1, {"done": 7})
        assert not lease.fenced_update(conn, chore, 1, 1, {"done": 8})
        assert not lease.fenced_update(conn, chore, 99, 1, {"done": 8})

    assert (_row(chores, 1)["done"], _row(chores, 1)["version"]) == (7, 2)


def test_eight_workers_claim_each_row_once(chores: Database) -> None:
    _add(chores, *((i, -i, i % 3) for i in range(1, 81)))

    def work(name: str) -> list[int]:
        taken: list[int] = []
        idle = 0
        while idle < 20 and len(taken) < 80:
            rows = _claim(chores, owner=name, limit=3)
            taken += [row["id"] for row in rows]
            idle = 0 if rows else idle + 1
        return taken

    with ThreadPoolExecutor(8) as pool:
        taken = list(chain.from_iterable(pool.map(work, [f"w{i}" for i in range(8)])))
    taken += work("last")

    assert sorted(taken) == list(range(1, 81))


def test_concurrent_reads_followed_by_writes_all_count(chores: Database) -> None:
    _add(chores, (1, None, 0))

    def bump(_: int) -> None:
        moved = False
        while not moved:
            with chores.write() as conn:
                row = conn.execute(select(chore).where(chore.c.id == 1)).one()
                moved = lease.fenced_update(conn, chore, 1, row.version, {"done": row.done + 1})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bump, range(64)))

    assert (_row(chores, 1)["done"], _row(chores, 1)["version"]) == (64, 65)


@pytest.mark.parametrize(
    ("dialect", "locks"),
    [
        (sqlite.dialect(), ""),
        (postgresql.dialect(), "FOR UPDATE OF chore SKIP LOCKED"),
        (mysql.dialect(is_mariadb=True), "FOR UPDATE SKIP LOCKED"),
    ],
    ids=["sqlite", "postgresql", "mariadb"],
)
def test_the_claim_locks_rows_where_the_engine_can(dialect: object, locks: str) -> None:
    if not isinstance(dialect, sqlite.dialect | postgresql.dialect):
        dialect.name = "mariadb"  # type: ignore[attr-defined]
    statement = str(lease.claim_statement(chore, order_by=ORDER).compile(dialect=dialect))  # type: ignore[arg-type]

    assert statement.rstrip().endswith(locks)
    assert ("FOR UPDATE" in statement) == bool(locks)
    assert "ORDER BY chore.priority, chore.next_due_ms, chore.id" in statement


def test_statements_are_built_once() -> None:
    assert lease.claim_statement(chore, order_by=ORDER) is lease.claim_statement(chore, order_by=ORDER)
    assert lease.fenced_update_statement(chore, ("done",)) is lease.fenced_update_statement(chore, ("done",))
