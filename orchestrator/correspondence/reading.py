"""Reads the inbox: late evidence of workers that lost their lease, and what signed webhooks say.

A message is only a hint at a response id. An id that no job has is fetched once, and its metadata are compared with
what the jobs of unknown outcome have sent; only a full match links it, under the ordinary fence (durable
orchestration §9; completed tables §1).

Rules:
* late, repeated and out-of-order messages change nothing; a leased job is never bumped, its message is read again;
* an id that nobody waits for yet may belong to a create that is still on its way: it waits for the ambiguity
  window, and for the ambiguity age while any create is in flight or unknown;
* events of other systems are put aside: nothing here acts on them;
* nothing is read while the loop is paused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.core.limits import MachinePolicy, acceptance_unknown
from orchestrator.core.machine import is_harmless
from orchestrator.core.observations import Linked, Observation, Polled, ProviderStatus, WebhookSeen
from orchestrator.core.records import Job
from orchestrator.core.states import JobState
from orchestrator.correspondence.orphans import Orphanage, Remote, is_orphaned
from orchestrator.editorial import Editorial
from orchestrator.errors import DatelineError
from orchestrator.recording import Recorder
from orchestrator.store import attempts, jobs, pause
from orchestrator.store.codes import ActorType
from outbox import inbox
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import OutboxError
from outbox.message import InboxMessage, InboxStatus

BATCH = 500
WINDOW_MS = MachinePolicy().ambiguity_window_ms
LONGEST_MS = MachinePolicy().ambiguity_max_age_ms

WEBHOOKS = "openai"
"""Inbox source of what the provider signed."""

FOREIGN = "events:"
"""How the inbox source of another system's events begins."""

_ID = re.compile(r"[!-.0-~]{1,512}")  # as `provider.answers`, which the web part may not import (I12)

WEBHOOK_STATUSES = {
    "response.completed": ProviderStatus.COMPLETED,
    "response.incomplete": ProviderStatus.INCOMPLETE,
    "response.failed": ProviderStatus.FAILED,
    "response.cancelled": ProviderStatus.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expecting:
    """Jobs that may own a response nobody can name: unknown creates, creates in flight, and given up ones."""

    unknown: tuple[Job, ...]
    in_flight: tuple[Job, ...]
    given_up: tuple[Job, ...]

    @property
    def anybody(self) -> bool:
        """Whether a response that no job has may still be somebody's."""
        return bool(self.unknown or self.in_flight)


class Correspondence:
    """Processes pending inbox messages about responses."""

    def __init__(
        self,
        db: Database,
        provider: Remote,
        editorial: Editorial,
        *,
        name: str,
        chance: Callable[[], float] = entropy.chance,
    ) -> None:
        self._db = db
        self._provider = provider
        self._recorder = Recorder(editorial, actor=name, actor_type=ActorType.PROVIDER, chance=chance)
        self._orphans = Orphanage(db, provider, editorial, name=name)

    def step(self) -> int:
        """Process what is pending; answers how many messages were settled. Nothing while the loop is paused."""
        with self._db.read() as conn:
            messages = [] if pause.read(conn) else inbox.pending(conn, BATCH)
        return sum(self._processed(message) for message in messages)

    def look(self, response_id: str) -> Observation:
        """What the provider says of a response, for an operator's order."""
        return self._provider.retrieve(response_id)

    def _processed(self, message: InboxMessage) -> bool:
        """One message; what it runs into keeps it pending and never stops the others."""
        try:
            return self._process(message)
        except (DatelineError, OutboxError):
            return False

    def _process(self, message: InboxMessage) -> bool:
        if message.source.startswith(FOREIGN):
            return self._settle(message, InboxStatus.IGNORED, "nothing here acts on this event")
        response_id = _response_id(message)
        if response_id is None:
            return self._settle(message, InboxStatus.IGNORED, "names no response")
        with self._db.read() as conn:
            known = jobs.by_response_id(conn, response_id)
            expecting = _expecting(conn)
        if known is None:
            return self._find(message, response_id, expecting)
        if is_orphaned(known):
            return self._orphans.clear_away(message, known)
        return self._tell(message, known)

    def _tell(self, message: InboxMessage, job: Job) -> bool:
        """A job has this response: what the message says of it is an observation like any other."""
        status = WEBHOOK_STATUSES.get(message.kind)
        if status is None:
            return self._settle(message, InboxStatus.DUPLICATE, f"job {job.id} has it")
        if is_harmless(job, WebhookSeen(status=status)):
            return self._settle(message, InboxStatus.IGNORED, f"job {job.id} is {job.state}")
        if job.lease_owner is not None:
            return False
        return self._record(message, job, WebhookSeen(status=status))

    def _find(self, message: InboxMessage, response_id: str, expecting: Expecting) -> bool:
        """No job has this response: does one of the unknown creates, or one that was given up?"""
        asks = expecting.unknown or expecting.given_up
        seen = self._provider.retrieve(response_id) if asks else None
        if isinstance(seen, Polled):
            with self._db.read() as conn:
                owner = _owner(conn, seen, (*expecting.unknown, *expecting.in_flight, *expecting.given_up))
            if owner is not None and owner.abandoned:
                return self._orphans.keep(message, owner, response_id=response_id, seen=seen)
            if owner is not None and owner.state is JobState.QUARANTINED:
                return self._record(message, owner, Linked(response_id=response_id))
            if owner is None:
                return self._settle(message, InboxStatus.IGNORED, "the response is of nobody here")
            return False  # its create is still on its way: that worker, or the end of its lease, comes first
        return self._wait(message, LONGEST_MS if expecting.anybody else WINDOW_MS)

    def _wait(self, message: InboxMessage, longest_ms: int) -> bool:
        with self._db.read() as conn:
            over = read_now_ms(conn) > message.received_ms + longest_ms
        return over and self._settle(message, InboxStatus.IGNORED, "nobody waits for this response")

    def _record(self, message: InboxMessage, job: Job, seen: Observation) -> bool:
        with self._db.write() as conn:
            changed = self._recorder.record(conn, job, seen)
            inbox.mark(conn, message.id, InboxStatus.APPLIED, f"job {job.id} is {changed.state}")
        return True

    def _settle(self, message: InboxMessage, status: InboxStatus, note: str) -> bool:
        with self._db.write() as conn:
            return inbox.mark(conn, message.id, status, note)


def answers(conn: Connection, job: Job, seen: Polled) -> bool:
    """Whether a response carries exactly the metadata that the job's newest attempt has sent."""
    sent = attempts.of_job(conn, job.id)
    return bool(sent) and dict(seen.metadata) == json.loads(sent[-1].metadata_json)


def _owner(conn: Connection, seen: Polled, candidates: Sequence[Job]) -> Job | None:
    return next((job for job in candidates if answers(conn, job, seen)), None)


def _expecting(conn: Connection) -> Expecting:
    quarantined = jobs.listing(conn, JobState.QUARANTINED)
    return Expecting(
        unknown=tuple(job for job in quarantined if acceptance_unknown(job)),
        in_flight=tuple(jobs.listing(conn, JobState.CREATE_IN_FLIGHT)),
        given_up=tuple(job for job in quarantined if job.abandoned and job.response_id is None),
    )


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
    return named if isinstance(named, str) and is_response_id(named) else None


def is_response_id(text: str) -> bool:
    """Whether this can be asked for: printable ASCII without a slash, no longer than the store holds."""
    return _ID.fullmatch(text) is not None and text not in (".", "..")
