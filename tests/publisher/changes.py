"""Decisions for the tests of the content repository, a small site, and git as a person uses it."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from publisher.content import Content, EditionKey
from publisher.edition import Edition
from publisher.git_process import clean_environment
from publisher.repository import Change, ContentRepository, Identity
from tests.publisher.samples import DIGEST, edition, event, files_of, notice_files

IDENTITY = Identity("Dateline", "dateline@example.org")
LANGUAGES = ("en", "es")
FIRST = dt.date(2026, 11, 20)
DAY_MS = 86_400_000
FIRST_MS = 1_795_154_400_000


def key(day: int, lang: str = "en", product: str = "daily-brief") -> EditionKey:
    """The slot of the `day`-th day of the tests, from 0."""
    return EditionKey(product, (FIRST + dt.timedelta(day)).isoformat(), lang)


def small(of: EditionKey, **changes: object) -> Edition:
    """A one-event edition."""
    return edition(of, [event(0, of.lang, sources=1)], **changes)


def published(of: Edition, *, action: str = "publish") -> Change:
    """The decision to publish an edition."""
    slot = EditionKey(of.product, of.date, of.lang)
    days = (dt.date.fromisoformat(of.date) - FIRST).days
    return Change(
        key=slot,
        revision=of.revision,
        action=action,
        subject=f"Publish {of.product} {of.date} ({of.lang}): {of.events[0].headline}",
        files={**files_of(of), slot.notice_path: None},
        edition_digest=DIGEST,
        evidence_digest=DIGEST,
        event_key=f"{slot.slot}@{of.revision}",
        actor="policy",
        reason_code="SCHEDULED",
        decided_ms=FIRST_MS + days * DAY_MS + (of.revision - 1) * 60_000,
    )


def withdrawn(slot: EditionKey) -> Change:
    """The decision to withdraw an edition: its second revision."""
    files: dict[str, bytes | None] = {slot.edition_path: None, slot.evidence_path: None}
    return Change(
        key=slot,
        revision=2,
        action="withdraw",
        subject=f"Withdraw {slot.slot}",
        files=files | notice_files(slot),
        edition_digest=DIGEST,
        evidence_digest=DIGEST,
        event_key=f"{slot.slot}@2",
        actor="editor@example.org",
        reason_code="FACTUAL_ERROR",
        decided_ms=FIRST_MS + DAY_MS * 30,
    )


def pair(day: int, product: str = "daily-brief", revision: int = 1) -> list[Change]:
    """One day in both languages."""
    return [published(small(key(day, lang, product), revision=revision)) for lang in LANGUAGES]


def opened(path: Path, **options: object) -> ContentRepository:
    """The content repository at `path`."""
    return ContentRepository(path, identity=IDENTITY, **options)  # type: ignore[arg-type]


class ListSite:
    """A site of one page per edition and one list, for tests that are about the repository."""

    def __init__(self, renderer: str = "list-1") -> None:
        self.profile_digest = "profile-1"
        self.renderer_digest = renderer
        self.wholes = 0

    def whole(self, content: Content) -> Iterator[tuple[str, bytes]]:
        self.wholes += 1
        slots = list(_slots(content))
        yield "index.html", self._list(slots)
        yield "404.html", b"<p>nothing here\n"
        for slot in slots:
            yield f"{slot.lang}/{slot.date}/index.html", _page(content, slot) or b""

    def change(self, content: Content, keys: Collection[EditionKey]) -> Mapping[str, bytes | None]:
        files: dict[str, bytes | None] = {"index.html": self._list(list(_slots(content)))}
        return files | {f"{slot.lang}/{slot.date}/index.html": _page(content, slot) for slot in keys}

    def _list(self, slots: list[EditionKey]) -> bytes:
        return "\n".join([self.renderer_digest, *(slot.slot for slot in slots), ""]).encode()


def _page(content: Content, slot: EditionKey) -> bytes | None:
    return content.file(slot.edition_path) or content.file(slot.notice_path)


def _slots(content: Content) -> Iterator[EditionKey]:
    for product in content.products():
        for year in content.years(product):
            for month in content.months(product, year):
                for day in content.days(product, year, month):
                    date = f"{year:04}-{month:02}-{day:02}"
                    for lang in content.languages(product, date):
                        yield EditionKey(product, date, lang)


def git(path: Path, *arguments: str, stdin: str = "", check: bool = True) -> str:
    """What `git -C path …` prints, as a person who has a name."""
    person = {"NAME": "Pat Person", "EMAIL": "pat@example.org"}
    named = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER") for field, value in person.items()}
    done = subprocess.run(
        ["git", "-C", str(path), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(os.environ) | named,
    )
    if check and done.returncode:
        raise AssertionError(f"git {arguments}: {done.stderr}")
    return done.stdout.strip()


def tree(path: Path, ref: str) -> str:
    """The id of a ref's tree."""
    return git(path, "rev-parse", f"{ref}^{{tree}}")


def count(path: Path, ref: str = "main") -> int:
    """How many commits a ref has."""
    return int(git(path, "rev-list", "--count", ref))


def commit_by_hand(path: Path, ref: str, files: Mapping[str, str | None], message: str = "by hand\n") -> str:
    """A person's commit on top of a branch, made in the bare repository with a fast-import of their own."""
    lines = [f"commit refs/heads/{ref}", "committer Pat Person <pat@example.org> 1795000000 +0200"]
    lines += [f"data {len(message.encode())}", message]
    if git(path, "rev-parse", "--verify", "--quiet", f"refs/heads/{ref}", check=False):
        lines.append(f"from refs/heads/{ref}^0")
    for name, text in files.items():
        lines += [f"D {name}"] if text is None else [f"M 100644 inline {name}", f"data {len(text.encode())}", text]
    git(path, "fast-import", "--quiet", "--date-format=raw", stdin="\n".join([*lines, ""]))
    return git(path, "rev-parse", ref)


def sound(path: Path) -> None:
    """The repository is whole, and no lock, no work ref and no half pack stands in it."""
    git(path, "fsck", "--strict", "--full", "--no-dangling", "--no-progress")
    refs = git(path, "for-each-ref", "--format=%(refname)").split()
    assert [ref for ref in refs if not ref.startswith("refs/heads/")] == []
    assert [str(lock) for lock in path.rglob("*.lock") if lock.name != "dateline.lock"] == []
    assert [*path.glob("objects/pack/tmp_*"), *path.glob("fast_import_crash_*")] == []
