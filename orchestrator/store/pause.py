"""One flag that every claim reads: while it is set, nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from orchestrator.store.rows import lock_row
from orchestrator.store.schema import pause
from outbox.clock import read_now_ms

SCOPE = "loop"

FLAG = select(pause.c.paused).where(pause.c.scope == SCOPE).scalar_subquery()
"""The flag, NULL when it was never set: for use inside another statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Who stopped the loop, when and why."""

    actor: str
    reason: str
    since_ms: int


def read(conn: Connection) -> Pause | None:
    """The pause in force; None when the loop runs."""
    row = conn.execute(select(pause).where(pause.c.scope == SCOPE, pause.c.paused)).first()
    return Pause(actor=row.actor, reason=row.reason, since_ms=row.since_ms) if row else None


def set(conn: Connection, *, actor: str, reason: str) -> None:  # noqa: A001  # a flag is set
    """Stop the loop; a pause that is in force keeps its author."""
    if read(conn) is None:
        _write(conn, paused=True, actor=actor, reason=reason)


def clear(conn: Connection, *, actor: str, reason: str) -> None:
    """Let the loop go on."""
    _write(conn, paused=False, actor=actor, reason=reason)


def _write(conn: Connection, *, paused: bool, actor: str, reason: str) -> None:
    row = {"paused": paused, "actor": actor, "reason": reason, "since_ms": read_now_ms(conn)}
    lock_row(conn, pause, {"scope": SCOPE, **row})
    conn.execute(update(pause).where(pause.c.scope == SCOPE).values(**row))
