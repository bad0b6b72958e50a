"""The HTTP side of a running loop: where it listens, with which secrets, and where its emulator sends webhooks."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from orchestrator import entropy
from orchestrator.assembly import House, WebhookTarget
from orchestrator.daemon import Loop
from orchestrator.settings.secrets import webhook_secrets
from orchestrator.settings.workspace import Workspace
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.server import WebServer


@dataclass(frozen=True, slots=True)
class Attended:
    """A desk that listens already, and begins to answer with its loop."""

    app: DeskApp
    url: str
    webhook: WebhookTarget | None

    @contextmanager
    def during(self, house: House, loop: Loop) -> Iterator[None]:
        """Answer for this loop while the context lasts."""
        self.app.begin(house.db, silent_s=lambda: loop.silent_s, told=loop.wake)
        try:
            yield
        finally:
            self.app.end()


@contextmanager
def attended(workspace: Workspace, *, host: str, port: int) -> Iterator[Attended]:
    """Listen on `host:port`. The embedded emulator signs with the first secret, or one of its own.

    Errors: `ConfigurationError` for an address that cannot be had, or a secret that cannot check anything.
    """
    secrets = webhook_secrets(workspace)
    if workspace.provider.is_emulator and not secrets:
        secrets = (_new_secret(),)
    app = DeskApp(secrets=secrets)
    with WebServer(app.asgi, host=host, port=port) as server:
        target = WebhookTarget(url=f"{server.url}{WEBHOOK_PATH}", secret=secrets[0]) if secrets else None
        yield Attended(app, server.url, target)


def read_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[IPv6]:PORT` or `:PORT` (this machine only). Errors: a usage error."""
    host, mark, port = text.rpartition(":")
    if not mark or not port.isdigit() or int(port) > 65_535:
        raise typer.BadParameter(f'"{text}" is not HOST:PORT; write it like 127.0.0.1:8080')
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(entropy.new_token().encode()).decode()
