"""F09-F19, F22, F30: a provider that cuts, throttles, stalls, forgets and answers nonsense, on a real socket.

What heals by itself must; what proof cannot decide waits for its owner, and nothing is ever sent again on a guess.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from orchestrator import entropy
from orchestrator.orders import Signature, order_of, place
from outbox import inbox
from outbox.message import Provenance
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken, content
from tests.faults.scene import Scene, write_settings

HOUR_MS = 3_600_000
QUICK: Mapping[str, Mapping[str, object]] = {"provider": {"timeout_s": 0.5}, "loop": {"lease_s": 60}}
SCOUT = {"stage": "research_primary"}
FIRST = {**SCOUT, "operation_generation": "0"}


def a_job(scene: Scene, *columns: str) -> tuple[Any, ...]:
    """Columns of the oldest job."""
    return scene.rows(f"SELECT {', '.join(columns)} FROM job ORDER BY created_ms, id")[0]


def ordered(scene: Scene, verb: str, target: str, **arguments: object) -> None:
    """An operator's order, carried out at once."""
    by = Signature(actor="night desk", reason_code="TEST", key=entropy.new_token())
    with scene.house() as house:
        with house.db.write() as conn:
            command = place(conn, order_of(verb, target, by, arguments=arguments))
        house.orders.carry_out(command)


CUTS: tuple[dict[str, Any], ...] = (
    {"result": "cut_before_accept"},
    {"result": "cut_before_accept", "reset": True},
    {"result": "cut_after_accept"},
    {"result": "cut_after_accept", "reset": True},
    {"result": "timeout_after_accept"},
    {"result": "drip", "delay_s": 30},
    {"result": "garbled_2xx"},
    {"result": "missing_id"},
)


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: "-".join(map(str, cut.values())))
def test_f09_a_create_that_is_cut_off_is_quarantined_and_never_sent_again(
    stage: Stage, cut: dict[str, Any]
) -> None:
    never_again = {"match": SCOUT, "create": [cut, {"result": "must_not_be_called"}]}
    scene = stage(rules=[never_again], settings=QUICK)
    scene.shift(operator=False)
    assert a_job(scene, "state", "quarantine_reason") == ("QUARANTINED", "CREATE_ACCEPTANCE_UNKNOWN")
    assert scene.rows("SELECT outcome FROM create_attempt") == [("UNKNOWN",)]
    assert scene.one("SELECT count(*) FROM cost_entry WHERE kind = 'RELEASED'") == 0
    assert len(scene.creates()) == 1
    assert broken(scene) == {}
    if scene.creates()[0]["accepted"]:
        scene.shift()
        assert_whole(scene)


@pytest.mark.parametrize("nowhere", ["http://127.0.0.1:9/v1", "http://provider.invalid/v1"])
def test_f10_an_unreachable_provider_costs_no_attempt_and_is_tried_again(scene: Scene, nowhere: str) -> None:
    write_settings(scene.root, scene.db.url.render_as_string(hide_password=False), nowhere, {})
    refused = "SELECT count(*) FROM create_attempt WHERE outcome = 'NOT_CREATED'"
    scene.shift(until=lambda: scene.one(refused) >= 2)
    assert a_job(scene, "state", "generation_attempts", "throttle_count") == ("CREATE_ELIGIBLE", 0, 2)
    due_ms, settled_ms = scene.rows("SELECT next_due_ms, (SELECT max(settled_ms) FROM create_attempt) FROM job")[0]
    assert 3_200 <= due_ms - settled_ms <= 4_800, "the second backoff: 4 s and a fifth of it either way"
    write_settings(scene.root, scene.db.url.render_as_string(hide_password=False), scene.emulator.base_url, {})
    scene.shift()
    assert_whole(scene)
    assert {n for (n,) in scene.rows("SELECT generation_attempts FROM job")} == {1}


HINTS: tuple[tuple[dict[str, str], int], ...] = (
    ({"retry-after": "7"}, 7_000),
    ({"retry-after-ms": "1500"}, 1_500),
    ({"retry-after": "Mon, 30 Nov 2026 05:00:30 GMT", "date": "Mon, 30 Nov 2026 05:00:10 GMT"}, 20_000),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360_000),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1_000),
)


