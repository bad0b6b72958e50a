"""Durable job transitions and idle ticks on SQLite, as ratios within one run (design §12).

`python -m tests.bench.transitions` prints a table. A transition is one fenced update and one audit line in one
transaction through `jobs.apply`; the bare one is a fenced update alone with `sqlite3`, on the same schema with
the same durability (WAL, synchronous=FULL). The two are interleaved, so that a busy machine slows both.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import UUID

from orchestrator.core.observations import Decision
from orchestrator.core.records import Job, JobStage, Process, ProcessStage
from orchestrator.core.states import JobState
from orchestrator.store import jobs, processes
from orchestrator.store.codes import ActorType
from orchestrator.store.open import open_store
from orchestrator.store.work_tables import job as table
from outbox.clock import read_now_ms
from outbox.database import Database

ROUNDS = 15
STEPS = 200
FINISHED = (100, 100_000)

POLLED = Decision(
    event="POLLED_IN_PROGRESS",
    next_state=JobState.IN_PROGRESS,
    changes=(("poll_count", 1), ("last_poll_ms", 1)),
    next_due_ms=1,
)


def _uuid(number: int) -> str:
    return str(UUID(int=number + (1 << 100)))


def _job(number: int, process_id: str, state: JobState = JobState.IN_PROGRESS) -> Job:
    return Job(
        id=_uuid(number),
        process_id=process_id,
        slot=None,
        state=state,
        version=1,
        stage=JobStage.RESEARCH_PRIMARY,
        fingerprint="0" * 64,
    )


def _process() -> Process:
    return Process(
        id=_uuid(0),
        product="daily-brief",
        target_date="2026-11-30",
        languages=("en", "es"),
        version=1,
        revision=0,
        stage=ProcessStage.RESEARCH_PRIMARY,
    )


@contextmanager
def _store(folder: Path, name: str) -> Iterator[Database]:
    db = open_store(f"sqlite:///{folder / name}.db")
    try:
        with db.write() as conn:
            processes.insert(conn, _process())
            jobs.insert(conn, _job(1, _uuid(0)))
        yield db
    finally:
        db.close()


def _bare(path: Path) -> Callable[[], None]:
    conn = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        conn.execute(f"PRAGMA {pragma}")
    fence = 1

    def step() -> None:
        nonlocal fence
        conn.execute("BEGIN IMMEDIATE")
        done = conn.execute(
            "UPDATE job SET state = ?, poll_count = ?, last_poll_ms = ?, lease_owner = ?, next_due_ms = ?,"
            " version = version + 1 WHERE id = ? AND version = ?",
            ("IN_PROGRESS", 1, 1, None, 1, _uuid(1), fence),
        )
        if done.rowcount != 1:
            raise AssertionError("the fence did not hold")
        conn.execute("COMMIT")
        fence += 1

    return step


def _ours(db: Database) -> Callable[[], None]:
    with db.read() as conn:
        job = jobs.get(conn, _uuid(1))

    def step() -> None:
        nonlocal job
        with db.write() as conn:
            job = jobs.apply(conn, job, POLLED, now_ms=1, actor_type=ActorType.WORKER, actor="bench")

    return step


def _seconds(step: Callable[[], None], times: int) -> float:
    began = perf_counter()
    for _ in range(times):
        step()
    return perf_counter() - began


def _transitions(folder: Path) -> None:
    with _store(folder, "ours") as ours, _store(folder, "bare") as bare:
        steps = {"bare sqlite3": _bare(folder / "bare.db"), "jobs.apply": _ours(ours)}
        took: dict[str, list[float]] = {name: [] for name in steps}
        for name, _ in zip(cycle(steps), range(2 * ROUNDS), strict=False):
            took[name].append(_seconds(steps[name], STEPS) / STEPS)
        bare.close()
    rates = {name: 1 / median(values) for name, values in took.items()}
    ratio = median(ours / bare for ours, bare in zip(took["jobs.apply"], took["bare sqlite3"], strict=True))
    print("durable transitions, SQLite WAL + FULL, one worker")
    for name, rate in rates.items():
        print(f"  {name:<14} {rate:>8,.0f}/s")
    print(f"  {'ratio':<14} {ratio:>8.2f}   aim 2.5 or less")


def _fill(db: Database, finished: int) -> None:
    names = [column.name for column in table.columns]
    with db.write() as conn:
        rows = conn.exec_driver_sql("SELECT * FROM job").all()
        template = dict(zip(names, rows[0], strict=True))
        conn.exec_driver_sql("DELETE FROM job")
        values = [
            {**template, "id": _uuid(number), "state": JobState.DELETED.value, "next_due_ms": None}
            for number in range(1, finished + 1)
        ]
        conn.execute(table.insert(), values)


def _idle(folder: Path) -> None:
    print("idle tick: a claim that finds nothing due")
    stores = {count: open_store(f"sqlite:///{folder / f'idle{count}'}.db") for count in FINISHED}
    for count, db in stores.items():
        with db.write() as conn:
            processes.insert(conn, _process())
            jobs.insert(conn, _job(1, _uuid(0)))
        _fill(db, count)
    took: dict[int, list[float]] = {count: [] for count in FINISHED}
    for _ in range(ROUNDS):
        for count, db in stores.items():
            took[count].append(_seconds(partial(_look, db), 100) / 100)
    for count, db in stores.items():
        print(f"  {count:>7,} finished {median(took[count]) * 1e6:>7,.0f} µs")
        db.close()
    ratio = median(many / few for few, many in zip(*took.values(), strict=True))
    print(f"  ratio           {ratio:>8.2f}   aim 1")


def _look(db: Database) -> None:
    with db.write() as conn:
        found = jobs.claim(conn, owner="bench", lease_ms=120_000, limit=8)
        if found.jobs or read_now_ms(conn) == 0:
            raise AssertionError("nothing should be due")


def main() -> None:
    """Run both and print them."""
    with tempfile.TemporaryDirectory() as folder:
        _transitions(Path(folder))
        _idle(Path(folder))


if __name__ == "__main__":
    main()
