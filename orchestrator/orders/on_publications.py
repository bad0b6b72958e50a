"""Orders on the publication of one product on one date: approve, hold, release, abandon, replace, discard-remote.

Rules: what a person lets out is dated by the decision; an abandoned publication ends with its actor; a publication
whose execution was dropped waits for its owner, and is bought again only by `replace`.
"""

from __future__ import annotations

from sqlalchemy import Connection

from orchestrator import publication
from orchestrator.authorisation import next_job, replaced, successor
from orchestrator.core.observations import Abandoned, Approved, DiscardOrdered, Held
from orchestrator.core.policy import Phase
from orchestrator.core.records import Job, JobStage, Overlay, Process, ProcessStage
from orchestrator.core.stages import ENDED_OVERLAYS, check_move, check_overlay
from orchestrator.core.states import JobState, Reason
from orchestrator.errors import RefusedByState
from orchestrator.orders.on_jobs import past_window, release_job, stands
from orchestrator.orders.scene import Scene
from orchestrator.outcomes import Outcomes
from orchestrator.recording import write_status
from orchestrator.store import jobs, processes
from orchestrator.store.codes import ActorType

DECLINABLE = (JobState.NO_JOB, JobState.CREATE_ELIGIBLE, JobState.QUARANTINED, JobState.SAVED_NOT_PUBLIC)
"""States in which nothing is on its way: a publication may be given up."""

OVER = (JobState.CLEANUP_PENDING, JobState.DELETED)
"""States of a job that has nothing more to say about its publication."""


def approve(conn: Connection, scene: Scene) -> str:
    """Let the saved editions out, in every language, in this transaction."""
    process = scene.the_process()
    if process.stage is ProcessStage.PUBLISHED:
        return f"{_key(process)} is published, as it was before"
    if scene.editorial.policy(process.product).phase is Phase.SHADOW:
        raise RefusedByState(
            f'{process.product} is in phase "shadow": nothing of it goes out',
            hint='set phase = "supervised" or "automatic" in its product file first',
        )
    job = _waiting(scene)
    progress, actor = scene.progress(conn), scene.command.actor
    publication.redate(conn, scene.editorial, progress, job, approved_by=actor)
    publication.publish(conn, progress, approved_by=actor, audit=Outcomes(actor=actor).settled)
    scene.recorder.record(conn, job, Approved(), process=progress.process)
    return f"{_key(process)} is published"


def hold(conn: Connection, scene: Scene) -> str:
    """Keep the saved editions back until a person lets them out."""
    job = _waiting(scene)
    if job.next_due_ms is not None:
        scene.record(conn, Held())
    return f"{_key(scene.the_process())} is held"


def release(conn: Connection, scene: Scene) -> str:
    """Let a quarantined job go on; or a publication whose evidence did not suffice, with one more round."""
    process, job = scene.the_process(), scene.job
    lacking = process.overlay is Overlay.QUARANTINED and process.stage is ProcessStage.RESEARCH_ASSESS
    if not lacking or (job is not None and job.state not in OVER):
        return release_job(conn, scene)
    check_move(process.stage, ProcessStage.RESEARCH_SUPPLEMENTAL)
    moved = _freed(
        conn,
        scene,
        stage=ProcessStage.RESEARCH_SUPPLEMENTAL,
        supplemental_rounds=process.supplemental_rounds + 1,
    )
    policy = scene.editorial.policy(process.product)
    follows = next_job(policy, moved, JobStage.RESEARCH_SUPPLEMENTAL, now_ms=scene.now_ms)
    jobs.insert(conn, follows)
    write_status(conn, moved, follows)
    return f"{_key(process)} gets one more round of research"


def abandon(conn: Connection, scene: Scene) -> str:
    """Give the publication up: its job can never commit, and the date ends with the actor's name."""
    process, job = scene.the_process(), scene.job
    if process.overlay is Overlay.ABANDONED:
        return f"{_key(process)} is abandoned, as it was before"
    _unpublished(process, scene.command.verb)
    if job is not None and not _let_go(job):
        _may_be_given_up(job)
        past_window(scene)
    progress = scene.progress(conn)
    progress.overlay(Overlay.ABANDONED, reason=scene.command.reason_code)
    if job is not None and not _let_go(job):
        job = scene.recorder.record(conn, job, Abandoned(), process=progress.process)
    write_status(conn, progress.process, job)
    return f"{_key(process)} is abandoned"


