"""A web server in a thread: bound before it starts, ended when asked."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from orchestrator.errors import ConfigurationError
from orchestrator.web.server import WebServer


async def _hello(_request: Request) -> Response:
    return PlainTextResponse("hello")


APP = Starlette(routes=[Route("/", _hello)])


def test_it_serves_at_once_and_leaves_neither_thread_nor_port() -> None:
    with WebServer(APP) as server:
        assert httpx.get(server.url).text == "hello"
    assert "web" not in {thread.name for thread in threading.enumerate()}
    host, port = server.url.removeprefix("http://").split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


def test_an_open_connection_does_not_keep_it_from_ending() -> None:
    with WebServer(APP) as server, httpx.Client() as client:
        client.get(server.url)
    assert "web" not in {thread.name for thread in threading.enumerate()}


def test_a_port_in_use_is_one_sentence() -> None:
    server = WebServer(APP)
    port = int(server.url.rsplit(":", 1)[1])
    with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
        WebServer(APP, port=port)
    server.close()


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("192.0.2.1", 0)])
def test_an_address_that_cannot_be_had_is_one_sentence(host: str, port: int) -> None:
    with pytest.raises(ConfigurationError) as refused:
        WebServer(APP, host=host, port=port)
    assert refused.value.hint


def test_it_serves_on_ipv6_too() -> None:
    try:
        server = WebServer(APP, host="::1")
    except ConfigurationError:
        pytest.skip("no IPv6 here")
    with server:
        assert server.url.startswith("http://[::1]:")
        assert httpx.get(server.url).text == "hello"
