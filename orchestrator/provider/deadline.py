"""One total deadline per call, kept on the socket itself.

httpx's timeouts are per read: a server that sends one byte whenever the timeout is about to end keeps a call
open for ever, in its headers as well as in its body. Here every single operation on the socket is given what
is left of the call's total, so nothing outlives it.

Rules:
* `CURRENT` names the call that runs in this thread; a pooled connection serves many calls, one at a time;
* connecting tries each address of the name, all within the same total;
* `Progress` records facts only: how far the call got, and whether a byte of the request was written.

A name lookup cannot be interrupted; when it took too long, the call ends before anything is sent.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any

import httpcore

from orchestrator import entropy
from orchestrator.core.observations import Phase

_SocketOptions = Iterable[tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]]

WRITE_SLICE = 4096
"""Bytes per send: a socket that is writable at all takes this much at once, so one send is one wait."""


class Progress:
    """How far one call got, and how much of its total is left."""

    def __init__(self, timeout_s: float) -> None:
        self._started_s = entropy.monotonic_s()
        self._ends_s = self._started_s + timeout_s
        self._tunnelling = False
        self.phase = Phase.LOCAL
        self.sent = False

    def remaining_s(self) -> float:
        """Seconds left; zero or less when the call is over."""
        return self._ends_s - entropy.monotonic_s()

    def elapsed_ms(self) -> int:
        """Whole milliseconds since the call began."""
        return round((entropy.monotonic_s() - self._started_s) * 1000)

    def wrote(self) -> None:
        """Bytes are about to go out; those of the request itself count, a proxy's CONNECT does not."""
        self.sent = self.sent or self.phase is Phase.SEND

    def on_trace(self, event: str, info: Mapping[str, Any]) -> None:
        """httpcore's trace callback: turns its events into phases. CONNECT to a proxy is part of connecting."""
        match event:
            case "connection.connect_tcp.started":
                self.phase = Phase.CONNECT
            case "http11.send_request_headers.started":
                self._tunnelling = info["request"].method == b"CONNECT"
                self._reach(Phase.SEND)
            case "http11.send_request_headers.complete":
                self.wrote()
            case "http11.receive_response_headers.started":
                self._reach(Phase.WAIT)
            case "http11.receive_response_headers.complete":
                self._reach(Phase.READ)
            case _:
                pass

    def _reach(self, phase: Phase) -> None:
        self.phase = Phase.CONNECT if self._tunnelling else phase


CURRENT: ContextVar[Progress | None] = ContextVar("provider_call", default=None)
"""The call of this thread."""


class BoundedBackend(httpcore.NetworkBackend):
    """Opens sockets whose every operation ends with the current call."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers. Raises httpcore.ConnectError or ConnectTimeout."""
        failure: Exception = httpcore.ConnectError("the name has no address")
        for address in _addresses(host, port):
            left_s = _left_s(timeout, httpcore.ConnectTimeout)
            try:
                stream = self._inner.connect_tcp(address, port, left_s, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return BoundedStream(stream)
        raise failure


class BoundedStream(httpcore.NetworkStream):
    """A socket that gives each operation what is left of the current call."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Up to `max_bytes`; httpcore.ReadTimeout when the call is over."""
        return self._inner.read(max_bytes, _left_s(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of `buffer`, in slices; httpcore.WriteTimeout when the call is over."""
        call = CURRENT.get()
        for start in range(0, len(buffer), WRITE_SLICE):
            left_s = _left_s(timeout, httpcore.WriteTimeout)
            if call is not None:
                call.wrote()
            self._inner.write(buffer[start : start + WRITE_SLICE], left_s)

    def close(self) -> None:
        """Close the socket."""
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """The same socket under TLS; httpcore.ConnectTimeout when the call is over."""
        left_s = _left_s(timeout, httpcore.ConnectTimeout)
        return BoundedStream(self._inner.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        """What the socket knows of itself."""
        return self._inner.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    """The addresses of a name in the resolver's order, each once."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError("the name cannot be resolved") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _left_s(timeout: float | None, over: type[Exception]) -> float | None:
    """The shorter of an operation's own timeout and what is left of the call; raises `over` at its end."""
    call = CURRENT.get()
    if call is None:
        return timeout
    left_s = call.remaining_s()
    if left_s <= 0:
        raise over("the call's total time is over")
    return left_s if timeout is None else min(timeout, left_s)
