"""The answer of a job that was given up while nobody knew whether it exists: paid for, so it is not forgotten.

Rules: the payload is stored, the attempt and the money are settled, before the remote copy is deleted; the job
stays given up and can never commit; a deletion that is not answered keeps the message pending, and is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Connection

from orchestrator.core.looks import ENDED
from orchestrator.core.observations import Observation, Polled, RemoteDeleted
from orchestrator.core.records import Job
from orchestrator.core.states import JobState
from orchestrator.editorial import Editorial
from orchestrator.store import attempts, costs, documents, events, jobs
from orchestrator.store.codes import ActorType, AttemptOutcome, DocumentKind
from outbox import inbox
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.message import InboxMessage, InboxStatus


class Remote(Protocol):
    """What correspondence needs of the provider. Nothing here ever creates."""

    def retrieve(self, response_id: str, *, include: Sequence[str] = ()) -> Observation: ...
    def cancel(self, response_id: str) -> Observation: ...
    def delete(self, response_id: str) -> Observation: ...


def is_orphaned(job: Job) -> bool:
    """Whether the job was given up without an id, and its answer has been kept since but not deleted yet."""
    stuck = job.state is JobState.QUARANTINED and job.abandoned
    return stuck and job.payload_digest is not None and job.deleted_ms is None


class Orphanage:
    """Keeps what arrives too late, in the name of one process of the loop."""

    def __init__(self, db: Database, provider: Remote, editorial: Editorial, *, name: str) -> None:
        self._db = db
        self._provider = provider
        self._editorial = editorial
        self._name = name

    def keep(self, message: InboxMessage, job: Job, *, response_id: str, seen: Polled) -> bool:
        """Store the answer, then delete it remotely. False: it is not complete, or not deleted yet."""
        found: Observation = seen if seen.status in ENDED else self._provider.cancel(response_id)
        if not isinstance(found, Polled) or found.status not in ENDED:
            return False
        with self._db.write() as conn:
            kept = self._store(conn, job, response_id, found)
        return self.clear_away(message, kept)

    def clear_away(self, message: InboxMessage, job: Job) -> bool:
        """Delete the remote copy of an answer that is kept. False: not answered, to be repeated."""
        if not isinstance(self._provider.delete(job.response_id or ""), RemoteDeleted):
            return False
        with self._db.write() as conn:
            now_ms = read_now_ms(conn)
            gone = jobs.amend(conn, job, {"deleted_ms": now_ms})
            self._note(conn, gone, "ORPHAN_DELETED")
            return inbox.mark(conn, message.id, InboxStatus.APPLIED, f"job {job.id} was given up; kept, deleted")

    def _store(self, conn: Connection, job: Job, response_id: str, seen: Polled) -> Job:
        now_ms = read_now_ms(conn)
        digest = documents.put(conn, DocumentKind.PAYLOAD, seen.body)
        changes = {"response_id": response_id, "payload_digest": digest, "delete_requested_ms": now_ms}
        kept = jobs.amend(conn, job, changes)
        attempts.settle(conn, job.id, AttemptOutcome.CREATED, now_ms=now_ms, response_id=response_id)
        if seen.usage is not None:
            costs.settle(conn, job.id, spent_micro=self._editorial.prices.cost_micro(seen.usage))
        self._note(conn, kept, "ORPHAN_STORED")
        return kept

    def _note(self, conn: Connection, job: Job, event_type: str) -> None:
        line = events.Entry(
            occurred_ms=read_now_ms(conn),
            event_type=event_type,
            actor_type=ActorType.PROVIDER,
            actor=self._name,
            process_id=job.process_id,
            job_id=job.id,
            generation=job.generation,
            fence=job.version,
            stage_code=job.stage.value,
            from_state=job.state,
            to_state=job.state,
        )
        events.append(conn, line)
