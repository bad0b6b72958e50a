"""From the stored payload to cleanup: validation and the supervisor's steps.

Rules:
* nothing moves towards publication without a stored payload (I6);
* the slot is let go exactly where the table says so: merged, salvaged, replaced, approved;
* deletion is ordered in the same commit that makes it due.

Source: completed tables §1 (custody, composing, publishing), §3 (I6, I9, I10).
"""

from __future__ import annotations

from typing import assert_never

from orchestrator.core.observations import (
    Approved,
    CleanupOrdered,
    DriftFound,
    EditionsBuilt,
    EditionsSaved,
    EvidenceMerged,
    Held,
    Replaced,
    ReplacementRefused,
    Salvaged,
    Validated,
)
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import Event, JobState, Reason
from orchestrator.core.verdicts import Case, Verdict, bounded
from orchestrator.errors import IllegalTransition, InvariantBroken

CustodyObservation = (
    Validated
    | DriftFound
    | EvidenceMerged
    | EditionsBuilt
    | EditionsSaved
    | Approved
    | Held
    | CleanupOrdered
    | Salvaged
    | Replaced
    | ReplacementRefused
)

RESEARCH_STAGES = (JobStage.RESEARCH_PRIMARY, JobStage.RESEARCH_SUPPLEMENTAL)


def verdict(case: Case, seen: CustodyObservation) -> Verdict:
    """What validation or the supervisor did with this job."""
    match seen:
        case Validated():
            return _validated(case, seen)
        case DriftFound():
            return Verdict(event=Event.DRIFTED, reason=Reason.CONFIGURATION_DRIFT)
        case EvidenceMerged():
            _only_for(case.job, Event.EVIDENCE_MERGED, *RESEARCH_STAGES)
            return _let_go(case, Event.EVIDENCE_MERGED, result_commit_key=seen.result_commit_key)
        case EditionsBuilt():
            _only_for(case.job, Event.EDITIONS_BUILT, JobStage.COMPOSITION)
            return Verdict(event=Event.EDITIONS_BUILT)
        case EditionsSaved():
            changes = {"result_commit_key": seen.result_commit_key}
            return Verdict(event=Event.EDITIONS_SAVED, changes=changes)
        case Approved():
            return Verdict(event=Event.APPROVED, changes={"slot": None})
        case Held():
            return Verdict(event=Event.HELD, dormant=True)
        case CleanupOrdered():
            return Verdict(event=Event.CLEANUP_ORDERED, changes={"delete_requested_ms": case.now_ms})
        case Salvaged():
            _only_for(case.job, Event.SALVAGED, JobStage.RESEARCH_PRIMARY)
            return _let_go(case, Event.SALVAGED, result_commit_key=seen.result_commit_key)
        case Replaced():
            return _replaced(case, seen)
        case ReplacementRefused():
            return Verdict(event=Event.REPLACEMENT_REFUSED, reason=seen.reason)
        case _:
            assert_never(seen)


def _only_for(job: Job, event: Event, *stages: JobStage) -> None:
    if job.stage not in stages:
        raise IllegalTransition(f"job {job.id}: {event} cannot happen to a {job.stage} job")


def _validated(case: Case, seen: Validated) -> Verdict:
    job = case.job
    if seen.passed and job.payload_digest is None:
        raise InvariantBroken(f"job {job.id}: a payload that is not stored cannot be valid (I6)")
    changes = {"validate_count": job.validate_count + 1, "report_digest": seen.report_digest}
    event = Event.VALIDATION_PASSED if seen.passed else Event.VALIDATION_FAILED
    return Verdict(event=event, changes=changes, code=bounded(seen.code))


def _let_go(case: Case, event: Event, **changes: object) -> Verdict:
    """The slot is free for the next stage or generation, and the remote copy may go."""
    merged = {"slot": None, "delete_requested_ms": case.now_ms, **changes}
    return Verdict(event=event, changes=merged)


def _replaced(case: Case, seen: Replaced) -> Verdict:
    """A job whose response is unknown has nothing to delete: it stays where it is, superseded."""
    if case.job.state is JobState.PROVIDER_EXPIRED_OR_MISSING:
        if case.job.response_id is None:
            changes = {"slot": None, "superseded_by": seen.successor}
            return Verdict(event=Event.REPLACED, to=case.job.state, changes=changes, dormant=True)
        ordered = _let_go(case, Event.REPLACED, superseded_by=seen.successor)
        return Verdict(event=Event.REPLACED, to=JobState.CLEANUP_PENDING, changes=ordered.changes)
    return _let_go(case, Event.REPLACED, superseded_by=seen.successor)
