"""One HTTP/1.1 connection of the emulator: h11 over a plain socket, so that answers can also go wrong.

Rules:
    - requests are read whole before anything is decided; h11 decides what is HTTP;
    - a `Reply` says how it leaves: whole, in crumbs, never, or not at all with the connection cut;
    - waits end at once when the emulator stops or the client hangs up.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import h11

MAX_BODY: Final = 32 * 1024 * 1024
CHUNK: Final = 64 * 1024
CRUMBS: Final = 40  # pieces of a dripping body
LOOK_S: Final = 0.05  # how often a waiting answer looks for a client that hung up
HEADER_BYTES: Final = 64 * 1024


class Manner(StrEnum):
    """How an answer leaves."""

    WHOLE = "whole"
    DRIP = "drip"  # the body in crumbs, spread over `delay_s`
    CUT = "cut"  # nothing, and the connection closed
    RESET = "reset"  # nothing, and the connection reset
    HANG = "hang"  # nothing until the client gives up, at most `delay_s`, then closed


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request as read. Header names are lower case; the path is decoded."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer and how it leaves. `delay_s` is real seconds to wait before (or while dripping or hanging)."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    manner: Manner = Manner.WHOLE
    delay_s: float = 0.0


class BodyTooLarge(Exception):
    """More than MAX_BODY bytes."""


def to_json(document: Any) -> bytes:
    """Compact JSON in UTF-8; text that UTF-8 cannot hold (lone surrogates) is escaped."""
    try:
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(document, separators=(",", ":")).encode("ascii")


class Wire:
    """One accepted connection."""

    def __init__(self, sock: socket.socket, *, stopping: threading.Event, idle_s: float) -> None:
        self._sock = sock
        self._stopping = stopping
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEADER_BYTES)
        self._bodyless = False
        sock.settimeout(idle_s)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self) -> HttpRequest | None:
        """The next request, or None when the client is done.

        Raises h11.RemoteProtocolError for what is not HTTP, BodyTooLarge, and OSError from the socket.
        """
        event = self._next_event()
        if not isinstance(event, h11.Request):
            return None
        self._bodyless = event.method == b"HEAD"
        body = self._body()
        parts = urlsplit(event.target.decode("latin-1"))
        return HttpRequest(
            method=event.method.decode("ascii"),
            path=unquote(parts.path),
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.decode("ascii"): value.decode("latin-1") for name, value in event.headers},
            body=body,
        )

    def write(self, reply: Reply) -> bool:
        """Send an answer; whether the connection can take another request."""
        if reply.manner is Manner.HANG:
            self._wait(reply.delay_s)
            return False
        if reply.manner is not Manner.DRIP and reply.delay_s and not self._wait(reply.delay_s):
            return False
        if reply.manner is Manner.RESET:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if reply.manner in (Manner.CUT, Manner.RESET):
            return False
        self._send_head(reply)
        if not self._send_body(reply):
            return False
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    def refuse(self, status: int, body: bytes) -> None:
        """Answer something that could not be read as a request, if the protocol still allows it."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._send_head(Reply(status=status, body=body, headers=(("connection", "close"),)))
            self._push(h11.Data(data=body), h11.EndOfMessage())

    def _next_event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                self._push(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(self._sock.recv(CHUNK))

    def _body(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while isinstance(event := self._next_event(), h11.Data):
            parts.append(bytes(event.data))
            size += len(event.data)
            if size > MAX_BODY:
                raise BodyTooLarge
        return b"".join(parts)

    def _send_head(self, reply: Reply) -> None:
        headers = {"content-type": reply.content_type, "content-length": str(len(reply.body))}
        headers |= {name.lower(): value for name, value in reply.headers}
        self._push(h11.Response(status_code=reply.status, headers=list(headers.items())))

    def _send_body(self, reply: Reply) -> bool:
        if self._bodyless or reply.status in (204, 304):
            self._push(h11.EndOfMessage())
            return True
        if reply.manner is not Manner.DRIP:
            self._push(h11.Data(data=reply.body), h11.EndOfMessage())
            return True
        size = max(1, -(-len(reply.body) // CRUMBS))
        for start in range(0, len(reply.body), size):
            if not self._wait(reply.delay_s / CRUMBS):
                return False
            self._push(h11.Data(data=reply.body[start : start + size]))
        self._push(h11.EndOfMessage())
        return True

    def _push(self, *events: Any) -> None:
        """Send events; one system call for all of them."""
        self._sock.sendall(b"".join(self._http.send(event) or b"" for event in events))

    def _wait(self, seconds: float) -> bool:
        """Wait; False as soon as the emulator stops or the client hung up."""
        rounds = max(1, round(seconds / LOOK_S))
        return not any(self._stopping.wait(seconds / rounds) or _hung_up(self._sock) for _ in range(rounds))


def _hung_up(sock: socket.socket) -> bool:
    poll = select.poll()  # select() cannot look at descriptors above 1023
    poll.register(sock, select.POLLIN)
    try:
        return bool(poll.poll(0)) and sock.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True
