"""Reading trees and blobs of the content repository, with the parts that never change kept in memory.

A tree or blob is named by its content, so what was read once is right for ever: `ObjectCache` keeps the most
recent ones. After a publication only the few trees on the changed paths are new, which is why reading costs the
same at 100 pages and at 100,000.

Rule: one `ObjectCache` per thread. GitPython talks to `git cat-file` through one pipe per `Repo`, and two
threads on one pipe read each other's bytes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Generic, TypeVar

from git import Repo
from git.objects.fun import tree_entries_from_data

from publisher.folders import FolderContent

T = TypeVar("T")

TREES_KEPT = 4096
BLOBS_KEPT = 1024
TREE_MODE = 0o040000


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


class ObjectCache:
    """Trees and blobs of one `Repo`, by object id."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._trees: _Recent[Mapping[str, tuple[bytes, bool]]] = _Recent(TREES_KEPT)
        self._blobs: _Recent[bytes] = _Recent(BLOBS_KEPT)

    def tree(self, binsha: bytes) -> Mapping[str, tuple[bytes, bool]]:
        """Entry name → (object id, is a tree)."""
        known = self._trees.get(binsha)
        if known is not None:
            return known
        entries = tree_entries_from_data(self._read(binsha))
        return self._trees.put(binsha, {str(name): (sha, mode == TREE_MODE) for sha, mode, name in entries})

    def blob(self, binsha: bytes) -> bytes:
        """The blob's bytes."""
        known = self._blobs.get(binsha)
        return known if known is not None else self._blobs.put(binsha, self._read(binsha))

    def tree_of_commit(self, hexsha: str) -> bytes:
        """The object id of a commit's tree."""
        return self._repo.commit(hexsha).tree.binsha

    def _read(self, binsha: bytes) -> bytes:
        data = self._repo.odb.stream(binsha).read()
        return bytes(data)


class GitContent(FolderContent):
    """The tree of one commit of the content branch, as `publisher.content.Content`."""

    def __init__(self, cache: ObjectCache, commit: str | None) -> None:
        self._cache = cache
        self._root = cache.tree_of_commit(commit) if commit else None

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
