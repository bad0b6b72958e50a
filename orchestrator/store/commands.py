"""Operators' orders: written down before they are carried out, once while they are open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sqlalchemy import Connection, or_, select, update

from orchestrator.errors import InvariantBroken, NotFound
from orchestrator.store.codes import CommandStatus
from orchestrator.store.rows import insert_missing
from orchestrator.store.schema import command as table
from outbox.clock import read_now_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What an operator wants. `target` is a job, process, edition key or effect, or "" for the loop."""

    verb: str
    target: str
    actor: str
    reason_code: str
    idempotency_key: str
    reason_text: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def active_key(self) -> str:
        """Two open orders with the same key are one order."""
        return f"{self.verb}:{self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Order):
    """An order as it is kept."""

    id: int
    status: CommandStatus
    ordered_ms: int
    outcome: str | None = None
    finished_ms: int | None = None


_COLUMNS = tuple(table.c[each.name] for each in fields(Command))


def order(conn: Connection, wanted: Order) -> Command:
    """Write the order down; a repeat of it, or one that is open for the same target, answers that one."""
    row: dict[str, object] = {
        **{each.name: getattr(wanted, each.name) for each in fields(Order)},
        "arguments": json.dumps(dict(wanted.arguments), sort_keys=True),
        "active_key": wanted.active_key,
        "status": CommandStatus.OPEN,
        "ordered_ms": read_now_ms(conn),
    }
    insert_missing(conn, table, row)
    same = or_(table.c.idempotency_key == wanted.idempotency_key, table.c.active_key == wanted.active_key)
    found = conn.execute(select(*_COLUMNS).where(same).order_by(table.c.id)).mappings().first()
    if found is None:
        raise InvariantBroken(f"the order {wanted.active_key} was not stored")
    return _command(found)


def get(conn: Connection, command_id: int) -> Command:
    """One order. NotFound."""
    row = conn.execute(select(*_COLUMNS).where(table.c.id == command_id)).mappings().first()
    if row is None:
        raise NotFound(f"no order {command_id}")
    return _command(row)


def open_orders(conn: Connection) -> list[Command]:
    """Orders that wait to be carried out, oldest first."""
    waiting = select(*_COLUMNS).where(table.c.active_key.is_not(None)).order_by(table.c.id)
    return [_command(row) for row in conn.execute(waiting).mappings()]


def finish(conn: Connection, command_id: int, status: CommandStatus, outcome: str = "") -> bool:
    """Close an order as DONE or REFUSED. False: it is not open any more."""
    chosen = update(table).where(table.c.id == command_id, table.c.active_key.is_not(None))
    values = {
        "status": str(status),
        "outcome": outcome[:400],
        "active_key": None,
        "finished_ms": read_now_ms(conn),
    }
    return conn.execute(chosen.values(**values)).rowcount == 1


def _command(row: Mapping[Any, Any]) -> Command:
    return Command(**{**row, "arguments": json.loads(row["arguments"]), "status": CommandStatus(row["status"])})
