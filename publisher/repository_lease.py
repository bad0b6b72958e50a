"""The repository lease: one writer of a content repository at a time, released by the kernel when it dies.

An advisory lock on `dateline.lock` inside the repository. It covers publishing, rendering and maintenance; readers
never take it. It says nothing about people: they push with git, and the compare-and-swap of `publisher.refs`
sees it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.errors import Busy


@contextmanager
def repository_lease(git_dir: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lease inside the block.

    Errors: `Busy` when `wait` is false and another process or thread holds it.
    """
    descriptor = os.open(git_dir / "dateline.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise Busy("another process is publishing into this repository", hint="it is tried again") from error
    try:
        yield
    finally:
        os.close(descriptor)
