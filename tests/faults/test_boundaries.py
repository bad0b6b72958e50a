"""F01-F08: a process killed at every commit and at every call, and another one that finishes its work.

The provider and the readers are outside the process that dies. `MOMENTS` is how many moments a publication of one
product has; it may grow with the machine, and may not shrink, because then something is no longer watched.
A sample of the moments is tried in a normal run, every one with DATELINE_SOAK=1.
"""

from __future__ import annotations

import json
import os
import random

import pytest

from tests.faults.boundaries import Moment
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken, content
from tests.faults.scene import Scene

SOAK = bool(os.environ.get("DATELINE_SOAK"))
MOMENTS = 96
SAMPLE = 12
SEED = 20261130

LONG_AGO_MS = 61_000  # past the lease of whoever died


def chosen(seed: int = SEED, size: int = SAMPLE) -> list[int]:
    """Which moments are tried."""
    return list(range(1, MOMENTS + 1)) if SOAK else sorted(random.Random(seed).sample(range(1, MOMENTS + 1), size))


def test_no_moment_of_a_publication_goes_unwatched(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    passed = scene.work()
    with capsys.disabled():
        print(f"\n  a publication has {len(passed)} moments to die at; {len(chosen())} of them are tried")
    assert len(passed) >= MOMENTS
    assert_whole(scene)


@pytest.mark.parametrize("number", chosen())
def test_killed_at_any_moment_another_process_publishes_once(scene: Scene, number: int) -> None:
    scene.killed(Moment(number))
    assert broken(scene) == {}
    scene.work()
    assert_whole(scene)


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
@pytest.mark.parametrize("number", chosen(SEED + 1, 3))
def test_killed_at_any_moment_on_a_server_another_process_publishes_once(
    stage: Stage, engine: str, number: int
) -> None:
    scene = stage(engine)
    scene.killed(Moment(number))
    assert broken(scene) == {}
    scene.work()
    assert_whole(scene)


@pytest.mark.parametrize("seed", range(20 if SOAK else 1))
def test_killed_again_and_again_it_still_publishes_once(scene: Scene, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(6):
        running = scene.start(moment=Moment(chance.randrange(1, 30)))
        code = running.ended()
        if code == 0:
            break
        scene.await_request(running.told()["client_request_id"])
        assert broken(scene) == {}
    scene.work()
    assert_whole(scene)


def states(scene: Scene) -> list[str]:
    """The jobs' states, oldest job first."""
    return [state for (state,) in scene.rows("SELECT state FROM job ORDER BY created_ms, id")]


def test_f01_killed_before_create_in_flight_commits_the_same_job_is_dispatched_once(scene: Scene) -> None:
    scene.killed(Moment(name="before DISPATCHED CREATE_IN_FLIGHT"))
    assert states(scene) == ["CREATE_ELIGIBLE"]
    assert scene.creates() == []
    job = scene.one("SELECT id FROM job")
    scene.work(operator=False)
    assert_whole(scene)
    attempts = scene.rows("SELECT attempt, outcome FROM create_attempt WHERE job_id = :job", job=job)
    assert attempts == [(1, "CREATED")]


def test_f02_killed_after_create_in_flight_commits_nothing_is_sent_on_a_guess(scene: Scene) -> None:
    scene.killed(Moment(name="after DISPATCHED CREATE_IN_FLIGHT"))
    assert states(scene) == ["CREATE_IN_FLIGHT"]
    scene.work(operator=False)
    assert held(scene) == [("CREATE_ACCEPTANCE_UNKNOWN", "CREATE_ELIGIBLE")]
    assert scene.creates() == []
    scene.work()
    assert_whole(scene)


def test_f03_killed_after_sending_the_create_is_not_sent_again(scene: Scene) -> None:
    scene.killed(Moment(name="create sent"))
    scene.work(operator=False)
    assert held(scene) == [("CREATE_ACCEPTANCE_UNKNOWN", "CREATE_ELIGIBLE")]
    assert len(scene.creates()) == 1
    scene.work()
    assert_whole(scene)


def test_f04_killed_before_accepted_commits_the_response_is_linked(scene: Scene) -> None:
    scene.killed(Moment(name="before CREATED ACCEPTED"))
    (sent,) = scene.creates()
    scene.work(operator=False)
    assert held(scene) == [("CREATE_ACCEPTANCE_UNKNOWN", "CREATE_ELIGIBLE")]
    scene.work()
    assert_whole(scene)
    linked = "SELECT response_id FROM job WHERE stage = 'research_primary'"
    assert scene.one(linked) == sent["response_id"]


def held(scene: Scene) -> list[tuple[str, str]]:
    """Why jobs are quarantined, and where they would go on."""
    found = scene.rows("SELECT quarantine_reason, resume_state FROM job WHERE state = 'QUARANTINED'")
    assert broken(scene) == {}
    return [(reason, resume) for reason, resume in found]


@pytest.mark.parametrize("moment", ["look answered", "before POLLED_TERMINAL RETRIEVED_NOT_VALIDATED"])
def test_f05_killed_before_the_payload_is_saved_it_is_fetched_again(scene: Scene, moment: str) -> None:
    scene.killed(Moment(name=moment))
    assert states(scene) == ["ACCEPTED"]
    scene.work(operator=False)
    assert_whole(scene)
    assert len(scene.requests("GET", stage="research_primary")) == 2
    assert len(scene.creates(stage="research_primary")) == 1


def test_f06_killed_before_validation_the_stored_payload_is_validated_without_a_call(scene: Scene) -> None:
    scene.killed(Moment(name="after POLLED_TERMINAL RETRIEVED_NOT_VALIDATED"))
    asked = len(scene.requests())
    scene.killed(Moment(name="after VALIDATION_PASSED READY_TO_COMPOSE"))
    assert len(scene.requests()) == asked
    scene.work(operator=False)
    assert_whole(scene)


@pytest.mark.parametrize("when", ["before", "after"])
def test_f07_killed_in_the_publishing_transaction_it_is_nothing_or_everything(scene: Scene, when: str) -> None:
    scene.killed(Moment(name=f"{when} APPROVED PUBLISHED"))
    all_of_it = when == "after"
    stage, events, effects = (
        scene.one("SELECT stage FROM process"),
        scene.one("SELECT count(*) FROM outbox_event"),
        scene.one("SELECT count(*) FROM effect"),
    )
    public = {status for (status,) in scene.rows("SELECT status FROM edition")}
    if all_of_it:
        assert (stage, public, events, effects) == ("PUBLISHED", {"PUBLISHED"}, 2, 6)
    else:
        assert (stage, public, events, effects) == ("READY_FOR_EDITORIAL", {"SAVED"}, 0, 0)
    scene.work(operator=False)
    assert_whole(scene)


def test_f08_killed_between_git_and_the_ledger_the_commits_are_adopted(scene: Scene) -> None:
    scene.killed(Moment(name="before EFFECT_COMMIT CONFIRMED"))
    made = scene.git("log", "--format=%H", "main").split()
    assert len(made) == 2
    assert scene.rows("SELECT DISTINCT status FROM effect WHERE intent = 'COMMIT'") == [("IN_FLIGHT",)]
    scene.work(operator=False)
    assert_whole(scene)
    assert scene.git("log", "--format=%H", "main").split() == made
    adopted = scene.rows("SELECT reference FROM effect WHERE intent = 'COMMIT'")
    assert {reference for (reference,) in adopted} == set(made)


def test_an_interrupted_publication_reads_like_one_that_was_not(stage: Stage) -> None:
    undisturbed, killed = stage(), stage()
    undisturbed.work()
    for name in (
        "after CREATED ACCEPTED",
        "before EDITIONS_SAVED SAVED_NOT_PUBLIC",
        "after EFFECT_COMMIT CONFIRMED",
    ):
        killed.killed(Moment(name=name))
    killed.work()
    assert content(killed) == content(undisturbed)
    assert json.dumps(content(killed)).count("<instant>") > 4
