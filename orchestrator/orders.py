"""Operator orders on jobs whose creation is unknown: written down first, carried out once, each with a reason.

An order is a command row with an idempotency key; giving it twice does it once. Eligibility is judged by the
machine under the ordinary fence; what the state does not allow is recorded as REFUSED and told to the operator.
Source: completed tables §9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.limits import settled_ms
from orchestrator.core.observations import ConfirmedNotCreated
from orchestrator.core.records import Job
from orchestrator.correspondence import Correspondence
from orchestrator.editorial import Editorial
from orchestrator.errors import DatelineError
from orchestrator.recording import Recorder
from orchestrator.store import commands, jobs
from orchestrator.store.codes import ActorType, CommandStatus
from outbox.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who orders it and why. `key` makes a repetition of the same order the same order."""

    actor: str
    reason_code: str
    reason_text: str = ""
    key: str


class Orders:
    """Carries out orders at once. `lease_ms` and `timeout_ms` say when a silent create may be given up on."""

    def __init__(
        self,
        db: Database,
        correspondence: Correspondence,
        editorial: Editorial,
        *,
        lease_ms: int,
        timeout_ms: int,
    ) -> None:
        self._db = db
        self._correspondence = correspondence
        self._editorial = editorial
        self._lease_ms = lease_ms
        self._timeout_ms = timeout_ms

    def link_response(self, job: Job, response_id: str, by: Signature) -> Job:
        """The provider's log shows this response for the job: fetch it, compare, link.

        Errors: `RefusedByState` when the job does not wait for an id.
        """
        recorder = self._recorder(by)
        return self._carry_out(
            "link-response", job, by, lambda: self._correspondence.correlate(job, response_id, recorder)
        )

    def confirm_not_created(self, job: Job, by: Signature) -> Job:
        """The provider's log shows none: the job may be sent again.

        Errors: `RefusedByState` until lease, timeout and ten minutes have passed since the create began.
        """
        return self._carry_out("confirm-not-created", job, by, lambda: self._confirm(job, by))

    def _confirm(self, job: Job, by: Signature) -> Job:
        with self._db.write() as conn:
            current = jobs.get(conn, job.id)
            started_ms = current.create_started_ms or current.quarantined_ms or 0
            believed_ms = settled_ms(started_ms, lease_ms=self._lease_ms, timeout_ms=self._timeout_ms)
            return self._recorder(by).record(conn, current, ConfirmedNotCreated(settled_ms=believed_ms))

    def _carry_out(self, verb: str, job: Job, by: Signature, act: Callable[[], Job]) -> Job:
        wanted = commands.Order(
            verb=verb,
            target=job.id,
            actor=by.actor,
            reason_code=by.reason_code,
            reason_text=by.reason_text,
            idempotency_key=f"{verb}:{job.id}:{by.key}",
        )
        with self._db.write() as conn:
            command = commands.order(conn, wanted)
        if command.status is CommandStatus.DONE:
            with self._db.read() as conn:
                return jobs.get(conn, job.id)
        try:
            changed = act()
        except DatelineError as error:
            self._finish(command.id, CommandStatus.REFUSED, str(error))
            raise
        self._finish(command.id, CommandStatus.DONE, changed.state.value)
        return changed

    def _finish(self, command_id: int, status: CommandStatus, outcome: str) -> None:
        with self._db.write() as conn:
            commands.finish(conn, command_id, status, outcome)

    def _recorder(self, by: Signature) -> Recorder:
        return Recorder(self._editorial, actor=by.actor, actor_type=ActorType.OPERATOR)
