"""A workspace with a store on any engine; outside the processes that work it: provider, readers and clock.

The provider lives in the test's process, with a journal and a log on disk; its time is the store's, so that moving
one moves both. Readers are a preview of the pages branch on a port of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import text

from orchestrator import entropy
from orchestrator.assembly import House, editorial_of, repository_of
from orchestrator.core.targets import scheduled_ms
from orchestrator.emulator.answers import Newsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.emulator.script_file import parse_script
from orchestrator.settings.products import load_products
from orchestrator.settings.workspace import Workspace, load_workspace
from orchestrator.ticker import Ticker
from orchestrator.web.preview import preview
from orchestrator.web.server import WebServer
from outbox.clock import advance, read_now_ms
from outbox.database import Database
from publisher.pages_reader import PagesReader
from tests.faults import child
from tests.faults.boundaries import Moment
from tests.faults.child import Task
from tests.faults.driver import Shift

ROOT = Path(__file__).resolve().parents[2]
DAY = date(2026, 11, 30)
LATE_MS = 1_000  # the scheduler wakes a second after the time

SETTINGS: Mapping[str, Mapping[str, object]] = {
    "provider": {"model": "synthetic-newsroom-1", "poll_s": [20, 60], "timeout_s": 10},
    "provider.prices": {"inspected": "2026-11-30", "input": 1.0, "output": 4.0, "search": 0.01},
    "loop": {"lease_s": 60, "tick_s": 0.2},
}


@dataclass
class Scene:
    """See above. `file` is dateline.toml."""

    root: Path
    db: Database
    workspace: Workspace
    emulator: Emulator
    verify_url: str
    _children: int = field(default=0)

    @property
    def file(self) -> Path:
        """The workspace's file."""
        return self.root / "dateline.toml"

    @property
    def log_file(self) -> Path:
        """The provider's log."""
        assert self.emulator.config.log_path is not None
        return self.emulator.config.log_path

    # working ------------------------------------------------------------------------------------------------------

    def start(
        self, *, moment: Moment | None = None, operator: bool = True, mode: str = "idle", **more: int
    ) -> Running:
        """Start a child on this workspace."""
        self._children += 1
        report = self.root / f"report-{self._children}.json"
        task = Task(
            file=self.file,
            report=report,
            verify_url=self.verify_url,
            log=self.log_file if operator else None,
            begins=DAY,
            moment=moment,
            mode=mode,
            **more,
        )
        return Running(child.start(child.main, task), report, self)

    def work(self, **how: Any) -> list[str]:
        """A child works until idle, unharmed; the moments that it passed."""
        running = self.start(**how)
        assert running.ended() == 0
        return list(running.told()["passed"])

    def killed(self, moment: Moment, **how: Any) -> dict[str, Any]:
        """A child dies at this moment; what it said last."""
        running = self.start(moment=moment, **how)
        code = running.ended()
        assert code == -9, f"it ended with {code} before {moment}"
        told = running.told()
        self.await_request(told["client_request_id"])
        return told

    def command(self, *arguments: str, **environment: str) -> Running:
        """Start `dateline …` here; what it prints is the report."""
        self._children += 1
        output = self.root / f"output-{self._children}.txt"
        more = {"DATELINE_VERIFY__URL": self.verify_url, **environment}
        return Running(child.start(child.command, list(arguments), self.root, output, more), output, self)

    @contextmanager
    def house(self) -> Iterator[House]:
        """The same parts in this process."""
        with child.opened(self.file, self.verify_url) as house:
            yield house

    def shift(self, *, operator: bool = True, until: Callable[[], bool] | None = None, workers: int = 0) -> int:
        """Work until idle in this process, in one thread or with so many workers; how far time was moved, ms."""
        with self.house() as house:
            shift = Shift(house, log=self.log_file if operator else None, begins=DAY, until=until)
            return shift.in_threads(workers) if workers else shift.to_idle()

    def plan(self, product: str = "daily-brief", day: date = DAY) -> str:
        """An obligation, ordered by hand; the process's id."""
        planned = Ticker(self.db, editorial_of(self.workspace), actor="test").plan(product, day)
        assert planned is not None
        return planned.id

    def move(self, by_ms: int) -> None:
        """Move time, for everybody."""
        with self.db.write() as conn:
            advance(conn, by_ms)

    def now_ms(self) -> int:
        """The store's now."""
        with self.db.read() as conn:
            return read_now_ms(conn)

    # looking ------------------------------------------------------------------------------------------------------

    def rows(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        """Rows of the store, from outside."""
        with self.db.read() as conn:
            return [tuple(row) for row in conn.execute(text(query), values)]

    def one(self, query: str, **values: object) -> Any:
        """The only value of a query."""
        ((value,),) = self.rows(query, **values)
        return value

    def requests(self, method: str = "", **match: object) -> list[dict[str, Any]]:
        """The provider's log, narrowed by method, entry keys and metadata."""
        lines = self.log_file.read_text().splitlines() if self.log_file.exists() else []
        entries = [entry for entry in map(json.loads, lines) if "/v1/" in entry["path"]]
        return [e for e in entries if method in ("", e["method"]) and _matches(e, match)]

    def creates(self, **match: object) -> list[dict[str, Any]]:
        """Every create that reached the provider."""
        return [e for e in self.requests("POST", **match) if e["path"].endswith("/responses")]

    @property
    def repository(self) -> Path:
        """The content repository."""
        return self.workspace.repository

    def git(self, *arguments: str, check: bool = True) -> str:
        """git on the content repository, with nobody's settings."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        done = subprocess.run(
            ["git", f"--git-dir={self.repository}", *arguments],
            capture_output=True,
            text=True,
            env={**clean, "GIT_CONFIG_GLOBAL": os.devnull},
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def await_request(self, client_request_id: str) -> None:
        """A create that had left when its sender died reaches the provider's log a moment later."""
        until_s = entropy.monotonic_s() + 20
        while client_request_id and not self.creates(client_request_id=client_request_id):
            assert entropy.monotonic_s() < until_s, "the request never reached the provider"
            entropy.sleep_s(0.01)


@dataclass
class Running:
    """A child at work."""

    process: Any
    report: Path
    scene: Scene

    @property
    def pid(self) -> int:
        """Its process id."""
        return int(self.process.pid)

    def ended(self, timeout_s: float = 60) -> int:
        """Wait for it; the exit code."""
        return child.ended(self.process, timeout_s)

    def told(self) -> dict[str, Any]:
        """Its report."""
        return dict(json.loads(self.report.read_text()))


def _matches(entry: Mapping[str, Any], match: Mapping[str, object]) -> bool:
    metadata = entry.get("metadata") or {}
    return all(entry.get(name, metadata.get(name)) == value for name, value in match.items())


@contextmanager
def open_scene(
    root: Path,
    db: Database,
    newsroom: Newsroom,
    *,
    products: Sequence[str] = ("daily-brief",),
    rules: Sequence[Mapping[str, Any]] = (),
    script: Path | None = None,
    webhook: tuple[str, str] = ("", ""),
    settings: Mapping[str, Mapping[str, object]] | None = None,
    provider: Path | None = None,
) -> Iterator[Scene]:
    """A scene on an empty store, whose time is just past the first product's morning."""
    with ExitStack() as stack:
        url = db.url.render_as_string(hide_password=False)
        shutil.copytree(ROOT / "content" / "products", root / "content" / "products")
        for file in (root / "content" / "products").glob("*.toml"):
            if file.stem not in products:
                file.unlink()
        _set_clock(db, root / "content" / "products")
        config = EmulatorConfig(
            journal_dir=provider or root / "provider",
            log_path=(provider or root / "provider") / "requests.jsonl",
            clock=_ProviderClock(db),
            script=parse_script({"rules": list(rules)}, folder=script),
            webhook_url=webhook[0],
            webhook_secret=webhook[1],
        )
        emulator = stack.enter_context(Emulator(config, newsroom))
        write_settings(root, url, emulator.base_url, settings or {})
        workspace = load_workspace(root / "dateline.toml")
        repository_of(workspace).close()
        pages = PagesReader(workspace.repository)
        stack.callback(pages.close)
        web = stack.enter_context(WebServer(preview(pages)))
        yield Scene(root, db, workspace, emulator, web.url)


def write_settings(root: Path, url: str, base_url: str, more: Mapping[str, Mapping[str, object]]) -> None:
    """Write dateline.toml: the defaults of these tests, and `more` over them."""
    sections: dict[str, dict[str, object]] = {name: dict(values) for name, values in SETTINGS.items()}
    sections["store"] = {"url": url}
    sections["provider"]["base_url"] = base_url
    for name, values in more.items():
        sections.setdefault(name, {}).update(values)
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        for name, values in sections.items()
    ]
    (root / "dateline.toml").write_text("\n".join(lines))


class _ProviderClock:
    """The store's now, but never back: stepping our clock does not step the provider's."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._turn = threading.Lock()
        self._last_ms = 0
        self._ahead_ms = 0

    def __call__(self) -> int:
        with self._turn, self._db.read() as conn:
            now_ms = read_now_ms(conn)
            self._ahead_ms += max(0, self._last_ms - now_ms)
            self._last_ms = now_ms
            return now_ms + self._ahead_ms


def _set_clock(db: Database, products: Path) -> None:
    morning_ms = min(scheduled_ms(policy.schedule, DAY) for policy in load_products(products).values())
    with db.write() as conn:
        advance(conn, morning_ms + LATE_MS - read_now_ms(conn))
