"""Reads the inbox: late evidence of workers that lost their lease, and what signed webhooks say.

A message is only a hint at a response id. An id that no job has is fetched once, and its metadata are compared with
what the jobs of unknown outcome have sent; only a full match links it, under the ordinary fence (durable
orchestration §9; completed tables §1). With nobody waiting, a message waits for the ambiguity window and is then
put aside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Protocol

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.core.limits import MachinePolicy, acceptance_unknown
from orchestrator.core.machine import is_harmless
from orchestrator.core.observations import (
    CorrelationFailed,
    Linked,
    Missing,
    Observation,
    Polled,
    ProviderStatus,
    WebhookSeen,
)
from orchestrator.core.records import Job
from orchestrator.core.states import JobState
from orchestrator.editorial import Editorial
from orchestrator.recording import Recorder
from orchestrator.store import attempts, jobs
from orchestrator.store.codes import ActorType
from outbox import inbox
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import StaleFence
from outbox.message import InboxMessage, InboxStatus

BATCH = 50
WINDOW_MS = MachinePolicy().ambiguity_window_ms

WEBHOOK_STATUSES = {
    "response.completed": ProviderStatus.COMPLETED,
    "response.incomplete": ProviderStatus.INCOMPLETE,
    "response.failed": ProviderStatus.FAILED,
    "response.cancelled": ProviderStatus.CANCELLED,
}


class Looks(Protocol):
    """What this needs of the provider: a look at one response."""

    def retrieve(self, response_id: str, *, include: Sequence[str] = ()) -> Observation: ...


class Correspondence:
    """Processes pending inbox messages about responses."""

    def __init__(
        self,
        db: Database,
        provider: Looks,
        editorial: Editorial,
        *,
        name: str,
        chance: Callable[[], float] = entropy.chance,
    ) -> None:
        self._db = db
        self._provider = provider
        self._recorder = Recorder(editorial, actor=name, actor_type=ActorType.PROVIDER, chance=chance)

    def step(self) -> int:
        """Process what is pending; answers how many messages were settled."""
        with self._db.read() as conn:
            messages = inbox.pending(conn, BATCH)
        return sum(self._process(message) for message in messages)

    def correlate(self, job: Job, response_id: str, recorder: Recorder) -> Job:
        """Fetch the response an operator names, and write LINKED or CORRELATION_CONFLICT.

        Errors: `RefusedByState` when the job is not waiting for an id; `StaleFence`.
        """
        seen = self._provider.retrieve(response_id)
        with self._db.write() as conn:
            current = jobs.get(conn, job.id)
            matches = isinstance(seen, Polled) and _answers(conn, current, seen)
            return recorder.record(
                conn, current, Linked(response_id=response_id) if matches else CorrelationFailed()
            )

    def _process(self, message: InboxMessage) -> bool:
        response_id = _response_id(message)
        if response_id is None:
            return self._settle(message, InboxStatus.IGNORED, "names no response")
        with self._db.read() as conn:
            known = jobs.by_response_id(conn, response_id)
            waiting = [job for job in jobs.listing(conn, JobState.QUARANTINED) if acceptance_unknown(job)]
        if known is not None:
            return self._tell(message, known)
        return self._find(message, response_id, waiting)

    def _tell(self, message: InboxMessage, job: Job) -> bool:
        """A job has this response: what the message says of it is an observation like any other."""
        status = WEBHOOK_STATUSES.get(message.kind)
        if status is None:
            return self._settle(message, InboxStatus.DUPLICATE, f"job {job.id} has it")
        if is_harmless(job, WebhookSeen(status=status)):
            return self._settle(message, InboxStatus.IGNORED, f"job {job.id} is {job.state}")
        if job.lease_owner is not None:
            return False  # a leased job is never bumped; the message is read again
        return self._record(message, job, WebhookSeen(status=status))

    def _find(self, message: InboxMessage, response_id: str, waiting: Sequence[Job]) -> bool:
        """No job has this response: does one of the unknown creates?"""
        seen = self._provider.retrieve(response_id) if waiting else None
        if isinstance(seen, Polled):
            with self._db.read() as conn:
                owner = next((job for job in waiting if _answers(conn, job, seen)), None)
            if owner is not None:
                return self._record(message, owner, Linked(response_id=response_id))
            return self._settle(message, InboxStatus.IGNORED, "the response is of nobody here")
        with self._db.read() as conn:
            over = read_now_ms(conn) > message.received_ms + WINDOW_MS
        if over or isinstance(seen, Missing):
            return self._settle(message, InboxStatus.IGNORED, "nobody waits for this response")
        return False

    def _record(self, message: InboxMessage, job: Job, seen: Observation) -> bool:
        try:
            with self._db.write() as conn:
                changed = self._recorder.record(conn, job, seen)
                inbox.mark(conn, message.id, InboxStatus.APPLIED, f"job {job.id} is {changed.state}")
        except StaleFence:
            return False
        return True

    def _settle(self, message: InboxMessage, status: InboxStatus, note: str) -> bool:
        with self._db.write() as conn:
            return inbox.mark(conn, message.id, status, note)


def _response_id(message: InboxMessage) -> str | None:
    """The id that a webhook (`data.id`) or late evidence (`response_id`) names."""
    try:
        told = json.loads(message.payload)
    except ValueError:
        return None
    if not isinstance(told, dict):
        return None
    data = told.get("data")
    named = data.get("id") if isinstance(data, dict) else told.get("response_id")
    return named if isinstance(named, str) else None


def _answers(conn: Connection, job: Job, seen: Polled) -> bool:
    """Whether a response carries exactly the metadata that the job's newest attempt has sent."""
    sent = attempts.of_job(conn, job.id)
    return bool(sent) and dict(seen.metadata) == json.loads(sent[-1].metadata_json)
