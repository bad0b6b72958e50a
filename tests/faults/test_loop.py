"""The loop outlives what it meets (B42) and ends when it is told to (B44).

A step that raises harms its own product only, comes back later, and never spins. SIGTERM ends a loop within
seconds, wherever it is, with every lease given back.
"""

from __future__ import annotations

import os
import signal

import pytest

from orchestrator import entropy
from publisher.errors import NotOurs
from tests.faults.boundaries import Moment
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import DAY, Running, Scene
from tests.faults.test_meetings import await_state

BOTH = ("daily-brief", "revolution-watch")
HOUR_MS = 3_600_000


def stage_of(scene: Scene, product: str) -> str:
    """Where the product's publication stands."""
    return str(scene.one("SELECT stage FROM process WHERE product = :product", product=product))


def test_b42_a_product_whose_file_disappears_waits_and_no_other_does(stage: Stage) -> None:
    scene = stage(products=BOTH)
    for product in BOTH:
        scene.plan(product)
    everywhere = "SELECT count(*) FROM job WHERE state = 'ACCEPTED'"
    scene.shift(until=lambda: scene.one(everywhere) == 2)
    file = scene.root / "content" / "products" / "daily-brief.toml"
    kept = file.read_text()
    file.unlink()
    began_ms = scene.now_ms()
    versions = (
        "SELECT max(job.version) FROM job JOIN process ON process.id = process_id WHERE product = 'daily-brief'"
    )
    before = scene.one(versions)
    seen = "SELECT count(*) FROM process WHERE product = 'revolution-watch' AND verified_ms IS NOT NULL"
    scene.shift(until=lambda: scene.one(seen) == 1 and scene.now_ms() > began_ms + HOUR_MS // 2)
    assert stage_of(scene, "daily-brief") == "RESEARCH_PRIMARY"
    retries = (scene.one(versions) - before) / 2  # a claim and a return each
    hours = (scene.now_ms() - began_ms) / HOUR_MS
    assert 1 <= retries <= 125 * hours + 2, "every 30 s at the most"
    file.write_text(kept)
    scene.shift()
    assert_whole(scene, editions=4)
    assert len(scene.creates(stage="research_primary")) == 2


def test_b42_day_one_fails_and_day_two_runs(stage: Stage) -> None:
    refused = {"match": {"date": DAY.isoformat()}, "create": [{"result": "http", "status": 400, "code": "bad"}]}
    scene = stage(rules=[refused])
    scene.shift()
    assert scene.rows("SELECT state, quarantine_reason FROM job") == [("QUARANTINED", "PROVIDER_REJECTED")]
    assert len(scene.creates()) == 1, "no immediate retry storm"
    scene.move(24 * HOUR_MS)
    scene.shift()
    stages = scene.rows("SELECT target_date, stage FROM process ORDER BY target_date")
    assert [name for _, name in stages] == ["RESEARCH_PRIMARY", "PUBLISHED"]
    assert broken(scene) == {}


def strangers(scene: Scene) -> None:
    """Where the content repository was there is somebody's folder."""
    scene.repository.rename(scene.root / "ours.git")
    scene.repository.mkdir()
    (scene.repository / "letters").write_text("private")


def test_b42_a_repository_that_is_not_ours_is_refused_before_anything_is_bought(scene: Scene) -> None:
    strangers(scene)
    with pytest.raises(NotOurs):
        scene.shift()
    assert scene.requests() == []
    assert (scene.repository / "letters").read_text() == "private"


def test_b42_a_repository_that_becomes_a_strangers_calls_its_owner_and_the_loop_goes_on(scene: Scene) -> None:
    running = scene.start(moment=Moment(name="after EFFECT_COMMIT IN_FLIGHT", how="freeze"))
    await_state(running.pid, "T")
    strangers(scene)
    os.kill(running.pid, signal.SIGCONT)
    assert running.ended() == 0
    assert {state for (state,) in scene.rows("SELECT state FROM job")} == {"DELETED"}
    stopped = scene.rows("SELECT reason, owner FROM effect WHERE status = 'DEAD_LETTERED'")
    assert set(stopped) == {("PUBLICATION_CONFLICT", "night desk")}
    assert [file.name for file in scene.repository.iterdir()] == ["letters"]


# --- B44


def until(scene: Scene, query: str, wanted: object) -> None:
    """Wait until the store says so."""
    until_s = entropy.monotonic_s() + 40
    while scene.one(query) != wanted:
        assert entropy.monotonic_s() < until_s, query
        entropy.sleep_s(0.02)


def stopped(running: Running) -> None:
    """Ask it to stop; it ends in a few seconds, by itself."""
    began_s = entropy.monotonic_s()
    os.kill(running.pid, signal.SIGTERM)
    assert running.ended(15) == 0
    assert entropy.monotonic_s() - began_s < 15


def no_lease(scene: Scene) -> None:
    """Nobody holds anything."""
    for table in ("job", "effect"):
        assert scene.rows(f"SELECT id FROM {table} WHERE lease_owner IS NOT NULL") == []


def test_b44_told_to_stop_in_its_long_sleep_it_stops(scene: Scene) -> None:
    scene.plan()
    running = scene.command("run", DATELINE_LOOP__TICK_S="600", DATELINE_PROVIDER__POLL_S="[600, 600]")
    until(scene, "SELECT state FROM job", "ACCEPTED")
    until(scene, "SELECT lease_owner FROM job", None)
    response = scene.one("SELECT response_id FROM job")
    stopped(running)
    no_lease(scene)
    scene.shift(operator=False)
    assert_whole(scene)
    assert scene.one("SELECT response_id FROM job WHERE stage = 'research_primary'") == response
    assert len(scene.creates()) == 2


def test_b44_told_to_stop_while_it_looks_it_finishes_the_look(stage: Stage) -> None:
    slow = {"match": {"stage": "research_primary"}, "retrieve": [{"result": "slow", "delay_s": 1.0}]}
    scene = stage(rules=[slow])
    scene.plan()
    running = scene.command("run", DATELINE_PROVIDER__POLL_S="[0.2, 0.4]")
    deadline_s = entropy.monotonic_s() + 40
    while not scene.requests("GET"):
        assert entropy.monotonic_s() < deadline_s
        entropy.sleep_s(0.02)
    stopped(running)
    no_lease(scene)
    scene.shift(operator=False)
    assert_whole(scene)


@pytest.mark.parametrize("delay_s", [0.0, 0.15])
def test_b44_told_to_stop_while_it_publishes_it_publishes_once(scene: Scene, delay_s: float) -> None:
    scene.shift(
        until=lambda: scene.one("SELECT count(*) FROM job WHERE stage = 'composition' AND state = 'ACCEPTED'") == 1
    )
    scene.move(60_000)
    running = scene.command("run")
    until(scene, "SELECT stage FROM process", "PUBLISHED")
    entropy.sleep_s(delay_s)
    stopped(running)
    no_lease(scene)
    scene.shift(operator=False)
    assert_whole(scene)
