"""Jobs: claimed by lease, changed by fenced commits, each with its audit lines in the same transaction.

`apply` is the one place where a job changes. Functions take the connection first and never commit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, func, literal, select
from sqlalchemy import insert as into

from orchestrator.core.observations import Decision
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import JobState, Reason
from orchestrator.errors import NotFound
from orchestrator.store import documents, gate, pause
from orchestrator.store.codes import ActorType, DocumentKind
from orchestrator.store.events import REVISION_NOW
from orchestrator.store.rows import plain
from orchestrator.store.schema import audit
from orchestrator.store.work_tables import job as table
from outbox import lease
from outbox.clock import now_ms as now_expression
from outbox.errors import StaleFence

_NAMES = tuple(field.name for field in fields(Job))
_FIELDS = frozenset(_NAMES)
_VALUES = attrgetter(*_NAMES)
_COLUMNS = tuple(table.c[name] for name in _NAMES)
_FOREVER_MS = 2**62  # no deadline: after every deadline, on every engine

ORDER = (table.c.priority, func.coalesce(table.c.deadline_ms, literal(_FOREVER_MS)), table.c.next_due_ms)
"""Claim order: the lowest priority number, the nearest deadline, the longest due."""

_HEADER = select(gate.UNTIL.label("until_ms"), pause.FLAG.label("paused"), now_expression().label("now_ms"))
_NEXT_DUE = select(func.min(table.c.next_due_ms))
_INSERT_AUDIT = into(audit).values(process_revision=REVISION_NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What one claim found: leased jobs, and what every step must know before it acts."""

    jobs: tuple[Job, ...]
    gate_until_ms: int | None
    paused: bool
    now_ms: int


def insert(conn: Connection, job: Job) -> None:
    """Write a new row."""
    conn.execute(into(table), plain({name: getattr(job, name) for name in _NAMES}))


def get(conn: Connection, job_id: str) -> Job:
    """The job; NotFound."""
    row = conn.execute(select(*_COLUMNS).where(table.c.id == job_id)).mappings().first()
    if row is None:
        raise NotFound(f"no job {job_id}")
    return _job(row)


def find(conn: Connection, prefix: str) -> Job:
    """The job whose id begins with `prefix` (upper or lower case); NotFound when none or several do."""
    wanted = prefix.strip().lower()
    if not re.fullmatch(r"[0-9a-f-]{4,36}", wanted):
        raise NotFound(f"{prefix!r} is not the beginning of a job's id", hint="dateline jobs lists them")
    found = _jobs(conn, table.c.id.startswith(wanted, autoescape=True), limit=2)
    if len(found) != 1:
        how = "several jobs begin" if found else "no job begins"
        raise NotFound(f"{how} with {prefix}", hint="dateline jobs lists them")
    return found[0]


def of_process(conn: Connection, process_id: str) -> list[Job]:
    """Every job of a process, oldest first."""
    return _jobs(conn, table.c.process_id == process_id)


def current(conn: Connection, process_id: str) -> Job | None:
    """The job that holds the process's slot; the newest one when none does."""
    found = of_process(conn, process_id)
    return next((job for job in found if job.slot is not None), found[-1] if found else None)


def predecessor(conn: Connection, job_id: str) -> Job | None:
    """The job that this one replaced."""
    return next(iter(_jobs(conn, table.c.superseded_by == job_id)), None)


def any_leased_to(conn: Connection, name: str) -> bool:
    """Whether a lease owner whose name begins with `name` holds a job."""
    held = select(table.c.id).where(table.c.lease_owner.startswith(name, autoescape=True)).limit(1)
    return conn.execute(held).first() is not None


def listing(conn: Connection, state: JobState | None = None, *, limit: int = 1_000) -> list[Job]:
    """Jobs, newest first, in one state or in any."""
    query = select(*_COLUMNS).order_by(table.c.created_ms.desc(), table.c.id).limit(limit)
    if state is not None:
        query = query.where(table.c.state == str(state))
    return [_job(row) for row in conn.execute(query).mappings()]


def counts(conn: Connection) -> dict[JobState, int]:
    """How many jobs stand in each state; states without any are left out."""
    rows = conn.execute(select(table.c.state, func.count()).group_by(table.c.state)).all()
    return {JobState(state): count for state, count in rows}


def by_response_id(conn: Connection, response_id: str) -> Job | None:
    """The job that owns this response."""
    return next(iter(_jobs(conn, table.c.response_id == response_id)), None)


def by_client_request_id(conn: Connection, client_request_id: str) -> Job | None:
    """The job that sent, or will send, this client request id."""
    return next(iter(_jobs(conn, table.c.client_request_id == client_request_id)), None)


def next_due_ms(conn: Connection) -> int | None:
    """When the next job is due or its lease ends; None when no job ever is. For sleeping, not for deciding."""
    due_ms: int | None = conn.execute(_NEXT_DUE).scalar()
    return due_ms


