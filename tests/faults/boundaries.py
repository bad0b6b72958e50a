"""The moments between which nothing outside a process changes: around every commit and every call.

A commit counts when it wrote something: `before X` is the moment ahead of it, `after X` the next thing that the
process does. A call has three: `before create`, `create sent` (the whole request has left), `create answered`. X is
the last audit line that the transaction wrote (`DISPATCHED CREATE_IN_FLIGHT`), or the tables it wrote. A process
that is told to die at one of them is gone by SIGKILL there: nothing is flushed, rolled back or closed.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection, event

from outbox.database import Database


@dataclass(frozen=True)
class Moment:
    """Where to die: at the `number`-th moment, or at the `occurrence`-th one called `name`."""

    number: int = 0
    name: str = ""
    occurrence: int = 1
    how: str = "die"  # or "freeze": stop there by SIGSTOP and go on when continued


@dataclass
class Boundaries:
    """Counts the moments of one process; `report` is where it says at which one it stops."""

    moment: Moment | None = None
    report: Path | None = None
    passed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._wrote: list[str] = []
        self._line = ""
        self._committed = ""
        self._seen: Counter[str] = Counter()

    def watch(self, db: Database) -> None:
        """Listen to every transaction of this database."""
        event.listen(db.writer, "after_cursor_execute", self._executed)
        event.listen(db.writer, "commit", self._commits)
        event.listen(db.writer, "rollback", self._rolls_back)
        for engine in (db.writer, db.reader):
            event.listen(engine, "begin", self._begins)

    def transport(self, inner: httpx.BaseTransport) -> httpx.BaseTransport:
        """The same transport, with its moments."""
        return _Watched(inner, self)

    def reach(self, name: str, *, client_request_id: str = "") -> None:
        """One more moment."""
        self.passed.append(name)
        self._seen[name] += 1
        moment = self.moment
        if moment is None:
            return
        if moment.number == len(self.passed) or (moment.name == name and moment.occurrence == self._seen[name]):
            self._stop(name, client_request_id, moment.how)

    def settle(self) -> None:
        """The moment after the last commit, if it is still to come."""
        if self._committed:
            name, self._committed = self._committed, ""
            self.reach(f"after {name}")

    def _stop(self, name: str, client_request_id: str, how: str) -> None:
        if self.report is not None:
            told = {"at": name, "number": len(self.passed), "client_request_id": client_request_id}
            self.report.write_text(json.dumps(told))
        os.kill(os.getpid(), signal.SIGKILL if how == "die" else signal.SIGSTOP)

    # SQLAlchemy's events; their signatures are not ours

    def _executed(
        self, _conn: Connection, cursor: Any, _statement: str, _values: Any, context: Any, _many: bool
    ) -> None:
        if not (context.isinsert or context.isupdate or context.isdelete) or cursor.rowcount == 0:
            return
        table = str(getattr(context.compiled and context.compiled.statement, "table", "?"))
        self._wrote.append(table)
        if table == "event":
            last = context.compiled_parameters[-1]
            self._line = " ".join(filter(None, (last.get("event_type"), last.get("to_state"))))

    def _commits(self, _conn: Connection) -> None:
        if not set(self._wrote) - {"clock"}:  # nothing, or the test's own hand on the clock
            return
        name = self._line or f"write of {' '.join(sorted(set(self._wrote)))}"
        self._forget()
        self.reach(f"before {name}")
        self._committed = name

    def _rolls_back(self, _conn: Connection) -> None:
        self._forget()

    def _begins(self, _conn: Connection) -> None:
        self.settle()

    def _forget(self) -> None:
        self._wrote, self._line = [], ""


class _Watched(httpx.BaseTransport):
    """A transport that says before, while and after it carries a request."""

    def __init__(self, inner: httpx.BaseTransport, boundaries: Boundaries) -> None:
        self._inner = inner
        self._boundaries = boundaries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name, sent_as = _called(request), request.headers.get("x-client-request-id", "")
        self._boundaries.settle()
        self._boundaries.reach(f"before {name}")
        told: Callable[[str, Any], None] = request.extensions["trace"]

        def trace(step: str, info: Any) -> None:
            if step == "http11.receive_response_headers.started":
                self._boundaries.reach(f"{name} sent", client_request_id=sent_as)
            told(step, info)

        request.extensions = {**request.extensions, "trace": trace}
        answer = self._inner.handle_request(request)
        self._boundaries.reach(f"{name} answered", client_request_id=sent_as)
        return answer

    def close(self) -> None:
        self._inner.close()


def _called(request: httpx.Request) -> str:
    names = {"POST": "cancel" if request.url.path.endswith("/cancel") else "create", "DELETE": "delete"}
    return names.get(request.method, "look")
