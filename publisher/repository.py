"""The content repository: a bare git repository, written without index or work tree (design, section 8).

Promises:
* `publish` commits each change once, all of one call in one move of `main` — the pages branch moves with it — or
  nothing at all. What is already there with the same bytes is adopted, never committed again (I13).
* Nothing is forced. When a person moved a branch first, the batch is built again on top of it.
* No crash leaves a lock or half a publication: refs move last, in one transaction, by compare-and-swap.

One object belongs to one thread (see `publisher.git_tree`). Close it after use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol

from publisher.bare import open_or_create
from publisher.content import Content, EditionKey
from publisher.errors import RefMoved
from publisher.fast_import import WORK_REFS, Identity, Importer
from publisher.folders import OverlayContent
from publisher.git_process import GitProcess, scrub_environment
from publisher.git_tree import GitContent, ObjectCache
from publisher.refs import Move, move
from publisher.repository_lease import repository_lease
from publisher.trailers import format_message, parse_trailers

MOVES_TRIED = 20
"""How often a batch is built again under a branch that keeps moving, before the caller is told."""

PACKS_KEPT = 50
"""A geometric repack joins packs when there are more: about once in 50 publications."""


class SiteRenderer(Protocol):
    """What `publisher.site.Site` does for the repository."""

    @property
    def profile_digest(self) -> str: ...
    @property
    def renderer_digest(self) -> str: ...
    def whole(self, content: Content) -> Iterator[tuple[str, bytes]]: ...
    def change(self, content: Content, keys: Collection[EditionKey]) -> Mapping[str, bytes | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One decision about one edition: the files it writes (None deletes) and what the commit says of it."""

    key: EditionKey
    revision: int
    action: str  # publish, correct, withdraw, reinstate, notice, adopt
    subject: str
    files: Mapping[str, bytes | None]
    edition_digest: str
    evidence_digest: str
    event_key: str
    actor: str
    reason_code: str
    decided_ms: int
    author: Identity | None = None

    def trailers(self) -> list[tuple[str, str]]:
        """What an auditor reads with `git log --format`."""
        return [
            ("Action", self.action),
            ("Edition-Key", self.key.slot),
            ("Edition-Revision", str(self.revision)),
            ("Edition-Digest", self.edition_digest),
            ("Evidence-Digest", self.evidence_digest),
            ("Outbox-Event", self.event_key),
            ("Actor", self.actor),
            ("Reason-Code", self.reason_code),
        ]


@dataclass(frozen=True, slots=True)
class Publication:
    """Where things stand after a call: the tips, and the commit of every change by its event key."""

    main: str | None
    pages: str | None
    commits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tips:
    """Both branches' commits at one moment."""

    main: str | None
    pages: str | None


@dataclass(frozen=True, slots=True)
class PagesState:
    """What the pages branch was made from, read from its tip's trailers."""

    commit: str
    source: str
    profile: str
    renderer: str


def _ignore(_path: Path) -> None:
    """Nobody wants to know about removed stale locks."""


