"""One night shift in process: a whole house, the emulator on a real socket, and time that stands until it is moved.

Rules:
* everything is real: the store, the provider client, the socket, the emulator, the content repository;
* one thread steps the loop, so that a test says who acts next; the clock stands at `MORNING` and goes on by itself
  only for as long as the test runs;
* `Wire` stands between client and socket: there a test looks, cuts, delays or rewrites. It decides nothing else.
"""

from __future__ import annotations

import json
import socket
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import text

from orchestrator import entropy
from orchestrator.assembly import House, open_house, orders_of, repository_of
from orchestrator.core.records import Job, JobStage, Process
from orchestrator.core.states import JobState
from orchestrator.correspondence import WEBHOOKS, Correspondence
from orchestrator.daemon import Loop
from orchestrator.provider.client import Provider
from orchestrator.provider.transport import BoundedTransport
from orchestrator.recording import Recorder
from orchestrator.settings.workspace import Workspace
from orchestrator.store import events, jobs, processes
from orchestrator.store.codes import ActorType
from orchestrator.web.preview import preview
from orchestrator.web.server import WebServer
from orchestrator.worker import Claim, Worker, claim_of
from outbox import inbox
from outbox.clock import advance, read_now_ms
from outbox.database import Database
from outbox.message import Provenance
from publisher.pages_reader import PagesReader

ROOT = Path(__file__).resolve().parents[2]
PRODUCT, OTHER = "daily-brief", "revolution-watch"
DAY = date(2026, 11, 30)
MORNING_MS = round(datetime.fromisoformat("2026-11-30T05:10:00+00:00").timestamp() * 1000)
"""Ten minutes after the daily brief is due, almost two hours before its deadline."""

MINUTE_MS, HOUR_MS = 60_000, 3_600_000

Send = Callable[[httpx.Request], httpx.Response]
Act = Callable[[httpx.Request, Send], httpx.Response]
Rule = Mapping[str, Any]


class Wire(httpx.BaseTransport):
    """The real socket, and what a test does to the next calls of a method."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self._next: dict[str, list[Act]] = defaultdict(list)
        self.always: dict[str, Act] = {}
        self.once: Act | None = None
        self.calls: list[str] = []

    def meet(self, method: str, *acts: Act) -> None:
        """The next calls of this method meet these acts, one each."""
        self._next[method].extend(acts)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.calls.append(request.method)
        waiting = self._next[request.method]
        act = self.once or (waiting.pop(0) if waiting else self.always.get(request.method))
        self.once = None
        return act(request, self._inner.handle_request) if act else self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


def edited(change: Callable[[dict[str, Any]], object]) -> Act:
    """Let `change` rewrite the Response object that the provider answers, once it has an output."""

    def act(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        body = json.loads(response.read())
        if body.get("output"):
            change(body)
        return httpx.Response(response.status_code, json=body)

    return act


def answered(change: Callable[[dict[str, Any]], object]) -> Act:
    """Let `change` rewrite the answer, the JSON in the final message."""

    def inner(body: dict[str, Any]) -> None:
        content = body["output"][-1]["content"][0]
        answer = json.loads(content["text"])
        change(answer)
        content["text"] = json.dumps(answer, ensure_ascii=False)

    return edited(inner)


class Shift:
    """A house and its only hand."""

    def __init__(self, house: House, wire: Wire) -> None:
        self.house = house
        self.wire = wire
        self.loop = Loop(house)
        self.recorder = Recorder(house.editorial, actor="operator", actor_type=ActorType.OPERATOR)

    # obligations and time

    def plan(self, product: str = PRODUCT, day: date = DAY) -> Process:
        """One obligation."""
        process = self.house.ticker.plan(product, day)
        assert process is not None
        return process

    def advance(self, by_ms: int) -> None:
        """Move the clock of everybody who shares the store."""
        with self.house.db.write() as conn:
            advance(conn, by_ms)

    def now_ms(self) -> int:
        with self.house.db.read() as conn:
            return read_now_ms(conn)

    def wait(self) -> bool:
        """Move the clock to what is due next; False when nothing ever is."""
        standing = self.loop.standing()
        if standing.next_due_ms is None:
            return False
        self.advance(max(0, standing.next_due_ms - standing.now_ms))
        return True

    # steps

    def claim(self, owner: str = "w1") -> Claim | None:
        """Lease the next due job to `owner`, and do nothing with it yet."""
        return claimed(self.house, owner)

    def worker(self, name: str = "w2") -> Worker:
        """Another worker on the same store and wire."""
        house = self.house
        return Worker(house.db, house.provider, house.editorial, name=name, timeout_s=self.timeout_s, chance=half)

    @property
    def timeout_s(self) -> float:
        return self.house.workspace.provider.timeout_s

    def step(self, owner: str = "w1") -> bool:
        """Claim one job and step it, as the loop does."""
        return self.loop.step_job(owner)

    def until(self, *states: JobState, stage: JobStage | None = None, steps: int = 200) -> Job:
        """Step and let time pass until the current job stands in one of `states`."""
        for _ in range(steps):
            job = self.job()
            if job.state in states and stage in (None, job.stage):
                return job
            if not self.step() and not self.wait():
                break
        raise AssertionError(f"{self.job().stage} stopped in {self.job().state} ({self.job().quarantine_reason})")

    def finish(self, *, steps: int = 200) -> None:
        """Work off everything, letting time pass, until nothing is due any more."""
        for _ in range(steps):
            self.loop.sweep()
            if not self.wait():
                return
        raise AssertionError("there is always something due")

    # what is there

    def job(self, product: str = PRODUCT, day: date = DAY) -> Job:
        """The job that holds the slot, else the newest."""
        with self.house.db.read() as conn:
            process = processes.by_key(conn, product, day.isoformat())
            assert process is not None
            found = jobs.current(conn, process.id)
        assert found is not None
        return found

    def fresh(self, job: Job) -> Job:
        """The same job as it stands now."""
        with self.house.db.read() as conn:
            return jobs.get(conn, job.id)

    def process(self, product: str = PRODUCT, day: date = DAY) -> Process:
        with self.house.db.read() as conn:
            process = processes.by_key(conn, product, day.isoformat())
        assert process is not None
        return process

    def tell(self, kind: str, response_id: str, event_id: str = "wh_1") -> None:
        """A signed webhook that was accepted: its inbox row."""
        with self.house.db.write() as conn:
            inbox.append(
                conn,
                source=WEBHOOKS,
                event_id=event_id,
                kind=kind,
                payload=json.dumps({"type": kind, "data": {"id": response_id}}).encode(),
                source_time_ms=None,
                provenance=Provenance(origin="http"),
            )

    def jobs(self) -> list[Job]:
        """Every job, oldest first."""
        with self.house.db.read() as conn:
            return sorted(jobs.listing(conn), key=lambda job: (job.created_ms, job.generation))

    def path(self, job: Job) -> list[str]:
        """The states that a job went through, as the audit trail tells it."""
        with self.house.db.read() as conn:
            lines = events.of_process(conn, job.process_id, job_id=job.id)
        return [line.to_state for line in lines if line.to_state and line.event_type != "STALE_WORKER"]

    def told(self, event_type: str) -> list[events.Line]:
        """The audit lines of one kind."""
        with self.house.db.read() as conn:
            return [line for line in events.since(conn, limit=100_000) if line.event_type == event_type]

    def rows(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        """Rows of the store, read beside the program."""
        with self.house.db.read() as conn:
            return [tuple(row) for row in conn.execute(text(query), values)]

    def requests(self, method: str, *, ending: str = "") -> list[Mapping[str, Any]]:
        """The emulator's log of one method."""
        assert self.house.emulator is not None
        return [e for e in self.house.emulator.log if e["method"] == method and e["path"].endswith(ending)]

    def creates(self) -> list[Mapping[str, Any]]:
        """The creates that reached the provider."""
        return self.requests("POST", ending="/responses")


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def readers(shift: Shift, port: int) -> Iterator[None]:
    """Serve the pages branch to readers on `port`."""
    workspace = shift.house.workspace
    repository_of(workspace).close()
    pages = PagesReader(workspace.repository, workspace.content.pages_branch)
    try:
        with WebServer(preview(pages), port=port):
            yield
    finally:
        pages.close()


