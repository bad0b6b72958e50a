"""What the commits of the content branch say: which decision was committed where, and what changed since.

Rules: a decision that the branch's history holds is never committed again, whatever the tree says now — a person
may have reverted it. The newest commits' trailers are kept in memory and read again only when somebody else moved
the branch, so that looking costs nothing in ordinary work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from publisher.content import EditionKey, key_of_path
from publisher.git_process import GitProcess
from publisher.trailers import parse_trailers

RECENT = 500
"""Commits looked at for a decision made before: what can lie between a crash and the restart, and far more."""


class History:
    """The history of the content branch."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._tip: str | None = None
        self._events: dict[str, str] = {}

    def recent(self, tip: str | None, event_key: str) -> str | None:
        """The commit that carries this outbox event among the newest `RECENT` below `tip`."""
        if tip != self._tip:
            log = self._log(f"-{RECENT}", tip) if tip else ()
            self._events = dict(reversed([(event, commit) for commit, event in log]))
            self._tip = tip
        return self._events.get(event_key)

    def grew(self, old: str | None, tip: str, events: Mapping[str, str]) -> None:
        """The branch moved from `old` to `tip` by our own hand, with these commits (event key → commit)."""
        if old != self._tip:
            return  # what is kept is of another history; it is read again when it is asked for
        self._tip = tip
        self._events |= events
        while len(self._events) > 2 * RECENT:
            del self._events[next(iter(self._events))]

    def commit_of_event(self, tip: str, event_key: str, paths: Collection[str]) -> str | None:
        """The newest commit below `tip` that touched one of the paths and carries the event."""
        log = self._log(tip, "--", *paths)
        return next((commit for commit, event in log if event == event_key), None)

    def newest(self, tip: str, paths: Collection[str]) -> str | None:
        """The newest commit below `tip` that touched one of the paths."""
        return next((commit for commit, _ in self._log("-1", tip, "--", *paths)), None)

    def changed_keys(self, old: str, new: str) -> set[EditionKey] | None:
        """The slots in which the trees of two commits differ; None when `old` is gone from the repository."""
        done = self._git.attempt("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new)
        if done.returncode != 0:
            return None
        paths = done.stdout.decode(errors="replace").split("\0")
        return {key for path in paths if (key := key_of_path(path)) is not None}

    def _log(self, *arguments: str) -> Iterator[tuple[str, str]]:
        """(commit, its outbox event or ""), newest first."""
        form = ("-z", "--format=%H%n%B", "--no-color", "--no-decorate", "--no-notes", "--no-show-signature")
        for record in self._git.run("log", *form, *arguments).decode(errors="replace").split("\0"):
            commit, _, message = record.partition("\n")
            if commit:
                yield commit, parse_trailers(message).get("Outbox-Event", "")
