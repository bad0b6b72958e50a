"""The content repository: a bare git repository, written without index or work tree (design, section 8).

Promises:
* `publish` commits each change once, all of one call in one move of `main` — the pages branch moves with it — or
  nothing at all. What the history holds already is adopted, never committed again (I13); an older revision is
  never written over a newer one.
* Nothing is forced. When a person moved a branch first, the batch is built again on top of it.
* No crash leaves a lock or half a publication: refs move last, in one transaction, by compare-and-swap, after
  everything they name is on the disk.

One object belongs to one thread (see `publisher.git_tree`). Close it after use. Making one cleans `GIT_*` out of
the process's environment (see `publisher.git_process.scrub_environment`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol

from publisher.bare import open_or_create
from publisher.content import Content, EditionKey
from publisher.errors import BadEdition, DecisionConflict, RefMoved
from publisher.fast_import import Identity, Importer
from publisher.folders import OverlayContent
from publisher.front_matter import take_apart
from publisher.git_process import GitProcess, scrub_environment
from publisher.git_tree import GitContent, ObjectCache, tip_of
from publisher.history import History
from publisher.leftovers import half_packs, remove_stale
from publisher.refs import Move, Mover
from publisher.repository_lease import repository_lease
from publisher.trailers import format_message, parse_trailers

__all__ = ["Change", "ContentRepository", "Identity", "PagesState", "Publication", "SiteRenderer"]

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
    """One decision about one edition: the files it writes (None deletes) and what the commit says of it.

    Errors: `BadEdition` when it writes nothing, or outside its own slot.
    """

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

    def __post_init__(self) -> None:
        if not any(data is not None for data in self.files.values()):
            raise BadEdition(f"{self.event_key} writes nothing", hint="what is taken away leaves a notice")
        if foreign := [path for path in self.files if path.rpartition("/")[0] != self.key.folder]:
            raise BadEdition(f"{self.event_key} writes outside {self.key.folder}: {foreign[0]}")

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
        self.path = path = path.absolute()
        self._identity = identity
        self._main, self._pages = f"refs/heads/{main}", f"refs/heads/{pages}"
        self._on_stale_lock = on_stale_lock
        scrub_environment()
        self._repo = open_or_create(path, main)
        self._git = GitProcess(path)
        self._cache = ObjectCache(self._repo)
        self._history = History(self._git)

    # reading ---------------------------------------------------------------------------------------------------

    @property
    def main(self) -> str | None:
        """The content branch's tip, or None before the first publication."""
        return tip_of(self._repo, self._main)

    @property
    def pages(self) -> str | None:
        """The pages branch's tip, or None."""
        return tip_of(self._repo, self._pages)

    def content(self, commit: str | None = None) -> GitContent:
        """The tree of `commit`, or of the content branch's tip."""
        return GitContent(self._cache, commit or self.main)

    def pages_tree(self) -> GitContent:
        """The tree of the pages branch's tip: `file(path)` is what readers get."""
        return GitContent(self._cache, self.pages)

    def pages_state(self) -> PagesState | None:
        """What the pages branch was rendered from; None where there is none or a person wrote its tip."""
        tip = self.pages
        if tip is None or self._cache.commit(tip).committer != self._identity.label():
            return None
        said = self.trailers(tip)
        try:
            return PagesState(tip, said["Source-Commit"], said["Profile-Digest"], said["Renderer-Digest"])
        except KeyError:
            return None

    def trailers(self, commit: str) -> Mapping[str, str]:
        """The trailers of one commit's message."""
        return parse_trailers(self._cache.commit(commit).message)

    def commit_of_event(self, event_key: str, path: str) -> str | None:
        """The commit on the content branch that carries this outbox event, looked up along `path`'s history."""
        tip = self.main
        return self._history.commit_of_event(tip, event_key, [path]) if tip else None

    # writing ---------------------------------------------------------------------------------------------------

    def publish(self, changes: Sequence[Change], site: SiteRenderer | None) -> Publication:
        """Commit the changes, and with `site` bring the pages branch along in the same move.

        Errors: `RefMoved` when the branch moved `MOVES_TRIED` times meanwhile; `RepositoryError` from git. In
        every such case nothing that readers see has changed.
        """
        with repository_lease(self.path):
            for _ in range(MOVES_TRIED - 1):
                try:
                    return self._publish_once(changes, site)
                except RefMoved:
                    continue
            return self._publish_once(changes, site)

    def render(self, site: SiteRenderer) -> Publication:
        """Make the pages branch current with the content branch; no commit where it already is."""
        return self.publish((), site)

    def maintain(self) -> bool:
        """Join small packs when there are many. Never blocks readers; True when it did something."""
        packs = self.path / "objects" / "pack"
        if len(list(packs.glob("*.pack"))) <= PACKS_KEPT:
            return False
        with repository_lease(self.path):
            remove_stale(self.path, half_packs(self.path), _ignore)
            self._git.run("repack", "-d", "-n", "--geometric=2", "--quiet")
        return True

    def close(self) -> None:
        """End the `git cat-file` children."""
        self._repo.close()

    def __enter__(self) -> ContentRepository:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        self.close()

    # inside ----------------------------------------------------------------------------------------------------

    def _publish_once(self, changes: Sequence[Change], site: SiteRenderer | None) -> Publication:
        old = Tips(tip_of(self._repo, self._main), tip_of(self._repo, self._pages))
        before = GitContent(self._cache, old.main)
        known, fresh = self._split(changes, before, old.main)
        if not fresh and (site is None or self._is_current(old, site)):
            return Publication(old.main, old.pages, known)
        with (
            Importer(self._git) as importer,
            Mover(self._git, on_stale_lock=self._on_stale_lock) as mover,
        ):
            marks = self._write_main(importer, fresh, old.main)
            pages = None
            if site is not None and (marks or old.main):
                after = OverlayContent(before, {path: data for c in fresh for path, data in c.files.items()})
                batch = _Batch(site, after, {c.key for c in fresh}, self._pages_ms(fresh, old))
                pages = self._write_pages(importer, batch, old, source=marks[-1] if marks else None)
            importer.finish()
            made = [importer.id_of(mark) for mark in marks]
            new = Tips(made[-1] if made else old.main, importer.id_of(pages) if pages else old.pages)
            mover.move(self._moves(old, new))
        written = {change.event_key: commit for change, commit in zip(fresh, made, strict=True)}
        if new.main is not None:
            self._history.grew(old.main, new.main, written)
        return Publication(new.main, new.pages, known | written)

    def _split(
        self, changes: Sequence[Change], before: GitContent, tip: str | None
    ) -> tuple[dict[str, str], list[Change]]:
        """Changes that are already committed (event key → commit), and those that are not, each once."""
        known: dict[str, str] = {}
        fresh: dict[str, Change] = {}
        for change in changes:
            commit = self._adopted(change, before, tip) if tip else None
            if commit is None:
                fresh.setdefault(change.event_key, change)
            else:
                known[change.event_key] = commit
        return known, list(fresh.values())

    def _adopted(self, change: Change, before: GitContent, tip: str) -> str | None:
        """The commit by which this change is history already, or None: then it has to be written.

        In ordinary work the slot is empty or holds the revision before, and no history is walked.
        """
        if (recent := self._history.recent(tip, change.event_key)) is not None:
            return self._same(change, recent)
        is_there = all(before.file(path) == data for path, data in change.files.items())
        if not is_there and _standing_revision(before, change.key) <= change.revision:
            return None
        paths = change.files.keys()
        older = self._history.commit_of_event(tip, change.event_key, paths)
        return self._same(change, older) if older else self._history.newest(tip, paths)

    def _same(self, change: Change, commit: str) -> str:
        """The commit, which carries this decision, if it carries this edition too."""
        committed = self.trailers(commit).get("Edition-Digest", "")
        if committed != change.edition_digest:
            raise DecisionConflict(
                f"{change.key.slot} revision {change.revision} was committed before as {committed[:19]}…, "
                f"and is now decided as {change.edition_digest[:19]}…",
                hint="the database does not belong to this repository: restore the one that does",
            )
        return commit

    def _is_current(self, tips: Tips, site: SiteRenderer) -> bool:
        state = self.pages_state()
        return tips.main is None or (state is not None and _is_made_by(state, site) and state.source == tips.main)

    def _pages_ms(self, fresh: Sequence[Change], old: Tips) -> int:
        """The decision's time, but later than the parent's: the commit's time is what `Last-Modified` says."""
        at_ms = fresh[-1].decided_ms if fresh else self._cache.commit(old.main or "").committed_s * 1000
        return max(at_ms, (self._cache.commit(old.pages).committed_s + 1) * 1000) if old.pages else at_ms

    def _write_main(self, importer: Importer, fresh: Sequence[Change], tip: str | None) -> list[int]:
        marks: list[int] = []
        for change in fresh:
            line = self._identity.line(change.decided_ms)
            made = importer.commit(
                "main",
                author=change.author.line(change.decided_ms) if change.author else line,
                committer=line,
                message=format_message(change.subject, change.trailers()),
                files=change.files.items(),
                parent=marks[-1] if marks else tip,
            )
            marks.append(made)
            for data in change.files.values():
                if data is not None:
                    self._cache.wrote(data)
        return marks

    def _write_pages(self, importer: Importer, batch: _Batch, old: Tips, *, source: int | None) -> int:
        """Commit the pages: only what changed since they were last rendered, or all of them.

        The files go to git while the next ones are rendered; the id of `source`, a commit of this import, is known
        by then. None: the source is the branch's tip.
        """
        site = batch.site
        since = self._changed_since_render(site, old)
        files = site.whole(batch.after) if since is None else site.change(batch.after, since | batch.keys).items()
        stored = [(path, None if data is None else importer.blob(data)) for path, data in files]
        commit = importer.id_of(source) if source else old.main or ""
        line = self._identity.line(batch.at_ms)
        trailers = [
            ("Source-Commit", commit),
            ("Profile-Digest", site.profile_digest),
            ("Renderer-Digest", site.renderer_digest),
        ]
        return importer.commit(
            "pages",
            author=line,
            committer=line,
            message=format_message(f"Render the pages of {commit[:12]}", trailers),
            files=stored,
            parent=old.pages,
            whole=since is None,
        )

    def _changed_since_render(self, site: SiteRenderer, old: Tips) -> set[EditionKey] | None:
        """Slots that the branch's tip has otherwise than the pages; None when all has to be rendered."""
        state = self.pages_state()
        if state is None or old.main is None or not _is_made_by(state, site):
            return None
        return set() if state.source == old.main else self._history.changed_keys(state.source, old.main)

    def _moves(self, old: Tips, new: Tips) -> list[Move]:
        pairs = ((self._main, old.main, new.main), (self._pages, old.pages, new.pages))
        return [Move(ref, before, after) for ref, before, after in pairs if after != before]


@dataclass(frozen=True, slots=True)
class _Batch:
    """What a pages commit is made of: the content after the batch, its changed slots, its time."""

    site: SiteRenderer
    after: Content
    keys: set[EditionKey]
    at_ms: int


def _is_made_by(state: PagesState, site: SiteRenderer) -> bool:
    return (state.profile, state.renderer) == (site.profile_digest, site.renderer_digest)


def _standing_revision(content: Content, key: EditionKey) -> int:
    """The revision that stands in the slot; 0 where it is empty or a person's file does not say."""
    file = content.file(key.edition_path) or content.file(key.notice_path)
    if file is None:
        return 0
    try:
        fields = take_apart(file).fields
    except BadEdition:
        return 0
    stored = fields.get("dateline", fields)
    revision = stored.get("revision") if isinstance(stored, dict) else None
    return revision if isinstance(revision, int) else 0
