"""Publishing one day of one product in both languages into archives of three sizes (design §12).

`python -m tests.bench.publishing [PAGES …]` prints a table. Ours is `ContentRepository.publish`, warm: render,
store, mark. Bare is `git fast-import` and `git update-ref` of exactly the same objects, into a copy of the archive
with the same options and durability; refs move only if the same ids came out. The two are interleaved, and so are
the sizes, so that a busy machine slows all. Fsyncs and child processes are counted by strace, where there is one.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from publisher.content import EditionKey
from publisher.git_process import clean_environment
from publisher.repository import Change, ContentRepository, Identity
from tests.publisher.samples import DIGEST, PROFILE, edition, files_of, site

SIZES = (100, 3_000, 14_600)
ROUNDS = 15
WARM_UP = 3
COUNTED = 5
PRODUCTS = tuple(product.slug for product in PROFILE.products)
LANGUAGES = PROFILE.languages
NEWEST = dt.date(2026, 11, 30)
BEGIN, END = "/dateline-bench-begin", "/dateline-bench-end"
IDENTITY = Identity("Dateline", "dateline@example.org")


def _change(key: EditionKey) -> Change:
    made = edition(key)
    return Change(
        key=key,
        revision=1,
        action="publish",
        subject=f"Publish {key.slot}: {made.events[0].headline}",
        files={**files_of(made), key.notice_path: None},
        edition_digest=DIGEST,
        evidence_digest=DIGEST,
        event_key=f"{key.slot}@1",
        actor="policy",
        reason_code="SCHEDULED",
        decided_ms=dt.date.fromisoformat(key.date).toordinal() * 86_400_000 - 62_135_683_200_000,
    )


def _day(date: dt.date, products: tuple[str, ...] = PRODUCTS[:1]) -> list[Change]:
    return [_change(EditionKey(product, date.isoformat(), lang)) for product in products for lang in LANGUAGES]


class Archive:
    """An archive of `pages` edition pages, and a copy of it for bare git."""

    def __init__(self, folder: Path, pages: int) -> None:
        self.pages = pages
        self.ours, self.bare = folder / f"{pages}.git", folder / f"{pages}-bare.git"
        self.repository = ContentRepository(self.ours, identity=IDENTITY)
        self.site = site()
        self.next = NEWEST + dt.timedelta(1)
        self.took_ours: list[float] = []
        self.took_bare: list[float] = []
        self.took_upkeep: list[float] = []
        self._build(pages // (len(PRODUCTS) * len(LANGUAGES)))

    def _build(self, days: int) -> None:
        dates = (NEWEST - dt.timedelta(back) for back in reversed(range(days)))
        self.repository.publish([change for date in dates for change in _day(date, PRODUCTS)], None)
        began = perf_counter()
        self.repository.render(self.site)
        print(
            f"  {self.pages:>7,} pages: whole render {(perf_counter() - began) * 1000 / self.pages:.1f} ms a page"
        )
        shutil.copytree(self.ours, self.bare)

    def round(self, *, measured: bool) -> None:
        """Publish one more day, then the same objects by bare git."""
        changes = _day(self.next)
        self.next += dt.timedelta(1)
        old = (self.repository.main, self.repository.pages)
        began = perf_counter()
        done = self.repository.publish(changes, self.site)
        ours_s = perf_counter() - began
        if done.main is None or done.pages is None:
            raise AssertionError("nothing was published")
        stream = _exported(self.ours, old)
        moves = "".join(
            f"update refs/heads/{name} {new} {was}\n"
            for name, new, was in (("main", done.main, old[0]), ("gh-pages", done.pages, old[1]))
        )
        began = perf_counter()
        _git(self.bare, "fast-import", "--quiet", "--done", "--depth=0", stdin=stream)
        _git(self.bare, "update-ref", "--stdin", stdin=moves.encode())
        bare_s = perf_counter() - began
        if measured:
            self.took_ours.append(ours_s)
            self.took_bare.append(bare_s)

    def upkeep(self) -> None:
        """Join packs in both, as often as the product does."""
        began = perf_counter()
        if self.repository.maintain():
            self.took_upkeep.append(perf_counter() - began)

    def close(self) -> None:
        """Give the repository back."""
        self.repository.close()


def _exported(path: Path, old: tuple[str | None, str | None]) -> bytes:
    """The new commits as a fast-import stream that, like ours, leaves no ref of its own."""
    names = ("refs/heads/main", "refs/heads/gh-pages")
    renamed = "--refspec=refs/heads/*:refs/bare/*"
    stream = _git(
        path,
        "fast-export",
        "--use-done-feature",
        "--reference-excluded-parents",
        renamed,
        *names,
        *(f"^{tip}" for tip in old if tip),
    )
    resets = "".join(f"reset {name.replace('heads', 'bare')}\n\n" for name in names)
    return stream.removesuffix(b"done\n") + resets.encode() + b"done\n"


def _git(path: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", f"--git-dir={path}", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, check=True, env=clean_environment(os.environ)
    ).stdout


def _compare(archives: list[Archive]) -> None:
    for turn in range(WARM_UP + ROUNDS):
        for archive in archives:
            archive.round(measured=turn >= WARM_UP)
            archive.upkeep()
    print("publishing one day in two languages, warm: render, store, mark")
    print("     pages   ours ms   bare ms   ratio   (per edition: half)")
    for archive in archives:
        ratio = median(ours / bare for ours, bare in zip(archive.took_ours, archive.took_bare, strict=True))
        ours_ms, bare_ms = median(archive.took_ours) * 1000, median(archive.took_bare) * 1000
        print(f"  {archive.pages:>8,} {ours_ms:>9.1f} {bare_ms:>9.1f} {ratio:>7.2f}   aim 2 or less")
    small, large = archives[0], archives[-1]
    growth = median(b / a for a, b in zip(small.took_ours, large.took_ours, strict=True))
    bare = median(b / a for a, b in zip(small.took_bare, large.took_bare, strict=True))
    print(f"  growth {small.pages:,} → {large.pages:,}: {growth:.2f} (bare git {bare:.2f})   aim 1.25 or less")


def _grow(archive: Archive, days: int = 60) -> None:
    """What an edition adds to the disk, and what keeping the packs together costs."""
    archive.repository._git.run("repack", "-a", "-d", "-n", "--quiet")
    before = _size(archive.ours)
    archive.took_upkeep.clear()
    for _ in range(days):
        archive.repository.publish(_day(archive.next), archive.site)
        archive.next += dt.timedelta(1)
        archive.upkeep()
    editions = days * len(LANGUAGES)
    upkeep_ms = sum(archive.took_upkeep) * 1000 / editions
    archive.repository._git.run("repack", "-d", "-n", "--geometric=2", "--quiet")
    grown = (_size(archive.ours) - before) / editions / 1024
    print(f"growth of the repository at {archive.pages:,}: {grown:.1f} KiB an edition   aim 16 or less")
    print(f"maintenance at {archive.pages:,}: {upkeep_ms:.1f} ms an edition   aim 4 or less")


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _count(archive: Archive) -> None:
    """Fsyncs and child processes of warm publications, as strace sees them."""
    if shutil.which("strace") is None:
        print("fsyncs and child processes: SKIPPED, strace is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        calls = "trace=fsync,fdatasync,syncfs,sync_file_range,execve,access,faccessat,faccessat2"
        child = [
            sys.executable,
            "-m",
            "tests.bench.publishing",
            "--counted",
            str(archive.ours),
            archive.next.isoformat(),
        ]
        subprocess.run(["strace", "-f", "-qq", "-e", calls, "-o", str(log), *child], check=True)
        within = log.read_text().partition(BEGIN)[2].partition(END)[0]
    editions = COUNTED * len(LANGUAGES)
    syncs = len(re.findall(r"\b(?:fsync|fdatasync|syncfs|sync_file_range)\(", within)) / editions
    children = len(re.findall(r"\bexecve\(.*= 0$", within, re.MULTILINE)) / editions
    print(f"per edition: {syncs:.1f} fsyncs   aim 5 or less; {children:.1f} child processes   aim 1 or less")


def _counted(path: str, first: str) -> None:
    """In the traced child: publish, with a call at both ends that the log shows."""
    date, renderer = dt.date.fromisoformat(first), site()
    with ContentRepository(Path(path), identity=IDENTITY) as repository:
        repository.publish(_day(date), renderer)
        batches = [_day(date + dt.timedelta(1 + after)) for after in range(COUNTED)]
        os.access(BEGIN, os.F_OK)
        for batch in batches:
            repository.publish(batch, renderer)
        os.access(END, os.F_OK)


def main(sizes: tuple[int, ...] = SIZES) -> None:
    """Build the archives, run everything, print it."""
    with tempfile.TemporaryDirectory() as folder:
        archives = [Archive(Path(folder), pages) for pages in sizes]
        _compare(archives)
        _count(archives[0])
        _grow(archives[-1])
        for archive in archives:
            archive.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--counted"]:
        _counted(*sys.argv[2:])
    else:
        main(tuple(int(word) for word in sys.argv[1:]) or SIZES)
