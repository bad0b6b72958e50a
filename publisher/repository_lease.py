"""The repository lease: one writer of a content repository at a time, released by the kernel when it dies.

An advisory lock on `dateline.lock` inside the repository. It covers publishing, rendering and maintenance; readers
never take it. It says nothing about people: they push with git, and the compare-and-swap of `publisher.refs`
sees it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.errors import Busy, RepositoryError

WAIT_S = (
    60.0  # a publication takes a tenth of a second; a whole rebuild may outlast it, and is waited out by retries
)
STEP_S = 0.02


@contextmanager
def repository_lease(git_dir: Path, *, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lease inside the block.

    Errors: `Busy` when another process or thread still holds it after `wait_s`; `RepositoryError` when the
    repository cannot be written to.
    """
    descriptor = _opened(git_dir / "dateline.lock")
    try:
        _take(descriptor, wait_s)
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RepositoryError(
            f"cannot write {path}: {error.strerror}", hint="is its owner another user?"
        ) from error


def _take(descriptor: int, wait_s: float) -> None:
    for left in range(round(wait_s / STEP_S), -1, -1):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                time.sleep(STEP_S)
        else:
            return
    raise Busy("another process is publishing into this repository", hint="it is tried again")
