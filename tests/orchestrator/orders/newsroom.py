"""A whole house on a real store and the emulator's socket, swept by hand, its time moved by the test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from orchestrator.assembly import House, open_house
from orchestrator.core.instants import utc_day
from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.correspondence import WEBHOOKS
from orchestrator.daemon import Loop
from orchestrator.orders import Signature, order_of, place
from orchestrator.settings.workspace import load_workspace
from orchestrator.store import commands, jobs, processes
from orchestrator.store.codes import CommandStatus
from orchestrator.store.commands import Command
from outbox import inbox
from outbox.clock import advance, read_now_ms
from outbox.message import Provenance

PRODUCTS = Path(__file__).parents[3] / "content" / "products"
PRODUCT = "daily-brief"
MINUTE_MS = 60_000


@dataclass
class Newsroom:
    """One product, one process, and everything that works on it."""

    house: House
    loop: Loop
    given: int = field(default=0)

    # what there is

    def process(self) -> Process:
        with self.house.db.read() as conn:
            return processes.listing(conn)[0]

    def job(self, job_id: str | None = None) -> Job:
        with self.house.db.read() as conn:
            found = jobs.get(conn, job_id) if job_id else jobs.current(conn, processes.listing(conn)[0].id)
        assert found is not None
        return found

    def jobs(self) -> list[Job]:
        with self.house.db.read() as conn:
            return jobs.of_process(conn, processes.listing(conn)[0].id)

    def calls(self, method: str, ending: str = "") -> int:
        assert self.house.emulator is not None
        return len([e for e in self.house.emulator.log if e["method"] == method and e["path"].endswith(ending)])

    def creates(self) -> int:
        return self.calls("POST", "/v1/responses")

    def command(self, command: Command) -> Command:
        with self.house.db.read() as conn:
            return commands.get(conn, command.id)

    # what happens

    def plan(self) -> Process:
        with self.house.db.read() as conn:
            today = date.fromisoformat(utc_day(read_now_ms(conn)))
        planned = self.house.ticker.plan(PRODUCT, today)
        assert planned is not None
        return planned

    def forward(self, by_ms: int) -> None:
        with self.house.db.write() as conn:
            advance(conn, by_ms)

    def sweep(self) -> None:
        self.loop.sweep()

    def until(self, *states: JobState, moves: int = 12) -> Job:
        """Sweep and let half a minute pass until the current job is in one of `states`."""
        for _ in range(moves):
            self.sweep()
            if self.job().state in states:
                return self.job()
            self.forward(30_000)
        raise AssertionError(f"the job is {self.job().state}")

    def unknown(self) -> Job:
        """Plan, and lose sight of the create."""
        self.plan()
        return self.until(JobState.QUARANTINED)

    def response(self) -> str:
        """The id of the first response that the emulator accepted."""
        assert self.house.emulator is not None
        return str(next(e["response_id"] for e in self.house.emulator.log if e["response_id"]))

    def tell(self, response_id: str, *, source: str = WEBHOOKS, event_id: str = "wh_1") -> None:
        """An event about this response, as the desk's hooks would store it."""
        with self.house.db.write() as conn:
            inbox.append(
                conn,
                source=source,
                event_id=event_id,
                kind="response.completed",
                payload=json.dumps({"type": "response.completed", "data": {"id": response_id}}).encode(),
                source_time_ms=None,
                provenance=Provenance(origin="test"),
            )

    # orders

    def place(self, verb: str, target: str, *, key: str | None = None, **arguments: object) -> Command:
        self.given += 1
        by = Signature(actor="night-desk", reason_code="TEST", key=key or f"k{self.given}")
        with self.house.db.write() as conn:
            return place(conn, order_of(verb, target, by, arguments=arguments))

    def give(self, verb: str, target: str, *, key: str | None = None, **arguments: object) -> Command:
        """Place it and take it at once."""
        return self.house.orders.carry_out(self.place(verb, target, key=key, **arguments))

    def done(self, verb: str, target: str, **arguments: object) -> str:
        command = self.give(verb, target, **arguments)
        assert command.status is CommandStatus.DONE
        return command.outcome or ""


@contextmanager
def newsroom(
    root: Path, *, script: dict[str, Any] | None = None, provider: str = "", change: tuple[str, str] = ("", "")
) -> Iterator[Newsroom]:
    """Open one; `change` replaces a text in the product's file, `provider` is TOML of its section."""
    products = root / "products"
    products.mkdir(parents=True, exist_ok=True)
    policy = (PRODUCTS / f"{PRODUCT}.toml").read_text()
    (products / f"{PRODUCT}.toml").write_text(policy.replace(*change) if change[0] else policy)
    config = root / "dateline.toml"
    config.write_text(f'[content]\nproducts = "{products}"\n[provider]\n{provider}\n')
    rules = root / "script.json"
    rules.write_text(json.dumps({"rules": [script] if script else []}))
    with open_house(load_workspace(config), script=rules) as house:
        house.ticker.begins = date.max  # nothing comes by the calendar: only what a test plans
        yield Newsroom(house, Loop(house, workers=1))
