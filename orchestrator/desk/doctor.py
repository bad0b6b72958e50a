"""Whether this workspace can do its work: each check says what it found and what to do next.

Rules: a check that fails is a finding, never an exception, so that one broken thing does not hide the next; checks
that need what an earlier one could not get are left out; nothing is written, and nothing is bought.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from orchestrator.core.policy import ProductPolicy
from orchestrator.desk.opening import reading, sqlite_file
from orchestrator.errors import DatelineError
from orchestrator.settings.products import load_products
from orchestrator.settings.secrets import api_key
from orchestrator.settings.workspace import Workspace, load_workspace
from outbox.clock import offset_ms, read_now_ms
from outbox.errors import OutboxError
from publisher.bare import open_or_create
from publisher.errors import PublisherError
from publisher.git_process import GitProcess

GIT_NEEDED = (2, 36)  # core.fsync
LEAST_FREE_BYTES = 500 * 1024 * 1024
CLOCK_TOLERANCE_S = 60
PORT_TIMEOUT_S = 2.0

NETWORK_FILESYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "fuse.s3fs"}
)
"""SQLite's write-ahead log needs memory that all its users share: these cannot give it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One look. `next` is empty where all is well."""

    check: str
    ok: bool
    what: str
    next: str = ""


def good(check: str, what: str) -> Check:
    """All is well."""
    return Check(check, ok=True, what=what)


def bad(check: str, what: str, next_step: str) -> Check:
    """A finding."""
    return Check(check, ok=False, what=what, next=next_step)


def examine(config: Path, now: datetime) -> list[Check]:
    """Every check of the workspace of this `dateline.toml`. `now`: this machine's clock."""
    try:
        workspace = load_workspace(config)
    except DatelineError as error:
        return [bad("configuration", str(error), error.hint)]
    return [good("configuration", str(config)), *_of_workspace(workspace, now)]


def _of_workspace(workspace: Workspace, now: datetime) -> Iterator[Check]:
    yield from _products(workspace)
    yield _lease(workspace)
    yield _key(workspace)
    yield from _store(workspace, now)
    yield _log_filesystem(workspace)
    yield _git()
    yield _repository(workspace)
    yield from _disks(workspace)
    yield _port(workspace)


# --- configuration


def _products(workspace: Workspace) -> Iterator[Check]:
    try:
        products = load_products(workspace.products)
    except DatelineError as error:
        yield bad("products", str(error), error.hint)
        return
    yield good("products", ", ".join(f"{p.slug} (recovery: {p.owners.recovery})" for p in products.values()))
    yield _languages(workspace, list(products.values()))
    yield _prices(workspace, list(products.values()))


def _languages(workspace: Workspace, products: Sequence[ProductPolicy]) -> Check:
    site = set(workspace.site.languages)
    strange = [f"{p.slug}: {lang}" for p in products for lang in p.languages if lang not in site]
    if strange:
        what = f"the site does not have the languages of {', '.join(strange)}"
        return bad("languages", what, "Add them to [site] languages, with a title, or take them from the product.")
    return good("languages", ", ".join(workspace.site.languages))


def _prices(workspace: Workspace, products: Sequence[ProductPolicy]) -> Check:
    prices = workspace.provider.prices
    if workspace.provider.is_emulator:
        return good("prices", "the emulator costs nothing")
    ceilings = [p.slug for p in products if p.budgets.cost_per_process_micro or p.budgets.cost_per_day_micro]
    if not ceilings:
        return bad("prices", "no product has a cost ceiling", "Set cost_per_process and cost_per_day in [budgets].")
    if not (prices.inspected and (prices.input or prices.output)):
        what = f"{', '.join(ceilings)}: a cost ceiling without a price list holds nothing back"
        return bad("prices", what, "Fill [provider.prices], with the date when they were read.")
    return good("prices", f"read {prices.inspected}; ceilings for {', '.join(ceilings)}")


def _lease(workspace: Workspace) -> Check:
    timeout_s, lease_s = workspace.provider.timeout_s, workspace.loop.lease_s
    return good("lease", f"{lease_s:g} s, a call takes at most {timeout_s:g} s")


def _key(workspace: Workspace) -> Check:
    try:
        api_key(workspace)
    except DatelineError as error:
        return bad("provider key", str(error), error.hint)
    base_url = workspace.provider.base_url
    return good(
        "provider key", "none needed: emulator" if workspace.provider.is_emulator else f"set, for {base_url}"
    )


# --- the store


def _store(workspace: Workspace, now: datetime) -> Iterator[Check]:
    file = sqlite_file(workspace.store_url)
    if file is not None and not file.exists():
        yield _can_be_made("store", file)
        return
    try:
        with reading(workspace.store_url) as db, db.read() as conn:
            yield good("store", f"{db.url.render_as_string()}, schema current")
            yield _clock(workspace, now, now_ms=read_now_ms(conn), moved_ms=offset_ms(conn))
    except (DatelineError, OutboxError) as error:
        yield bad("store", str(error), error.hint or "Try again when it answers.")


