"""Create attempts: the row that is committed before a create is sent, and what became of it.

At most one attempt per (fingerprint, generation) is not proven uncreated (I5): `live_key` is unique.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, func, insert, literal, or_, select, update

from orchestrator.core.observations import Call
from orchestrator.core.records import Job
from orchestrator.errors import InvariantBroken
from orchestrator.store.codes import AttemptOutcome
from orchestrator.store.events import REVISION_NOW
from orchestrator.store.work_tables import create_attempt as table


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One create call. `outcome` None: it is on its way, or its worker died."""

    id: int
    job_id: str
    process_id: str
    process_revision: int
    stage: str
    fingerprint: str
    generation: int
    attempt: int
    contract_version: str
    request_digest: str
    client_request_id: str
    fence: int
    lease_owner: str | None
    started_ms: int
    reserved_micro: int
    metadata_json: str
    outcome: AttemptOutcome | None
    phase: str | None
    http_status: int | None
    elapsed_ms: int | None
    error_class: str | None
    x_request_id: str | None
    response_id: str | None
    settled_ms: int | None


_COLUMNS = tuple(table.c[field.name] for field in fields(Attempt))
_COUNTED = select(func.count()).select_from(table)


def open(  # noqa: A001  # an attempt is opened and settled
    conn: Connection,
    job: Job,
    *,
    now_ms: int,
    reserved_micro: int,
    metadata: Mapping[str, str],
    contract_version: str,
) -> int:
    """Record what is about to be sent for a claimed job; answers the attempt's number, from 1.

    ConstraintRefused (at the end of the transaction) when an earlier attempt of this fingerprint and
    generation may have been accepted. `job.version` is the fence under which it is sent.
    """
    if job.fingerprint is None or job.request_digest is None or job.client_request_id is None:
        raise InvariantBroken(f"job {job.id} has no frozen request to send")
    attempt = int(conn.execute(_COUNTED.where(table.c.job_id == job.id)).scalar_one()) + 1
    row = {
        "job_id": job.id,
        "process_id": job.process_id,
        "of_process": job.process_id,
        "stage": job.stage.value,
        "fingerprint": job.fingerprint,
        "generation": job.generation,
        "attempt": attempt,
        "live_key": live_key(job.fingerprint, job.generation),
        "contract_version": contract_version,
        "request_digest": job.request_digest,
        "client_request_id": job.client_request_id,
        "fence": job.version,
        "lease_owner": job.lease_owner,
        "started_ms": now_ms,
        "reserved_micro": reserved_micro,
        "metadata_json": json.dumps(dict(metadata), sort_keys=True),
    }
    conn.execute(insert(table).values(process_revision=REVISION_NOW), row)
    return attempt


def settle(
    conn: Connection,
    job_id: str,
    outcome: AttemptOutcome,
    *,
    now_ms: int,
    call: Call | None = None,
    response_id: str | None = None,
) -> bool:
    """Say what became of the job's newest attempt; an UNKNOWN one may be settled again when proof arrives.

    False: there is no attempt that is open or unknown.
    """
    newest = select(func.max(table.c.id)).where(table.c.job_id == job_id)
    attempt_id = conn.execute(newest).scalar()
    unsettled = or_(table.c.outcome.is_(None), table.c.outcome == str(AttemptOutcome.UNKNOWN))
    changes = {"outcome": str(outcome), "settled_ms": now_ms, **_facts(call)}
    if response_id is not None:
        changes["response_id"] = response_id
    if outcome is AttemptOutcome.NOT_CREATED:
        changes["live_key"] = None
    chosen = update(table).where(table.c.id == literal(attempt_id), unsettled)
    return conn.execute(chosen.values(**changes)).rowcount == 1


def of_job(conn: Connection, job_id: str) -> list[Attempt]:
    """The job's attempts, oldest first."""
    rows = conn.execute(select(*_COLUMNS).where(table.c.job_id == job_id).order_by(table.c.id)).mappings()
    return [_attempt(row) for row in rows]


def accepted_counts(conn: Connection) -> tuple[int, int]:
    """How many creates were accepted in all, and how many more than one per fingerprint and generation."""
    accepted = table.c.outcome == str(AttemptOutcome.CREATED)
    total = int(conn.execute(_COUNTED.where(accepted)).scalar_one())
    keys = select(table.c.live_key).where(accepted).distinct().subquery()
    distinct = int(conn.execute(select(func.count()).select_from(keys)).scalar_one())
    return total, total - distinct


def live_key(fingerprint: str, generation: int) -> str:
    """What an attempt holds until it is proven not created."""
    return f"{fingerprint}:{generation}"


def _facts(call: Call | None) -> dict[str, Any]:
    if call is None:
        return {}
    return {
        "phase": call.phase.value,
        "http_status": call.http_status,
        "elapsed_ms": call.elapsed_ms,
        "error_class": call.error_class,
        "x_request_id": call.x_request_id,
    }


def _attempt(row: Mapping[Any, Any]) -> Attempt:
    outcome = row["outcome"]
    return Attempt(**{**row, "outcome": AttemptOutcome(outcome) if outcome else None})
