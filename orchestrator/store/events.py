"""The audit trail: one line in the transaction of each transition, never changed, ordered by row id.

On PostgreSQL and MariaDB an id is drawn before its transaction commits; a reader that follows the trail
should look again at the last few ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select

from orchestrator.store.codes import ActorType
from orchestrator.store.rows import plain
from orchestrator.store.schema import audit
from orchestrator.store.work_tables import process

REVISION_NOW = select(process.c.revision).where(process.c.id == bindparam("of_process")).scalar_subquery()
"""The process's revision as it stands in this transaction. Bind: `of_process`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line to be written (Daily Brief workflow, event envelope). It never holds article text."""

    occurred_ms: int
    event_type: str
    actor_type: ActorType
    actor: str
    process_id: str | None = None
    process_revision: int | None = None
    job_id: str | None = None
    generation: int | None = None
    fence: int | None = None
    stage_code: str | None = None
    from_state: str | None = None
    to_state: str | None = None
    fingerprint_prefix: str | None = None
    diagnostic_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Entry):
    """A line of the trail."""

    id: int


_INSERT = insert(audit)


def append(conn: Connection, *entries: Entry) -> None:
    """Write the lines in order."""
    conn.execute(_INSERT, [plain(asdict(entry)) for entry in entries])


def since(conn: Connection, after_id: int = 0, *, limit: int = 1_000) -> list[Line]:
    """The lines after `after_id`, oldest first."""
    rows = conn.execute(select(audit).where(audit.c.id > after_id).order_by(audit.c.id).limit(limit))
    return _lines(rows.mappings().all())


def since_ms(conn: Connection, at_ms: int, *, limit: int = 1_000) -> list[Line]:
    """The lines from `at_ms` on, oldest first."""
    rows = conn.execute(select(audit).where(audit.c.occurred_ms >= at_ms).order_by(audit.c.id).limit(limit))
    return _lines(rows.mappings().all())


def of_process(conn: Connection, process_id: str, *, job_id: str | None = None) -> list[Line]:
    """The history of a process, or of one of its jobs, oldest first."""
    chosen = select(audit).where(audit.c.process_id == process_id).order_by(audit.c.id)
    if job_id is not None:
        chosen = chosen.where(audit.c.job_id == job_id)
    return _lines(conn.execute(chosen).mappings().all())


def last_id(conn: Connection) -> int:
    """The id of the newest line; 0 when there is none."""
    return int(conn.execute(select(func.max(audit.c.id))).scalar() or 0)


def _lines(rows: Iterable[Mapping[Any, Any]]) -> list[Line]:
    return [Line(**{**row, "actor_type": ActorType(row["actor_type"])}) for row in rows]
