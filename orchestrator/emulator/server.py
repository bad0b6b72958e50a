"""The emulator's socket: accepts connections and gives each a thread, never more than a set number.

The thread reads a request, asks `answer`, sends what it says, and goes on while the connection lives. Errors of
a connection end that connection only.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Final

import h11

from orchestrator.emulator.api_error import ApiError
from orchestrator.emulator.wire import BodyTooLarge, HttpRequest, Reply, Wire, to_json
from orchestrator.errors import ConfigurationError

BACKLOG: Final = 512
IDLE_S: Final = 30.0  # a kept-alive connection that says nothing gives its thread back
STOP_S: Final = 10.0
FULL_S: Final = 0.2  # how often a full house looks whether it is closing

Answer = Callable[[HttpRequest], Reply]


class Server:
    """Listens from `start` to `stop`."""

    def __init__(self, answer: Answer, *, host: str, port: int, connections: int) -> None:
        self._answer = answer
        self._host = host
        self._port = port
        self._room = threading.BoundedSemaphore(connections)
        self._stopping = threading.Event()
        self._turn = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._listener: socket.socket | None = None
        self._acceptor: threading.Thread | None = None

    def start(self) -> int:
        """Listen; answers the port. Raises ConfigurationError when the address cannot be had."""
        self._listener = _listen(self._host, self._port)
        self._acceptor = threading.Thread(
            target=self._accept, args=(self._listener,), name="emulator-accept", daemon=True
        )
        self._acceptor.start()
        port: int = self._listener.getsockname()[1]
        return port

    def stop(self) -> None:
        """Stop listening, cut what is open, wait for the threads."""
        self._stopping.set()
        if self._listener is None or self._acceptor is None:
            return
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join(STOP_S)
        self._listener.close()
        with self._turn:
            open_now = dict(self._open)
        for sock in open_now.values():
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in open_now:
            thread.join(STOP_S)

    def _accept(self, listener: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return  # the listener was shut down
            if not self._make_room():
                sock.close()
                return
            thread = threading.Thread(target=self._serve, args=(sock,), name="emulator", daemon=True)
            with self._turn:
                self._open[thread] = sock
            thread.start()

    def _make_room(self) -> bool:
        """Wait for a free thread; False when the server stops first."""
        while not self._room.acquire(timeout=FULL_S):
            if self._stopping.is_set():
                return False
        return True

    def _serve(self, sock: socket.socket) -> None:
        try:
            with sock, contextlib.suppress(OSError):
                self._talk(Wire(sock, stopping=self._stopping, idle_s=IDLE_S))
        finally:
            with self._turn:
                self._open.pop(threading.current_thread(), None)
            self._room.release()

    def _talk(self, wire: Wire) -> None:
        try:
            while (request := wire.read()) is not None:
                if not wire.write(self._answer(request)) or self._stopping.is_set():
                    return
        except h11.RemoteProtocolError as error:
            refusal = ApiError(error.error_status_hint, f"This is not HTTP: {error}.")
            wire.refuse(refusal.status, to_json(refusal.envelope()))
        except BodyTooLarge:
            wire.refuse(413, to_json(ApiError(413, "The request body is too large.").envelope()))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"The emulator cannot listen on {host}:{port}: {error.strerror or error}.",
            hint="Choose another --port, or 0 for a free one.",
        ) from error
