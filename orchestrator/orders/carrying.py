"""The one place where orders are carried out: at once, by the loop, or by a worker that has claimed their job.

Rules:
* act, audit line and the end of the command are one transaction; a crash leaves the order open, to be met again;
* what the state does not allow is recorded as REFUSED, and told to whoever waits for it;
* what cannot be done now (the job is leased, the provider is silent) stays open and is tried again;
* a leased job is never bumped: its order is carried out when the lease is given back, or by `at_claim`, under the
  claim itself, so that a busy job cannot slip past it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as changed
from types import MappingProxyType

from sqlalchemy import Connection

from orchestrator.core.observations import Observation
from orchestrator.core.records import Job
from orchestrator.core.states import JobState
from orchestrator.correspondence import Correspondence
from orchestrator.editorial import Editorial
from orchestrator.errors import DatelineError, NotFound, RefusedByState, Unavailable
from orchestrator.orders import on_jobs, on_publications, on_the_loop
from orchestrator.orders.placing import Signature, order_of, place
from orchestrator.orders.scene import Act, NotYet, Planner, Scene, rows
from orchestrator.recording import Recorder
from orchestrator.store import commands, events, jobs
from orchestrator.store.codes import ActorType, CommandStatus
from orchestrator.store.commands import Command
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import NoSuchEffect, OutboxError, StaleFence

ACTS: Mapping[str, Act] = MappingProxyType(
    {
        "pause": on_the_loop.pause_loop,
        "unpause": on_the_loop.unpause_loop,
        "backfill": on_the_loop.backfill,
        "ack": on_the_loop.ack,
        "waive": on_the_loop.waive,
        "reconcile": on_jobs.reconcile,
        "link-response": on_jobs.link_response,
        "supply-payload": on_jobs.supply_payload,
        "confirm-not-created": on_jobs.confirm_not_created,
        "suspend": on_jobs.suspend,
        "resume": on_jobs.resume,
        "cancel": on_jobs.cancel,
        "release": on_publications.release,
        "discard-remote": on_publications.discard_remote,
        "abandon": on_publications.abandon,
        "replace": on_publications.replace,
        "approve": on_publications.approve,
        "hold": on_publications.hold,
    }
)
"""What each verb does."""

LOOKS = frozenset({"link-response", "reconcile"})
"""Verbs that ask the provider first, outside any transaction."""

AT_CLAIM = frozenset({"suspend", "cancel", "discard-remote", "release", "hold"})
"""Verbs that a worker carries out instead of its step, when it has claimed their job."""

TRIES = 3
"""How often an order taken at once meets a row that moved, before it is left open."""


class Orders:
    """Carries out orders. `lease_ms` and `timeout_ms` say when a silent create may be given up on.

    Without `correspondence` the verbs in `LOOKS` stay open; without `plan` nothing is backfilled.
    """

    def __init__(
        self,
        db: Database,
        correspondence: Correspondence | None,
        editorial: Editorial,
        *,
        lease_ms: int,
        timeout_ms: int,
        plan: Planner | None = None,
        acts: Mapping[str, Act] = ACTS,
    ) -> None:
        self._db = db
        self._correspondence = correspondence
        self._editorial = editorial
        self._lease_ms = lease_ms
        self._timeout_ms = timeout_ms
        self._plan = plan
        self._acts = acts

    def carry_out(self, command: Command) -> Command:
        """Carry an order out at once; answers it with its outcome. One that is over is answered as it is.

        Errors: `RefusedByState` and other refusals, recorded before they are raised; `Unavailable` when it cannot
        be done now: the order stays open.
        """
        for _ in range(TRIES):
            if command.status is not CommandStatus.OPEN:
                return as_it_ended(command)
            try:
                return self._attempt(command)
            except StaleFence:
                with self._db.read() as conn:
                    command = commands.get(conn, command.id)
        raise NotYet(f"{command.target or 'the loop'} changes too fast", hint="The order is kept and tried again.")

    def step(self) -> int:
        """Carry out what is open, for the loop; answers how many orders came to their end."""
        with self._db.read() as conn:
            waiting = commands.open_orders(conn)
        return sum(self._settles(command) for command in waiting if command.verb in self._acts)

    def at_claim(self, job: Job, waiting: Sequence[Command]) -> bool:
        """Carry out one of the open orders, on a job that the caller has just claimed, instead of its step.

        True: the claim is used up by it. False: none concerns the job, or none changed it; step it.
        """
        if job.state is JobState.CREATE_IN_FLIGHT:
            return False
        mine = [c for c in waiting if c.target in (job.id, job.process_id) and c.verb in AT_CLAIM]
        if not mine or not self._settles(mine[0], claimed=job):
            return False
        with self._db.read() as conn:
            return jobs.get(conn, job.id).version != job.version

    # for those who hold a signature and want the row

    def link_response(self, job: Job, response_id: str, by: Signature) -> Job:
        """The provider's log shows this response for the job: fetch it, compare, link.

        Errors: `RefusedByState` when the job does not wait for an id.
        """
        return self._give("link-response", job, by, {"response_id": response_id})

    def confirm_not_created(self, job: Job, by: Signature) -> Job:
        """The provider's log shows none: the job may be sent again.

        Errors: `RefusedByState` until lease, timeout and ten minutes have passed since the create began.
        """
        return self._give("confirm-not-created", job, by, {})

    def _give(self, verb: str, job: Job, by: Signature, arguments: Mapping[str, object]) -> Job:
        with self._db.write() as conn:
            command = place(conn, order_of(verb, job.id, by, arguments=arguments))
        self.carry_out(command)
        with self._db.read() as conn:
            return jobs.get(conn, job.id)

    # one try

    def _settles(self, command: Command, *, claimed: Job | None = None) -> bool:
        """Whether an order came to its end, done or refused; one that must wait stays open."""
        try:
            self._attempt(command, claimed=claimed)
        except (DatelineError, OutboxError) as error:
            # a refusal leaves a claimed job to its step
            return claimed is None and not isinstance(error, StaleFence) and not error.retryable
        return True

    def _attempt(self, command: Command, *, claimed: Job | None = None) -> Command:
        seen = self._look(command)
        try:
            with self._db.write() as conn:
                scene = self._scene(conn, command, claimed=claimed, seen=seen)
                outcome = self._acts[command.verb](conn, scene)
                ended = changed(command, status=CommandStatus.DONE, outcome=outcome)
                self._end(conn, ended, scene)
        except (DatelineError, OutboxError) as error:
            if error.retryable or isinstance(error, StaleFence):
                raise
            self._refuse(command, error)
            raise _refusal(error) from error
        return ended

    def _look(self, command: Command) -> Observation | None:
        if command.verb not in LOOKS:
            return None
        if self._correspondence is None:
            raise Unavailable("nothing here can ask the provider", hint="The order is kept for the loop.")
        response_id = command.arguments.get("response_id")
        if response_id is None:
            with self._db.read() as conn:
                job, _ = rows(conn, command.target, None)
            response_id = job.response_id if job is not None else None
        return self._correspondence.look(str(response_id)) if response_id else None

    def _scene(self, conn: Connection, command: Command, *, claimed: Job | None, seen: Observation | None) -> Scene:
        job, process = rows(conn, command.target, claimed)
        return Scene(
            command=command,
            editorial=self._editorial,
            recorder=Recorder(self._editorial, actor=command.actor, actor_type=ActorType.OPERATOR),
            now_ms=read_now_ms(conn),
            lease_ms=self._lease_ms,
            timeout_ms=self._timeout_ms,
            job=job,
            process=process,
            seen=seen,
            plan=self._plan,
        )

    def _end(self, conn: Connection, ended: Command, scene: Scene | None) -> None:
        """Close the command, with the audit line of the order itself. Errors: `StaleFence`: it was over before."""
        if not commands.finish(conn, ended.id, ended.status, ended.outcome or ""):
            raise StaleFence(f"order {ended.id} was carried out by somebody else")
        job, process = (scene.job, scene.process) if scene else (None, None)
        line = events.Entry(
            occurred_ms=read_now_ms(conn),
            event_type=f"ORDER_{ended.verb.replace('-', '_').upper()}",
            actor_type=ActorType.OPERATOR,
            actor=ended.actor,
            process_id=process.id if process else None,
            process_revision=process.revision if process else None,
            job_id=job.id if job else None,
            generation=job.generation if job else None,
            stage_code=process.stage.value if process else None,
            diagnostic_code=f"{ended.status.value} {ended.reason_code}",
        )
        events.append(conn, line)

    def _refuse(self, command: Command, error: DatelineError | OutboxError) -> None:
        said = f"{error}\n{error.hint}" if error.hint else str(error)
        with self._db.write() as conn:
            self._end(conn, changed(command, status=CommandStatus.REFUSED, outcome=said), None)


def _refusal(error: DatelineError | OutboxError) -> DatelineError:
    """The ledger's refusals in this house's words: what the state does not allow, or what does not exist."""
    if isinstance(error, NoSuchEffect):
        return NotFound(str(error), hint="dateline effects lists them")
    return RefusedByState(str(error), hint=error.hint) if isinstance(error, OutboxError) else error


def as_it_ended(command: Command) -> Command:
    """Errors: `RefusedByState` with what was said then."""
    if command.status is CommandStatus.REFUSED:
        what, _, hint = (command.outcome or "it was refused").partition("\n")
        raise RefusedByState(what, hint=hint)
    return command
