"""One `git fast-import` child per batch: blobs, trees and commits in one pack, without index or work tree.

Commits go to refs under `refs/dateline/work/`, which belong to the relay; readers' branches are moved afterwards,
all at once, by `publisher.refs`. A commit's id is answered as soon as it is made, because the pages commit names
the content commit it was rendered from. Dates are arguments: the same input makes the same ids anywhere.
Source: git-fast-import(1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType

from publisher.errors import BadEdition
from publisher.git_process import GitProcess

WORK_REFS = "refs/dateline/work/"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a commit says made it. From configuration, never the machine's user."""

    name: str
    email: str

    def line(self, at_ms: int) -> bytes:
        """`Name <email> seconds +0000`, as commits hold it."""
        return f"{_plain(self.name)} <{_plain(self.email)}> {at_ms // 1000} +0000".encode()


def _plain(text: str) -> str:
    return "".join(c for c in text if c not in "<>\n\r\0").strip()


class Importer:
    """One running `git fast-import`. `commit` answers the new id at once; nothing refers to it until `finish`.

    Use as a context manager: leaving it by an error kills the child, and what it wrote stays unreferenced.
    """

    def __init__(self, git: GitProcess) -> None:
        self._child = git.start("fast-import", "--quiet", "--force", "--done", "--date-format=raw")
        self._marks: dict[str, int] = {}

    def __enter__(self) -> Importer:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        self._child.kill()

    def commit(
        self,
        ref: str,
        *,
        author: bytes,
        committer: bytes,
        message: bytes,
        files: Iterable[tuple[str, bytes | None]],
        parent: str | None,
        whole: bool = False,
    ) -> str:
        """Append a commit to `ref` (a name below `WORK_REFS`) and answer its id.

        `whole`: the tree becomes exactly `files`; otherwise they are laid over the parent's, None deletes.
        Errors: `RepositoryError` when the child fails (disk full, damaged pack); `BadEdition` for a bad path.
        """
        mark = len(self._marks) + 1
        head = [f"reset {ref}\n\ncommit {ref}\nmark :{mark}\n".encode()]
        head += [b"author ", author, b"\ncommitter ", committer, b"\n", _data(message)]
        head.append(f"from {self._name(parent)}\n".encode() if parent else b"")
        head.append(b"deleteall\n" if whole else b"")
        self._child.write(b"".join(head))
        for path, content in files:
            self._child.write(_file(path, content))
        self._child.write(f"\nget-mark :{mark}\n".encode())
        made = self._child.read_line().decode("ascii").strip()
        self._marks[made] = mark
        return made

    def _name(self, commit: str) -> str:
        """A commit of this import goes by its mark: its object is not in a finished pack yet."""
        return f":{self._marks[commit]}" if commit in self._marks else commit

    def finish(self) -> None:
        """Close the pack, fsync it, and set the work refs."""
        self._child.write(b"done\n")
        self._child.finish()


def _file(path: str, content: bytes | None) -> bytes:
    quoted = _quoted(path)
    return b"D %b\n" % quoted if content is None else b"M 100644 inline %b\n%b" % (quoted, _data(content))


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    """C-style quoting; a path that climbs or is absolute is refused."""
    parts = path.split("/")
    if not path or any(part in ("", ".", "..", ".git") for part in parts) or "\0" in path:
        raise BadEdition(f"{path!r} is no path of a tree")
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + escaped.encode() + b'"'
