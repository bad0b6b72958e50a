"""What the public status shows of each process, written in the transaction of its transitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select, update

from orchestrator.store.rows import lock_row
from orchestrator.store.schema import status_projection
from orchestrator.store.work_tables import process
from outbox.clock import read_now_ms


def write(conn: Connection, process_id: str, payload: Mapping[str, object]) -> None:
    """Replace the process's public status; `payload` holds bounded codes and counts, no text of editions."""
    row = {"payload": json.dumps(payload, sort_keys=True), "written_ms": read_now_ms(conn)}
    lock_row(conn, status_projection, {"process_id": process_id, **row})
    chosen = update(status_projection).where(status_projection.c.process_id == process_id)
    conn.execute(chosen.values(**row))


def read(conn: Connection, process_id: str) -> dict[str, Any]:
    """One process's public status as it was last written; empty before the first."""
    chosen = select(status_projection.c.payload).where(status_projection.c.process_id == process_id)
    payload = conn.execute(chosen).scalar()
    return json.loads(payload) if payload else {}


def listing(conn: Connection, *, limit: int = 1_000) -> list[dict[str, Any]]:
    """Every process's public status, newest date first, then by product."""
    query = (
        select(status_projection.c.payload)
        .join(process, process.c.id == status_projection.c.process_id)
        .order_by(process.c.target_date.desc(), process.c.product)
        .limit(limit)
    )
    return [json.loads(payload) for payload in conn.execute(query).scalars()]