def replace(conn: Connection, scene: Scene) -> str:
    """Buy another: generation + 1, the old one fenced off. It may be charged a second time."""
    process, job = scene.the_process(), scene.the_job()
    if job.superseded_by is not None:
        return f"job {job.id} was replaced by {job.superseded_by} before"
    _unpublished(process, scene.command.verb)
    if process.overlay in ENDED_OVERLAYS:
        raise RefusedByState(f"{_key(process)} is {process.overlay.value.lower()}: nothing follows")
    if job.state is JobState.QUARANTINED and not job.abandoned:
        past_window(scene)
        follows = replaced(conn, scene.recorder, process, job)
    elif job.abandoned and process.overlay is Overlay.QUARANTINED:
        follows = _after_dropping(conn, scene, job)
    else:
        raise RefusedByState(
            f"job {job.id} is {job.state}: it is not given up, so nothing can take its place",
            hint=f"dateline explain {job.id} says what may be done",
        )
    return f"job {follows.id} takes its place, generation {follows.generation}"


def discard_remote(conn: Connection, scene: Scene) -> str:
    """Delete the remote answer before custody. The publication waits for its owner."""
    process, job = scene.the_process(), scene.the_job()
    if job.discard_ordered_ms is not None:
        return f"{stands(job)}; its answer was discarded before"
    progress = scene.progress(conn)
    if process.overlay not in ENDED_OVERLAYS:
        progress.overlay(Overlay.QUARANTINED, reason=Reason.OPERATOR.value)
    dropped = scene.recorder.record(conn, job, DiscardOrdered(), process=progress.process)
    return f"{stands(dropped)}; its remote answer is deleted next"


def _after_dropping(conn: Connection, scene: Scene, job: Job) -> Job:
    """The job that follows a discarded one, with its publication free again."""
    freed, follows = _freed(conn, scene), successor(job, now_ms=scene.now_ms)
    jobs.insert(conn, follows)
    jobs.amend(conn, job, {"superseded_by": follows.id})
    write_status(conn, freed, follows)
    return follows


def _freed(conn: Connection, scene: Scene, **changes: object) -> Process:
    """The process without its quarantine."""
    process = scene.the_process()
    check_overlay(process.overlay, Overlay.NONE)
    return processes.update(
        conn,
        process,
        now_ms=scene.now_ms,
        event_type="PROCESS_RELEASED",
        actor_type=ActorType.OPERATOR,
        actor=scene.command.actor,
        diagnostic_code=scene.command.reason_code,
        overlay=Overlay.NONE,
        reason=None,
        acked_ms=None,
        **changes,
    )


def _waiting(scene: Scene) -> Job:
    """The job whose saved editions wait. Errors: `RefusedByState` when none do."""
    process, job = scene.the_process(), scene.job
    ready = job is not None and job.state is JobState.SAVED_NOT_PUBLIC and job.slot == process.id
    if job is None or not ready or process.stage is not ProcessStage.READY_FOR_EDITORIAL:
        raise RefusedByState(
            f"{_key(process)} is in stage {process.stage}: no saved edition waits for a person",
            hint=f"dateline explain {_key(process)} says how it stands",
        )
    return job


def _unpublished(process: Process, verb: str) -> None:
    if process.stage is ProcessStage.PUBLISHED:
        raise RefusedByState(
            f"{_key(process)} is published; {verb} is for what is not",
            hint="what is published stays; `dateline verify` shows how readers have it",
        )


def _may_be_given_up(job: Job) -> None:
    if job.state not in DECLINABLE:
        raise RefusedByState(
            f"job {job.id} is {job.state}: what it brings is not known yet",
            hint="Cancel, resume or discard it first, or wait for it.",
        )


def _let_go(job: Job) -> bool:
    return job.abandoned or job.state in OVER


def _key(process: Process) -> str:
    return f"{process.product}/{process.target_date}"
