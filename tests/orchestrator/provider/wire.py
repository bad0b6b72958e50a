"""A raw TCP server for tests: each connection is handed to one small function that misbehaves as it likes."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int


@dataclass
class Wire:
    """What a behaviour may use: the socket, the requests seen so far, and an event set when the test ends."""

    sock: socket.socket
    number: int
    seen: list[Seen]
    over: threading.Event

    def read(self) -> Seen | None:
        """Read one whole request, or None when the client has gone."""
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = self.sock.recv(65536)
            if not chunk:
                return None
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            body += self.sock.recv(65536)
        method, target, _ = first.split(" ")
        self.seen.append(Seen(method, target, headers, body, self.number))
        return self.seen[-1]

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes, every_s: float) -> None:
        """One byte at a time, until the test ends or the client goes."""
        for value in data:
            self.sock.sendall(bytes([value]))
            if self.over.wait(every_s):
                return

    def hang(self) -> None:
        self.over.wait(30)

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Behaviour = Callable[[Wire], None]


@dataclass
class Server:
    """Where it listens and what it saw."""

    port: int
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def serving(behave: Behaviour) -> Iterator[Server]:
    """Listen on a free port and give every connection to `behave`, each in a thread."""
    over = threading.Event()
    threads: list[threading.Thread] = []
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(port=listener.getsockname()[1])

    def handle(sock: socket.socket, number: int) -> None:
        with sock, suppress(OSError):
            behave(Wire(sock, number, server.seen, over))

    def accept() -> None:
        with suppress(OSError):
            while True:
                sock, _ = listener.accept()
                server.connections += 1
                thread = threading.Thread(target=handle, args=(sock, server.connections))
                threads.append(thread)
                thread.start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield server
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join()
        for thread in threads:
            thread.join()


def http(status: int, body: Any = b"", headers: dict[str, str] | None = None) -> bytes:
    """A complete answer. A body that is not bytes is sent as JSON."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = {"content-type": "application/json", "content-length": str(len(payload)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode("ascii") + payload


def answering(data: bytes) -> Behaviour:
    """Read each request and answer it with the same bytes."""

    def behave(wire: Wire) -> None:
        while wire.read() is not None:
            wire.send(data)

    return behave


def once(data: bytes) -> Behaviour:
    """Read one request, send these bytes, close."""

    def behave(wire: Wire) -> None:
        if wire.read() is not None:
            wire.send(data)

    return behave


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
