"""Crashes, locks and full disks around a publication (F08, F26): nothing or everything, and the next one works."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path

import pytest

from publisher.errors import Busy, RepositoryError
from publisher.repository_lease import repository_lease
from tests.publisher.changes import ListSite, count, git, opened, pair, sound
from tests.publisher.samples import ROOT

REAL_GIT = subprocess.run(
    ["/bin/sh", "-c", "command -v git"], capture_output=True, text=True, check=True
).stdout.strip()
DIE = "kill -9 $PPID; exit 137"
CRASHES = {
    "before the import begins": f"*fast-import*) {DIE};;",
    "in the middle of the import": f'*fast-import*) head -c 3000 | {REAL_GIT} "$@" >/dev/null 2>&1; {DIE};;',
    "after the import": f'*fast-import*) {REAL_GIT} "$@"; {DIE};;',
    "between pack and ref move": f"*update-ref*) head -c 1 >/dev/null; {DIE};;",
    "after the ref move": f'*update-ref*) {REAL_GIT} "$@"; {DIE};;',
}


def _press(path: Path, day: int, folder: Path, case: str) -> int:
    """Publish in a child whose git kills it; answer its exit status."""
    folder.mkdir(exist_ok=True)
    fake = folder / "git"
    fake.write_text(f'#!/bin/sh\ncase "$*" in {case} esac\nexec {REAL_GIT} "$@"\n')
    fake.chmod(0o755)
    command = [sys.executable, "-m", "tests.publisher.dying_press", str(path), str(day)]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=60
    ).returncode


@pytest.mark.parametrize("point", CRASHES)
def test_killed_at_any_point_it_has_published_all_or_nothing_and_goes_on(tmp_path: Path, point: str) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        before = repository.publish(pair(0), ListSite())
    assert _press(path, 1, tmp_path / "bin", CRASHES[point]) == -9
    tips = git(path, "rev-parse", "main", "gh-pages").split()
    done = point == "after the ref move"
    assert (tips == [before.main, before.pages]) != done
    assert git(path, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/gh-pages", "refs/heads/main"]
    with opened(path) as repository:
        repository.publish(pair(1), ListSite())
    assert (count(path), count(path, "gh-pages")) == (4, 2)
    git(path, "fsck", "--strict", "--no-dangling")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A repository with one publication, whose git waits for a lock for a tenth of a second."""
    place = tmp_path / "c.git"
    with opened(place) as repository:
        repository.publish(pair(0), ListSite())
    git(place, "config", "core.filesRefLockTimeout", "100")
    return place


def _locked(path: Path, name: str, age_s: float = 660) -> Path:
    lock = path / name
    lock.touch()
    then_s = lock.stat().st_mtime - age_s
    os.utime(lock, (then_s, then_s))
    return lock


@pytest.mark.parametrize("name", ["refs/heads/main.lock", "refs/heads/gh-pages.lock"])
def test_a_stale_lock_is_removed_and_reported(path: Path, name: str) -> None:
    removed: list[Path] = []
    lock = _locked(path, name)
    with opened(path, on_stale_lock=removed.append) as repository:
        repository.publish(pair(1), ListSite())
    assert removed == [lock]
    assert count(path) == 4
    sound(path)


def test_all_stale_locks_go_at_once(path: Path) -> None:
    removed: list[Path] = []
    locks = {_locked(path, f"refs/heads/{name}.lock") for name in ("main", "gh-pages")}
    with opened(path, on_stale_lock=removed.append) as repository:
        repository.publish(pair(1), ListSite())
    assert set(removed) == locks


def test_a_young_lock_is_left_alone_and_the_edition_is_not_lost(path: Path) -> None:
    lock = _locked(path, "refs/heads/main.lock", age_s=540)
    with opened(path) as repository:
        with pytest.raises(Busy) as caught:
            repository.publish(pair(1), ListSite())
        assert caught.value.retryable
        assert caught.value.hint
        assert lock.exists()
        lock.unlink()
        repository.publish(pair(1), ListSite())
    assert count(path) == 4
    sound(path)


def test_an_old_lock_that_somebody_has_open_is_left_alone(path: Path) -> None:
    lock = _locked(path, "refs/heads/main.lock")
    with lock.open() as _held, opened(path) as repository, pytest.raises(Busy):
        repository.publish(pair(1), ListSite())
    assert lock.exists()


