"""Process stages and overlays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.records import Overlay, Process, ProcessStage
from orchestrator.core.stages import (
    ENDED_OVERLAYS,
    JOB_STAGES,
    OVERLAY_MOVES,
    STAGE_MOVES,
    Assessment,
    ProcessReason,
    StageMove,
    check_move,
    check_overlay,
    next_stage,
    overlay_at,
)
from orchestrator.errors import IllegalTransition

S = ProcessStage
ENOUGH = Assessment(deficits=(), publishable=8, needed=5, rounds_used=0, rounds_allowed=2)
PROCESS = Process(
    id="p",
    product="daily-brief",
    target_date="2026-11-30",
    languages=("en", "es"),
    version=1,
    revision=0,
    stage=S.COMPOSITION,
    deadline_ms=1_000,
)


def test_a_process_with_enough_evidence_goes_straight_through() -> None:
    stage, path = S.RESEARCH_PRIMARY, [S.RESEARCH_PRIMARY]
    while stage is not S.PUBLISHED:
        stage = next_stage(stage, assessment=ENOUGH).stage
        path.append(stage)
    assert path == [s for s in ProcessStage if s is not S.RESEARCH_SUPPLEMENTAL]


@pytest.mark.parametrize(
    ("assessment", "move"),
    [
        (ENOUGH, StageMove(stage=S.RESEARCH_ACCEPTED)),
        (replace(ENOUGH, deficits=("REGION_GAP",)), StageMove(stage=S.RESEARCH_SUPPLEMENTAL)),
        (replace(ENOUGH, publishable=4), StageMove(stage=S.RESEARCH_SUPPLEMENTAL)),
        (replace(ENOUGH, deficits=("REGION_GAP",), rounds_used=2), StageMove(stage=S.RESEARCH_ACCEPTED)),
        (replace(ENOUGH, deficits=("REGION_GAP",), affordable=False), StageMove(stage=S.RESEARCH_ACCEPTED)),
        (
            replace(ENOUGH, publishable=4, rounds_used=2),
            StageMove(stage=S.RESEARCH_ASSESS, stuck=ProcessReason.EVIDENCE_DEFICIT),
        ),
        (
            replace(ENOUGH, publishable=0, affordable=False),
            StageMove(stage=S.RESEARCH_ASSESS, stuck=ProcessReason.EVIDENCE_DEFICIT),
        ),
    ],
)
def test_an_assessment_decides_between_more_research_and_a_package(assessment: Assessment, move: StageMove) -> None:
    assert next_stage(S.RESEARCH_ASSESS, assessment=assessment) == move


def test_a_bad_composition_is_composed_again_and_never_researched_again() -> None:
    assert next_stage(S.COMPOSITION_VALIDATE, passed=False).stage is S.COMPOSITION


def test_saved_editions_wait_until_they_are_approved() -> None:
    assert next_stage(S.READY_FOR_EDITORIAL, passed=False).stage is S.READY_FOR_EDITORIAL


def test_nothing_follows_publication_and_no_assessment_is_guessed() -> None:
    for stage in (S.PUBLISHED, S.RESEARCH_ASSESS):
        with pytest.raises(IllegalTransition):
            next_stage(stage)


@pytest.mark.parametrize("before", ProcessStage)
@pytest.mark.parametrize("after", ProcessStage)
def test_only_moves_of_the_table_are_legal(before: ProcessStage, after: ProcessStage) -> None:
    if before is after or after in STAGE_MOVES[before]:
        check_move(before, after)
    else:
        with pytest.raises(IllegalTransition):
            check_move(before, after)


def test_every_answer_of_the_supervisor_is_a_legal_move() -> None:
    poor = replace(ENOUGH, publishable=0)
    for before in (s for s in ProcessStage if s is not S.PUBLISHED):
        for assessment in (ENOUGH, poor):
            for passed in (True, False):
                check_move(before, next_stage(before, assessment=assessment, passed=passed).stage)


def test_the_tables_are_complete_and_every_stage_can_be_reached_and_left() -> None:
    assert set(STAGE_MOVES) == set(ProcessStage)
    assert set().union(*STAGE_MOVES.values()) == set(ProcessStage) - {S.RESEARCH_PRIMARY}
    assert {s for s, after in STAGE_MOVES.items() if not after} == {S.PUBLISHED}
    assert set(JOB_STAGES) <= set(ProcessStage)


@pytest.mark.parametrize("before", Overlay)
@pytest.mark.parametrize("after", Overlay)
def test_an_ended_process_stays_ended(before: Overlay, after: Overlay) -> None:
    if before is after or after in OVERLAY_MOVES[before]:
        check_overlay(before, after)
    else:
        with pytest.raises(IllegalTransition):
            check_overlay(before, after)
    assert (not OVERLAY_MOVES[before]) == (before in ENDED_OVERLAYS)


def test_a_process_is_delayed_from_its_deadline_until_readers_see_it() -> None:
    assert overlay_at(PROCESS, now_ms=1_000) is Overlay.NONE
    late = replace(PROCESS, overlay=overlay_at(PROCESS, now_ms=1_001))
    assert late.overlay is Overlay.DELAYED
    assert overlay_at(replace(late, verified_ms=2_000), now_ms=2_000) is Overlay.NONE
    assert overlay_at(replace(PROCESS, deadline_ms=None), now_ms=10**15) is Overlay.NONE


@pytest.mark.parametrize("overlay", [Overlay.QUARANTINED, Overlay.SUSPENDED, Overlay.MISSED])
def test_lateness_never_covers_a_graver_overlay(overlay: Overlay) -> None:
    assert overlay_at(replace(PROCESS, overlay=overlay), now_ms=10**15) is overlay
