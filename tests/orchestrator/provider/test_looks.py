"""Everything but creates: what a reply to a look, a cancel, a delete or a count means."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.observations import (
    Garbled,
    Missing,
    Phase,
    Polled,
    ProviderStatus,
    RemoteDeleted,
    Throttled,
    Unreachable,
    Usage,
)
from orchestrator.provider.client import Provider
from orchestrator.provider.config import ProviderConfig
from orchestrator.provider.looks import LookOutcome
from tests.orchestrator.provider.wire import Behaviour, Wire, answering, closed_port, http, once, serving

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
ERROR = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
LIMIT = {"error": {"message": "slow", "type": "requests", "code": "rate_limit_exceeded"}}
QUOTA = {"error": {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"}}

Look = Callable[[Provider], LookOutcome]
LOOKS: list[Look] = [lambda provider: provider.retrieve("resp_1"), lambda provider: provider.cancel("resp_1")]


def provider_at(url: str, timeout_s: float = 0.3) -> Provider:
    return Provider(ProviderConfig(base_url=url, api_key="k-secret", timeout_s=timeout_s))


def looked(look: Look, behave: Behaviour) -> LookOutcome:
    with serving(behave) as server, provider_at(server.url) as provider:
        return look(provider)


def response(**fields: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": "completed", "output": [], **fields}


@pytest.mark.parametrize("look", LOOKS, ids=["retrieve", "cancel"])
@pytest.mark.parametrize("status", list(ProviderStatus))
def test_every_status_is_read_with_its_raw_body(look: Look, status: ProviderStatus) -> None:
    raw = json.dumps(response(status=status.value, metadata={"b": "2", "a": "1", "c": 3}), indent=3).encode()
    outcome = looked(look, answering(http(200, raw)))
    assert isinstance(outcome, Polled)
    assert (outcome.status, outcome.body, outcome.call.phase) == (status, raw, Phase.DONE)
    assert outcome.metadata == (("a", "1"), ("b", "2"))


FAILURES = [
    ({"code": "server_error", "message": "x"}, "server_error"),
    ({"code": "insufficient_quota", "message": "x"}, "insufficient_quota"),
    ({"code": None, "type": "bio_policy"}, "bio_policy"),
    ({"code": 500}, "500"),
    ({"code": "a sentence, not a code"}, None),
    (None, None),
    ("text", None),
]


@pytest.mark.parametrize(("error", "code"), FAILURES)
def test_a_failed_response_carries_its_code(error: Any, code: str | None) -> None:
    outcome = looked(LOOKS[0], answering(http(200, response(status="failed", error=error))))
    assert isinstance(outcome, Polled)
    assert outcome.error_code == code


def test_an_error_beside_another_status_is_no_failure_code() -> None:
    outcome = looked(LOOKS[0], answering(http(200, response(status="incomplete", error={"code": "x"}))))
    assert isinstance(outcome, Polled)
    assert outcome.error_code is None


NULLS = response(output=None, usage=None, metadata=None, error=None, text=None, unknown={"x": [1]})


def test_nulls_and_unknown_fields_are_normal() -> None:
    outcome = looked(LOOKS[0], answering(http(200, NULLS)))
    assert isinstance(outcome, Polled)
    assert (outcome.status, outcome.usage, outcome.metadata) == (ProviderStatus.COMPLETED, None, ())


GARBLED = [
    (b"", "not_a_json_object"),
    (b'{"id":"resp_1","status":"completed","output":[{"ty', "not_a_json_object"),
    (b"<html></html>", "not_a_json_object"),
    (b"[]", "not_a_json_object"),
    (json.dumps(response(id="resp_2")).encode(), "wrong_id"),
    (b"{}", "wrong_id"),
]


@pytest.mark.parametrize("look", LOOKS, ids=["retrieve", "cancel"])
@pytest.mark.parametrize(("body", "code"), GARBLED)
def test_a_success_that_is_not_the_response_asked_for_is_kept_as_garbled(
    look: Look, body: bytes, code: str
) -> None:
    outcome = looked(look, answering(http(200, body)))
    assert isinstance(outcome, Garbled)
    assert (outcome.code, outcome.body) == (code, body)


@pytest.mark.parametrize("look", LOOKS, ids=["retrieve", "cancel"])
def test_404_is_missing_in_the_providers_envelope_only(look: Look) -> None:
    assert isinstance(looked(look, answering(http(404, ERROR))), Missing)
    for page in (b"<html>not here</html>", b'{"detail":"Not Found"}', b""):
        outcome = looked(look, answering(http(404, page)))
        assert isinstance(outcome, Unreachable)
        assert outcome.code == "http_404"


THROTTLED: list[tuple[Any, dict[str, str], str, int | None]] = [
    (LIMIT, {"retry-after": "2"}, "rate_limit_exceeded", 2_000),
    (LIMIT, {"retry-after-ms": "250"}, "rate_limit_exceeded", 250),
    (LIMIT, {}, "rate_limit_exceeded", None),
    (QUOTA, {}, "insufficient_quota", None),
    (b"<html>slow down</html>", {"retry-after": "3"}, "http_429", 3_000),
]


@pytest.mark.parametrize(("body", "headers", "code", "hint_ms"), THROTTLED)
def test_429_is_throttled_with_code_and_hint(
    body: Any, headers: dict[str, str], code: str, hint_ms: int | None
) -> None:
    outcome = looked(LOOKS[0], answering(http(429, body, headers)))
    assert isinstance(outcome, Throttled)
    assert (outcome.code, outcome.hint_ms) == (code, hint_ms)


@pytest.mark.parametrize("status", [302, 400, 401, 403, 407, 408, 409, 410, 422, 500, 502, 503, 504])
def test_any_other_refusal_is_unreachable(status: int) -> None:
    outcome = looked(LOOKS[0], answering(http(status, ERROR, {"x-request-id": "req_2", "location": "/x"})))
    assert isinstance(outcome, Unreachable)
    assert outcome.code == "invalid_request_error"
    assert (outcome.call.http_status, outcome.call.x_request_id) == (status, "req_2")


def test_an_overloaded_server_may_say_how_long() -> None:
    outcome = looked(LOOKS[0], answering(http(503, b"busy", {"retry-after": "20"})))
    assert isinstance(outcome, Unreachable)
    assert (outcome.code, outcome.hint_ms) == ("http_503", 20_000)


def drip_headers(wire: Wire) -> None:
    wire.read()
    wire.drip(b"HTTP/1.1 200 OK\r\nx-slow: " + b"y" * 1000, every_s=0.05)


def drip_body(wire: Wire) -> None:
    wire.read()
    wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    wire.drip(b" " * 1000, every_s=0.05)


def never_answer(wire: Wire) -> None:
    wire.read()
    wire.hang()


BROKEN: list[tuple[Behaviour, str, Phase]] = [
    (once(b""), "RemoteProtocolError", Phase.WAIT),
    (once(http(200, response(), {"content-length": "5000"})), "RemoteProtocolError", Phase.READ),
    (never_answer, "ReadTimeout", Phase.WAIT),
    (drip_headers, "ReadTimeout", Phase.WAIT),
    (drip_body, "ReadTimeout", Phase.READ),
]


@pytest.mark.parametrize("look", LOOKS, ids=["retrieve", "cancel"])
@pytest.mark.parametrize(("behave", "code", "phase"), BROKEN)
def test_a_look_without_a_complete_answer_is_unreachable(
    look: Look, behave: Behaviour, code: str, phase: Phase
) -> None:
    outcome = looked(look, behave)
    assert isinstance(outcome, Unreachable)
    assert (outcome.code, outcome.call.phase) == (code, phase)
    assert outcome.call.error_class == code


def test_a_look_at_nobody_is_unreachable() -> None:
    with provider_at(f"http://127.0.0.1:{closed_port()}/v1") as provider:
        outcome = provider.retrieve("resp_1")
    assert isinstance(outcome, Unreachable)
    assert (outcome.code, outcome.call.phase) == ("ConnectError", Phase.CONNECT)


def test_looks_share_a_connection_and_survive_its_end() -> None:
    """The second server thread closes after each answer, as a load balancer does with idle connections."""

    def two_then_close(wire: Wire) -> None:
        for _ in range(2):
            wire.read()
            wire.send(http(200, response()))

    with serving(two_then_close) as server, provider_at(server.url, timeout_s=2) as provider:
        outcomes = [provider.retrieve("resp_1") for _ in range(2)]
        assert [seen.connection for seen in server.seen] == [1, 1]
        outcomes += [provider.retrieve("resp_1") for _ in range(2)]
    assert sum(isinstance(outcome, Polled) for outcome in outcomes) >= 3
    assert server.connections >= 2


def test_a_reused_connection_that_dies_under_a_look_is_not_asked_again() -> None:
    def one_then_cut(wire: Wire) -> None:
        wire.read()
        wire.send(http(200, response()))
        wire.read()

    with serving(one_then_cut) as server, provider_at(server.url, timeout_s=2) as provider:
        assert isinstance(provider.retrieve("resp_1"), Polled)
        outcome = provider.retrieve("resp_1")
    assert isinstance(outcome, Unreachable)
    assert outcome.code == "RemoteProtocolError"
    assert len(server.seen) == 2


def test_the_deadline_holds_on_a_reused_connection_too() -> None:
    def one_then_drip(wire: Wire) -> None:
        wire.read()
        wire.send(http(200, response()))
        drip_headers(wire)

    with serving(one_then_drip) as server, provider_at(server.url) as provider:
        assert isinstance(provider.retrieve("resp_1"), Polled)
        outcome = provider.retrieve("resp_1")
    assert isinstance(outcome, Unreachable)
    assert outcome.code == "ReadTimeout"
    assert server.connections == 1


# --- delete -----------------------------------------------------------------------------------------------

DELETED: list[tuple[int, Any, str]] = [
    (200, {"id": "resp_1", "object": "response", "deleted": True}, "deleted"),
    (200, {"id": "resp_1", "object": "response.deleted", "deleted": True}, "deleted"),
    (200, b"", "deleted"),
    (204, b"", "deleted"),
    (404, ERROR, "missing"),
    (404, b"<html></html>", "missing"),
    (405, {"detail": "Method Not Allowed"}, "unsupported"),
    (501, b"", "unsupported"),
]


@pytest.mark.parametrize(("status", "body", "how"), DELETED)
def test_a_delete_succeeds_when_nothing_is_left(status: int, body: Any, how: str) -> None:
    answer = b"HTTP/1.1 204 No Content\r\n\r\n" if status == 204 else http(status, body)
    with serving(answering(answer)) as server, provider_at(server.url) as provider:
        outcome = provider.delete("resp_1")
    assert isinstance(outcome, RemoteDeleted)
    assert outcome.how == how
    assert (server.seen[0].method, server.seen[0].target) == ("DELETE", "/v1/responses/resp_1")


TROUBLED: list[tuple[Behaviour, type, str]] = [
    (answering(http(429, LIMIT)), Throttled, "rate_limit_exceeded"),
    (answering(http(500, b"")), Unreachable, "http_500"),
    (answering(http(401, ERROR)), Unreachable, "invalid_request_error"),
    (answering(http(200, {"deleted": False})), Unreachable, "not_deleted"),
    (once(b""), Unreachable, "RemoteProtocolError"),
]


@pytest.mark.parametrize(("behave", "kind", "code"), TROUBLED)
def test_a_troubled_delete_is_tried_again_later(behave: Behaviour, kind: type, code: str) -> None:
    with serving(behave) as server, provider_at(server.url) as provider:
        outcome = provider.delete("resp_1")
    assert isinstance(outcome, kind)
    assert getattr(outcome, "code", "") == code


# --- counting ---------------------------------------------------------------------------------------------


def test_input_tokens_are_counted_by_the_provider() -> None:
    answer = http(200, {"object": "response.input_tokens", "input_tokens": 11})
    with serving(answering(answer)) as server, provider_at(server.url) as provider:
        assert provider.input_tokens(b'{"model":"m","input":"hi"}') == 11
    assert server.seen[0].target == "/v1/responses/input_tokens"
    assert server.seen[0].body == b'{"model":"m","input":"hi"}'


UNCOUNTED: list[tuple[Behaviour, type, str]] = [
    (answering(http(200, {"input_tokens": "11"})), Unreachable, "no_count"),
    (answering(http(200, b"")), Unreachable, "no_count"),
    (answering(http(404, ERROR)), Unreachable, "invalid_request_error"),
    (answering(http(429, LIMIT)), Throttled, "rate_limit_exceeded"),
    (once(b""), Unreachable, "RemoteProtocolError"),
]


@pytest.mark.parametrize(("behave", "kind", "code"), UNCOUNTED)
def test_a_count_that_cannot_be_had_says_why(behave: Behaviour, kind: type, code: str) -> None:
    with serving(behave) as server, provider_at(server.url) as provider:
        outcome = provider.input_tokens(b"{}")
    assert isinstance(outcome, kind)
    assert getattr(outcome, "code", "") == code


@pytest.mark.skipif(not (SHARED / "recorded").is_dir(), reason="no recorded answers beside the repository")
def test_a_recorded_answer_is_polled_without_loss() -> None:
    recorded = (SHARED / "recorded" / "web-search.json").read_bytes()
    response_id = json.loads(recorded)["id"]
    with serving(answering(http(200, recorded))) as server, provider_at(server.url) as provider:
        outcome = provider.retrieve(response_id)
    assert isinstance(outcome, Polled)
    assert outcome.body == recorded
    assert outcome.usage == Usage(input_tokens=19681, output_tokens=3773, searches=3)
    assert outcome.metadata == ()
