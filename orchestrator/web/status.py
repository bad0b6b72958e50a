"""What the house says of itself: `/status`, `/status.json`, `/healthz`, `/readyz`.

Rules: read-only connections, no provider call, nothing written (I12); the page has no script and loads nothing; a
store that does not answer is a 503 with a sentence, never a traceback.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import JSONResponse, PlainTextResponse, Response

from orchestrator.desk.clockface import span
from orchestrator.desk.status import Status, read_status, status_json
from orchestrator.desk.words import spoken
from outbox.database import Database
from outbox.errors import OutboxError

TEMPLATES = Path(__file__).parent / "templates"
CSS = Markup((TEMPLATES / "status.css.j2").read_text("utf-8"))  # noqa: S704  # our own file
STYLE_HASH = base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
SILENT_S = 120.0
"""A loop that has not gone round for so long is not alive: it does so once a tick, and a call takes 90 s."""

_PAGES = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_PAGES.filters["spoken"] = spoken


class StatusPages:
    """The pages over one store. `silent_s` says how long the loop has been silent; None: it has not begun."""

    def __init__(self, *, database: Callable[[], Database | None], silent_s: Callable[[], float | None]) -> None:
        self._database = database
        self._silent_s = silent_s

    def page(self) -> Response:
        """GET /status."""
        return self._read(lambda status: Response(_html(status), media_type="text/html", headers=HEADERS))

    def as_json(self) -> Response:
        """GET /status.json."""
        return self._read(lambda status: JSONResponse(status_json(status), headers=HEADERS))

    def healthy(self) -> Response:
        """GET /healthz: whether the loop goes round. It asks no store, so that a slow one restarts nothing."""
        silent_s = self._silent_s()
        if silent_s is not None and silent_s > SILENT_S:
            return _plain(503, f"the loop has been silent for {silent_s:.0f} s")
        return _plain(200, "alive")

    def ready(self) -> Response:
        """GET /readyz: whether the store answers and the loop has begun."""
        if self._silent_s() is None:
            return _plain(503, "the loop has not begun")
        return self._read(lambda _status: _plain(200, "ready"))

    def _read(self, shape: Callable[[Status], Response]) -> Response:
        database = self._database()
        if database is None:
            return _plain(503, "not ready yet")
        try:
            with database.read() as conn:
                status = read_status(conn)
        except OutboxError:
            return _plain(503, "the store does not answer")
        return shape(status)


def _html(status: Status) -> str:
    shown = status_json(status)
    page = _PAGES.get_template("status.html.j2")
    return page.render(status=shown, headline=headline(status), top=_top(shown["outcomes"]), css=CSS)


def headline(status: Status) -> str:
    """The status in one sentence: what readers have, and whether somebody is needed."""
    outcomes = status.outcomes
    if not outcomes.accepted:
        return "Nothing is planned yet"
    readers = f"{outcomes.verified_complete} of {outcomes.accepted} editions verified"
    late = f", {outcomes.past_deadline} late" if outcomes.past_deadline else ""
    needed = f"; {status.stuck.count} waiting for a person" if status.stuck.count else ""
    return f"{readers}{late}{needed}"


def _top(outcomes: dict[str, Any]) -> list[tuple[str, str]]:
    """The top row of every dashboard (completed tables §10)."""
    oldest_s = outcomes["oldest_unreconciled_s"]
    labels = {
        "accepted": "Accepted",
        "verified_complete": "Verified complete",
        "unreconciled": "Unreconciled",
        "past_deadline": "Past deadline",
        "unknown_outcome": "Unknown outcome",
        "compensation_pending": "Compensation pending",
        "quarantined_without_owner": "Quarantined, unacknowledged",
    }
    rows = [(label, str(outcomes[name])) for name, label in labels.items()]
    return [*rows, ("Oldest unreconciled", "—" if oldest_s is None else span(oldest_s * 1000))]


def _plain(code: int, words: str) -> Response:
    return PlainTextResponse(f"{words}\n", status_code=code, headers=HEADERS)
