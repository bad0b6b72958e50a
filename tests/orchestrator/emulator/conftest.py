"""A running emulator per test, a clock that the test moves, and a raw client."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from orchestrator.emulator.answers import EchoNewsroom, Newsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.emulator.script_file import parse_script

SCHEMA = Path(__file__).resolve().parents[4] / "shared" / "reference" / "openai-responses.schema.json"
SECRET = "whsec_RdvaYFYUXuIFuEbvZHwMfYFhUf7aMYjYcmM24+Aj40c="
START_MS = 1_796_000_000_000  # 2026-11-30T00:53:20Z
JOB: Mapping[str, str] = {
    "workflow": "daily-edition",
    "process_suffix": "A1B2C3",
    "stage": "research_primary",
    "revision": "1",
    "operation_generation": "0",
    "fingerprint_prefix": "0123456789abcdef",
    "contract_version": "primary-research-2026-08",
    "product": "daily-brief",
    "date": "2026-11-30",
}


class Clock:
    """Virtual time that only the test moves."""

    def __init__(self) -> None:
        self.ms = START_MS

    def __call__(self) -> int:
        return self.ms

    def forward(self, seconds: float) -> None:
        self.ms += int(seconds * 1000)


class Client:
    """A raw client: what the emulator really sends."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.http = httpx.Client(
            base_url=emulator.base_url,
            headers={"authorization": "Bearer test"},
            timeout=10,
            trust_env=False,
        )

    def create(self, **changes: Any) -> httpx.Response:
        return self.http.post("/responses", json=create_body(**changes))

    def created(self, **changes: Any) -> str:
        response_id: str = self.create(**changes).json()["id"]
        return response_id

    def get(self, response_id: str) -> httpx.Response:
        return self.http.get(f"/responses/{response_id}")

    def cancel(self, response_id: str) -> httpx.Response:
        return self.http.post(f"/responses/{response_id}/cancel")

    def delete(self, response_id: str) -> httpx.Response:
        return self.http.delete(f"/responses/{response_id}")

    def statuses(self, response_id: str, looks: int) -> list[str]:
        return [self.get(response_id).json()["status"] for _ in range(looks)]


def create_body(**changes: Any) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": "synthetic-1",
        "input": [{"role": "user", "content": "What happened?"}],
        "background": True,
        "store": True,
        "tools": [{"type": "web_search"}],
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": 4000,
        "metadata": dict(JOB),
    }
    return {name: value for name, value in (body | changes).items() if value is not ...}


class Receiver:
    """A webhook endpoint that keeps what it got."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.arrived = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.arrived:
                    receiver.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
                    status = receiver.statuses.pop(0) if receiver.statuses else 200
                    receiver.arrived.notify_all()
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/openai"

    def wait(self, count: int) -> list[tuple[dict[str, str], bytes]]:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.got) >= count, timeout=20)
            return list(self.got)


@pytest.fixture
def clock() -> Clock:
    return Clock()


Start = Callable[..., Client]


@pytest.fixture
def start(clock: Clock) -> Iterator[Start]:
    """Start an emulator with these rules; answers a client. All are stopped at the end."""
    with ExitStack() as stack:

        def starting(*rules: dict[str, Any], newsroom: Newsroom | None = None, **config: Any) -> Client:
            script = parse_script({"rules": list(rules)}, folder=config.pop("folder", None))
            settings: dict[str, Any] = {"clock": clock, "script": script} | config
            emulator = Emulator(EmulatorConfig(**settings), newsroom or EchoNewsroom())
            client = Client(stack.enter_context(emulator))
            stack.enter_context(client.http)
            return client

        yield starting


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture(scope="session")
def conforms() -> Callable[[Any, str], None]:
    """Check a document against one definition of the public API's schema."""
    if not SCHEMA.is_file():
        pytest.skip("the provider's public schema is not beside this checkout")
    definitions = json.loads(SCHEMA.read_text())["$defs"]
    validators = {
        name: jsonschema.Draft202012Validator({"$defs": definitions, "$ref": f"#/$defs/{name}"})
        for name in (
            "Response",
            "ErrorResponse",
            "DeleteResponse",
            "WebhookResponseEvent",
            "ResponseItemList",
            "TokenCountsResource",
            "CreateResponse",
        )
    }

    def check(document: Any, name: str) -> None:
        errors = [f"{e.json_path}: {e.message[:200]}" for e in validators[name].iter_errors(document)]
        assert not errors, errors[:5]

    return check
