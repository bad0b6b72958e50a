"""Process stages: which follows which, and which lies over them. Data first, then one question each.

Rules:
* `STAGE_MOVES` and `OVERLAY_MOVES` are the only places that say what may follow; `check_move` refuses the rest;
* the supervisor asks `next_stage` after a checkpoint became durable; a stage that cannot go on stays where it
  is and says why (`StageMove.stuck`), keeping all accepted evidence;
* deficits are closed by smaller research first; when rounds are used up, what is publishable decides.

Source: completed tables §2; Daily Brief workflow, "Supervisor state model".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from orchestrator.core.records import JobStage, Overlay, Process, ProcessStage
from orchestrator.errors import IllegalTransition

S, O = ProcessStage, Overlay  # noqa: E741 - one letter keeps each table on a page


class ProcessReason(StrEnum):
    """Why a process is stuck or late."""

    EVIDENCE_DEFICIT = "EVIDENCE_DEFICIT"
    DEADLINE_PASSED = "DEADLINE_PASSED"


STAGE_MOVES: Mapping[ProcessStage, frozenset[ProcessStage]] = MappingProxyType(
    {
        S.RESEARCH_PRIMARY: frozenset({S.RESEARCH_ASSESS}),
        S.RESEARCH_ASSESS: frozenset({S.RESEARCH_SUPPLEMENTAL, S.RESEARCH_ACCEPTED}),
        S.RESEARCH_SUPPLEMENTAL: frozenset({S.RESEARCH_ASSESS}),
        S.RESEARCH_ACCEPTED: frozenset({S.COMPOSITION}),
        S.COMPOSITION: frozenset({S.COMPOSITION_VALIDATE}),
        S.COMPOSITION_VALIDATE: frozenset({S.COMPOSITION, S.READY_FOR_EDITORIAL}),
        S.READY_FOR_EDITORIAL: frozenset({S.READY_TO_PUBLISH}),
        S.READY_TO_PUBLISH: frozenset({S.PUBLISHED}),
        S.PUBLISHED: frozenset(),
    }
)

OVERLAY_MOVES: Mapping[Overlay, frozenset[Overlay]] = MappingProxyType(
    {
        O.NONE: frozenset({O.DELAYED, O.QUARANTINED, O.SUSPENDED, O.ABANDONED, O.MISSED}),
        O.DELAYED: frozenset({O.NONE, O.QUARANTINED, O.SUSPENDED, O.ABANDONED, O.MISSED}),
        O.QUARANTINED: frozenset({O.NONE, O.DELAYED, O.SUSPENDED, O.ABANDONED, O.MISSED}),
        O.SUSPENDED: frozenset({O.NONE, O.DELAYED, O.QUARANTINED, O.ABANDONED, O.MISSED}),
        O.ABANDONED: frozenset(),
        O.MISSED: frozenset(),
    }
)

JOB_STAGES: Mapping[ProcessStage, JobStage] = MappingProxyType(
    {
        S.RESEARCH_PRIMARY: JobStage.RESEARCH_PRIMARY,
        S.RESEARCH_SUPPLEMENTAL: JobStage.RESEARCH_SUPPLEMENTAL,
        S.COMPOSITION: JobStage.COMPOSITION,
    }
)
"""The stages that are carried out by a provider job, and which; the others are local."""

ENDED_OVERLAYS = frozenset({O.ABANDONED, O.MISSED})
"""Nothing follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What the evidence binder found: open deficits by code, and how many events could be published as is."""

    deficits: tuple[str, ...]
    publishable: int
    needed: int  # ProductPolicy.events_needed
    rounds_used: int
    rounds_allowed: int
    affordable: bool = True  # another round fits the cost ceilings


@dataclass(frozen=True, slots=True, kw_only=True)
class StageMove:
    """Where the process stands next; equal to where it stood when it is stuck or waits."""

    stage: ProcessStage
    stuck: ProcessReason | None = None


def next_stage(stage: ProcessStage, *, assessment: Assessment | None = None, passed: bool = True) -> StageMove:
    """The stage after this one is done. `assessment` is needed in RESEARCH_ASSESS.

    `passed` says in COMPOSITION_VALIDATE whether the composition is valid, in READY_FOR_EDITORIAL whether it is
    approved. Errors: `IllegalTransition` after PUBLISHED, or without the assessment that decides.
    """
    match stage:
        case S.RESEARCH_PRIMARY | S.RESEARCH_SUPPLEMENTAL:
            return StageMove(stage=S.RESEARCH_ASSESS)
        case S.RESEARCH_ASSESS:
            return _assessed(assessment)
        case S.RESEARCH_ACCEPTED:
            return StageMove(stage=S.COMPOSITION)
        case S.COMPOSITION:
            return StageMove(stage=S.COMPOSITION_VALIDATE)
        case S.COMPOSITION_VALIDATE:
            return StageMove(stage=S.READY_FOR_EDITORIAL if passed else S.COMPOSITION)
        case S.READY_FOR_EDITORIAL:
            return StageMove(stage=S.READY_TO_PUBLISH if passed else stage)
        case S.READY_TO_PUBLISH:
            return StageMove(stage=S.PUBLISHED)
        case S.PUBLISHED:
            raise IllegalTransition("nothing follows PUBLISHED")
        case _:
            assert_never(stage)


def _assessed(assessment: Assessment | None) -> StageMove:
    if assessment is None:
        raise IllegalTransition(f"{S.RESEARCH_ASSESS} is left by an assessment only")
    enough = assessment.publishable >= assessment.needed
    if enough and not assessment.deficits:
        return StageMove(stage=S.RESEARCH_ACCEPTED)
    if assessment.rounds_used < assessment.rounds_allowed and assessment.affordable:
        return StageMove(stage=S.RESEARCH_SUPPLEMENTAL)
    if enough:
        return StageMove(stage=S.RESEARCH_ACCEPTED)
    return StageMove(stage=S.RESEARCH_ASSESS, stuck=ProcessReason.EVIDENCE_DEFICIT)


def check_move(before: ProcessStage, after: ProcessStage) -> None:
    """Refuse a change of stage that the table does not have; staying is always allowed."""
    if after is not before and after not in STAGE_MOVES[before]:
        raise IllegalTransition(f"a process cannot go from {before} to {after}")


def check_overlay(before: Overlay, after: Overlay) -> None:
    """Refuse a change of overlay that the table does not have; staying is always allowed."""
    if after is not before and after not in OVERLAY_MOVES[before]:
        raise IllegalTransition(f"a process cannot go from {before} to {after}")


def overlay_at(process: Process, *, now_ms: int) -> Overlay:
    """DELAYED from the deadline until readers can see it; every other overlay stays as it is."""
    if process.overlay not in (O.NONE, O.DELAYED):
        return process.overlay
    if process.verified_ms is not None or process.deadline_ms is None:
        return O.NONE
    return O.DELAYED if now_ms > process.deadline_ms else O.NONE
