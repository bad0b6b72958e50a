"""Many editions at once against a provider that fails every tenth call in every way it can.

With webhooks, everything that proof can decide ends verified; what it cannot waits for its owner, and an operator
with the provider's log finishes it. 30 publications in a normal run, 100 with DATELINE_SOAK=1, and again with 8
workers on PostgreSQL.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from orchestrator import entropy
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.server import WebServer
from outbox.database import Database
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import DAY, Scene
from tests.faults.test_webhooks import SECRET

SOAK = bool(os.environ.get("DATELINE_SOAK"))
PUBLICATIONS = 100 if SOAK else 30
BOTH = ("daily-brief", "revolution-watch")
STAGES = ("research_primary", "research_supplemental", "composition")
SHARE = 0.1
HOUR_MS = 3_600_000

CREATES: tuple[dict[str, Any], ...] = (
    {"result": "http", "status": 429, "code": "rate_limit_exceeded", "headers": {"retry-after-ms": "800"}},
    {"result": "http", "status": 500, "accepted": True},
    {"result": "http", "status": 500},
    {"result": "cut_before_accept"},
    {"result": "cut_after_accept"},
    {"result": "cut_after_accept", "reset": True},
    {"result": "timeout_after_accept"},
    {"result": "garbled_2xx"},
)
LOOKS: tuple[dict[str, Any], ...] = (
    {"result": "http", "status": 429, "code": "rate_limit_exceeded"},
    {"result": "http", "status": 503, "times": 3},
    {"result": "cut", "times": 2},
    {"result": "not_found_for", "s": 33},
    {"status": "in_progress", "times": 5},
)
ENDS: tuple[dict[str, Any], ...] = (
    {"result": "truncated_json"},
    {"result": "empty_output"},
    {"result": "refusal"},
    {"status": "failed", "code": "server_error"},
    {"result": "expired"},
)


def trouble(days: Sequence[date], chance: random.Random) -> list[dict[str, Any]]:
    """A rule for every publication and stage that is met by a fault: its first generation, and no later one."""
    kinds = [(kind, steps) for kind, steps in (("create", CREATES), ("retrieve", LOOKS), ("end", ENDS))]
    turns = Counter[str]()
    rules = []
    for day in days:
        for product in BOTH:
            for stage in STAGES:
                rule: dict[str, Any] = {}
                for kind, steps in kinds:
                    if chance.random() < SHARE:
                        step = steps[turns[kind] % len(steps)]  # every kind gets its turn
                        turns[kind] += 1
                        rule |= as_rule(kind, step)
                if rule:
                    where = {
                        "product": product,
                        "date": day.isoformat(),
                        "stage": stage,
                        "operation_generation": "0",
                    }
                    rules.append({"match": where, **rule})
    return rules


def as_rule(kind: str, step: dict[str, Any]) -> dict[str, Any]:
    """What the script says of one fault."""
    if kind == "create":
        return {"create": [step, {"result": "ok"}], "webhook": [{"after_s": 2}]}
    hooks = {"webhook": [{"after_s": 2}]}
    return {"retrieve": [step]} if kind == "end" else {"retrieve": [step, {"status": "completed"}], **hooks}


@pytest.fixture
def hooks() -> Iterator[tuple[DeskApp, WebServer]]:
    """The receiver of webhooks, before its store is there."""
    app = DeskApp(secrets=[SECRET])
    with WebServer(app.asgi) as server:
        yield app, server


def burst(stage: Stage, hooks: tuple[DeskApp, WebServer], *, engine: str, workers: int, seed: int) -> Scene:
    """Start everything together and let it come to rest, without a person."""
    app, server = hooks
    days = [DAY + timedelta(days=n) for n in range(PUBLICATIONS // len(BOTH))]
    scene = stage(
        engine,
        products=BOTH,
        rules=trouble(days, random.Random(seed)),
        webhook=(server.url + WEBHOOK_PATH, SECRET),
        settings={"provider": {"timeout_s": 1.5}},
    )
    begin(app, scene.db)
    for day in days:
        for product in BOTH:
            scene.plan(product, day)
    moved_ms = scene.shift(operator=False, workers=workers)
    while heal(scene):
        moved_ms += scene.shift(operator=False, workers=workers)
    assert moved_ms < 2 * HOUR_MS, "something was stranded"
    return scene


def begin(app: DeskApp, db: Database) -> None:
    """From now on webhooks are kept."""
    app.begin(db, silent_s=lambda: 0.0, told=lambda: None)


def heal(scene: Scene) -> bool:
    """Webhooks travel in real time: wait for those that will still settle a create; whether one has come."""
    until_s = entropy.monotonic_s() + 20
    while entropy.monotonic_s() < until_s and lost(scene):
        if scene.rows("SELECT id FROM inbox_event WHERE status = 'PENDING'"):
            return True
        entropy.sleep_s(0.05)
    return False


def lost(scene: Scene) -> list[str]:
    """Quarantined jobs whose response the provider has."""
    accepted = {e["client_request_id"] for e in scene.creates() if e["accepted"]}
    unknown = "SELECT client_request_id FROM job WHERE quarantine_reason = 'CREATE_ACCEPTANCE_UNKNOWN'"
    return [request for (request,) in scene.rows(unknown) if request in accepted]


def judge(scene: Scene) -> None:
    """99 % verified; what is held is undecidable and owned; nothing else is open; calls within budgets."""
    assert broken(scene) == {}
    assert lost(scene) == []
    verified = scene.one("SELECT count(*) FROM process WHERE verified_ms IS NOT NULL")
    held = scene.rows("SELECT quarantine_reason, owner, response_id FROM job WHERE state = 'QUARANTINED'")
    assert all(reason == "CREATE_ACCEPTANCE_UNKNOWN" and owner for reason, owner, _ in held), held
    assert verified + len(held) == PUBLICATIONS
    states = {state for (state,) in scene.rows("SELECT DISTINCT state FROM job")}
    assert states <= {"DELETED", "QUARANTINED"}
    limits = scene.rows(
        "SELECT max(generation_attempts), max(poll_count), max(retrieve_count), max(generation) FROM job"
    )
    assert all(used <= limit for used, limit in zip(limits[0], (3, 30, 10, 2), strict=True))
    looks = Counter(e["response_id"] for e in scene.requests("GET"))
    assert max(looks.values()) <= 40


def finish(scene: Scene, workers: int) -> None:
    """A person confirms what the provider's log shows was never created; then everything is out."""
    scene.shift(workers=workers)
    assert_whole(scene, editions=2 * PUBLICATIONS)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_many_editions_at_once_against_every_fault_are_verified_or_owned(
    stage: Stage, hooks: tuple[DeskApp, WebServer]
) -> None:
    scene = burst(stage, hooks, engine="sqlite", workers=4, seed=1)
    judge(scene)
    finish(scene, workers=4)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.skipif(not SOAK, reason="a long one: make soak")
@pytest.mark.parametrize("seed", range(2, 5))
def test_the_same_with_eight_workers_on_postgresql(
    stage: Stage, hooks: tuple[DeskApp, WebServer], seed: int
) -> None:
    scene = burst(stage, hooks, engine="postgresql", workers=8, seed=seed)
    judge(scene)
    finish(scene, workers=8)
