"""The application behind `run --http`: status and metrics to read, webhooks and events to tell.

It is bound before the loop begins, because the emulator must know where its webhooks go: until `begin` is called,
everything but `/healthz` answers 503.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from orchestrator.web.hooks import Hooks, Signatures
from orchestrator.web.metrics import metrics
from orchestrator.web.status import StatusPages
from outbox.database import Database

WEBHOOK_PATH = "/webhooks/openai"


class DeskApp:
    """One application over one store, which it is given later."""

    def __init__(self, *, secrets: Sequence[str]) -> None:
        self._database: Database | None = None
        self._silent_s: Callable[[], float] | None = None
        self._pages = StatusPages(database=self._store, silent_s=self._silence)
        self._hooks = Hooks(Signatures(secrets), database=self._store)
        self.asgi = Starlette(
            routes=[
                Route("/status", _reading(self._pages.page)),
                Route("/status.json", _reading(self._pages.as_json)),
                Route("/healthz", _reading(self._pages.healthy)),
                Route("/readyz", _reading(self._pages.ready)),
                Route("/metrics", _reading(self._metrics)),
                Route(WEBHOOK_PATH, self._hooks.webhook, methods=["POST"]),
                Route("/events", self._hooks.event, methods=["POST"]),
            ]
        )

    def begin(self, database: Database, *, silent_s: Callable[[], float], told: Callable[[], None]) -> None:
        """Serve this store. `silent_s`: how long the loop has been silent; `told`: a message was committed."""
        self._hooks.told = told
        self._silent_s = silent_s
        self._database = database

    def end(self) -> None:
        """The store is about to be closed."""
        self._database = None

    def _store(self) -> Database | None:
        return self._database

    def _silence(self) -> float | None:
        return self._silent_s() if self._silent_s is not None else None

    def _metrics(self) -> Response:
        return metrics(self._database, silent_s=self._silence)


def _reading(read: Callable[[], Response]) -> Callable[[Request], object]:
    async def get(_request: Request) -> Response:
        return await run_in_threadpool(read)

    return get