@pytest.mark.parametrize(("headers", "hint_ms"), HINTS, ids=lambda value: str(value)[:40])
def test_f11_a_429_with_a_hint_closes_the_gate_exactly_so_and_uses_no_attempt(
    stage: Stage, headers: dict[str, str], hint_ms: int
) -> None:
    refusal = {"result": "http", "status": 429, "code": "rate_limit_exceeded", "headers": headers}
    scene = stage(rules=[{"match": SCOUT, "create": [refusal, {"result": "ok"}]}])
    scene.shift(until=lambda: scene.one("SELECT count(*) FROM provider_gate") == 1)
    answered_ms = scene.one("SELECT occurred_ms FROM event WHERE event_type = 'NOT_CREATED_RETRYABLE'")
    assert scene.one("SELECT until_ms FROM provider_gate") - answered_ms == hint_ms
    assert a_job(scene, "state", "generation_attempts") == ("CREATE_ELIGIBLE", 0)
    scene.shift()
    assert_whole(scene)
    first, second = scene.rows(
        "SELECT settled_ms, started_ms FROM create_attempt WHERE stage = 'research_primary' ORDER BY id"
    )
    assert second[1] - first[0] >= hint_ms
    assert {n for (n,) in scene.rows("SELECT generation_attempts FROM job")} == {1}


def test_f12_a_429_without_a_hint_backs_off_with_jitter(stage: Stage) -> None:
    refusal = {"result": "http", "status": 429, "code": "rate_limit_exceeded", "times": 3}
    scene = stage(rules=[{"match": SCOUT, "create": [refusal, {"result": "ok"}]}])
    scene.shift()
    assert_whole(scene)
    attempts = scene.rows(
        "SELECT started_ms, settled_ms FROM create_attempt WHERE stage = 'research_primary' ORDER BY id"
    )
    waits = [later[0] - earlier[1] for earlier, later in pairwise(attempts)]
    assert len(waits) == 3
    for wait, base in zip(waits, (2_000, 4_000, 8_000), strict=True):
        assert 0.8 * base <= wait <= 1.2 * base + 2_000
    assert {n for (n,) in scene.rows("SELECT generation_attempts FROM job")} == {1}


@pytest.mark.parametrize(
    "trouble",
    [
        {"result": "http", "status": 500},
        {"result": "http", "status": 502},
        {"result": "http", "status": 503},
        {"result": "cut"},
    ],
    ids=str,
)
def test_f13_trouble_on_a_poll_counts_it_and_keeps_the_state(stage: Stage, trouble: dict[str, Any]) -> None:
    scene = stage(rules=[{"match": SCOUT, "retrieve": [{**trouble, "times": 2}, {"status": "completed"}]}])
    scene.shift(until=lambda: scene.one("SELECT max(poll_count) FROM job") == 2)
    assert a_job(scene, "state", "poll_count", "generation_attempts") == ("ACCEPTED", 2, 1)
    scene.shift()
    assert_whole(scene)
    assert len(scene.creates(**SCOUT)) == 1


@pytest.mark.parametrize("accepted", [False, True])
def test_f14_a_500_on_create_proves_nothing(stage: Stage, accepted: bool) -> None:
    answer = {"result": "http", "status": 500, "accepted": accepted}
    scene = stage(rules=[{"match": SCOUT, "create": [answer, {"result": "ok"}]}])
    scene.shift(operator=False)
    assert a_job(scene, "state", "quarantine_reason") == ("QUARANTINED", "CREATE_ACCEPTANCE_UNKNOWN")
    assert len(scene.creates()) == 1
    scene.shift()
    assert_whole(scene)
    assert len(scene.creates(**SCOUT)) == (1 if accepted else 2)


