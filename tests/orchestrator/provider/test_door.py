"""The door itself: what is sent, what is refused at construction, what never leaks, how threads share it."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from orchestrator.core.observations import Created, CreationUnknown, Polled
from orchestrator.errors import ConfigurationError
from orchestrator.provider.client import Provider
from orchestrator.provider.config import ProviderConfig, is_loopback
from tests.orchestrator.provider.wire import Wire, answering, http, serving

SCHEMA = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "openai-responses.schema.json"
KEY = "sk-very-secret-0123456789"
BODY = {
    "model": "m",
    "input": [{"role": "user", "content": "a private question"}],
    "instructions": "…",
    "background": True,
    "store": True,
    "tools": [{"type": "web_search", "filters": {"allowed_domains": ["example.com"]}}],
    "tool_choice": "required",
    "include": ["web_search_call.action.sources"],
    "text": {
        "format": {
            "type": "json_schema",
            "name": "answer",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
        }
    },
    "max_output_tokens": 4000,
    "max_tool_calls": 8,
    "metadata": {"stage": "research_primary"},
}
SENT = json.dumps(BODY, ensure_ascii=False).encode()
RESPONSE = {"id": "resp_1", "status": "completed", "output": []}


def config(url: str, **changes: Any) -> ProviderConfig:
    return ProviderConfig(**{"base_url": url, "api_key": KEY, "timeout_s": 2, **changes})


def test_a_create_is_one_plain_post_with_key_and_request_id() -> None:
    with serving(answering(http(200, RESPONSE))) as server, Provider(config(server.url)) as provider:
        provider.create(SENT, client_request_id="crid-7")
    [seen] = server.seen
    assert (seen.method, seen.target, seen.body) == ("POST", "/v1/responses", SENT)
    assert seen.headers == {
        "host": f"127.0.0.1:{server.port}",
        "accept": "application/json",
        "accept-encoding": "identity",
        "authorization": f"Bearer {KEY}",
        "connection": "close",
        "content-length": str(len(SENT)),
        "content-type": "application/json",
        "user-agent": "dateline",
        "x-client-request-id": "crid-7",
    }


@pytest.mark.skipif(not SCHEMA.is_file(), reason="no wire schema beside the repository")
def test_the_body_that_arrives_is_a_valid_create_of_the_public_api() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    with serving(answering(http(200, RESPONSE))) as server, Provider(config(server.url)) as provider:
        provider.create(SENT, client_request_id="crid-7")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/CreateResponse"})
    validator.validate(json.loads(server.seen[0].body))


def test_looks_cancels_and_deletes_send_no_body() -> None:
    with serving(answering(http(200, RESPONSE))) as server, Provider(config(server.url)) as provider:
        provider.retrieve("resp_1")
        provider.retrieve("resp_1", include=["web_search_call.action.sources"])
        provider.cancel("resp_1")
        provider.delete("resp_1")
    assert [(seen.method, seen.target) for seen in server.seen] == [
        ("GET", "/v1/responses/resp_1"),
        ("GET", "/v1/responses/resp_1?include%5B%5D=web_search_call.action.sources"),
        ("POST", "/v1/responses/resp_1/cancel"),
        ("DELETE", "/v1/responses/resp_1"),
    ]
    assert {seen.body for seen in server.seen} == {b""}
    assert all(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.seen)
    assert not any("content-type" in seen.headers for seen in server.seen)


def test_azure_wants_its_own_key_header_and_a_query() -> None:
    answer = answering(http(200, RESPONSE))
    with serving(answer) as server:
        settings = config(f"{server.url}/", key_header="api-key", query={"api-version": "2026-01"})
        with Provider(settings) as provider:
            provider.create(SENT, client_request_id="crid-1")
            provider.retrieve("resp_1", include=["x"])
    assert server.seen[0].headers["api-key"] == KEY
    assert "authorization" not in server.seen[0].headers
    assert server.seen[0].target == "/v1/responses?api-version=2026-01"
    assert server.seen[1].target == "/v1/responses/resp_1?api-version=2026-01&include%5B%5D=x"


def test_ids_are_percent_encoded_in_addresses() -> None:
    response_id = 'resp_a+b=c?d#e%2F"<&'
    answer = answering(http(200, RESPONSE | {"id": response_id}))
    with serving(answer) as server, Provider(config(server.url)) as provider:
        outcome = provider.retrieve(response_id)
    assert isinstance(outcome, Polled)
    assert server.seen[0].target == "/v1/responses/resp_a%2Bb%3Dc%3Fd%23e%252F%22%3C%26"


@pytest.mark.parametrize("response_id", ["", "..", "a/b", "a b", "ä", "x" * 513])
def test_an_id_that_is_not_well_formed_never_makes_an_address(response_id: str) -> None:
    with Provider(config("http://127.0.0.1:1/v1")) as provider, pytest.raises(ValueError, match="response id"):
        provider.retrieve(response_id)


@pytest.mark.parametrize("client_request_id", ["", "a b", "ä", "x\r\ny: z", "x" * 513])
def test_a_client_request_id_that_no_header_can_hold_is_a_bug(client_request_id: str) -> None:
    with Provider(config("http://127.0.0.1:1/v1")) as provider, pytest.raises(ValueError, match="ASCII"):
        provider.create(SENT, client_request_id=client_request_id)


def test_cookies_are_never_sent_back() -> None:
    answer = answering(http(200, RESPONSE, {"set-cookie": "a=b"}))
    with serving(answer) as server, Provider(config(server.url)) as provider:
        provider.retrieve("resp_1")
        provider.retrieve("resp_1")
    assert "cookie" not in server.seen[1].headers


# --- configuration ----------------------------------------------------------------------------------------

REFUSED: list[dict[str, Any]] = [
    {"url": ""},
    {"url": "emulator"},
    {"url": "api.example.org/v1"},
    {"url": "ftp://example.org/v1"},
    {"url": "https:///v1"},
    {"url": "https://exämple.org/v1"},
    {"url": "https://example.org/v 1"},
    {"url": "https://example.org:port/v1"},
    {"url": f"https://{'a' * 70}.org/v1"},
    {"url": f"https://user:{KEY}@example.org/v1"},
    {"url": "https://example.org/v1?api-version=1"},
    {"url": "https://example.org/v1#x"},
    {"api_key": ""},
    {"api_key": f"{KEY}\n"},
    {"api_key": f"{KEY}é"},
    {"api_key": f"{KEY} x"},
    {"key_header": ""},
    {"key_header": "api key"},
    {"key_header": "clé"},
    {"key_header": "Content-Length"},
    {"query": {"api version": "1"}},
    {"query": {"v": "ä"}},
    {"query": {"v": 1}},
    {"timeout_s": 0},
    {"timeout_s": float("nan")},
    {"timeout_s": float("inf")},
]


@pytest.mark.parametrize("changes", REFUSED, ids=str)
def test_what_could_never_work_is_refused_at_construction(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        config(**{"url": "https://example.org/v1", **changes})
    assert KEY not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("emulator.localhost", True),
        ("localhost.example.org", False),
        ("10.0.0.1", False),
        ("api.openai.com", False),
    ],
)
def test_loopback_is_told_by_the_text_of_the_host(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_a_loopback_server_needs_no_key() -> None:
    answer = answering(http(200, RESPONSE))
    with serving(answer) as server, Provider(config(server.url, api_key="")) as provider:
        provider.retrieve("resp_1")
    assert "authorization" not in server.seen[0].headers


def test_a_loopback_server_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    with serving(answering(http(200, RESPONSE))) as server, Provider(config(server.url)) as provider:
        assert isinstance(provider.retrieve("resp_1"), Polled)


def test_a_proxy_of_a_kind_we_cannot_speak_is_refused_at_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", f"socks4://u:{KEY}@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ConfigurationError) as caught:
        Provider(config("https://example.org/v1"))
    assert KEY not in f"{caught.value} {caught.value.hint}"


def test_the_configuration_cannot_be_changed_afterwards() -> None:
    query = {"a": "b"}
    settings = config("http://localhost:1/v1", query=query)
    query["a"] = "c"
    assert settings.query == {"a": "b"}
    with pytest.raises(TypeError):
        settings.query["a"] = "d"  # type: ignore[index]


# --- secrets ----------------------------------------------------------------------------------------------


def test_key_and_query_are_in_no_repr() -> None:
    settings = config("https://example.org/v1", query={"sig": "hidden-signature"})
    with Provider(settings) as provider:
        shown = f"{settings!r} {settings} {provider!r} {provider.config!r}"
    assert KEY not in shown
    assert "hidden-signature" not in shown


def test_key_body_and_headers_reach_no_log(caplog: pytest.LogCaptureFixture) -> None:
    def misbehave(wire: Wire) -> None:
        wire.read()
        wire.send(b"HTTP/1.1 200 OK\r\nset-cookie: from-the-server\r\ncontent-length: 9\r\n\r\n")

    caplog.set_level(logging.DEBUG)
    with serving(misbehave) as server, Provider(config(server.url, query={"sig": "hidden"})) as provider:
        outcome = provider.create(SENT, client_request_id="crid-1")
        provider.retrieve("resp_1")
    assert isinstance(outcome, CreationUnknown)
    logged = caplog.text
    for secret in (KEY, "private question", "hidden", "from-the-server"):
        assert secret not in logged
        assert secret not in repr(outcome)


# --- sharing ----------------------------------------------------------------------------------------------


def test_threads_share_one_door_and_no_create_shares_a_connection() -> None:
    def answer(wire: Wire) -> None:
        while (seen := wire.read()) is not None:
            wire.send(http(200, {"id": seen.headers["x-client-request-id"], "status": "queued"}))

    names = [f"crid-{n}" for n in range(60)]
    with (
        serving(answer) as server,
        Provider(config(server.url, timeout_s=20)) as provider,
        ThreadPoolExecutor(8) as pool,
    ):
        outcomes = list(pool.map(lambda n: provider.create(b"{}", client_request_id=n), names))
    assert [outcome.response_id for outcome in outcomes if isinstance(outcome, Created)] == names
    assert len({seen.connection for seen in server.seen}) == len(names)


def test_the_transport_is_a_seam_for_tests() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json=RESPONSE)

    settings = config("http://localhost/v1")
    with Provider(settings, transport=httpx.MockTransport(answer)) as provider:
        assert isinstance(provider.create(SENT, client_request_id="crid-1"), Created)
        assert isinstance(provider.retrieve("resp_1"), Polled)
    assert asked == ["/v1/responses", "/v1/responses/resp_1"]
