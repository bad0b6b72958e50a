"""Running a web application in a thread of its own, on a socket that is bound before anything else starts.

Binding first means that a port in use is one sentence at the start, not a traceback from a thread.
"""

from __future__ import annotations

import socket
import threading
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp

from orchestrator import entropy
from orchestrator.errors import ConfigurationError, Unavailable

READY_S = 10.0
GRACE_S = 5  # a slow client may not keep the program from ending


class WebServer:
    """Serves `app` on `host:port` (0: a free port) until closed. Use as a context manager.

    Errors: `ConfigurationError` when the address cannot be had; `Unavailable` when it does not come up.
    """

    def __init__(self, app: ASGIApp, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = bind(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    def __enter__(self) -> WebServer:
        self._thread.start()
        deadline_s = entropy.monotonic_s() + READY_S
        while not self._server.started:
            if not self._thread.is_alive() or entropy.monotonic_s() > deadline_s:
                self.close()
                raise Unavailable(f"the web server at {self.url} did not start")
            entropy.sleep_s(0.005)
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Answer what is being answered, then stop. Harmless when it never started."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()
        self._socket.close()

    def wait(self) -> None:
        """Serve until somebody interrupts."""
        while self._thread.is_alive():
            entropy.sleep_s(0.2)

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Errors: `ConfigurationError` when the address is in use or not ours."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(512)
    except (OSError, OverflowError) as error:
        bound.close()
        why = error.strerror if isinstance(error, OSError) else "a port is a number from 0 to 65535"
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {why}",
            hint="pass another --port (0 is a free one), or a --host of this machine",
        ) from error
    return bound