@pytest.mark.parametrize("how", ["webhook", "order"])
def test_f15_a_queue_slower_than_the_poll_budget_is_harvested_later(stage: Stage, how: str) -> None:
    scene = stage(
        rules=[{"match": SCOUT, "retrieve": [{"status": "queued", "times": 30}, {"status": "completed"}]}]
    )
    scene.shift(operator=False)
    job, response = a_job(scene, "id", "response_id")
    assert a_job(scene, "state", "quarantine_reason", "poll_count") == ("QUARANTINED", "POLL_BUDGET_EXHAUSTED", 30)
    assert response is not None
    if how == "order":
        ordered(scene, "reconcile", job)
    else:
        with scene.db.write() as conn:
            inbox.append(
                conn,
                source="openai",
                event_id="evt_1",
                kind="response.completed",
                payload=b'{"type": "response.completed", "data": {"id": "%s"}}' % response.encode(),
                source_time_ms=None,
                provenance=Provenance(origin="provider"),
            )
    scene.shift(operator=False)
    assert_whole(scene)
    assert len(scene.creates(**SCOUT)) == 1


def test_f16_after_four_hours_asleep_one_look_the_grace_and_a_new_generation(stage: Stage) -> None:
    scene = stage(rules=[{"match": FIRST, "retrieve": [{"result": "expired"}]}])
    scene.shift(until=lambda: a_job(scene, "state") == ("ACCEPTED",))
    scene.move(4 * HOUR_MS)
    scene.shift(operator=False)
    path = scene.rows(
        "SELECT event_type, to_state FROM event WHERE job_id = :job AND generation = 0 ORDER BY id",
        job=a_job(scene, "id")[0],
    )
    assert path[-5:] == [
        ("MISSING_IN_GRACE", "ACCEPTED"),
        ("MISSING_IN_GRACE", "ACCEPTED"),
        ("MISSING_FOR_GOOD", "PROVIDER_EXPIRED_OR_MISSING"),
        ("REPLACED", "CLEANUP_PENDING"),
        ("REMOTE_DELETED", "DELETED"),
    ]
    assert_whole(scene)
    assert [c["metadata"]["operation_generation"] for c in scene.creates(**SCOUT)] == ["0", "1"]


def test_beyond_the_30_a_404_for_33_seconds_after_completion_is_waited_out(stage: Stage) -> None:
    scene = stage(
        rules=[{"match": SCOUT, "retrieve": [{"result": "not_found_for", "s": 33}, {"status": "completed"}]}]
    )
    scene.shift()
    assert_whole(scene)
    assert len(scene.creates(**SCOUT)) == 1


@pytest.mark.parametrize("code", ["insufficient_quota", "invalid_prompt"])
def test_beyond_the_30_a_failure_of_quota_or_policy_is_never_bought_again_by_itself(
    stage: Stage, code: str
) -> None:
    scene = stage(rules=[{"match": SCOUT, "retrieve": [{"status": "failed", "code": code}]}])
    scene.shift()
    reason = "QUOTA_EXHAUSTED" if "quota" in code else "PROVIDER_REFUSED"
    assert a_job(scene, "state", "quarantine_reason") == ("QUARANTINED", reason)
    assert len(scene.creates()) == 1
    assert broken(scene) == {}


@pytest.mark.parametrize("answer", ["truncated_json", "empty_output", "reasoning_only", "refusal", "wrong_id"])
def test_f17_f18_an_answer_that_is_none_is_kept_and_fails_validation(stage: Stage, answer: str) -> None:
    scene = stage(rules=[{"match": FIRST, "retrieve": [{"result": answer}]}])
    scene.shift()
    passed = "SELECT to_state FROM event WHERE generation = 0 AND stage_code = 'research_primary' ORDER BY id"
    assert ("VALIDATION_FAILED_RETAINED",) in scene.rows(passed)
    kept = scene.rows(
        "SELECT payload_digest, report_digest FROM job WHERE generation = 0 AND stage = 'research_primary'"
    )
    assert None not in kept[0]
    assert broken(scene) == {}


@pytest.mark.parametrize("answer", ["truncated_json", "empty_output"])
def test_f17_f18_after_a_broken_answer_one_more_generation_publishes(stage: Stage, answer: str) -> None:
    scene = stage(rules=[{"match": FIRST, "retrieve": [{"result": answer}]}])
    scene.shift()
    assert_whole(scene)
    assert [c["metadata"]["operation_generation"] for c in scene.creates(**SCOUT)] == ["0", "1"]


