"""What one order is carried out with: the command, the rows that it names, and what was seen before.

A scene lives inside one write transaction, in which its rows were read. Everything that an act writes through it
is fenced on the versions that were read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from sqlalchemy import Connection

from orchestrator.core.observations import Observation
from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.editorial import Editorial
from orchestrator.errors import NotFound, RefusedByState, Unavailable
from orchestrator.progress import Progress
from orchestrator.recording import Recorder
from orchestrator.store import jobs, processes
from orchestrator.store.codes import ActorType
from orchestrator.store.commands import Command
from outbox.clock import read_now_ms


class NotYet(Unavailable):
    """The order is kept, and carried out when what it concerns is free."""


class Planner(Protocol):
    """Makes the obligation of one product and date in the caller's transaction; None: it was planned before."""

    def __call__(self, conn: Connection, product: str, day: date) -> Process | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One order. `job` and `process` are what its target names; `seen` is what the provider said of the job."""

    command: Command
    editorial: Editorial
    recorder: Recorder
    now_ms: int
    lease_ms: int
    timeout_ms: int
    job: Job | None = None
    process: Process | None = None
    seen: Observation | None = None
    plan: Planner | None = None

    @property
    def arguments(self) -> Mapping[str, object]:
        """What the order says besides its target."""
        return self.command.arguments

    def the_job(self) -> Job:
        """The job. Errors: `RefusedByState` when the target has none."""
        if self.job is None:
            raise RefusedByState(
                f"{self.command.target or 'the loop'} has no job for {self.command.verb}",
                hint="dateline jobs lists them",
            )
        return self.job

    def the_process(self) -> Process:
        """The process. Errors: `RefusedByState` when the target belongs to none."""
        if self.process is None:
            raise RefusedByState(f"{self.command.target} belongs to no publication")
        return self.process

    def record(self, conn: Connection, seen: Observation, **extra: object) -> Job:
        """Let the machine judge `seen` of the job, and write what it decides."""
        return self.recorder.record(conn, self.the_job(), seen, process=self.the_process(), extra=extra)

    def progress(self, conn: Connection) -> Progress:
        """The process, to be moved in this transaction in the operator's name."""
        actor = self.command.actor
        return Progress(conn, self.the_process(), now_ms=self.now_ms, actor=actor, actor_type=ActorType.OPERATOR)


Act = Callable[[Connection, Scene], str]
"""Carries an order out, and says in a sentence how things stand then."""


def free(job: Job, now_ms: int) -> Job:
    """The job, when nobody is stepping it. Errors: `NotYet`: a leased job is never bumped.

    A create in flight must become known or quarantined first, whoever held it.
    """
    held = job.lease_owner is not None and (job.next_due_ms or 0) > now_ms
    if held or job.state is JobState.CREATE_IN_FLIGHT:
        raise NotYet(
            f"job {job.id} is being stepped ({job.state})",
            hint="The order is kept and carried out when the step is done.",
        )
    return job


def rows(conn: Connection, target: str, claimed: Job | None) -> tuple[Job | None, Process | None]:
    """The job and the process that a target names; for a process, the job that speaks for it now.

    Errors: `NotFound`; `NotYet` for a leased job that is not the caller's own claim.
    """
    if not UUID.fullmatch(target):
        return None, None
    job = claimed or _job(conn, target)
    process = processes.get(conn, job.process_id if job else target)
    return (job if job is None or job is claimed else free(job, read_now_ms(conn))), process


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""How jobs and processes are named; a target of another form names no row of theirs."""

INBOX = "inbox:"
"""How a target names a message: `inbox:7`."""


def _job(conn: Connection, target: str) -> Job | None:
    try:
        return jobs.get(conn, target)
    except NotFound:
        return jobs.current(conn, target)
