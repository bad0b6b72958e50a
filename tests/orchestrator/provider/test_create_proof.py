"""Each row of the create table (completed tables §5), tried against raw sockets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import pytest

from orchestrator.core.observations import (
    Created,
    CreationUnknown,
    NotCreated,
    Phase,
    ProviderStatus,
    Usage,
)
from orchestrator.core.states import Reason
from orchestrator.provider.client import Provider
from orchestrator.provider.config import ProviderConfig
from orchestrator.provider.proof import CreateOutcome
from tests.orchestrator.provider.wire import (
    Behaviour,
    Wire,
    answering,
    closed_port,
    http,
    once,
    serving,
)

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
BODY = b'{"model":"m","input":"hi"}'
QUEUED = {"id": "resp_1", "object": "response", "status": "queued", "output": []}
TIMEOUT_S = 0.3


def create(url: str, body: bytes = BODY, *, timeout_s: float = TIMEOUT_S) -> CreateOutcome:
    config = ProviderConfig(base_url=url, api_key="k-secret", timeout_s=timeout_s)
    with Provider(config) as provider:
        return provider.create(body, client_request_id="crid-1")


def created_by(behave: Behaviour, body: bytes = BODY) -> CreateOutcome:
    with serving(behave) as server:
        return create(server.url, body)


def error(code: Any = None, kind: str = "invalid_request_error", message: Any = "no") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


# --- proven not created ----------------------------------------------------------------------------------


def test_a_refused_connection_proves_that_nothing_was_created() -> None:
    outcome = create(f"http://127.0.0.1:{closed_port()}/v1")
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.call.phase) == ("ConnectError", Phase.CONNECT)
    assert outcome.throttled
    assert outcome.final is None
    assert outcome.hint_ms is None


def test_a_name_that_does_not_resolve_proves_that_nothing_was_created(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    outcome = create("http://nowhere.invalid/v1")
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.call.phase, outcome.throttled) == ("ConnectError", Phase.CONNECT, True)


def test_tls_to_a_plain_port_proves_that_nothing_was_created() -> None:
    def plain(wire: Wire) -> None:
        wire.sock.recv(10)
        wire.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with serving(plain) as server:
        outcome = create(server.url.replace("http:", "https:"))
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.call.phase, outcome.throttled) == ("ConnectError", Phase.CONNECT, True)


def test_a_tls_handshake_that_is_never_answered_proves_that_nothing_was_created() -> None:
    with serving(Wire.hang) as server:
        outcome = create(server.url.replace("http:", "https:"))
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.call.phase, outcome.throttled) == ("ConnectTimeout", Phase.CONNECT, True)


def proxied(monkeypatch: pytest.MonkeyPatch, behave: Behaviour, url: str) -> CreateOutcome:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with serving(behave) as server:
        scheme = url.partition(":")[0]
        monkeypatch.setenv(f"{scheme}_proxy", f"http://127.0.0.1:{server.port}")
        return create(url)


@pytest.mark.parametrize("status", [403, 407, 502])
def test_a_proxy_that_refuses_the_tunnel_proves_that_nothing_was_created(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    outcome = proxied(monkeypatch, answering(http(status)), "https://provider.invalid/v1")
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.call.phase, outcome.throttled) == ("ProxyError", Phase.CONNECT, True)


def test_a_forwarding_proxy_that_wants_a_password_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = proxied(monkeypatch, answering(http(407, error("x"))), "http://provider.invalid/v1")
    assert isinstance(outcome, CreationUnknown)
    assert outcome.call.http_status == 407


@dataclass(frozen=True)
class Raising(httpx.BaseTransport):
    """A transport whose every request ends in one error."""

    error: type[httpx.TransportError]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        raise self.error("crid-1 k-secret")


def raising(error: type[httpx.TransportError]) -> CreateOutcome:
    config = ProviderConfig(base_url="http://127.0.0.1:1/v1", timeout_s=1)
    with Provider(config, transport=Raising(error)) as provider:
        return provider.create(BODY, client_request_id="crid-1")


@pytest.mark.parametrize("kind", [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError])
def test_an_error_before_sending_uses_no_attempt(kind: type[httpx.TransportError]) -> None:
    outcome = raising(kind)
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.throttled, outcome.final) == (kind.__name__, True, None)


@pytest.mark.parametrize("kind", [httpx.LocalProtocolError, httpx.UnsupportedProtocol])
def test_an_error_of_our_own_before_the_first_byte_is_final(kind: type[httpx.TransportError]) -> None:
    outcome = raising(kind)
    assert isinstance(outcome, NotCreated)
    assert (outcome.final, outcome.throttled) == (Reason.PROVIDER_REJECTED, False)


@pytest.mark.parametrize(
    "kind",
    [
        httpx.ReadError,
        httpx.ReadTimeout,
        httpx.WriteError,
        httpx.WriteTimeout,
        httpx.CloseError,
        httpx.RemoteProtocolError,
    ],
)
def test_an_error_after_connecting_proves_nothing(kind: type[httpx.TransportError]) -> None:
    outcome = raising(kind)
    assert isinstance(outcome, CreationUnknown)
    assert outcome.code == kind.__name__


REFUSED = [
    (400, error("invalid_type"), "invalid_type", Reason.PROVIDER_REJECTED),
    (400, error(None), "invalid_request_error", Reason.PROVIDER_REJECTED),
    (400, error(400), "400", Reason.PROVIDER_REJECTED),
    (401, error("invalid_api_key"), "invalid_api_key", Reason.CREDENTIALS_REJECTED),
    (403, error("unsupported_country_region_territory"), None, Reason.CREDENTIALS_REJECTED),
    (404, error("model_not_found"), "model_not_found", Reason.PROVIDER_REJECTED),
    (413, error(None, kind=""), "http_413", Reason.PROVIDER_REJECTED),
    (415, error("a text that is no code, with the key k-secret"), None, Reason.PROVIDER_REJECTED),
    (422, {"error": {"message": "no"}}, "http_422", Reason.PROVIDER_REJECTED),
    (429, error("insufficient_quota", "insufficient_quota"), "insufficient_quota", Reason.QUOTA_EXHAUSTED),
    (429, error("credit_balance_exhausted", "insufficient_quota"), None, Reason.QUOTA_EXHAUSTED),
    (429, error(None, "insufficient_quota"), "insufficient_quota", Reason.QUOTA_EXHAUSTED),
    (429, error("organization_spend_limit_exceeded", "x"), None, Reason.QUOTA_EXHAUSTED),
    (429, error("project_spend_limit_exceeded", "x"), None, Reason.QUOTA_EXHAUSTED),
    (429, error("organization_usage_limit_exceeded", "x"), None, Reason.QUOTA_EXHAUSTED),
    (403, error("insufficient_quota", "x"), "insufficient_quota", Reason.QUOTA_EXHAUSTED),
]


@pytest.mark.parametrize(("status", "body", "code", "final"), REFUSED)
def test_a_refusal_in_the_providers_envelope_is_proof_and_its_code_says_why(
    status: int, body: dict[str, Any], code: str | None, final: Reason
) -> None:
    outcome = created_by(answering(http(status, body, {"x-request-id": "req_9"})))
    assert isinstance(outcome, NotCreated)
    assert (outcome.final, outcome.throttled, outcome.hint_ms) == (final, False, None)
    assert code is None or outcome.code == code
    assert "secret" not in outcome.code
    assert (outcome.call.phase, outcome.call.http_status) == (Phase.DONE, status)
    assert outcome.call.x_request_id == "req_9"


BARE = [
    b"",
    b"<html><body>Bad Gateway</body></html>",
    b'{"error":"text"}',
    b'{"error":{"message":null}}',
    b'{"detail":"x"}',
    b'{"error":{"message":"cut',
    b"[" * 60_000,
]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 415, 422, 429])
@pytest.mark.parametrize("body", BARE, ids=range(len(BARE)))
def test_a_refusal_without_the_envelope_proves_nothing(status: int, body: bytes) -> None:
    outcome = created_by(answering(http(status, body)))
    assert isinstance(outcome, CreationUnknown)
    assert (outcome.code, outcome.call.http_status) == (f"http_{status}", status)


@pytest.mark.parametrize("status", [402, 405, 407, 408, 409, 410, 424, 425, 451, 499, 500, 502, 503, 504, 529])
@pytest.mark.parametrize("body", [error("some_code"), b"<html></html>"], ids=["envelope", "page"])
def test_any_other_status_proves_nothing_whatever_its_body_says(status: int, body: Any) -> None:
    outcome = created_by(answering(http(status, body)))
    assert isinstance(outcome, CreationUnknown)
    assert outcome.call.http_status == status
    assert outcome.code == ("some_code" if isinstance(body, dict) else f"http_{status}")


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
def test_a_redirect_is_final_and_never_followed(status: int) -> None:
    with serving(answering(http(status, b"", {"location": "/v1/elsewhere"}))) as server:
        outcome = create(server.url)
    assert isinstance(outcome, NotCreated)
    assert (outcome.final, outcome.code) == (Reason.PROVIDER_REJECTED, f"http_{status}")
    assert len(server.seen) == 1


NOW_S = 1_790_000_000
HINTS: list[tuple[dict[str, str], int | None]] = [
    ({}, None),
    ({"retry-after": "7"}, 7_000),
    ({"Retry-After-Ms": "1500", "retry-after": "7"}, 1_500),
    ({"date": formatdate(NOW_S, usegmt=True), "retry-after": formatdate(NOW_S + 90, usegmt=True)}, 90_000),
    ({"date": formatdate(NOW_S, usegmt=True), "retry-after": formatdate(NOW_S - 5, usegmt=True)}, 0),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1_000),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360_000),
    ({"x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6m0s"}, None),
    ({"retry-after": "1382400"}, 1_382_400_000),
    ({"retry-after": "soon"}, None),
]


@pytest.mark.parametrize(("headers", "hint_ms"), HINTS)
def test_a_throttled_create_reports_the_hint_and_uses_no_attempt(
    headers: dict[str, str], hint_ms: int | None
) -> None:
    outcome = created_by(answering(http(429, error("rate_limit_exceeded", "requests"), headers)))
    assert isinstance(outcome, NotCreated)
    assert (outcome.code, outcome.throttled, outcome.final) == ("rate_limit_exceeded", True, None)
    assert outcome.hint_ms == hint_ms


def test_a_retry_date_without_the_servers_date_is_compared_with_the_hosts_clock() -> None:
    headers = {"retry-after": "Fri, 01 Jan 2010 00:00:00 GMT"}
    outcome = created_by(answering(http(429, error("slow_down"), headers)))
    assert isinstance(outcome, NotCreated)
    assert outcome.hint_ms == 0


# --- unknown ----------------------------------------------------------------------------------------------


def reset_before_reading(wire: Wire) -> None:
    wire.sock.recv(1)
    wire.reset()


def read_then_close(wire: Wire) -> None:
    wire.read()


def read_then_reset(wire: Wire) -> None:
    wire.read()
    wire.reset()


def never_answer(wire: Wire) -> None:
    wire.read()
    wire.hang()


def drip_headers(wire: Wire) -> None:
    wire.read()
    wire.drip(b"HTTP/1.1 200 OK\r\nx-slow: " + b"y" * 1000, every_s=TIMEOUT_S / 6)


def drip_body(wire: Wire) -> None:
    wire.read()
    wire.send(b"HTTP/1.1 200 OK\r\nx-request-id: req_slow\r\ncontent-length: 1000\r\n\r\n")
    wire.drip(b'{"id":"resp_1","status":"queued"}' + b" " * 967, every_s=TIMEOUT_S / 6)


def not_http(wire: Wire) -> None:
    wire.read()
    wire.send(b"SSH-2.0-OpenSSH_9.2\r\n")


# Each byte of a drip comes within the timeout, and all of them would take a minute and then be a good answer:
# only the total deadline can end these in ReadTimeout.
GONE = {"ReadError", "RemoteProtocolError"}
SILENT: list[tuple[Behaviour, set[str], Phase, int | None]] = [
    (reset_before_reading, GONE, Phase.WAIT, None),
    (read_then_close, {"RemoteProtocolError"}, Phase.WAIT, None),
    (read_then_reset, GONE, Phase.WAIT, None),
    (never_answer, {"ReadTimeout"}, Phase.WAIT, None),
    (drip_headers, {"ReadTimeout"}, Phase.WAIT, None),
    (drip_body, {"ReadTimeout"}, Phase.READ, 200),
    (not_http, {"RemoteProtocolError"}, Phase.WAIT, None),
    (once(http(200, QUEUED, {"content-length": "500"})), {"RemoteProtocolError"}, Phase.READ, 200),
    (once(http(400, error("x"), {"content-length": "500"})), {"RemoteProtocolError"}, Phase.READ, 400),
]


@pytest.mark.parametrize(("behave", "codes", "phase", "status"), SILENT)
def test_a_create_that_ends_without_a_complete_answer_is_unknown(
    behave: Behaviour, codes: set[str], phase: Phase, status: int | None
) -> None:
    outcome = created_by(behave)
    assert isinstance(outcome, CreationUnknown)
    assert outcome.code in codes
    assert outcome.call.error_class == outcome.code
    assert (outcome.call.phase, outcome.call.http_status) == (phase, status)


def test_a_server_that_stops_reading_ends_the_create_while_sending() -> None:
    outcome = created_by(Wire.hang, b"x" * 16_000_000)
    assert isinstance(outcome, CreationUnknown)
    assert (outcome.code, outcome.call.phase) == ("WriteTimeout", Phase.SEND)


def test_a_connection_that_breaks_while_sending_is_unknown() -> None:
    outcome = created_by(reset_before_reading, b"x" * 16_000_000)
    assert isinstance(outcome, CreationUnknown)
    assert outcome.code in {"WriteError", *GONE}


UNREADABLE: list[tuple[bytes, str]] = [
    (b"", "not_a_json_object"),
    (b'{"id":"resp_1","status":"que', "not_a_json_object"),
    (b"<html>welcome</html>", "not_a_json_object"),
    (b'["resp_1"]', "not_a_json_object"),
    (b'{"a":' * 50_000, "not_a_json_object"),
    (b"\xff\xfe\x00", "not_a_json_object"),
    (b"{}", "no_well_formed_id"),
    (b'{"id":null,"status":"queued"}', "no_well_formed_id"),
    (b'{"id":17}', "no_well_formed_id"),
    (b'{"id":""}', "no_well_formed_id"),
    (b'{"id":"resp 1"}', "no_well_formed_id"),
    (b'{"id":"resp/1"}', "no_well_formed_id"),
    (b'{"id":".."}', "no_well_formed_id"),
    (b'{"id":"resp_\\u00e9"}', "no_well_formed_id"),
    (b'{"id":"resp_\\n"}', "no_well_formed_id"),
    (json.dumps({"id": "r" * 513}).encode(), "no_well_formed_id"),
    (json.dumps(error("x")).encode(), "no_well_formed_id"),
]


@pytest.mark.parametrize(("body", "code"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_success_without_a_well_formed_id_is_unknown(body: bytes, code: str) -> None:
    outcome = created_by(answering(http(200, body)))
    assert isinstance(outcome, CreationUnknown)
    assert (outcome.code, outcome.call.http_status, outcome.call.phase) == (code, 200, Phase.DONE)


def test_an_answer_beyond_the_size_bound_is_unknown() -> None:
    body = b'{"id":"resp_1","status":"queued","x":"' + b"y" * (33 * 1024 * 1024) + b'"}'
    with serving(answering(http(200, body))) as server:
        outcome = create(server.url, timeout_s=20)
    assert isinstance(outcome, CreationUnknown)
    assert outcome.code == "too_large"


# --- created ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 201, 202])
def test_any_2xx_with_an_id_is_created(status: int) -> None:
    outcome = created_by(answering(http(status, QUEUED, {"x-request-id": "req_1"})))
    assert isinstance(outcome, Created)
    assert (outcome.response_id, outcome.status) == ("resp_1", ProviderStatus.QUEUED)
    assert (outcome.body, outcome.usage) == (None, None)
    assert outcome.call.x_request_id == "req_1"
    assert outcome.call.phase is Phase.DONE


def test_long_rewritten_ids_are_well_formed() -> None:
    response_id = "resp_" + "bGl0ZWxsbTpjdXN0b21fbGxt+==" * 18
    outcome = created_by(answering(http(200, QUEUED | {"id": response_id})))
    assert isinstance(outcome, Created)
    assert outcome.response_id == response_id


STATUSES = [
    ({"status": "queued"}, ProviderStatus.QUEUED),
    ({"status": "in_progress"}, ProviderStatus.IN_PROGRESS),
    ({"status": "searching"}, ProviderStatus.IN_PROGRESS),
    ({"status": 7}, ProviderStatus.IN_PROGRESS),
    ({}, ProviderStatus.IN_PROGRESS),
    ({"output": []}, ProviderStatus.IN_PROGRESS),
    ({"output": [{"type": "message"}]}, ProviderStatus.COMPLETED),
    ({"error": {"code": "server_error"}}, ProviderStatus.FAILED),
    ({"status": "canceled"}, ProviderStatus.CANCELLED),
]


@pytest.mark.parametrize(("fields", "status"), STATUSES)
def test_a_status_that_is_missing_or_unknown_never_ends_a_job(
    fields: dict[str, Any], status: ProviderStatus
) -> None:
    outcome = created_by(answering(http(200, {"id": "resp_1", **fields})))
    assert isinstance(outcome, Created)
    assert outcome.status is status


def test_a_synchronous_server_gives_body_and_usage_with_the_create() -> None:
    response = QUEUED | {
        "status": "completed",
        "output": [
            {"type": "web_search_call", "id": "ws_1"},
            {"type": "never_heard_of"},
            {"type": "web_search_call"},
            "text",
        ],
        "usage": {"input_tokens": 12, "output_tokens": 34},
    }
    outcome = created_by(answering(http(200, response)))
    assert isinstance(outcome, Created)
    assert outcome.status is ProviderStatus.COMPLETED
    assert outcome.body is not None
    assert json.loads(outcome.body) == response
    assert outcome.usage == Usage(input_tokens=12, output_tokens=34, searches=2)


ODD_USAGE: list[tuple[Any, Usage | None]] = [
    (None, None),
    ({}, None),
    ("many", None),
    ({"input_tokens": 5.0, "output_tokens": None}, Usage(input_tokens=5, output_tokens=0)),
    ({"input_tokens": -5, "output_tokens": True}, Usage(input_tokens=0, output_tokens=0)),
    ({"input_tokens": float("inf"), "output_tokens": 3}, Usage(input_tokens=0, output_tokens=3)),
]


@pytest.mark.parametrize(("usage", "expected"), ODD_USAGE)
def test_odd_usage_never_spoils_a_created_response(usage: Any, expected: Usage | None) -> None:
    outcome = created_by(answering(http(200, QUEUED | {"status": "completed", "usage": usage})))
    assert isinstance(outcome, Created)
    assert outcome.usage == expected


@pytest.mark.skipif(not (SHARED / "recorded").is_dir(), reason="no recorded answers beside the repository")
def test_a_recorded_quota_error_is_final() -> None:
    recorded = (SHARED / "recorded" / "error.json").read_bytes()
    outcome = created_by(answering(http(429, recorded)))
    assert isinstance(outcome, NotCreated)
    assert (outcome.final, outcome.code) == (Reason.QUOTA_EXHAUSTED, "insufficient_quota")


@pytest.mark.skipif(not (SHARED / "recorded").is_dir(), reason="no recorded answers beside the repository")
def test_a_recorded_answer_is_read_without_loss() -> None:
    recorded = (SHARED / "recorded" / "web-search.json").read_bytes()
    outcome = created_by(answering(http(200, recorded)))
    assert isinstance(outcome, Created)
    assert outcome.body == recorded
    assert outcome.status is ProviderStatus.COMPLETED
    assert outcome.usage == Usage(input_tokens=19681, output_tokens=3773, searches=3)


# --- one request, one connection --------------------------------------------------------------------------


def test_each_create_has_a_connection_of_its_own_and_is_sent_once() -> None:
    with serving(answering(http(200, QUEUED))) as server:
        config = ProviderConfig(base_url=server.url, timeout_s=2)
        with Provider(config) as provider:
            outcomes = [provider.create(BODY, client_request_id=f"crid-{n}") for n in range(3)]
    assert all(isinstance(outcome, Created) for outcome in outcomes)
    assert [seen.connection for seen in server.seen] == [1, 2, 3]


FAILING: list[Callable[[Wire], None]] = [read_then_close, answering(http(500)), answering(http(503, error("x")))]


@pytest.mark.parametrize("behave", FAILING)
def test_a_create_is_never_repeated_by_the_client(behave: Behaviour) -> None:
    with serving(behave) as server:
        create(server.url)
    assert len(server.seen) == 1
    assert server.connections == 1
