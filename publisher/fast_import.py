"""One `git fast-import` child per batch: blobs, trees and commits in one pack, without index or work tree.

The commits stand on names that end with the import: nothing refers to them until `publisher.refs` moves readers'
branches, all at once. A commit goes by its mark, and its id is waited for only where it is needed, so that git
works while pages are rendered. Dates are arguments: the same input makes the same ids anywhere.
Source: git-fast-import(1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType

from publisher.errors import BadEdition
from publisher.git_process import GitProcess
from publisher.leftovers import half_packs, remove_unheld
from publisher.refs import sync_folder

WORK_REFS = "refs/dateline/import/"
"""Where commits stand while they are being made; no such ref outlives an import, not even a killed one."""

ANSWERS_KEPT = 500  # 41 bytes each; the pipe holds 64 KiB, and a git whose answer does not fit stops reading

_OF_GIT = frozenset({"", ".", "..", ".git", "git~1"})


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a commit says made it. From configuration, never the machine's user."""

    name: str
    email: str

    def line(self, at_ms: int) -> bytes:
        """`Name <email> seconds +0000`, as commits hold it."""
        return f"{self.label()} {at_ms // 1000} +0000".encode()

    def label(self) -> str:
        """`Name <email>`, in characters that git takes in a name."""
        return f"{_plain(self.name) or 'unknown'} <{_plain(self.email)}>"


def _plain(text: str) -> str:
    kept = (c for c in text if c not in "<>" and unicodedata.category(c)[0] != "C")
    return " ".join("".join(kept).split())


class Importer:
    """One running `git fast-import`. Nothing refers to its commits after `finish`.

    Use as a context manager: leaving it by an error kills the child, and takes away what it had half written.
    """

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._before = set(half_packs(git.git_dir))
        # depth 0: it could only store a file as its difference from whatever was written before it, and a later
        # repack would keep that poor choice; measured, 17 against 3 KiB an edition after maintenance
        self._child = git.start("fast-import", "--quiet", "--force", "--done", "--depth=0", "--date-format=raw")
        self._marks = 0
        self._asked: list[int] = []
        self._ids: dict[int, str] = {}
        self._names: set[str] = set()

    def __enter__(self) -> Importer:
        return self

    def __exit__(
        self, error: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None
    ) -> None:
        self._child.kill()
        if error is not None:
            remove_unheld(set(half_packs(self._git.git_dir)) - self._before)

    def blob(self, content: bytes) -> int:
        """Store a file's bytes ahead of the commit that will name them; answer their mark."""
        self._marks += 1
        self._child.write(b"blob\nmark :%d\n%b" % (self._marks, _data(content)))
        return self._marks

    def commit(
        self,
        name: str,
        *,
        author: bytes,
        committer: bytes,
        message: bytes,
        files: Iterable[tuple[str, bytes | int | None]],
        parent: str | int | None,
        whole: bool = False,
    ) -> int:
        """Append a commit to the line `name` and answer its mark; `parent` is an id, or a mark of this import.

        `whole`: the tree becomes exactly `files`; otherwise they are laid over the parent's. A file is its bytes or
        a blob's mark; None deletes. Errors: `RepositoryError` when the child fails (disk full, damaged pack);
        `BadEdition` for a bad path.
        """
        self._marks += 1
        mark, ref = self._marks, WORK_REFS + name
        self._names.add(ref)
        head = [f"reset {ref}\n\ncommit {ref}\nmark :{mark}\n".encode()]
        head += [b"author ", author, b"\ncommitter ", committer, b"\n", _data(message)]
        if parent is not None:
            head.append(f"from {f':{parent}' if isinstance(parent, int) else parent}\n".encode())
        head.append(b"deleteall\n" if whole else b"")
        self._child.write(b"".join(head))
        for path, content in files:
            self._child.write(_file(path, content))
        self._child.write(f"\nget-mark :{mark}\n".encode())
        self._child.flush()
        self._asked.append(mark)
        if len(self._asked) > ANSWERS_KEPT:
            self.id_of(self._asked[0])
        return mark

    def id_of(self, mark: int) -> str:
        """The id of a commit of this import. Errors: `RepositoryError` when the child fails."""
        while mark not in self._ids:
            self._ids[self._asked.pop(0)] = self._child.read_line().decode("ascii").strip()
        return self._ids[mark]

    def finish(self) -> None:
        """Close the pack and make it durable. The names are emptied first, so that no ref is written for them."""
        resets = "".join(f"reset {ref}\n\n" for ref in sorted(self._names))
        self._child.write(f"{resets}done\n".encode())
        for mark in list(self._asked):
            self.id_of(mark)
        self._child.finish()
        sync_folder(self._git.git_dir / "objects" / "pack")


def _file(path: str, content: bytes | int | None) -> bytes:
    quoted = _quoted(path)
    if content is None:
        return b"D %b\n" % quoted
    if isinstance(content, int):
        return b"M 100644 :%d %b\n" % (content, quoted)
    return b"M 100644 inline %b\n%b" % (quoted, _data(content))


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    """C-style quoting. Refused: what climbs, is absolute, or names git's own folder; control characters."""
    if any(part.lower() in _OF_GIT for part in path.split("/")):
        raise BadEdition(f"{path!r} is no path of a tree")
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in path):
        raise BadEdition(f"{path!r} holds a control character")
    return b'"' + path.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
