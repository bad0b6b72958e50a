"""Steps one claimed job in a state that moves the publication too: local, no provider call, one transaction.

Rules:
* the process is written before the job, each under its own fence; a stale fence on either leaves nothing behind;
* accepted evidence never changes: research is merged as candidates and patches, deficits are computed, and only
  what is open is bought again;
* `process.revision` grows only where an accepted checkpoint changes, in the transaction that hands over the slot;
* a replaced generation can never commit: it no longer holds the slot (I11).
Source: completed tables §1, §2; Daily Brief workflow, "Supervisor state model".
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from orchestrator import entropy, publication
from orchestrator.authorisation import authorise, successor
from orchestrator.core import looks
from orchestrator.core.limits import replacement_refusal
from orchestrator.core.observations import (
    Approved,
    CleanupOrdered,
    DriftFound,
    EditionsBuilt,
    EditionsSaved,
    EvidenceMerged,
    Held,
    Observation,
    Replaced,
    ReplacementRefused,
    Salvaged,
)
from orchestrator.core.records import Job, JobStage, Process
from orchestrator.core.states import JobState
from orchestrator.editorial import Editorial
from orchestrator.errors import InvariantBroken
from orchestrator.evidence.validation import Validation
from orchestrator.examination import contract_of, examine
from orchestrator.merging import merge
from orchestrator.outcomes import Outcomes
from orchestrator.progress import Progress
from orchestrator.recording import Recorder, write_status
from orchestrator.store import jobs, processes
from orchestrator.store.codes import ActorType
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import StaleFence


class Supervisor:
    """Steps jobs in `SUPERVISOR_STATES`. One object serves any number of threads."""

    def __init__(
        self, db: Database, editorial: Editorial, *, name: str, chance: Callable[[], float] = entropy.chance
    ) -> None:
        self._db = db
        self._editorial = editorial
        self._name = name
        self._audit = Outcomes(actor=name).settled
        self._recorder = Recorder(editorial, actor=name, actor_type=ActorType.SUPERVISOR, chance=chance)

    def step(self, job: Job) -> Job | None:
        """One step. None: somebody else moved the job or its process meanwhile; nothing was written."""
        try:
            with self._db.write() as conn:
                return _STEPS[job.state](self, conn, processes.get(conn, job.process_id), job)
        except StaleFence:
            return None

    def _authorise(self, conn: Connection, process: Process, job: Job) -> Job:
        return self._record(conn, process, job, authorise(conn, self._editorial, process, job))

    def _compose_or_merge(self, conn: Connection, process: Process, job: Job) -> Job:
        _holds_slot(process, job)
        if job.stage is not JobStage.COMPOSITION:
            validation = examine(conn, self._editorial, job).validation
            return self._merge(conn, process, job, validation, EvidenceMerged(result_commit_key=_key(process, job)))
        if not job.drift_waived and self._editorial.has_drifted(contract_of(conn, job)):
            return self._record(conn, process, job, DriftFound())
        publication.built(conn, self._editorial, process, job, now_ms=read_now_ms(conn))
        return self._record(conn, process, job, EditionsBuilt())

    def _save(self, conn: Connection, process: Process, job: Job) -> Job:
        _holds_slot(process, job)
        progress = self._progress(conn, process)
        publication.save(conn, self._editorial, progress, job)
        seen = EditionsSaved(result_commit_key=_key(process, job))
        return self._record(conn, progress.process, job, seen)

    def _let_out(self, conn: Connection, process: Process, job: Job) -> Job:
        _holds_slot(process, job)
        if not self._editorial.policy(process.product).approves_itself:
            return self._record(conn, process, job, Held())
        progress = self._progress(conn, process)
        publication.publish(conn, progress, approved_by=publication.POLICY, audit=self._audit)
        return self._record(conn, progress.process, job, Approved())

    def _clean_up(self, conn: Connection, process: Process, job: Job) -> Job:
        return self._record(conn, process, job, CleanupOrdered())

    def _after_failed_validation(self, conn: Connection, process: Process, job: Job) -> Job:
        validation = examine(conn, self._editorial, job).validation
        if validation.salvageable:
            _holds_slot(process, job)
            return self._merge(conn, process, job, validation, Salvaged(result_commit_key=_key(process, job)))
        return self._replace(conn, process, job)

    def _replace(self, conn: Connection, process: Process, job: Job) -> Job:
        """Generation + 1 where the budgets allow it and the provider did not refuse what was asked.

        Money is judged when that one is authorised.
        """
        refusal = replacement_refusal(job, self._editorial.limits(process.product)) or looks.refusal(job.diagnostic)
        if refusal is not None:
            return self._record(conn, process, job, ReplacementRefused(reason=refusal))
        follows = successor(job, now_ms=read_now_ms(conn))
        jobs.insert(conn, follows)
        return self._record(conn, process, job, Replaced(successor=follows.id), shown=follows)

    # shared ------------------------------------------------------------------------------------------------------

    def _merge(
        self, conn: Connection, process: Process, job: Job, validation: Validation, seen: Observation
    ) -> Job:
        merged = merge(conn, self._editorial, self._progress(conn, process), job=job, validation=validation)
        changed = self._record(conn, merged.process, job, seen)
        write_status(conn, merged.process, merged.job, merged.deficits)
        return changed

    def _record(
        self, conn: Connection, process: Process, job: Job, seen: Observation, *, shown: Job | None = None
    ) -> Job:
        changed = self._recorder.record(conn, job, seen, process=process)
        if shown is not None:
            write_status(conn, process, shown)
        return changed

    def _progress(self, conn: Connection, process: Process) -> Progress:
        return Progress(conn, process, now_ms=read_now_ms(conn), actor=self._name, actor_type=ActorType.SUPERVISOR)


Step = Callable[[Supervisor, Connection, Process, Job], Job]

_STEPS: dict[JobState, Step] = {
    JobState.NO_JOB: Supervisor._authorise,
    JobState.READY_TO_COMPOSE: Supervisor._compose_or_merge,
    JobState.COMPOSED_NOT_SAVED: Supervisor._save,
    JobState.SAVED_NOT_PUBLIC: Supervisor._let_out,
    JobState.PUBLISHED: Supervisor._clean_up,
    JobState.VALIDATION_FAILED_RETAINED: Supervisor._after_failed_validation,
    JobState.PROVIDER_EXPIRED_OR_MISSING: Supervisor._replace,
}


def _holds_slot(process: Process, job: Job) -> None:
    """I11: only the generation that holds the process's slot may commit anything."""
    if job.slot != process.id:
        raise InvariantBroken(f"job {job.id} no longer holds the slot of process {process.id}")


def _key(process: Process, job: Job) -> str:
    """I9: what a job may commit once."""
    return f"{process.id}:{job.stage.value}:{job.id}"