@contextmanager
def _a_transaction_of_a_person(path: Path, *where: str) -> Iterator[subprocess.Popen[str]]:
    """A living git process that holds the lock of main; git has closed the lock file by then."""
    tip = git(path, "rev-parse", "main")
    process = subprocess.Popen(
        ["git", *where, "update-ref", "--stdin"],
        cwd=path.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"start\nupdate refs/heads/main {tip} {tip}\nprepare\n")
    process.stdin.flush()
    assert [process.stdout.readline(), process.stdout.readline()] == ["start: ok\n", "prepare: ok\n"]
    try:
        yield process
    finally:
        process.communicate("abort\n")


@pytest.mark.parametrize("way", ["--git-dir=c.git", "-Cc.git", "absolute"])
def test_an_old_lock_of_a_git_process_that_lives_is_left_alone(path: Path, way: str) -> None:
    where = ["--git-dir", str(path)] if way == "absolute" else ["-C", "c.git"] if way == "-Cc.git" else [way]
    with _a_transaction_of_a_person(path, *where), opened(path) as repository:
        lock = _locked(path, "refs/heads/main.lock")
        with pytest.raises(Busy):
            repository.publish(pair(1), ListSite())
        assert lock.exists()
    with opened(path) as repository:
        repository.publish(pair(1), ListSite())
    assert count(path) == 4


def test_a_live_lock_is_waited_for(path: Path) -> None:
    git(path, "config", "core.filesRefLockTimeout", "30000")
    with _a_transaction_of_a_person(path, "-C", "c.git") as process, opened(path) as repository:
        assert process.stdin
        stdin = process.stdin

        def let_go() -> None:
            stdin.write("abort\n")
            stdin.flush()

        timer = threading.Timer(0.5, let_go)
        timer.start()
        repository.publish(pair(1), ListSite())
        timer.join()
    assert count(path) == 4


@pytest.mark.parametrize("age_s", [0, 660])
def test_a_lock_of_the_packed_refs_is_not_in_the_way(path: Path, age_s: float) -> None:
    git(path, "pack-refs", "--all")
    lock = _locked(path, "packed-refs.lock", age_s)
    with opened(path) as repository:
        repository.publish(pair(1), ListSite())
    assert lock.exists()
    assert count(path) == 4


def test_a_stale_lock_of_head_is_removed(path: Path) -> None:
    lock = _locked(path, "HEAD.lock")
    git(path, "config", "core.logAllRefUpdates", "true")
    with opened(path) as repository:
        repository.publish(pair(1), ListSite())
    assert count(path) == 4
    assert not lock.exists()


def test_the_lease_is_one_writers_and_waits_for_a_while_only(path: Path) -> None:
    with repository_lease(path), pytest.raises(Busy), repository_lease(path, wait_s=0.05):
        raise AssertionError("two hold it")
    with repository_lease(path, wait_s=0):
        pass


def test_two_writers_take_turns(path: Path) -> None:
    def publish(days: range) -> None:
        with opened(path) as repository:
            for day in days:
                repository.publish(pair(day), ListSite())

    threads = [threading.Thread(target=publish, args=(days,)) for days in (range(1, 5), range(5, 9))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (count(path), count(path, "gh-pages")) == (18, 9)
    sound(path)


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    """No process started inside may write a longer file: what a full disk does, at a chosen byte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [0, 10, 2000])
def test_a_write_that_is_cut_leaves_the_refs_and_a_retry_works(path: Path, size: int) -> None:
    tips = git(path, "rev-parse", "main", "gh-pages")
    with opened(path) as repository:
        with _files_of_at_most(size), pytest.raises(RepositoryError):
            repository.publish(pair(1), ListSite())
        assert git(path, "rev-parse", "main", "gh-pages") == tips
        sound(path)
        repository.publish(pair(1), ListSite())
    assert count(path) == 4
    sound(path)


def _fill(file: RawIOBase) -> None:
    while True:
        file.write(b"\0" * 4096)


@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Path]:
    """A disk of 512 KiB, where mounting is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True, check=False
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_leaves_the_refs_and_a_retry_works(tmpfs: Path) -> None:
    path = tmpfs / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        tips = git(path, "rev-parse", "main", "gh-pages")
        ballast = tmpfs / "ballast"
        with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
            _fill(file)
        with pytest.raises(RepositoryError):
            repository.publish(pair(1), ListSite())
        assert git(path, "rev-parse", "main", "gh-pages") == tips
        ballast.unlink()
        repository.publish(pair(1), ListSite())
    assert count(path) == 4
    sound(path)
