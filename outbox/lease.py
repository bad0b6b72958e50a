"""Leases and fences over any table with `id`, `version`, `lease_owner` and `next_due_ms`.

Rules:
* `next_due_ms` is the due time and, while `lease_owner` is set, the lease's end: one comparison drives both,
  and a row whose worker died becomes due by itself. NULL means never.
* Every write names the version that was read and raises it by one; zero rows: somebody else owns it.
* A lease that ends later than the longest lease from now was given before the clock was set back: it may be
  claimed, because the fence protects the row.
* Statements are built once per table and reused: building one costs as much as running it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    or_,
    select,
    update,
)

from outbox.clock import now_ms

SKEW_MS = 5_000  # > the time between a statement's now and the moment it sees another's commit

Claimed = dict[str, Any]
"""A claimed row as it stands after the claim, with `now_ms`, the database's time of the claim."""


@lru_cache(maxsize=64)
def claim_statement(
    table: Table,
    *,
    where: tuple[ColumnElement[bool], ...] = (),
    order_by: tuple[ColumnElement[Any], ...] = (),
    early_ms: int = 0,
) -> Select[Any]:
    """Due rows in order, locked where the engine can skip locked rows. Binds: `longest_ms`, `row_limit`.

    Rows that nobody holds may be taken `early_ms` before they are due; a lease is never cut short. Pass
    module-level tuples for `where` and `order_by`: the statement is cached by their identity.
    """
    due = table.c.next_due_ms <= now_ms()
    if early_ms:
        free = table.c.lease_owner.is_(None)
        due = or_(due, and_(free, table.c.next_due_ms <= now_ms() + early_ms))
    set_back = and_(
        table.c.lease_owner.is_not(None),
        table.c.next_due_ms > now_ms() + bindparam("longest_ms", type_=BigInteger),
    )
    return (
        select(table, now_ms().label("now_ms"))
        .where(or_(due, set_back), *where)
        .order_by(*(order_by or (table.c.next_due_ms,)), table.c.id)
        .limit(bindparam("row_limit"))
        .with_for_update(skip_locked=True, of=table)
    )


@lru_cache(maxsize=512)
def fenced_update_statement(table: Table, columns: tuple[str, ...]) -> Update:
    """`UPDATE … SET version + 1, columns WHERE id AND version`. Binds: `row_id`, `fence`, `set_<column>`."""
    values: dict[str, Any] = {name: bindparam(f"set_{name}", type_=table.c[name].type) for name in columns}
    return (
        update(table)
        .where(table.c.id == bindparam("row_id"), table.c.version == bindparam("fence"))
        .values(version=table.c.version + 1, **values)
    )


def fenced_update(
    conn: Connection, table: Table, row_id: object, version: int, changes: Mapping[str, object]
) -> bool:
    """Write `changes` (column → plain value) and raise the version.

    False means that the row is no longer at `version`: another worker owns it; drop your result.
    """
    params = {f"set_{name}": value for name, value in changes.items()}
    params |= {"row_id": row_id, "fence": version}
    result = conn.execute(fenced_update_statement(table, tuple(changes)), params)
    return result.rowcount == 1


def claim(
    conn: Connection,
    table: Table,
    *,
    owner: str,
    lease_ms: int,
    limit: int,
    where: Sequence[ColumnElement[bool]] = (),
    order_by: Sequence[ColumnElement[Any]] = (),
    longest_lease_ms: int | None = None,
) -> list[Claimed]:
    """Lease up to `limit` due rows to `owner` for `lease_ms`, in `order_by`; call it in a write transaction.

    Each row comes back as it stands now: version raised, `lease_owner` set, `next_due_ms` the lease's end.
    `longest_lease_ms` is the longest lease that anyone takes on this table; by default `lease_ms`.
    """
    statement = claim_statement(table, where=tuple(where), order_by=tuple(order_by))
    longest_ms = max(longest_lease_ms or lease_ms, lease_ms) + SKEW_MS
    rows = conn.execute(statement, {"longest_ms": longest_ms, "row_limit": limit}).mappings().all()
    return [
        row | lease for row in map(dict, rows) if (lease := _take(conn, table, row, owner, lease_ms)) is not None
    ]


def _take(
    conn: Connection, table: Table, row: Mapping[Any, Any], owner: str, lease_ms: int
) -> dict[str, Any] | None:
    changes = {"lease_owner": owner, "next_due_ms": row["now_ms"] + lease_ms}
    if not fenced_update(conn, table, row["id"], row["version"], changes):
        return None
    return changes | {"version": row["version"] + 1}
