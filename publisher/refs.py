"""Moving branches: all of a publication's refs in one transaction, by compare-and-swap, never forced.

A ref that somebody else moved first raises `RefMoved`; the caller builds again on the new tip. A lock file that
is in the way is waited for (`core.filesRefLockTimeout`); a stale one is removed as `publisher.leftovers` says,
under the repository lease only; a live one never is. When `move` returns, it survives a power cut.
Source: git-update-ref(1); completed tables F26.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from publisher.errors import Busy, RefMoved, RepositoryError
from publisher.git_process import GitProcess, last_words
from publisher.leftovers import ref_locks, remove_stale

ZERO = "0" * 40

_MOVED = ("but expected", "reference already exists")
_LOCKED = (".lock': File exists",)


@dataclass(frozen=True, slots=True)
class Move:
    """`ref` goes from `old` (None: must not exist) to `new` (None: is deleted)."""

    ref: str
    old: str | None
    new: str | None


class Mover:
    """One transaction, whose git is started before the moves are known: starting takes as long as moving.

    Use as a context manager; a transaction that is not given by then does not happen.
    """

    def __init__(self, git: GitProcess, *, on_stale_lock: Callable[[Path], None]) -> None:
        self._git = git
        self._on_stale_lock = on_stale_lock
        self._child = git.start("update-ref", "--stdin")

    def __enter__(self) -> Mover:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        self._child.kill()

    def move(self, moves: Sequence[Move]) -> None:
        """Move all refs or none; once.

        Errors: `RefMoved` when one no longer stands where it was read; `Busy` when a live lock outlasts the wait;
        `RepositoryError` with git's words for all else. In every such case no ref has moved.
        """
        status, words = self._child.converse(_transaction(moves))
        if status == 0:
            for folder in {(self._git.git_dir / m.ref).parent for m in moves}:
                sync_folder(folder)
            return
        said = words.decode(errors="replace").strip()
        if any(mark in said for mark in _MOVED) or _is_gone(said):
            raise RefMoved(f"a branch of the content repository was moved meanwhile: {said}")
        if not any(mark in said for mark in _LOCKED):
            raise RepositoryError(f"git update-ref: {last_words(words, status)}")
        if not remove_stale(self._git.git_dir, ref_locks(self._git.git_dir), self._on_stale_lock):
            held = said.splitlines()[0]
            raise Busy(f"a ref lock is held: {held}", hint="another git process is writing; it is tried again")
        with Mover(self._git, on_stale_lock=self._on_stale_lock) as again:
            again.move(moves)


def _is_gone(words: str) -> bool:
    """A ref that was read and is no more; a damaged one says `reference broken` and is no case for another try."""
    return "unable to resolve reference" in words and "broken" not in words


def _transaction(moves: Sequence[Move]) -> bytes:
    lines = ["start"]
    for m in moves:
        if m.new is None:
            lines.append(f"delete {m.ref} {m.old or ''}".rstrip())
        else:
            lines.append(f"update {m.ref} {m.new} {m.old or ZERO}")
    return "\n".join([*lines, "prepare", "commit", ""]).encode()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: git syncs what it writes, but not what it renames it to."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:  # a deleted ref's folder goes with it
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
