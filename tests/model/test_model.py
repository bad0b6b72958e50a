"""The stateful model: random nights, in which every property holds after every step.

A seeded sample runs always; 5,000 steps run with DATELINE_SOAK=1. One test plants a bug and sees the model fail.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.acceptance.mutation import copied, mutants, run
from tests.model.machine import Newsroom

SEED = 20261130
SOAK = os.environ.get("DATELINE_SOAK") == "1"
NIGHTS, STEPS_A_NIGHT = (50, 50) if SOAK else (8, 40)
STEPS = 5_000 if SOAK else 100
UNFENCED = 12
"""The mutant whose fenced update does not look at the version."""


def nights(count: int, steps: int, *phases: Phase) -> settings:
    """So many nights of so many steps; nothing is remembered from run to run."""
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        phases=phases or (Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def run_nights(count: int, steps: int, *phases: Phase, start: int = SEED) -> None:
    """Run the model with a seed that is kept here."""
    run_state_machine_as_test(seed(start)(Newsroom), settings=nights(count, steps, *phases))


@pytest.mark.soak
@pytest.mark.timeout(3600 if SOAK else 240)
def test_every_property_holds_after_every_step_of_random_nights() -> None:
    Newsroom.steps, start = 0, SEED
    while Newsroom.steps < STEPS:
        run_nights(NIGHTS, STEPS_A_NIGHT, start=start)
        start += 1


PLANTED = """
from hypothesis import Phase
from tests.model.test_model import run_nights
run_nights(6, 40, Phase.generate)
"""


@pytest.mark.soak
def test_the_model_sees_a_planted_bug(tmp_path: Path) -> None:
    done = run(copied(tmp_path, mutants()[UNFENCED]), "-c", PLANTED)
    assert done.returncode != 0, "the model did not see that the fence is gone"
    assert "a stale fence changed the machine" in done.stderr, done.stderr[-3000:]
