"""When the provider may be called again. It is closed by throttling and only ever moves later."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from orchestrator.store.rows import lock_row
from orchestrator.store.schema import provider_gate
from outbox.clock import now_ms

PROVIDER = "default"

UNTIL = (
    select(provider_gate.c.until_ms)
    .where(provider_gate.c.provider == PROVIDER, provider_gate.c.until_ms > now_ms())
    .scalar_subquery()
)
"""The instant until which the gate is closed, NULL when it is open: for use inside another statement."""

_READ = select(UNTIL)


def read(conn: Connection) -> int | None:
    """Until when the gate is closed; None when it is open."""
    until_ms: int | None = conn.execute(_READ).scalar()
    return until_ms


def close(conn: Connection, until_ms: int) -> None:
    """Close the gate until `until_ms`, unless it is closed for longer already."""
    lock_row(conn, provider_gate, {"provider": PROVIDER, "until_ms": until_ms})
    later = update(provider_gate).where(provider_gate.c.provider == PROVIDER, provider_gate.c.until_ms < until_ms)
    conn.execute(later.values(until_ms=until_ms))


def open(conn: Connection) -> None:  # noqa: A001  # a gate is opened
    """Open the gate now, as an operator orders."""
    conn.execute(update(provider_gate).where(provider_gate.c.provider == PROVIDER).values(until_ms=0))
