"""What dead processes leave in a repository — locks, half packs, crash reports — and who may remove it.

Rules: a file goes only when it is older than ten minutes, by the clock that stamps files, and no living process
may still be at work on it; and only under the repository lease. An open descriptor is not the test alone: git
closes a ref's lock file while it still holds the lock. So any git process at work in this repository keeps all
its locks, and one that we may not look at counts as at work here.
Source: completed tables F26; git's lockfile.h.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from publisher.errors import RepositoryError

STALE_S = 600
PROC = Path("/proc")


def ref_locks(git_dir: Path) -> list[Path]:
    """Every lock that can keep a ref from moving."""
    others = (git_dir / "packed-refs.lock", git_dir / "HEAD.lock")
    return [*git_dir.glob("refs/**/*.lock"), *(path for path in others if path.exists())]


def half_packs(git_dir: Path) -> list[Path]:
    """What a `git fast-import` leaves that was killed or ran out of disk. Finished packs are not among it."""
    return [*(git_dir / "objects" / "pack").glob("tmp_*"), *git_dir.glob("fast_import_crash_*")]


def remove_stale(git_dir: Path, paths: Iterable[Path], on_removed: Callable[[Path], None]) -> list[Path]:
    """Remove those of `paths` that are old and that nobody may be at work on; answer them."""
    old = list(_older_than(STALE_S, git_dir, paths))
    if not old or _is_git_at_work(git_dir.resolve()):
        return []
    removed = remove_unheld(old)
    for path in removed:
        on_removed(path)
    return removed


def remove_unheld(paths: Iterable[Path]) -> list[Path]:
    """Remove those of `paths` that no process has open; answer them. For files that are known to be one's own."""
    removed = [path for path in paths if not _is_open(path)]
    for path in removed:
        path.unlink(missing_ok=True)
    return removed


def _older_than(age_s: float, git_dir: Path, paths: Iterable[Path]) -> Iterator[Path]:
    """By the clock that stamps the files themselves: a network mount has its own."""
    listed = list(paths)
    if not listed:
        return
    try:
        with tempfile.NamedTemporaryFile(dir=git_dir, prefix="dateline-clock-") as probe:
            now_s = os.fstat(probe.fileno()).st_mtime
    except OSError as error:
        raise RepositoryError(f"cannot write into {git_dir}: {error.strerror}") from error
    for path in listed:
        try:
            if now_s - path.stat().st_mtime > age_s:
                yield path
        except FileNotFoundError:
            continue


def _is_open(path: Path) -> bool:
    """Whether a process that we may look at has the file open."""
    try:
        wanted = path.stat()
    except FileNotFoundError:
        return False
    for descriptor in PROC.glob("[0-9]*/fd/*"):
        try:
            seen = descriptor.stat()
        except OSError:
            continue
        if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False


def _is_git_at_work(git_dir: Path) -> bool:
    """Whether a git process may be writing here. Without /proc that cannot be known, and the answer is yes."""
    return not PROC.is_dir() or any(_works_in(process, git_dir) for process in PROC.glob("[0-9]*"))


def _works_in(process: Path, git_dir: Path) -> bool:
    try:
        if not (process / "comm").read_text(errors="replace").startswith("git"):
            return False
        arguments = (process / "cmdline").read_bytes().split(b"\0")
        if b"cat-file" in arguments:  # reads only; ours and the preview's live as long as we do
            return False
        folder = (process / "cwd").readlink()
        environment = (process / "environ").read_bytes().split(b"\0")
    except PermissionError:
        return True
    except OSError:  # it ended while it was looked at
        return False
    named = [each.partition(b"=")[2] or each for each in (*arguments, *environment) if each]
    places = (folder / os.fsdecode(each) for each in (b"", *named) if len(each) < 4096)
    return any(_is_within(place, git_dir) for place in places)


def _is_within(place: Path, git_dir: Path) -> bool:
    try:
        return place.resolve().is_relative_to(git_dir)
    except (OSError, RuntimeError):
        return False
