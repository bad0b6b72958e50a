"""Reading commits, trees and blobs of the content repository, with what never changes kept in memory.

An object is named by its content, so what was read once is right for ever: `ObjectCache` keeps the most recent
ones. After a publication only the few trees on the changed paths are new, which is why reading costs the same at
100 pages and at 100,000.

Rules: one `ObjectCache` per thread. GitPython talks to `git cat-file` through one pipe per `Repo`, and two
threads on one pipe read each other's bytes. Only folders and plain files exist for us: a link or a submodule that
somebody committed is passed over.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from git import GitCommandError, Repo
from git.objects.fun import tree_entries_from_data
from git.refs import SymbolicReference

from publisher.errors import RepositoryError
from publisher.folders import FolderContent

T = TypeVar("T")

TREES_KEPT = 4096
BLOBS_KEPT = 1024
TREE_MODE = 0o040000
FILE_FORMAT = 0o100000


class _Recent(Generic[T]):
    """The `limit` most recently used values."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[bytes, T] = OrderedDict()

    def get(self, key: bytes) -> T | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: bytes, value: T) -> T:
        self._values[key] = value
        if len(self._values) > self._limit:
            self._values.popitem(last=False)
        return value


@dataclass(frozen=True, slots=True)
class Commit:
    """What we read of a commit. `committer` is `Name <email>`; `committed_s` counts epoch seconds."""

    tree: bytes
    parents: tuple[str, ...]
    committer: str
    committed_s: int
    message: str


class ObjectCache:
    """Commits, trees and blobs of one `Repo`, by object id. Errors: `RepositoryError` for a damaged object."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._trees: _Recent[Mapping[str, tuple[bytes, bool]]] = _Recent(TREES_KEPT)
        self._blobs: _Recent[bytes] = _Recent(BLOBS_KEPT)
        self._commits: _Recent[Commit] = _Recent(BLOBS_KEPT)

    def tree(self, binsha: bytes) -> Mapping[str, tuple[bytes, bool]]:
        """Entry name → (object id, is a tree)."""
        known = self._trees.get(binsha)
        if known is not None:
            return known
        try:
            entries = tree_entries_from_data(self._read(binsha))
        except ValueError as error:
            raise RepositoryError(f"tree {binsha.hex()}: {error}") from error
        ours = {
            str(name): (sha, mode == TREE_MODE)
            for sha, mode, name in entries
            if mode == TREE_MODE or mode & 0o170000 == FILE_FORMAT
        }
        return self._trees.put(binsha, ours)

    def blob(self, binsha: bytes) -> bytes:
        """The blob's bytes."""
        known = self._blobs.get(binsha)
        return known if known is not None else self._blobs.put(binsha, self._read(binsha))

    def wrote(self, content: bytes) -> None:
        """Keep a blob that was just written: the next publication reads its neighbour."""
        header = b"blob %d\0" % len(content)
        self._blobs.put(hashlib.sha1(header + content, usedforsecurity=False).digest(), content)

    def commit(self, hexsha: str) -> Commit:
        """The commit."""
        binsha = bytes.fromhex(hexsha)
        known = self._commits.get(binsha)
        return known if known is not None else self._commits.put(binsha, _commit(self._read(binsha)))

    def _read(self, binsha: bytes) -> bytes:
        try:
            return bytes(self._repo.odb.stream(binsha).read())
        except (ValueError, GitCommandError, OSError) as error:
            raise RepositoryError(
                f"object {binsha.hex()} cannot be read: {error}", hint="look with git fsck"
            ) from error


def _commit(data: bytes) -> Commit:
    head, _, message = data.decode(errors="replace").partition("\n\n")
    fields = [line.partition(" ")[::2] for line in head.split("\n")]
    found = dict(reversed(fields))
    committer, _, when = found["committer"].rpartition("> ")
    return Commit(
        tree=bytes.fromhex(found["tree"]),
        parents=tuple(value for name, value in fields if name == "parent"),
        committer=f"{committer}>",
        committed_s=int(when.split()[0]),
        message=message,
    )


class GitContent(FolderContent):
    """The tree of one commit of the content branch, as `publisher.content.Content`."""

    def __init__(self, cache: ObjectCache, commit: str | None) -> None:
        self._cache = cache
        self._root = cache.commit(commit).tree if commit else None

    def file(self, path: str) -> bytes | None:
        """The file's bytes, or None."""
        found = self.entry(path)
        return None if found is None or found[1] else self._cache.blob(found[0])

    def entry(self, path: str) -> tuple[bytes, bool] | None:
        """(object id, is a tree) at the path, or None."""
        if self._root is None:
            return None
        here: tuple[bytes, bool] = (self._root, True)
        for part in path.split("/") if path else ():
            if not here[1]:
                return None
            step = self._cache.tree(here[0]).get(part)
            if step is None:
                return None
            here = step
        return here

    def walk(self, path: str = "") -> list[str]:
        """Every file below `path`. Costs in proportion to the archive: for whole exports only."""
        found = self.entry(path)
        if found is None:
            return []
        if not found[1]:
            return [path]
        prefix = f"{path}/" if path else ""
        return [file for name in self._cache.tree(found[0]) for file in self.walk(prefix + name)]

    def folders(self, path: str) -> list[str]:
        """Names of the folders directly below `path`, sorted."""
        return self._listing(path, trees=True)

    def names(self, path: str) -> list[str]:
        """Names of the files directly below `path`, sorted."""
        return self._listing(path, trees=False)

    def _listing(self, path: str, *, trees: bool) -> list[str]:
        found = self.entry(path)
        if found is None or not found[1]:
            return []
        return sorted(name for name, (_, is_tree) in self._cache.tree(found[0]).items() if is_tree == trees)


def tip_of(repo: Repo, ref: str) -> str | None:
    """The commit id that `ref` holds, read from its file; None where there is no such ref.

    Errors: `RepositoryError` for a ref file that holds no id (a torn write of a git that does not fsync).
    """
    try:
        return str(SymbolicReference.dereference_recursive(repo, ref))
    except (ValueError, AssertionError) as error:
        if Path(repo.git_dir, ref).is_file():
            raise RepositoryError(
                f"{ref} of {repo.git_dir} is damaged", hint="look with git fsck; git update-ref sets it again"
            ) from error
        return None
