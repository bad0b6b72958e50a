"""Lists: jobs with their process, processes, the audit trail. Newest first, the trail oldest first.

`limit` None means all. A list asked for `limit` rows may answer one more, which says that there is more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.store import events, jobs, processes
from orchestrator.store.events import Line
from outbox import inbox
from outbox import store as outbox_store
from outbox.message import Effect, EffectStatus, InboxMessage, InboxStatus

EVERYTHING = 2**31 - 1
CHUNK = 500  # ids in one IN list: every engine takes it

T = TypeVar("T")


def job_rows(
    conn: Connection, state: JobState | None = None, *, limit: int | None = None
) -> list[tuple[Job, Process]]:
    """Jobs in one state or in any, each with its process."""
    found = jobs.listing(conn, state, limit=_rows(limit))
    owners = processes_of(conn, {job.process_id for job in found})
    return [(job, owners[job.process_id]) for job in found]


def process_rows(conn: Connection, date: str | None = None, *, limit: int | None = None) -> list[Process]:
    """Processes of one date or of all."""
    return processes.listing(conn, date, limit=_rows(limit))


def effect_rows(conn: Connection, status: EffectStatus | None = None, *, limit: int | None = None) -> list[Effect]:
    """Outward acts in one status or in any, in the order in which they were planned."""
    return outbox_store.listing(conn, statuses=[status] if status else (), limit=_rows(limit))


def inbox_rows(
    conn: Connection, status: InboxStatus | None = None, *, limit: int | None = None
) -> list[InboxMessage]:
    """Messages from outside in the order of their arrival."""
    return inbox.listing(conn, statuses=[status] if status else (), limit=_rows(limit))


def event_rows(conn: Connection, since_ms: int | None = None, *, limit: int | None = None) -> list[Line]:
    """The audit trail from an instant on; without one its newest `limit` lines."""
    if since_ms is not None:
        return events.since_ms(conn, since_ms, limit=_rows(limit))
    after = 0 if limit is None else max(0, events.last_id(conn) - limit)
    return events.since(conn, after, limit=EVERYTHING)


def processes_of(conn: Connection, ids: Collection[str]) -> Mapping[str, Process]:
    """These processes by their id."""
    return {process_id: processes.get(conn, process_id) for process_id in ids}


def in_chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Parts of at most `CHUNK` items."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def _rows(limit: int | None) -> int:
    return EVERYTHING if limit is None else limit + 1
