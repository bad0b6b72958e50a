"""The loop at work: transitions per second by workers and store, and many editions at once (design §12).

`python -m tests.bench.loop [editions]` prints two tables, as ratios within one run:

* transitions: claim one due job and commit one decision, by 1, 2, 4 and 8 workers of one process, on SQLite and on
  PostgreSQL (where DATELINE_TEST_POSTGRESQL or the usual address answers). Nothing but the store is in it;
* editions: so many publications started together against the emulator, from the plan to VERIFIED_COMPLETE.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import UUID

import pytest

from orchestrator.core.observations import Decision
from orchestrator.core.records import Job, JobStage, Process, ProcessStage
from orchestrator.core.states import JobState
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.shipped import shipped
from orchestrator.store import jobs, processes
from orchestrator.store.codes import ActorType
from orchestrator.store.open import open_store
from outbox.database import Database
from tests.engines import Engines
from tests.faults.child import KEY
from tests.faults.scene import DAY, open_scene

WORKERS = (1, 2, 4, 8)
ROUNDS = 5
STEPS = 240
JOBS = 64
PRODUCTS = ("daily-brief", "revolution-watch")

AGAIN = Decision(event="POLLED_IN_PROGRESS", next_state=JobState.IN_PROGRESS, next_due_ms=1)


def _uuid(number: int) -> str:
    return str(UUID(int=number + (1 << 100)))


def _fill(db: Database) -> None:
    process = Process(
        id=_uuid(0),
        product="daily-brief",
        target_date="2026-11-30",
        languages=("en", "es"),
        version=1,
        revision=0,
        stage=ProcessStage.RESEARCH_PRIMARY,
    )
    with db.write() as conn:
        processes.insert(conn, process)
        for number in range(1, JOBS + 1):
            state, stage = JobState.IN_PROGRESS, JobStage.RESEARCH_PRIMARY
            job = Job(
                id=_uuid(number),
                process_id=process.id,
                slot=None,
                state=state,
                version=1,
                stage=stage,
                fingerprint="0" * 64,
                next_due_ms=1,
            )
            jobs.insert(conn, job)


def _step(db: Database, owner: str) -> float:
    """One transition: claim, then decide and commit; the longest wait for a transaction, in seconds."""
    began = perf_counter()
    with db.write() as conn:
        claimed = jobs.claim(conn, owner=owner, lease_ms=120_000, limit=1)
        waited = perf_counter() - began
    for job in claimed.jobs:
        with db.write() as conn:
            jobs.apply(conn, job, AGAIN, now_ms=1, actor_type=ActorType.WORKER, actor="bench")
    return waited


def _round(db: Database, workers: int) -> tuple[float, float]:
    """Transitions a second of so many workers together, and the longest wait of any."""
    share = STEPS // workers
    waits: list[float] = []

    def work(number: int) -> None:
        waits.append(max(_step(db, f"w{number}") for _ in range(share)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    began = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return share * workers / (perf_counter() - began), max(waits)


@contextmanager
def _engines(folder: Path) -> Iterator[dict[str, Database]]:
    """The stores that can be had, filled. PostgreSQL keeps its own durability here."""
    made = Engines(folder)
    found = {}
    try:
        for engine in ("sqlite", "postgresql"):
            try:
                db = open_store(made.fresh_url(engine))
            except pytest.skip.Exception as skipped:
                print(f"  {engine}: SKIPPED, {skipped}")
                continue
            if engine == "postgresql":
                with db.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
                    conn.exec_driver_sql(f"ALTER DATABASE {db.url.database} SET synchronous_commit = on")
                db.writer.dispose()
            _fill(db)
            found[engine] = db
        yield found
    finally:
        for db in found.values():
            db.close()
        made.close()


def transitions(folder: Path) -> None:
    """Print the first table."""
    print("transitions a second: claim one due job, decide, commit; in brackets the longest wait for a turn")
    with _engines(folder) as found:
        for engine, db in found.items():
            rates: dict[int, list[float]] = {workers: [] for workers in WORKERS}
            waits: dict[int, list[float]] = {workers: [] for workers in WORKERS}
            for _ in range(ROUNDS):
                for workers in WORKERS:
                    rate, wait = _round(db, workers)
                    rates[workers].append(rate)
                    waits[workers].append(wait)
            cells = "   ".join(f"{n}: {median(rates[n]):,.0f} ({max(waits[n]) * 1000:.0f} ms)" for n in WORKERS)
            ratio = median(eight / one for one, eight in zip(rates[1], rates[8], strict=True))
            aim = "0.85 or more, waits 200 ms or less" if engine == "sqlite" else "more with each worker"
            print(f"  {engine:<11} {cells}   8 to 1: {ratio:.2f}   aim {aim}")


def editions(folder: Path, count: int) -> None:
    """Print the second table: so many editions, two languages a publication, on SQLite with four workers."""
    os.environ.setdefault(KEY, "any")
    (folder / "var").mkdir()
    db = open_store(f"sqlite:///{folder / 'var' / 'dateline.db'}")
    newsroom = load_newsroom(shipped("fixtures") / "newsroom")
    with open_scene(folder, db, newsroom, products=PRODUCTS) as scene:
        days = [DAY + timedelta(days=n) for n in range(count // 4)]
        for day in days:
            for product in PRODUCTS:
                scene.plan(product, day)
        began = perf_counter()
        scene.shift(operator=False, workers=4)
        seconds = perf_counter() - began
        verified = scene.one("SELECT count(*) FROM process WHERE verified_ms IS NOT NULL")
        steps = scene.one("SELECT count(*) FROM event")
    db.close()
    wanted = len(days) * len(PRODUCTS)
    print(f"{2 * wanted:,} editions at once: {2 * verified:,} verified complete, {2 * (wanted - verified)} lost")
    each_ms = seconds * 1000 / (2 * wanted)
    print(f"  {seconds:.1f} s, {each_ms:.0f} ms an edition, {steps / seconds:,.0f} audit lines a second")


def main(count: int = 1_000) -> None:
    """Both, printed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        transitions(place)
        (place / "burst").mkdir()
        editions(place / "burst", count)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