def test_f19_a_hallucinated_address_is_rejected_and_leaves_a_deficit(stage: Stage) -> None:
    honest = stage()
    honest.shift(until=lambda: a_job(honest, "state") not in [("NO_JOB",), ("CREATE_ELIGIBLE",), ("ACCEPTED",)])
    answer = json.loads(honest.one("SELECT body FROM document WHERE kind = 'PAYLOAD' ORDER BY stored_ms LIMIT 1"))
    text = answer["output"][-1]["content"][0]["text"]
    invented = 0
    for source in json.loads(text)["candidates"][0]["sources"]:
        text = text.replace(source["url"], "https://chronicle.example/2026/11/30/invented-by-the-model")
        invented += 1
    answer["output"][-1]["content"][0] |= {"text": text, "annotations": []}
    (honest.root / "hallucinated.json").write_text(json.dumps(answer))

    scene = stage(
        rules=[{"match": FIRST, "retrieve": [{"result": "payload", "file": "hallucinated.json"}]}],
        script=honest.root,
    )
    scene.shift()
    assert invented
    report = scene.one(
        "SELECT body FROM document JOIN job ON job.report_digest = document.digest AND document.kind = 'REPORT'"
        " WHERE job.stage = 'research_primary'"
    )
    assert "SOURCE_NOT_RETRIEVED" in {failure["code"] for failure in json.loads(report)["failures"]}
    assessed = scene.rows("SELECT diagnostic_code FROM event WHERE to_state = 'RESEARCH_ASSESS' ORDER BY id")
    assert assessed[0] != (None,), "no deficit was raised"
    assert all("invented-by-the-model" not in text for text in content(scene).values())
    assert_whole(scene)


def test_f22_a_cancel_that_comes_too_late_harvests_the_answer(stage: Stage) -> None:
    scene = stage(
        rules=[
            {
                "match": SCOUT,
                "retrieve": [{"status": "in_progress", "times": 2}, {"status": "completed"}],
                "cancel": [{"result": "completes_first"}],
            }
        ]
    )
    scene.shift(until=lambda: a_job(scene, "state") == ("IN_PROGRESS",))
    ordered(scene, "cancel", a_job(scene, "id")[0])
    scene.shift()
    assert_whole(scene)
    assert len([e for e in scene.requests("POST") if e["path"].endswith("/cancel")]) == 1
    assert len(scene.creates(**SCOUT)) == 1


def test_f22_a_cancel_in_time_is_not_bought_again_by_itself(stage: Stage) -> None:
    scene = stage(rules=[{"match": SCOUT, "retrieve": [{"status": "in_progress"}]}])
    scene.shift(until=lambda: a_job(scene, "state") == ("IN_PROGRESS",))
    ordered(scene, "cancel", a_job(scene, "id")[0])
    scene.shift()
    assert a_job(scene, "state", "quarantine_reason", "no_replacement") == ("QUARANTINED", "OPERATOR", 1)
    assert len(scene.creates()) == 1
    assert broken(scene) == {}


@pytest.mark.parametrize("when", ["CREATE_ELIGIBLE", "ACCEPTED"])
def test_f30_a_changed_configuration_stops_an_open_job_before_it_costs_or_counts(scene: Scene, when: str) -> None:
    from tests.faults.boundaries import Moment

    names = {"CREATE_ELIGIBLE": "after INTENT_AUTHORISED CREATE_ELIGIBLE", "ACCEPTED": "after CREATED ACCEPTED"}
    scene.killed(Moment(name=names[when]))
    file = scene.root / "content" / "products" / "daily-brief.toml"
    file.write_text(file.read_text().replace("Plain, exact and calm.", "Plain, exact, calm and short."))
    scene.shift(operator=False)
    assert a_job(scene, "state", "quarantine_reason") == ("QUARANTINED", "CONFIGURATION_DRIFT")
    assert len(scene.creates()) == (0 if when == "CREATE_ELIGIBLE" else 1)
    assert len(scene.requests("GET")) == (0 if when == "CREATE_ELIGIBLE" else 1), (
        "a paid answer is fetched all the same"
    )
    assert broken(scene) == {}
    ordered(scene, "release", a_job(scene, "id")[0], under_recorded_contract=True)
    scene.shift()
    assert_whole(scene)
