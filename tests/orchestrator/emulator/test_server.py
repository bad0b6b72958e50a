"""The socket itself: many requests at once, strange bytes, ports, stopping."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from orchestrator.errors import ConfigurationError
from tests.orchestrator.emulator.conftest import Client, Start


def talk(client: Client, sent: bytes) -> bytes:
    """Send bytes, read until the emulator closes."""
    address = urlsplit(client.emulator.base_url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as sock:
        sock.sendall(sent)
        sock.shutdown(socket.SHUT_WR)
        received = b""
        while part := sock.recv(65536):
            received += part
    return received


def test_a_thousand_creates_at_once_are_each_accepted_once(start: Start) -> None:
    client = start(connections=64)
    with ThreadPoolExecutor(32) as pool:
        ids = list(pool.map(lambda n: client.created(input=f"number {n}"), range(1000)))
    assert len(set(ids)) == 1000
    assert sum(1 for entry in client.emulator.log if entry["accepted"]) == 1000


def test_more_connections_than_threads_are_served_in_turn(start: Start) -> None:
    client = start(connections=2)
    url = client.emulator.base_url + "/responses"
    body = {"model": "m", "input": "x"}

    def once(_: int) -> int:
        close = {"authorization": "Bearer k", "connection": "close"}
        return httpx.post(url, json=body, headers=close, trust_env=False, timeout=30).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(once, range(40))) == {200}


def test_what_is_not_http_gets_400_and_harms_nobody(start: Start) -> None:
    client = start()
    assert talk(client, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert talk(client, b"GET /emulator HTTP/1.1\r\n").startswith(b"HTTP/1.1 400 ")
    assert talk(client, b"") == b""
    assert client.create().status_code == 200


def test_several_requests_on_one_connection_and_expect_continue(start: Start) -> None:
    client = start()
    get = b"GET /emulator HTTP/1.1\r\nhost: x\r\n\r\n"
    assert talk(client, get * 3).count(b'"emulator":"dateline"') == 3
    post = b"POST /emulator/clock HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{}"
    assert b"HTTP/1.1 409" in talk(client, post)
    head = talk(client, b"HEAD /emulator HTTP/1.1\r\nhost: x\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404")
    assert head.endswith(b"\r\n\r\n")


def test_a_body_that_is_not_a_json_object_is_refused(start: Start) -> None:
    client = start()
    answers = [client.http.post("/responses", content=body) for body in (b"", b"{", b"[]", b"\xff")]
    assert [one.status_code for one in answers] == [400] * 4


def test_text_that_utf8_cannot_hold_comes_back_escaped(start: Start) -> None:
    client = start()
    raw = b'{"model":"m","input":"\\ud83d fin"}'
    answer = client.http.post("/responses", content=raw)
    assert answer.json()["output"][-1]["content"][0]["text"] == "echo: \ud83d fin"


def test_a_port_in_use_is_a_configuration_error_with_a_way_out(start: Start) -> None:
    port = urlsplit(start().emulator.base_url).port
    with pytest.raises(ConfigurationError, match="cannot listen") as refused:
        start(port=port)
    assert "--port" in refused.value.hint


def test_stopping_cuts_answers_that_never_come_and_ends_every_thread(start: Start) -> None:
    before = set(threading.enumerate())
    client = start({"create": [{"result": "timeout_after_accept"}]})
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(client.create)
        while not client.emulator.log:
            threading.Event().wait(0.01)
        client.emulator.stop()
        with pytest.raises(httpx.TransportError):
            hanging.result(timeout=20)
    client.emulator.stop()
    assert not [t for t in set(threading.enumerate()) - before if t.name.startswith("emulator")]
