"""The database's clock: the only time that leases, due times and deadlines are compared with.

`now_ms()` is a SQL expression, UTC epoch milliseconds plus the offset kept in `clock`. The offset is 0
outside emulated runs; it moves time for every process that shares the database. The expressions are constant within
one statement, so that an index on a due time stays usable; the "wall" functions of each engine are not.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, insert, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from outbox.schema import clock

_OFFSET = "COALESCE((SELECT offset_ms FROM clock WHERE id = 1), 0)"

_WALL = {
    "sqlite": "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)",
    "postgresql": "CAST(FLOOR(EXTRACT(EPOCH FROM statement_timestamp()) * 1000) AS BIGINT)",
    "mariadb": "CAST(FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)",  # the session's zone is UTC
}


class NowMs(FunctionElement[int]):
    """Renders as the engine's own now in milliseconds, plus the offset."""

    name = "now_ms"
    type = BigInteger()
    inherit_cache = True


@compiles(NowMs)
def _compile(_element: NowMs, compiler: SQLCompiler, **_kw: Any) -> str:
    return f"({_WALL[compiler.dialect.name]} + {_OFFSET})"


def now_ms() -> NowMs:
    """The database's now as a SQL expression (BIGINT, epoch milliseconds)."""
    return NowMs()


_READ = select(NowMs())
_MOVE = update(clock).where(clock.c.id == 1).values(offset_ms=clock.c.offset_ms + bindparam("by_ms"))
_OFFSET_NOW = select(clock.c.offset_ms).where(clock.c.id == 1)


def read_now_ms(conn: Connection) -> int:
    """The database's now, epoch milliseconds."""
    return int(conn.execute(_READ).scalar_one())


def offset_ms(conn: Connection) -> int:
    """How far the clock was moved, milliseconds; 0 outside emulated runs."""
    return int(conn.execute(_OFFSET_NOW).scalar() or 0)


def advance(conn: Connection, by_ms: int) -> int:
    """Move the clock of all who share the database by `by_ms` (may be negative); answers the new now."""
    if conn.execute(_MOVE, {"by_ms": by_ms}).rowcount == 0:
        conn.execute(insert(clock), {"id": 1, "offset_ms": by_ms})
    return read_now_ms(conn)
