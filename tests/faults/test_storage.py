"""F25, F26: databases that are locked, lost and full; a content repository with locks, strangers and a full disk.

Nothing is half-written, what was paid for is not forgotten, and work goes on when the obstacle is gone.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from orchestrator import entropy
from orchestrator.daemon import Loop
from outbox.errors import StoreUnavailable
from tests.faults.boundaries import Moment
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import Running, Scene
from tests.faults.test_meetings import await_state

MIB = 1024 * 1024


def frozen_at(scene: Scene, name: str, **more: int) -> Running:
    """A child that works until idle, frozen at this moment on its way."""
    running = scene.start(moment=Moment(name=name, how="freeze"), **more)
    await_state(running.pid, "T")
    return running


@contextmanager
def locked(scene: Scene) -> Iterator[None]:
    """Another program holds SQLite's write lock."""
    holder = sqlite3.connect(scene.root / "var" / "dateline.db", isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def test_f25_a_lock_that_is_let_go_in_time_is_only_waited_for(scene: Scene) -> None:
    with locked(scene):
        running = scene.start()
        await_state(running.pid, "S")
        entropy.sleep_s(0.7)
        assert scene.rows("SELECT id FROM process") == []
    assert running.ended() == 0
    assert_whole(scene)


def test_f25_b37_a_reader_that_becomes_a_writer_never_loses_to_another_writer(scene: Scene) -> None:
    """Both read, then both write, in one transaction each: they take turns instead of failing at once."""
    counted, both = [], threading.Barrier(2)

    def add() -> None:
        both.wait()
        for _ in range(20):
            with scene.house() as house, house.db.write() as conn:
                before = conn.execute(text("SELECT offset_ms FROM clock")).scalar_one()
                conn.execute(text("UPDATE clock SET offset_ms = :then"), {"then": before + 1})
                counted.append(before)

    before = scene.one("SELECT offset_ms FROM clock")
    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scene.one("SELECT offset_ms FROM clock") == before + 40
    assert len(set(counted)) == 40


def test_f25_a_lock_that_is_kept_writes_nothing_and_says_so(scene: Scene) -> None:
    scene.shift(until=lambda: scene.rows("SELECT state FROM job") == [("ACCEPTED",)])
    scene.move(60_000)
    with scene.house() as house:
        with house.db.write() as conn:
            conn.exec_driver_sql("PRAGMA busy_timeout = 50")
        with locked(scene), pytest.raises(StoreUnavailable) as caught:
            Loop(house, workers=1).step_job("worker")
        assert caught.value.retryable
    assert scene.rows("SELECT state, lease_owner FROM job") == [("ACCEPTED", None)]
    scene.shift()
    assert_whole(scene)


@pytest.mark.parametrize("moment", ["create answered", "look answered"])
def test_f25_a_store_that_is_locked_while_an_answer_comes_forgets_nothing_paid(scene: Scene, moment: str) -> None:
    running = frozen_at(scene, moment, busy_ms=50)
    with locked(scene):
        os.kill(running.pid, signal.SIGCONT)
        entropy.sleep_s(1.0)
    code = running.ended()
    scene.shift(operator=False)
    assert_whole(scene)
    assert len(scene.creates(stage="research_primary")) == 1
    assert code in (0, 1), "a loop goes on; a single sweep may give up, with everything kept"


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
@pytest.mark.parametrize(
    "moment",
    [
        "before CREATED ACCEPTED",
        "before POLLED_TERMINAL RETRIEVED_NOT_VALIDATED",
        "before APPROVED PUBLISHED",
        "before EFFECT_COMMIT CONFIRMED",
    ],
)
def test_f25_a_connection_lost_mid_transaction_leaves_nothing_half_written(
    stage: Stage, engine: str, moment: str
) -> None:
    scene = stage(engine)
    running = frozen_at(scene, moment)
    cut_connections(scene, engine)
    os.kill(running.pid, signal.SIGCONT)
    running.ended()
    assert broken(scene) == {}
    scene.work(operator=False)
    assert_whole(scene)
    assert len(scene.creates()) == 2


def cut_connections(scene: Scene, engine: str) -> None:
    """The server throws everybody out."""
    scene.db.writer.dispose()
    scene.db.reader.dispose()
    with scene.db.writer.connect() as conn:
        if engine == "postgresql":
            others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            conn.exec_driver_sql(f"SELECT pg_terminate_backend(pid) {others}")
            return
        others = "FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
        for (number,) in conn.exec_driver_sql(f"SELECT id {others}").all():
            conn.exec_driver_sql(f"KILL CONNECTION {number}")


# --- full disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, where mounting is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(disk: Path) -> Path:
    """Write until there is no room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (MIB, 4096):
            while _writes(file.fileno(), size):
                pass
    return ballast


def _writes(handle: int, size: int) -> bool:
    try:
        return os.write(handle, b"\0" * size) == size
    except OSError:
        return False


@pytest.mark.parametrize(
    "moment",
    ["create answered", "look answered", "before EDITIONS_SAVED SAVED_NOT_PUBLIC", "after EFFECT_COMMIT IN_FLIGHT"],
)
def test_f25_f26_b40_a_full_disk_stops_the_work_and_loses_nothing(
    stage: Stage, small_disk: Path, tmp_path: Path, moment: str
) -> None:
    scene = stage(folder=small_disk, provider=tmp_path / "provider")
    running = frozen_at(scene, moment)
    ballast = fill(small_disk)
    os.kill(running.pid, signal.SIGCONT)
    entropy.sleep_s(1.0)
    assert scene.rows("SELECT count(*) FROM effect WHERE status = 'CONFIRMED'") == [(0,)]
    assert scene.git("for-each-ref", "refs/heads/") == ""
    ballast.unlink()
    running.ended()
    assert broken(scene) == {}
    scene.work(operator=False)
    assert_whole(scene)
    assert len(scene.creates()) == 2


def test_b40_a_loop_on_a_full_disk_complains_and_waits_instead_of_spinning(
    stage: Stage, small_disk: Path, tmp_path: Path
) -> None:
    scene = stage(folder=small_disk, provider=tmp_path / "provider")
    scene.plan()
    scene.shift(until=lambda: scene.rows("SELECT state FROM job") == [("ACCEPTED",)])
    scene.move(60_000)
    running = scene.command("run", "--until-idle", DATELINE_PROVIDER__POLL_S="[0.2, 0.4]")
    running.report = tmp_path / "output"
    ballast = fill(small_disk)
    entropy.sleep_s(3.0)
    ballast.unlink()
    os.kill(running.pid, signal.SIGTERM)
    running.ended(20)
    assert scene.one("SELECT max(version) FROM job") < 40, "it went round and round"
    scene.shift(operator=False)
    assert_whole(scene)


# --- the content repository


def lock_file(scene: Scene, name: str, age_s: float) -> Path:
    """A lock that nobody holds, so old."""
    lock = scene.repository / name
    lock.touch()
    then_s = lock.stat().st_mtime - age_s
    os.utime(lock, (then_s, then_s))
    return lock


def ready_to_publish(scene: Scene) -> None:
    """Everything up to the content repository."""
    scene.killed(Moment(name="after EFFECT_COMMIT IN_FLIGHT"))
    scene.move(601_000)
    scene.git("config", "core.filesRefLockTimeout", "100")


def test_f26_a_stale_lock_is_removed(scene: Scene) -> None:
    ready_to_publish(scene)
    lock = lock_file(scene, "refs/heads/main.lock", 660)
    scene.shift()
    assert not lock.exists()
    assert_whole(scene)


def test_f26_a_young_lock_is_waited_for_and_left_alone(scene: Scene) -> None:
    ready_to_publish(scene)
    lock = lock_file(scene, "refs/heads/main.lock", 0)
    tried = "SELECT count(*) FROM effect WHERE intent = 'COMMIT' AND status = 'RETRYABLE'"
    scene.shift(until=lambda: scene.one(tried) == 2)
    assert lock.exists()
    assert scene.git("for-each-ref", "refs/heads/") == ""
    lock.unlink()
    scene.shift()
    assert_whole(scene)


def test_f26_a_lock_of_the_packed_refs_is_not_in_the_way(scene: Scene) -> None:
    ready_to_publish(scene)
    lock_file(scene, "packed-refs.lock", 0)
    scene.shift()
    assert_whole(scene)


def test_f26_a_person_who_moved_the_branch_is_built_upon(scene: Scene) -> None:
    scene.shift()
    tip = person_commits(scene)
    scene.move(24 * 3_600_000)
    scene.shift()
    assert scene.git("merge-base", "--is-ancestor", tip, "main") == ""
    assert scene.git("show", "main:README") == "Hello.\n"
    assert broken(scene) == {}
    assert scene.one("SELECT count(*) FROM edition WHERE status = 'PUBLISHED'") == 4
    assert scene.rows("SELECT id FROM effect WHERE status <> 'CONFIRMED'") == []


def person_commits(scene: Scene) -> str:
    """Somebody adds a file to main, without asking."""
    author = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
    blob = subprocess.run(
        ["git", f"--git-dir={scene.repository}", "hash-object", "-w", "--stdin"],
        input="Hello.\n", capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    entries = scene.git("ls-tree", "main") + f"100644 blob {blob}\tREADME\n"
    tree = subprocess.run(
        ["git", f"--git-dir={scene.repository}", "mktree"],
        input=entries, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    tip = scene.git(*author, "commit-tree", tree, "-p", "main", "-m", "Say hello").strip()
    scene.git("update-ref", "refs/heads/main", tip)
    return tip


def test_f26_a_head_that_names_another_branch_changes_nothing(scene: Scene) -> None:
    scene.git("symbolic-ref", "HEAD", "refs/heads/elsewhere")
    scene.shift()
    assert_whole(scene)
    assert scene.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/gh-pages", "refs/heads/main"]
