"""The database's clock on every engine."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select

from outbox import clock
from outbox.database import Database


def test_now_is_the_present_in_milliseconds(db: Database) -> None:
    with db.read() as conn:
        now_ms = clock.read_now_ms(conn)

    assert abs(datetime.now(UTC).timestamp() * 1000 - now_ms) < 60_000


def test_now_does_not_go_back_within_a_connection(db: Database) -> None:
    with db.write() as conn:
        seen = [clock.read_now_ms(conn) for _ in range(50)]

    assert seen == sorted(seen)


def test_advancing_moves_time_for_everyone_who_shares_the_database(db: Database) -> None:
    other = Database.open(db.url.render_as_string(hide_password=False))
    with other.read() as conn:
        before_ms = clock.read_now_ms(conn)
    with db.write() as conn:
        clock.advance(conn, 4 * 3_600_000)
        clock.advance(conn, 1)
    with other.read() as conn:
        after_ms, offset_ms = clock.read_now_ms(conn), clock.offset_ms(conn)
    other.close()

    assert offset_ms == 14_400_001
    assert 14_400_000 <= after_ms - before_ms < 14_500_000


def test_the_clock_can_be_set_back(db: Database) -> None:
    with db.write() as conn:
        before_ms = clock.read_now_ms(conn)
        assert clock.advance(conn, -3_600_000) < before_ms - 3_500_000


def test_now_is_one_value_within_a_statement(db: Database) -> None:
    with db.read() as conn:
        first, second = conn.execute(select(clock.now_ms().label("a"), clock.now_ms().label("b"))).one()

    assert first == second
