"""Accepted evidence: candidates, claims and sources under ids given here, and patches. Nothing is edited.

`content` is JSON text of the accepted record (contracts.package shapes or the supplement's patch). A claim or
source that came with a patch names it; the others came with their candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, select
from sqlalchemy import insert as into

from orchestrator.store import schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An accepted event. `identity` is what makes two candidates of one process the same story."""

    process_id: str
    id: str
    position: int
    identity: str
    job_id: str
    process_revision: int
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """What a supplement added to an accepted candidate."""

    process_id: str
    id: str
    candidate_id: str
    job_id: str
    process_revision: int
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One proposition of a candidate."""

    process_id: str
    id: str
    candidate_id: str
    position: int
    content: str
    patch_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One retrieved page, and the stored provider answer that returned it."""

    process_id: str
    id: str
    candidate_id: str
    position: int
    payload_digest: str
    content: str
    patch_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that was accepted for a process, each kind in its order."""

    candidates: tuple[Candidate, ...] = ()
    patches: tuple[Patch, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()


R = TypeVar("R", Candidate, Patch, Claim, Source)


def insert(conn: Connection, evidence: Evidence) -> None:
    """Add what was accepted; ids that are taken are refused."""
    _add(conn, schema.candidate, evidence.candidates)
    _add(conn, schema.evidence_patch, evidence.patches)
    _add(conn, schema.claim, evidence.claims)
    _add(conn, schema.source, evidence.sources)


def of_process(conn: Connection, process_id: str) -> Evidence:
    """Everything that was accepted for the process."""
    return Evidence(
        candidates=_read(conn, schema.candidate, Candidate, process_id, "position"),
        patches=_read(conn, schema.evidence_patch, Patch, process_id, "process_revision"),
        claims=_read(conn, schema.claim, Claim, process_id, "position"),
        sources=_read(conn, schema.source, Source, process_id, "position"),
    )


def counts(conn: Connection, process_id: str) -> tuple[int, int]:
    """How many candidates were accepted and how many sources they rest on."""
    candidates, sources = (
        int(conn.execute(select(func.count()).where(table.c.process_id == process_id)).scalar_one())
        for table in (schema.candidate, schema.source)
    )
    return candidates, sources


def _add(conn: Connection, table: Table, records: Iterable[Candidate | Patch | Claim | Source]) -> None:
    rows = [asdict(record) for record in records]
    if rows:
        conn.execute(into(table), rows)


def _read(conn: Connection, table: Table, kind: type[R], process_id: str, order: str) -> tuple[R, ...]:
    columns: Sequence[Any] = [table.c[field.name] for field in fields(kind)]
    query = select(*columns).where(table.c.process_id == process_id).order_by(table.c[order], table.c.id)
    return tuple(kind(**row) for row in conn.execute(query).mappings())
