"""Every scripted result of a create, seen by a raw client on a real socket."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.orchestrator.emulator.conftest import JOB, Client, Start


def accepted(client: Client) -> int:
    """How many creates the log says were accepted."""
    return sum(1 for entry in client.emulator.log if entry["accepted"])


def test_an_unscripted_create_is_queued_and_echoes_the_request(start: Start) -> None:
    client = start()
    answer = client.create()
    shown = answer.json()
    assert answer.status_code == 200
    assert (shown["status"], shown["metadata"], shown["store"]) == ("queued", dict(JOB), True)
    assert shown["usage"] is None
    assert answer.headers["x-request-id"].startswith("req_")
    assert answer.headers["openai-version"] == "2020-10-01"
    assert answer.headers["x-ratelimit-remaining-requests"] == "9999"


def test_the_same_requests_in_the_same_order_get_the_same_ids(start: Start) -> None:
    one, two = start(), start()
    ids = [one.created(), one.created(), one.created(input="else")]
    assert ids == [two.created(), two.created(), two.created(input="else")]
    assert len(set(ids)) == 3
    assert all(len(one) == len("resp_") + 48 for one in ids)


def test_a_create_cut_before_acceptance_leaves_nothing(start: Start) -> None:
    client = start({"create": [{"result": "cut_before_accept"}, {"result": "ok"}]})
    with pytest.raises(httpx.RemoteProtocolError):
        client.create()
    assert accepted(client) == 0
    assert client.create().status_code == 200


def test_a_create_cut_after_acceptance_is_accepted_exactly_once_and_never_again(start: Start) -> None:
    client = start({"create": [{"result": "cut_after_accept"}, {"result": "must_not_be_called"}]})
    with pytest.raises(httpx.RemoteProtocolError):
        client.create()
    assert accepted(client) == 1
    entry = client.emulator.log[0]
    assert (entry["result"], entry["status"], entry["rule"]) == ("cut_after_accept", None, 0)
    assert client.get(entry["response_id"]).json()["metadata"] == dict(JOB)

    assert client.create().status_code == 500
    assert accepted(client) == 1
    assert [one["result"] for one in client.emulator.violations] == ["must_not_be_called"]


def test_a_cut_can_be_a_reset(start: Start) -> None:
    client = start({"create": [{"result": "cut_after_accept", "reset": True}]})
    with pytest.raises(httpx.ReadError):
        client.create()
    assert accepted(client) == 1


def test_a_create_that_never_answers_is_accepted(start: Start) -> None:
    client = start({"create": [{"result": "timeout_after_accept"}]})
    with pytest.raises(httpx.ReadTimeout):
        client.http.post("/responses", json={"model": "m", "input": "x"}, timeout=0.3)
    assert accepted(client) == 1


def test_a_dripping_answer_outlives_every_timeout_between_two_reads(start: Start) -> None:
    client = start({"create": [{"result": "drip", "delay_s": 0.8}]})
    pieces = 0
    request = {"model": "m", "input": "x", "background": True}
    with client.http.stream("POST", "/responses", json=request, timeout=0.3) as answer:
        body = b""
        for piece in answer.iter_raw():
            pieces += 1
            body += piece
    assert httpx.Response(200, content=body).json()["status"] == "queued"
    assert pieces > 10


def test_a_slow_create_is_accepted_before_it_is_answered(start: Start) -> None:
    client = start({"create": [{"result": "slow", "delay_s": 30}, {"result": "slow", "delay_s": 0.1}]})
    with pytest.raises(httpx.ReadTimeout):
        client.http.post("/responses", json={"model": "m", "input": "x"}, timeout=0.3)
    assert accepted(client) == 1
    assert client.http.post("/responses", json={"model": "m", "input": "x"}).status_code == 200


def test_a_scripted_status_carries_envelope_and_headers(start: Start) -> None:
    throttle: dict[str, Any] = {
        "result": "http",
        "status": 429,
        "code": "rate_limit_exceeded",
        "headers": {"retry-after-ms": 1500, "x-ratelimit-remaining-requests": "0"},
        "times": 2,
    }
    client = start({"create": [throttle, {"result": "ok"}]})
    answers = [client.create() for _ in range(3)]
    assert [one.status_code for one in answers] == [429, 429, 200]
    assert answers[0].headers["retry-after-ms"] == "1500"
    assert answers[0].headers["x-ratelimit-remaining-requests"] == "0"
    assert answers[0].json()["error"] == {
        "message": "The emulator was told to answer 429.",
        "type": "rate_limit_error",
        "param": None,
        "code": "rate_limit_exceeded",
    }
    assert accepted(client) == 1


def test_an_error_status_may_hide_an_acceptance_and_may_lack_the_envelope(start: Start) -> None:
    page = {"result": "http", "status": 502, "body": "<html>bad gateway</html>", "accepted": True}
    client = start({"create": [page]})
    answer = client.create()
    assert (answer.status_code, answer.headers["content-type"]) == (502, "text/html")
    assert accepted(client) == 1


def test_a_garbled_answer_and_one_without_id_are_2xx_and_accepted(start: Start) -> None:
    client = start({"create": [{"result": "garbled_2xx"}, {"result": "missing_id"}]})
    with pytest.raises(ValueError, match="Unterminated string"):
        client.create().json()
    anonymous = client.create().json()
    assert ("id" in anonymous, anonymous["status"]) == (False, "queued")
    assert accepted(client) == 2


def test_a_list_is_consumed_by_each_stage_product_and_date_for_itself(start: Start) -> None:
    client = start({"create": [{"result": "http", "status": 503}, {"result": "ok"}]})
    other = dict(JOB) | {"product": "revolution-watch"}
    assert [client.create().status_code for _ in range(2)] == [503, 200]
    assert [client.create(metadata=other).status_code for _ in range(2)] == [503, 200]


def test_a_shared_list_is_consumed_by_all(start: Start) -> None:
    client = start({"shared": True, "create": [{"result": "http", "status": 503}, {"result": "ok"}]})
    other = dict(JOB) | {"product": "revolution-watch"}
    assert [client.create(metadata=m).status_code for m in (JOB, other)] == [503, 200]


def test_a_rule_can_name_the_call(start: Start) -> None:
    client = start({"match": {"call": 2}, "create": [{"result": "http", "status": 503}]})
    assert [client.create().status_code for _ in range(3)] == [200, 503, 200]


@pytest.mark.parametrize(
    ("match", "hit"),
    [
        ({"stage": "research_primary", "date": "2026-11-30"}, True),
        ({"revision": 1, "operation_generation": 0}, True),
        ({"fingerprint_prefix": "01234567"}, True),
        ({"product": ["revolution-watch", "daily-brief"]}, True),
        ({"workflow": "daily-edition", "contract_version": "primary-research-2026-08"}, True),
        ({"process_suffix": "A1B2C3"}, True),
        ({"stage": "composition"}, False),
        ({"date": "2026-12-01"}, False),
    ],
)
def test_match_reads_the_metadata_of_the_create(start: Start, match: dict[str, Any], hit: bool) -> None:
    client = start({"match": match, "create": [{"result": "http", "status": 503}]})
    assert client.create().status_code == (503 if hit else 200)


def test_every_request_leaves_one_line_in_the_log(start: Start, tmp_path: Any) -> None:
    import json

    client = start(log_path=tmp_path / "log" / "requests.jsonl")
    body = {"model": "m", "input": "x", "background": True, "metadata": dict(JOB)}
    made = client.http.post("/responses", json=body, headers={"x-client-request-id": "abc"}).json()
    client.get(made["id"])
    client.delete(made["id"])
    client.get(made["id"])
    lines = [json.loads(line) for line in (tmp_path / "log" / "requests.jsonl").read_text().splitlines()]
    assert [(one["method"], one["status"], one["result"]) for one in lines] == [
        ("POST", 200, "ok"),
        ("GET", 200, "in_progress"),
        ("DELETE", 200, "ok"),
        ("GET", 404, "not_found"),
    ]
    assert lines[0]["client_request_id"] == "abc"
    assert {one["response_id"] for one in lines} == {made["id"]}
    assert all(one["metadata"] == dict(JOB) and not one["violation"] for one in lines)
    assert lines == [dict(one) for one in client.emulator.log]
    assert lines[0]["at"] == "2026-11-30T00:53:20.000Z"