def claim(
    conn: Connection, *, owner: str, lease_ms: int, limit: int, longest_lease_ms: int | None = None
) -> Claimed:
    """Lease up to `limit` due jobs; none while the loop is paused.

    A job in CREATE_IN_FLIGHT comes back when its lease has ended: its worker is gone.
    """
    header = conn.execute(_HEADER).one()
    paused = bool(header.paused)
    rows = (
        []
        if paused
        else lease.claim(
            conn,
            table,
            owner=owner,
            lease_ms=lease_ms,
            limit=limit,
            order_by=ORDER,
            longest_lease_ms=longest_lease_ms,
        )
    )
    return Claimed(jobs=tuple(map(_job, rows)), gate_until_ms=header.until_ms, paused=paused, now_ms=header.now_ms)


def apply(
    conn: Connection,
    job: Job,
    decision: Decision,
    *,
    now_ms: int,
    actor_type: ActorType,
    actor: str,
    extra: Mapping[str, object] = MappingProxyType({}),
) -> Job:
    """Write what the machine decided: the job, its payload, the gate and the audit lines; answers the new job.

    The lease is given back, except on dispatch, which keeps it to its end. `extra` holds further columns of
    the job. StaleFence: somebody else changed the job since it was read; drop your result (I3).
    """
    changes = _changes(conn, job, decision, extra)
    if not lease.fenced_update(conn, table, job.id, job.version, plain(changes)):
        raise StaleFence(f"job {job.id} is no longer at version {job.version}")
    changed = _changed(job, changes)
    conn.execute(_INSERT_AUDIT, _audit_lines(job, changed, decision, (now_ms, actor_type, actor)))
    if decision.gate_until_ms is not None:
        gate.close(conn, decision.gate_until_ms)
    return changed


def release_lease(conn: Connection, job: Job, *, due_ms: int | None = None) -> Job:
    """Give a claimed job back unchanged, due at `due_ms` (by default at once); StaleFence."""
    back_ms = due_ms if due_ms is not None else int(conn.execute(select(now_expression())).scalar_one())
    changes: dict[str, Any] = {"lease_owner": None, "next_due_ms": back_ms}
    if not lease.fenced_update(conn, table, job.id, job.version, changes):
        raise StaleFence(f"job {job.id} is no longer at version {job.version}")
    return _changed(job, changes)


def amend(conn: Connection, job: Job, changes: Mapping[str, object]) -> Job:
    """Write columns that are no transition (an acknowledgement, a due time); StaleFence.

    The caller writes the audit line. A leased job is never amended: its worker's fence would be lost.
    """
    if not lease.fenced_update(conn, table, job.id, job.version, plain(changes)):
        raise StaleFence(f"job {job.id} is no longer at version {job.version}")
    return _changed(job, changes)


def _changes(conn: Connection, job: Job, decision: Decision, extra: Mapping[str, object]) -> dict[str, Any]:
    changes: dict[str, Any] = {**dict(decision.changes), **extra, "state": decision.next_state}
    dispatched = decision.next_state is JobState.CREATE_IN_FLIGHT and decision.next_due_ms is None
    changes["lease_owner"] = job.lease_owner if dispatched else None
    changes["next_due_ms"] = job.next_due_ms if dispatched else decision.next_due_ms
    if decision.payload is not None:
        changes["payload_digest"] = documents.put(conn, DocumentKind.PAYLOAD, decision.payload)
    return changes


def _changed(job: Job, changes: Mapping[str, Any]) -> Job:
    """`dataclasses.replace` at half the price; columns that are no field of Job stay in the row."""
    known = {name: value for name, value in changes.items() if name in _FIELDS}
    return Job(**{**dict(zip(_NAMES, _VALUES(job), strict=True)), **known, "version": job.version + 1})


def _audit_lines(
    before: Job, after: Job, decision: Decision, by: tuple[int, ActorType, str]
) -> list[dict[str, object]]:
    """One line for each state on the way, the last one for the state that was reached."""
    occurred_ms, actor_type, actor = by
    line: dict[str, object] = {
        "occurred_ms": occurred_ms,
        "event_type": decision.event,
        "process_id": after.process_id,
        "of_process": after.process_id,
        "job_id": after.id,
        "generation": after.generation,
        "fence": after.version,
        "stage_code": after.stage.value,
        "fingerprint_prefix": after.fingerprint[:12] if after.fingerprint else None,
        "actor_type": actor_type.value,
        "actor": actor,
        "diagnostic_code": decision.code or None,
    }
    path = (before.state, *decision.through, after.state)
    return [{**line, "from_state": came.value, "to_state": went.value} for came, went in pairwise(path)]


def _jobs(conn: Connection, condition: Any, *, limit: int = 10_000) -> list[Job]:
    query = select(*_COLUMNS).where(condition).order_by(table.c.created_ms, table.c.id).limit(limit)
    return [_job(row) for row in conn.execute(query).mappings()]


def _job(row: Mapping[Any, Any]) -> Job:
    values = {name: row[name] for name in _NAMES}
    values["state"] = JobState(values["state"])
    values["stage"] = JobStage(values["stage"])
    for name, kind in (("quarantine_reason", Reason), ("resume_state", JobState)):
        if values[name] is not None:
            values[name] = kind(values[name])
    return Job(**values)