def write_meanwhile(store: Database, statement: str) -> None:
    """Write in a session of its own, and do not wait for anybody's lock longer than a moment."""
    patience = {"postgresql": "SET LOCAL lock_timeout = 500", "mariadb": "SET innodb_lock_wait_timeout = 1"}
    other = Database.open(store.url.render_as_string(hide_password=False))
    try:
        with other.write() as conn:
            if other.dialect in patience:
                conn.exec_driver_sql(patience[other.dialect])
            assert conn.exec_driver_sql(statement).rowcount == 1
    finally:
        other.close()


def half() -> float:
    """The middle of every jitter."""
    return 0.5


def claimed(house: House, owner: str) -> Claim | None:
    """One claim, as the loop makes it."""
    now_s = entropy.monotonic_s()
    with house.db.write() as conn:
        found = jobs.claim(conn, owner=owner, lease_ms=house.lease_ms, limit=1)
    if not found.jobs:
        return None
    return claim_of(found.jobs[0], now_ms=found.now_ms, gate_until_ms=found.gate_until_ms, claimed_s=now_s)


def workspace_in(root: Path, url: str, settings: Mapping[str, Mapping[str, Any]]) -> Workspace:
    """The shipped workspace with this store, and with `settings` section by section."""
    values: dict[str, Any] = tomllib.loads((ROOT / "dateline.toml").read_text(encoding="utf-8"))
    values["store"] = {"url": url}
    values["content"] = values["content"] | {"products": str(ROOT / "content" / "products")}
    for section, changes in settings.items():
        values[section] = values[section] | changes
    root.mkdir(parents=True, exist_ok=True)
    return Workspace(root=root, **values)


@contextmanager
def begin(
    root: Path,
    store: Database | str,
    rules: Sequence[Rule] = (),
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> Iterator[Shift]:
    """A shift on this store; `rules` script the emulator; `options` go to `open_house`."""
    url = store if isinstance(store, str) else store.url.render_as_string(hide_password=False)
    workspace = workspace_in(root, url, settings or {})
    script = root / "script.json"
    script.write_text(json.dumps({"rules": list(rules)}))
    with open_house(workspace, script=script, **options) as house:
        wire = Wire(BoundedTransport(house.provider.config, keepalive=4))
        with Provider(house.provider.config, transport=wire) as provider:
            shift = Shift(_rewired(house, provider), wire)
            shift.house.ticker.begins = date.max  # nothing is planned but what the test plans
            if abs(MORNING_MS - shift.now_ms()) > HOUR_MS:
                shift.advance(MORNING_MS - shift.now_ms())
            yield shift


def _rewired(house: House, provider: Provider) -> House:
    worker = Worker(
        house.db,
        provider,
        house.editorial,
        name=house.name,
        timeout_s=house.workspace.provider.timeout_s,
        chance=half,
    )
    correspondence = Correspondence(house.db, provider, house.editorial, name=house.name)
    orders = orders_of(house.workspace, house.db, house.editorial, correspondence=correspondence)
    return replace(house, provider=provider, worker=worker, correspondence=correspondence, orders=orders)
