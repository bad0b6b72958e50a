"""Reading the pages branch for a web server: one file by its address, with what its validators are made of.

Safe for many threads: they take turns, because one `Repo` has one pipe to git. Reads only; it never takes the
repository lease and never writes, and the repository may belong to another user.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from publisher.bare import open_for_reading
from publisher.errors import NotOurs
from publisher.git_process import scrub_environment
from publisher.git_tree import GitContent, ObjectCache, tip_of

INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class Served:
    """A file of the pages branch. `folder` says that the address named a folder without its closing slash.

    `etag` is the blob's id, in quotes. `rendered_s` is the branch's time, epoch seconds: it grows with every
    publication and stands still between them.
    """

    path: str
    body: bytes
    etag: str
    rendered_s: int
    folder: bool = False


class PagesReader:
    """The pages branch of the repository at `path`. Close it after use.

    Errors: `NotOurs` when there is no repository there.
    """

    def __init__(self, path: Path, branch: str = "gh-pages") -> None:
        scrub_environment()
        if not path.exists():
            raise NotOurs(f"{path} holds no content repository yet", hint="run `dateline demo` first")
        self._repo = open_for_reading(path.absolute())
        self._ref = f"refs/heads/{branch}"
        self._cache = ObjectCache(self._repo)
        self._turn = Lock()

    def find(self, address: str) -> Served | None:
        """The file at a decoded URL path (`/en/`, `/en/feed.xml`), or None.

        Each file has one address: one that climbs, or holds an empty step, finds nothing.
        Errors: `RepositoryError` when the branch cannot be read.
        """
        path = address.removeprefix("/").removesuffix("/")
        if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in path.split("/")) and path:
            return None
        if path == "" and address not in ("", "/"):
            return None
        with self._turn:
            return self._found(path, closed=address.endswith("/"))

    def tip(self) -> str | None:
        """The commit that is served."""
        with self._turn:
            return tip_of(self._repo, self._ref)

    def close(self) -> None:
        """End the `git cat-file` children."""
        with self._turn:
            self._repo.close()

    def _found(self, path: str, *, closed: bool) -> Served | None:
        tip = tip_of(self._repo, self._ref)
        tree = GitContent(self._cache, tip)
        entry = tree.entry(path)
        if tip is None or entry is None:
            return None
        rendered_s = self._cache.commit(tip).committed_s
        if not entry[1]:
            return None if closed else self._served(path, entry[0], rendered_s)
        index = f"{path}/{INDEX}" if path else INDEX
        found = tree.entry(index)
        if found is None or found[1]:
            return None
        return self._served(index, found[0], rendered_s, folder=bool(path) and not closed)

    def _served(self, path: str, binsha: bytes, rendered_s: int, *, folder: bool = False) -> Served:
        return Served(path, self._cache.blob(binsha), f'"{binsha.hex()}"', rendered_s, folder)
