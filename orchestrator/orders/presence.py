"""Whether a loop works on this workspace: a shared lock on `var/loop.lock`, held for as long as it runs.

The kernel drops the lock with its process, so that a killed loop is never waited for. Loops on other hosts are not
seen; an order carried out beside them is as safe, because everything that it writes is fenced.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "loop.lock"


@contextmanager
def present(var: Path) -> Iterator[None]:
    """Be a loop while the context lasts; any number of loops may be."""
    var.mkdir(parents=True, exist_ok=True)
    with (var / FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def loop_runs(var: Path) -> bool:
    """Whether some process is a loop now."""
    path = var / FILE
    if not path.exists():
        return False
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
