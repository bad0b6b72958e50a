"""Processes: one product on one date, changed under their own fence, each change with its audit line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy import insert as into

from orchestrator.core.records import Overlay, Process, ProcessStage
from orchestrator.errors import NotFound
from orchestrator.store import events
from orchestrator.store.codes import ActorType
from orchestrator.store.rows import plain
from orchestrator.store.work_tables import process as table
from outbox import lease
from outbox.clock import now_ms as now_expression
from outbox.errors import StaleFence

_NAMES = tuple(field.name for field in fields(Process))
_COLUMNS = tuple(table.c[name] for name in _NAMES)
_ENDED = (str(Overlay.ABANDONED), str(Overlay.MISSED))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDates:
    """`scheduled`: planned by the schedule itself, when their time had come; `all`: those and ordered ones."""

    scheduled: frozenset[date]
    all: frozenset[date]


def insert(conn: Connection, process: Process) -> None:
    """Write a new row; a second one for the same product and date is refused (I2)."""
    conn.execute(into(table), _values({name: getattr(process, name) for name in _NAMES}))


def get(conn: Connection, process_id: str, *, locked: bool = False) -> Process:
    """The process; NotFound. `locked`: others who want it so wait for this transaction to end."""
    query = select(*_COLUMNS).where(table.c.id == process_id)
    row = conn.execute(query.with_for_update() if locked else query).mappings().first()
    if row is None:
        raise NotFound(f"no process {process_id}")
    return _process(row)


def by_key(conn: Connection, product: str, target_date: str) -> Process | None:
    """The process of this product and date, if it was planned."""
    chosen = select(*_COLUMNS).where(table.c.product == product, table.c.target_date == target_date)
    row = conn.execute(chosen).mappings().first()
    return _process(row) if row else None


def update(
    conn: Connection,
    process: Process,
    *,
    now_ms: int,
    event_type: str,
    actor_type: ActorType,
    actor: str,
    diagnostic_code: str | None = None,
    **changes: object,
) -> Process:
    """Write `changes` (fields of Process) and the audit line; answers the new process.

    StaleFence: somebody else changed the process since it was read; drop your result (I3).
    """
    if not lease.fenced_update(conn, table, process.id, process.version, _values(changes)):
        raise StaleFence(f"process {process.id} is no longer at version {process.version}")
    changed = replace(process, version=process.version + 1, **changes)  # type: ignore[arg-type]
    line = events.Entry(
        occurred_ms=now_ms,
        event_type=event_type,
        actor_type=actor_type,
        actor=actor,
        process_id=process.id,
        process_revision=changed.revision,
        fence=changed.version,
        stage_code=changed.stage,
        from_state=process.stage,
        to_state=changed.stage,
        diagnostic_code=diagnostic_code,
    )
    events.append(conn, line)
    return changed


def listing(conn: Connection, target_date: str | None = None, *, limit: int = 1_000) -> list[Process]:
    """Processes, newest date first, then by product; of one date or of all."""
    query = select(*_COLUMNS).order_by(table.c.target_date.desc(), table.c.product).limit(limit)
    if target_date is not None:
        query = query.where(table.c.target_date == target_date)
    return [_process(row) for row in conn.execute(query).mappings()]


def dates(conn: Connection, product: str, *, limit: int = 800) -> PlannedDates:
    """The product's newest `limit` planned dates: enough for any look back, the same cost after years."""
    newest = (
        select(table.c.target_date, table.c.backfill, table.c.created_ms, table.c.scheduled_ms)
        .where(table.c.product == product)
        .order_by(table.c.target_date.desc())
        .limit(limit)
    )
    rows = conn.execute(newest).all()
    by_schedule = [row for row in rows if not row.backfill and row.created_ms >= row.scheduled_ms]
    return PlannedDates(
        scheduled=frozenset(date.fromisoformat(row.target_date) for row in by_schedule),
        all=frozenset(date.fromisoformat(row.target_date) for row in rows),
    )


def published_evidence(conn: Connection, *, before: str, limit: int) -> list[str]:
    """Package digests of the last `limit` published dates of each product before a date, newest first."""
    chosen = (
        select(table.c.product, table.c.evidence_digest)
        .where(table.c.stage == str(ProcessStage.PUBLISHED), table.c.target_date < before)
        .order_by(table.c.target_date.desc(), table.c.product)
    )
    taken: Counter[str] = Counter()
    digests: list[str] = []
    for row in conn.execute(chosen):
        taken[row.product] += 1
        if taken[row.product] <= limit:
            digests.append(row.evidence_digest)
    return digests


def past_deadline(conn: Connection, *, limit: int = 1_000) -> list[Process]:
    """Processes that readers should have seen by now and have not, the oldest deadline first."""
    late = (
        select(*_COLUMNS)
        .where(table.c.verified_ms.is_(None), table.c.deadline_ms <= now_expression())
        .where(table.c.overlay.not_in(_ENDED))
        .order_by(table.c.deadline_ms, table.c.id)
        .limit(limit)
    )
    return [_process(row) for row in conn.execute(late).mappings()]


def _values(changes: Mapping[str, object]) -> dict[str, object]:
    languages = changes.get("languages")
    joined = {"languages": ",".join(languages)} if isinstance(languages, tuple) else {}
    return plain({**changes, **joined})


def _process(row: Mapping[Any, Any]) -> Process:
    values = {name: row[name] for name in _NAMES}
    values["languages"] = tuple(values["languages"].split(","))
    values["stage"] = ProcessStage(values["stage"])
    values["overlay"] = Overlay(values["overlay"])
    return Process(**values)
