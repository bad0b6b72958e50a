"""F20, F21 and the frozen worker: processes that stall past their lease, wake up, or start together.

A worker that is frozen by SIGSTOP and continued after its lease changes nothing but the inbox and the audit trail,
and a response id that it brings is linked. It is frozen at a chosen moment of its call, while virtual time passes.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from orchestrator import entropy
from orchestrator.daemon import Loop
from tests.engines import ENGINES
from tests.faults.boundaries import Moment
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import Running, Scene
from tests.faults.test_provider import QUICK, SCOUT

PAST_LEASE_MS = 61_000
PAST_RELAY_LEASE_MS = 601_000
TABLES = (
    "process", "job", "create_attempt", "document", "candidate", "claim", "source", "edition", "cost_entry",
    "provider_gate", "effect", "outbox_event", "status_projection",
)  # fmt: skip


def await_state(pid: int, *wanted: str) -> None:
    """Wait until the process is in one of these states (proc(5): T stopped, S sleeping)."""
    until_s = entropy.monotonic_s() + 30
    while Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in wanted:
        assert entropy.monotonic_s() < until_s, f"process {pid} is not {wanted}"
        entropy.sleep_s(0.01)


def frozen(scene: Scene, name: str) -> Running:
    """A child that has frozen itself at this moment."""
    running = scene.start(moment=Moment(name=name, how="freeze"), mode="sweep")
    await_state(running.pid, "T")
    assert running.told()["at"] == name
    return running


def frozen_in_the_call(scene: Scene) -> Running:
    """A child frozen while it waits for a slow provider's answer, which has been accepted by then."""
    running = scene.start(mode="sweep")
    until_s = entropy.monotonic_s() + 30
    while not scene.creates():
        assert entropy.monotonic_s() < until_s
        entropy.sleep_s(0.01)
    os.kill(running.pid, signal.SIGSTOP)
    await_state(running.pid, "T")
    return running


def everything(scene: Scene) -> dict[str, list[tuple[object, ...]]]:
    """Every row that a stale worker may not touch."""
    return {table: sorted(scene.rows(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


def continued(scene: Scene, running: Running) -> dict[str, list[tuple[object, ...]]]:
    """Let it go on to its end; answers what was there before it did."""
    before = everything(scene)
    os.kill(running.pid, signal.SIGCONT)
    assert running.ended() == 0
    return before


def at_work(scene: Scene) -> None:
    """Another worker does everything that is due now."""
    with scene.house() as house:
        Loop(house, workers=1).sweep()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("where", ["the answer has come", "inside the call"])
def test_f20_a_worker_frozen_in_its_create_call_brings_the_response_and_changes_nothing(
    stage: Stage, engine: str, where: str
) -> None:
    slow = {"match": SCOUT, "create": [{"result": "slow", "delay_s": 0.5}, {"result": "must_not_be_called"}]}
    scene = stage(engine, rules=[slow])
    scene.plan()
    sleeper = frozen(scene, "create answered") if "answer" in where else frozen_in_the_call(scene)
    scene.move(PAST_LEASE_MS)
    at_work(scene)
    assert scene.rows("SELECT state, quarantine_reason FROM job") == [("QUARANTINED", "CREATE_ACCEPTANCE_UNKNOWN")]

    before = continued(scene, sleeper)
    assert everything(scene) == before
    (sent,) = scene.creates()
    assert scene.rows("SELECT source, event_id, status FROM inbox_event") == [
        ("late-evidence", sent["response_id"], "PENDING")
    ]
    assert scene.one("SELECT count(*) FROM event WHERE event_type = 'STALE_WORKER'") == 1

    scene.shift(operator=False)
    assert scene.one("SELECT response_id FROM job WHERE stage = 'research_primary'") == sent["response_id"]
    assert_whole(scene)


@pytest.mark.parametrize("engine", ENGINES)
def test_f20_a_worker_frozen_in_its_look_changes_nothing(stage: Stage, engine: str) -> None:
    scene = stage(engine)
    scene.shift(until=lambda: scene.rows("SELECT state FROM job") == [("ACCEPTED",)])
    scene.move(PAST_LEASE_MS)
    sleeper = frozen(scene, "look answered")
    scene.move(PAST_LEASE_MS)
    scene.shift(operator=False)
    assert_whole(scene)
    before = continued(scene, sleeper)
    assert everything(scene) == before
    assert scene.rows("SELECT id FROM inbox_event") == []
    assert_whole(scene)


def test_f20_a_worker_frozen_before_it_sends_sends_nothing_afterwards(stage: Stage) -> None:
    scene = stage(settings=QUICK)
    sleeper = frozen(scene, "before create")
    scene.move(PAST_LEASE_MS)
    at_work(scene)
    entropy.sleep_s(0.6)  # the call's own deadline, which counts while the worker is frozen
    before = continued(scene, sleeper)
    assert everything(scene) == before
    assert scene.creates() == []
    scene.shift()
    assert_whole(scene)


def test_f20_a_relay_frozen_before_it_commits_adopts_what_another_one_committed(scene: Scene) -> None:
    sleeper = frozen_relay(scene)
    scene.move(PAST_RELAY_LEASE_MS)
    scene.shift()
    assert_whole(scene)
    tips = scene.git("rev-parse", "main", "gh-pages")
    before = continued(scene, sleeper)
    assert everything(scene) == before
    assert scene.git("rev-parse", "main", "gh-pages") == tips
    assert scene.one("SELECT count(*) FROM event WHERE diagnostic_code LIKE '%STALE_FENCE%'") == 2
    assert_whole(scene)


def frozen_relay(scene: Scene) -> Running:
    """A child that froze between claiming the commits and making them."""
    name = "after EFFECT_COMMIT IN_FLIGHT"
    running = scene.start(moment=Moment(name=name, how="freeze"))
    await_state(running.pid, "T")
    return running


@pytest.mark.parametrize("engine", ENGINES)
def test_f21_two_schedulers_that_start_together_step_each_job_once(stage: Stage, engine: str) -> None:
    scene = stage(engine)
    for _ in range(12):
        together = [scene.start(mode="sweep") for _ in range(2)]
        assert [running.ended() for running in together] == [0, 0]
        with scene.house() as house:
            standing = Loop(house).standing()
        if standing.next_due_ms is None:
            break
        scene.move(max(1, standing.next_due_ms - standing.now_ms))
    assert_whole(scene)
    assert scene.one("SELECT count(*) FROM process") == 1
    assert {
        times
        for (times,) in scene.rows("SELECT count(*) FROM event WHERE event_type = 'DISPATCHED' GROUP BY job_id")
    } == {1}
    assert len(scene.creates()) == scene.one("SELECT count(*) FROM create_attempt") == 2
    assert broken(scene) == {}
