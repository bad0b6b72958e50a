"""Orders on one provider execution: what the machine is told, and what an operator hears.

Eligibility is the transition table's; what only a person's order needs to know (the window of an unknown create,
that it was ordered before) is asked here. An order that finds its work done says so and changes nothing.
"""

from __future__ import annotations

from sqlalchemy import Connection

from orchestrator.core.limits import acceptance_unknown, settled_ms, within_window
from orchestrator.core.looks import ENDED, harvestable
from orchestrator.core.observations import (
    CancelOrdered,
    ConfirmedNotCreated,
    CorrelationFailed,
    Harvested,
    Linked,
    Missing,
    PayloadSupplied,
    Polled,
    Released,
    ResumeOrdered,
    SuspendOrdered,
)
from orchestrator.core.records import Job
from orchestrator.core.states import LOOKED_AT, JobState
from orchestrator.correspondence import answers
from orchestrator.errors import RefusedByState, Unavailable
from orchestrator.orders.scene import Scene
from orchestrator.store import jobs


def stands(job: Job) -> str:
    """How a job stands, as an operator reads it."""
    return f"job {job.id} is {job.state.value} now"


def link_response(conn: Connection, scene: Scene) -> str:
    """LINKED when the response carries exactly what the job sent, CORRELATION_CONFLICT when it does not."""
    job, response_id = scene.the_job(), str(scene.arguments["response_id"])
    if job.response_id == response_id:
        return f"{stands(job)}; {response_id} was linked before"
    match scene.seen:
        case Polled() as seen:
            linked = answers(conn, job, seen)
            return stands(scene.record(conn, Linked(response_id=response_id) if linked else CorrelationFailed()))
        case Missing():
            raise RefusedByState(
                f"the provider knows no response {response_id}", hint="Nothing was changed; check the id."
            )
        case _:
            raise Unavailable(
                f"the provider did not say what {response_id} is", hint="The order is kept and tried again."
            )


def confirm_not_created(conn: Connection, scene: Scene) -> str:
    """The provider's log shows none: the job may be sent again, once the call is surely over."""
    job = scene.the_job()
    if not acceptance_unknown(job):
        raise RefusedByState(
            f"job {job.id} is {job.state}: its create's outcome is known",
            hint=f"dateline explain {job.id} says how it stands",
        )
    started_ms = job.create_started_ms or job.quarantined_ms or 0
    believed_ms = settled_ms(started_ms, lease_ms=scene.lease_ms, timeout_ms=scene.timeout_ms)
    return stands(scene.record(conn, ConfirmedNotCreated(settled_ms=believed_ms)))


def reconcile(conn: Connection, scene: Scene) -> str:
    """One look at the provider; it never creates. An open job is looked at in its next step, now."""
    job = scene.the_job()
    if job.state in LOOKED_AT:
        return f"{stands(jobs.amend(conn, job, {'next_due_ms': scene.now_ms}))}, and is looked at next"
    if not harvestable(job):
        raise RefusedByState(
            f"job {job.id} is {job.state}: there is no response to look at",
            hint=f"dateline explain {job.id} says what heals it",
        )
    if isinstance(scene.seen, Polled) and scene.seen.status in ENDED:
        return stands(scene.record(conn, Harvested()))
    return f"{stands(job)}; {_said(scene.seen)}"


def _said(seen: object) -> str:
    match seen:
        case Polled(status=status):
            return f"the provider says {status.value}"
        case Missing():
            return "the provider does not know its response any more"
        case _:
            raise Unavailable("the provider gave no usable answer", hint="The order is kept and tried again.")


def supply_payload(conn: Connection, scene: Scene) -> str:
    """The answer was brought by a person; it is judged like any other."""
    return stands(scene.record(conn, PayloadSupplied(payload_digest=str(scene.arguments["payload_digest"]))))


def release_job(conn: Connection, scene: Scene) -> str:
    """Let it go on from where it was stopped, counters back to 0."""
    under = bool(scene.arguments.get("under_recorded_contract"))
    return stands(scene.record(conn, Released(under_recorded_contract=under)))


def suspend(conn: Connection, scene: Scene) -> str:
    """Stop it where it is."""
    job = scene.the_job()
    if job.state is JobState.MANUALLY_SUSPENDED:
        return f"{stands(job)}, as it was before"
    return stands(scene.record(conn, SuspendOrdered()))


def resume(conn: Connection, scene: Scene) -> str:
    """Let a suspended job go on."""
    return stands(scene.record(conn, ResumeOrdered()))


def cancel(conn: Connection, scene: Scene) -> str:
    """Stop the remote work: the next step cancels, reads, and lets the answer decide."""
    job = scene.the_job()
    if job.cancel_requested_ms is not None and job.state in LOOKED_AT:
        return f"{stands(job)}; its cancel was ordered before"
    return f"{stands(scene.record(conn, CancelOrdered()))}, and is cancelled next"


def past_window(scene: Scene) -> None:
    """An unknown create is not given up while a webhook may still name its response.

    Errors: `RefusedByState` inside the ambiguity window.
    """
    job = scene.the_job()
    limits = scene.editorial.limits(scene.the_process().product)
    if within_window(job, limits, scene.now_ms):
        started_ms = job.create_started_ms or job.quarantined_ms or scene.now_ms
        left_s = -((scene.now_ms - started_ms - limits.ambiguity_window_ms) // 1000)
        raise RefusedByState(
            f"job {job.id}: its response may still be named by a webhook",
            hint=f"Ask again in {left_s} s, or use link-response or confirm-not-created.",
        )