def _clock(workspace: Workspace, now: datetime, *, now_ms: int, moved_ms: int) -> Check:
    apart_s = (now_ms - moved_ms) / 1000 - now.timestamp()
    if abs(apart_s) > CLOCK_TOLERANCE_S:
        what = f"the store's clock and this machine's are {abs(apart_s):.0f} s apart"
        return bad("clock", what, "Let both follow a time server (systemd-timesyncd, chrony).")
    if moved_ms and not workspace.provider.is_emulator:
        what = f"the clock was moved by {moved_ms // 1000} s in a demo, and the provider is real"
        return bad("clock", what, "Use a store of its own for the real provider.")
    return good(
        "clock", f"moved by {moved_ms // 1000} s, for the emulator" if moved_ms else "store and machine agree"
    )


def _log_filesystem(workspace: Workspace) -> Check:
    file = sqlite_file(workspace.store_url)
    if file is None:
        return good("write-ahead log", "kept by the database server")
    kind = filesystem_of(file.parent.resolve())
    if kind in NETWORK_FILESYSTEMS:
        what = f"{file.parent} is on a network file system ({kind})"
        return bad("write-ahead log", what, "Put [store] url on a local disk, or use PostgreSQL.")
    return good("write-ahead log", f"on a local file system ({kind})")


def filesystem_of(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system that holds `folder`; "unknown" where the machine does not say."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "unknown"
    points = [(_unescaped(fields[1]), fields[2]) for fields in map(str.split, lines) if len(fields) > 2]
    holding = [(point, kind) for point, kind in points if folder.is_relative_to(point)]
    return max(holding, key=lambda found: len(found[0]), default=("", "unknown"))[1]


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


# --- the repository


def _git() -> Check:
    try:
        said = GitProcess(Path(os.devnull)).run("--version").decode()
    except PublisherError as error:
        return bad("git", str(error), error.hint)
    found = re.search(r"(\d+)\.(\d+)", said)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    needed = ".".join(map(str, GIT_NEEDED))
    if version < GIT_NEEDED:
        return bad("git", f"{said.strip()}: too old to write durably", f"Install git {needed} or later.")
    return good("git", said.strip())


def _repository(workspace: Workspace) -> Check:
    path = workspace.repository
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return _can_be_made("repository", path)
    try:
        open_or_create(path, workspace.content.branch).close()
    except PublisherError as error:
        return bad("repository", str(error), error.hint)
    if not os.access(path, os.W_OK):
        return bad("repository", f"{path} cannot be written", "Give this user write access to it.")
    return good("repository", str(path))


def _can_be_made(check: str, path: Path) -> Check:
    """A thing that does not exist yet: will its folder let it be made?"""
    folder = next(parent for parent in path.resolve().parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return bad(check, f"{path} cannot be made in {folder}", "Give this user write access to the folder.")
    return good(check, f"{path} is made at the first use")


# --- the machine


def _disks(workspace: Workspace) -> Iterator[Check]:
    store = sqlite_file(workspace.store_url)
    places = {"repository": workspace.repository} | ({"store": store} if store else {})
    for name, place in places.items():
        folder = next(path for path in (place, *place.resolve().parents) if path.exists())
        free = shutil.disk_usage(folder).free
        said = f"{free // 1024**2} MiB free for the {name}"
        enough = free >= LEAST_FREE_BYTES
        yield (
            good("disk", said) if enough else bad("disk", said, f"Free at least {LEAST_FREE_BYTES // 1024**2} MiB.")
        )


def _port(workspace: Workspace) -> Check:
    parts = urlsplit(workspace.site.base_url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    if host not in ("127.0.0.1", "localhost", "::1"):
        return good("port", f"{host} serves the pages")
    with socket.socket(socket.AF_INET6 if host == "::1" else socket.AF_INET) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            return _taken(workspace.site.base_url, port, error.strerror or "in use", answers=_answers_http)
    return good("port", f"{port} is free for `dateline serve`")


def _taken(base_url: str, port: int, why: str, *, answers: Callable[[str], bool]) -> Check:
    if answers(base_url):
        return good("port", f"{port} is taken by a web server: `dateline serve`, if it is yours")
    return bad("port", f"{port} cannot be had: {why}", "Pass another --port to `dateline serve`, and set base_url.")


def _answers_http(url: str) -> bool:
    try:
        httpx.get(url, timeout=PORT_TIMEOUT_S, trust_env=False)
    except httpx.HTTPError:
        return False
    return True
