"""Moving branches: all of a publication's refs in one transaction, by compare-and-swap, never forced.

A ref that somebody else moved first raises `RefMoved`; the caller builds again on the new tip. A lock file that
is in the way is waited for (`core.filesRefLockTimeout`). One that is older than ten minutes and held by no
process is removed, under the repository lease only; a live one never is.
Source: git-update-ref(1); completed tables F26.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from publisher.errors import Busy, RefMoved, RepositoryError
from publisher.git_process import GitProcess

ZERO = "0" * 40
STALE_LOCK_S = 600
LOCK_WAIT_MS = 5_000


@dataclass(frozen=True, slots=True)
class Move:
    """`ref` goes from `old` (None: must not exist) to `new` (None: is deleted)."""

    ref: str
    old: str | None
    new: str | None


def move(git: GitProcess, moves: Sequence[Move], *, on_stale_lock: Callable[[Path], None]) -> None:
    """Move all refs or none.

    Errors: `RefMoved` when one no longer stands where it was read; `Busy` when a live lock outlasts the wait.
    """
    result = git.attempt("update-ref", "--stdin", stdin=_transaction(moves))
    if result.returncode == 0:
        return
    words = result.stderr.decode(errors="replace").strip()
    if "is at" in words or "reference already exists" in words or "unable to resolve" in words:
        raise RefMoved(f"a branch of the content repository was moved meanwhile: {words}")
    if ".lock" in words:
        if remove_stale_locks(git.git_dir, on_stale_lock):
            move(git, moves, on_stale_lock=on_stale_lock)
            return
        raise Busy(f"a ref lock is held: {words}", hint="another git process is writing; it is tried again")
    raise RepositoryError(f"git update-ref: {words}")


def _transaction(moves: Sequence[Move]) -> bytes:
    lines = ["start"]
    for m in moves:
        if m.new is None:
            lines.append(f"delete {m.ref}")
        else:
            lines.append(f"update {m.ref} {m.new} {m.old or ZERO}")
    return "\n".join([*lines, "prepare", "commit", ""]).encode()


def remove_stale_locks(git_dir: Path, on_removed: Callable[[Path], None]) -> list[Path]:
    """Remove ref locks that are old and that no process holds open; answer them."""
    now_s = _filesystem_now_s(git_dir)
    locks = [*git_dir.glob("refs/**/*.lock"), git_dir / "packed-refs.lock", git_dir / "HEAD.lock"]
    removed = [p for p in locks if p.exists() and _age_s(p, now_s) > STALE_LOCK_S and not _held_open(p)]
    for path in removed:
        path.unlink(missing_ok=True)
        on_removed(path)
    return removed


def _filesystem_now_s(folder: Path) -> float:
    """The time by the clock that stamps the lock files themselves (a network mount has its own)."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="dateline-clock-") as probe:
        return os.fstat(probe.fileno()).st_mtime


def _age_s(path: Path, now_s: float) -> float:
    try:
        return now_s - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _held_open(path: Path) -> bool:
    """Whether any process that we may look at has the file open. Where that cannot be known: yes."""
    descriptors = Path("/proc")
    if not descriptors.is_dir():
        return True
    target = path.stat()
    for entry in descriptors.glob("[0-9]*/fd/*"):
        try:
            seen = entry.stat()
        except OSError:
            continue
        if (seen.st_dev, seen.st_ino) == (target.st_dev, target.st_ino):
            return True
    return False