class ContentRepository:
    """The content repository at `path`. Use as a context manager, or close it."""

    def __init__(
        self,
        path: Path,
        *,
        identity: Identity,
        main: str = "main",
        pages: str = "gh-pages",
        on_stale_lock: Callable[[Path], None] = _ignore,
    ) -> None:
        self.path = path
        self._identity = identity
        self._main, self._pages = f"refs/heads/{main}", f"refs/heads/{pages}"
        self._on_stale_lock = on_stale_lock
        scrub_environment()
        self._repo = open_or_create(path, main)
        self._git = GitProcess(path)
        self._cache = ObjectCache(self._repo)

    # reading ---------------------------------------------------------------------------------------------------

    @property
    def main(self) -> str | None:
        """The content branch's tip, or None before the first publication."""
        return self._tip(self._main)

    @property
    def pages(self) -> str | None:
        """The pages branch's tip, or None."""
        return self._tip(self._pages)

    def content(self, commit: str | None = None) -> GitContent:
        """The tree of `commit`, or of the content branch's tip."""
        return GitContent(self._cache, commit or self.main)

    def pages_tree(self) -> GitContent:
        """The tree of the pages branch's tip: `file(path)` is what readers get."""
        return GitContent(self._cache, self.pages)

    def pages_state(self) -> PagesState | None:
        """What the pages branch was rendered from; None where there is none or a person wrote its tip."""
        tip = self.pages
        if tip is None:
            return None
        said = self.trailers(tip)
        try:
            return PagesState(tip, said["Source-Commit"], said["Profile-Digest"], said["Renderer-Digest"])
        except KeyError:
            return None

    def trailers(self, commit: str) -> Mapping[str, str]:
        """The trailers of one commit's message."""
        return parse_trailers(str(self._repo.commit(commit).message))

    def commit_of_event(self, event_key: str, path: str) -> str | None:
        """The commit on the content branch that carries this outbox event, looked up along `path`'s history."""
        tip = self.main
        if tip is None:
            return None
        for commit in self._repo.iter_commits(tip, paths=path):
            if parse_trailers(str(commit.message)).get("Outbox-Event") == event_key:
                return commit.hexsha
        return None

    # writing ---------------------------------------------------------------------------------------------------

    def publish(self, changes: Sequence[Change], site: SiteRenderer | None) -> Publication:
        """Commit the changes, and with `site` bring the pages branch along in the same move.

        Errors: `RefMoved` when the branch moved `MOVES_TRIED` times meanwhile; `RepositoryError` from git. In
        every such case nothing that readers see has changed.
        """
        with self._lease():
            for _ in range(MOVES_TRIED):
                try:
                    return self._publish_once(changes, site)
                except RefMoved as error:
                    last = error
            raise last

    def render(self, site: SiteRenderer) -> Publication:
        """Make the pages branch current with the content branch; no commit where it already is."""
        return self.publish((), site)

    def maintain(self) -> bool:
        """Join small packs when there are many. Never blocks readers; True when it did something."""
        packs = self.path / "objects" / "pack"
        if len(list(packs.glob("*.pack"))) <= PACKS_KEPT:
            return False
        with self._lease():
            self._git.run("repack", "-d", "--geometric=2", "--quiet")
        return True

    def close(self) -> None:
        """End the `git cat-file` children."""
        self._repo.close()

    def __enter__(self) -> ContentRepository:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        self.close()

    # inside ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _lease(self) -> Iterator[None]:
        with repository_lease(self.path):
            yield

    def _tip(self, ref: str) -> str | None:
        try:
            return self._repo.refs[ref.removeprefix("refs/heads/")].commit.hexsha
        except (IndexError, ValueError):
            return None

    def _publish_once(self, changes: Sequence[Change], site: SiteRenderer | None) -> Publication:
        old = Tips(self.main, self.pages)
        before = GitContent(self._cache, old.main)
        known, fresh = self._split(changes, before)
        if not fresh and (site is None or self._is_current(old, site)):
            return Publication(old.main, old.pages, known)
        with Importer(self._git) as importer:
            made = self._write_main(importer, fresh, old.main)
            new_main = made[-1] if made else old.main
            after = OverlayContent(before, {path: data for c in fresh for path, data in c.files.items()})
            new_pages = old.pages
            if site is not None and new_main is not None:
                keys = [c.key for c in fresh]
                at_ms = fresh[-1].decided_ms if fresh else self._repo.commit(new_main).committed_date * 1000
                new_pages = self._write_pages(
                    importer, site, after, keys=keys, old=old, source=new_main, at_ms=at_ms
                )
            importer.finish()
        self._move(old, Tips(new_main, new_pages))
        return Publication(new_main, new_pages, known | {c.event_key: i for c, i in zip(fresh, made, strict=True)})

    def _split(self, changes: Sequence[Change], before: GitContent) -> tuple[dict[str, str], list[Change]]:
        """Changes that are already committed (event key → commit), and those that are not."""
        known: dict[str, str] = {}
        fresh: list[Change] = []
        for change in changes:
            commit = self._adopted(change, before)
            if commit is None:
                fresh.append(change)
            else:
                known[change.event_key] = commit
        return known, fresh

    def _adopted(self, change: Change, before: GitContent) -> str | None:
        """The commit that already holds this very change, or None: then it has to be written.

        The paths are compared first: in ordinary work they differ, and no history is walked.
        """
        if any(before.file(path) != data for path, data in change.files.items()):
            return None
        return self.commit_of_event(change.event_key, next(iter(change.files)))

    def _is_current(self, tips: Tips, site: SiteRenderer) -> bool:
        state = self.pages_state()
        wanted = (tips.main, site.profile_digest, site.renderer_digest)
        return tips.main is None or (state is not None and (state.source, state.profile, state.renderer) == wanted)

    def _write_main(self, importer: Importer, fresh: Sequence[Change], parent: str | None) -> list[str]:
        made: list[str] = []
        for change in fresh:
            line = self._identity.line(change.decided_ms)
            author = change.author.line(change.decided_ms) if change.author else line
            parent = importer.commit(
                WORK_REFS + "main",
                author=author,
                committer=line,
                message=format_message(change.subject, change.trailers()),
                files=change.files.items(),
                parent=parent,
            )
            made.append(parent)
        return made

    def _write_pages(
        self,
        importer: Importer,
        site: SiteRenderer,
        after: Content,
        *,
        keys: Sequence[EditionKey],
        old: Tips,
        source: str,
        at_ms: int,
    ) -> str:
        """Commit the pages of `after`: only what the keys affect, where the old pages are of the old tip."""
        incremental = old.main is not None and self._is_current(old, site)
        files = site.change(after, keys).items() if incremental else site.whole(after)
        line = self._identity.line(at_ms)
        trailers = [
            ("Source-Commit", source),
            ("Profile-Digest", site.profile_digest),
            ("Renderer-Digest", site.renderer_digest),
        ]
        return importer.commit(
            WORK_REFS + "pages",
            author=line,
            committer=line,
            message=format_message(f"Render the pages of {source[:12]}", trailers),
            files=files,
            parent=old.pages,
            whole=not incremental,
        )

    def _move(self, old: Tips, new: Tips) -> None:
        moves: list[Move] = []
        for ref, work, before, after in (
            (self._main, "main", old.main, new.main),
            (self._pages, "pages", old.pages, new.pages),
        ):
            if after != before:
                moves += [Move(ref, before, after), Move(f"{WORK_REFS}{work}", after, None)]
        move(self._git, moves, on_stale_lock=self._on_stale_lock)
