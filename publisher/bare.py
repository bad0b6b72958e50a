"""Making a content repository, and recognising one.

It is bare, sha1 (GitPython reads nothing else), carries `dateline.format` in its own configuration, and fsyncs
what a publication depends on. Anything else at the path is refused and left alone.
"""

from __future__ import annotations

import os
import pwd
import tempfile
from pathlib import Path

from git import InvalidGitRepositoryError, NoSuchPathError, Repo

from publisher.errors import NotOurs, RepositoryError
from publisher.git_process import GitProcess
from publisher.refs import sync_folder

FORMAT = "1"

SETTINGS = {
    # git's defaults fsync nothing that a publication depends on
    "core.fsync": "all",
    "core.fsyncMethod": "batch",
    # a batch stays one pack: fewer fsyncs than loose objects, and no unpack child
    "fastimport.unpackLimit": "1",
    "gc.auto": "0",
    "core.logAllRefUpdates": "false",
    # a lock that lives for 5 s is waited for; a longer one is the caller's to try again
    "core.filesRefLockTimeout": "10000",
    "core.packedRefsTimeout": "10000",
    "dateline.format": FORMAT,
}


def open_or_create(path: Path, main: str) -> Repo:
    """The repository at `path`, made there when the folder is missing or empty.

    A setting of `SETTINGS` that it lacks (a copy has none of them) is written; one that a person changed stays.
    Errors: `NotOurs` for anything that this program did not make, and for kinds that it cannot write.
    """
    try:
        if not path.exists() or (path.is_dir() and not any(path.iterdir())):
            _create(path, main)
        repo = open_for_reading(path)
        _refuse_foreign(repo, path)
        _complete_settings(repo, path)
    except OSError as error:
        raise RepositoryError(f"cannot use {error.filename or path}: {error.strerror}") from error
    return repo


def open_for_reading(path: Path) -> Repo:
    """The repository at `path`, whoever owns it. Errors: `NotOurs` when GitPython cannot read it."""
    try:
        repo = Repo(path, expand_vars=False)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise NotOurs(
            f"{path} exists and is no git repository" if path.exists() else f"{path} does not exist",
            hint="name another folder in [content] repository, or move this one away",
        ) from error
    settings = _settings_of(repo)
    for option, only in (("extensions.objectformat", "sha1"), ("extensions.refstorage", "files")):
        kind = settings.get(option, only)
        if kind != only:
            raise NotOurs(
                f"{path} is a {kind} repository, which GitPython cannot read",
                hint="convert it, or name another folder in [content] repository",
            )
    # named outright, it is not searched for: git then asks neither whose it is nor for `safe.directory`
    repo.git.update_environment(GIT_DIR=str(Path(repo.git_dir).absolute()))
    return repo


def _create(path: Path, main: str) -> None:
    """Make it elsewhere and rename it when complete: a crash in between leaves nothing that looks like one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder:
        half = Path(folder) / "new.git"
        # the machine's template could bring hooks; an empty one brings nothing
        with Repo.init(
            half, bare=True, mkdir=True, template="", initial_branch=main, allow_unsafe_options=True
        ) as repo:
            _write_settings(repo, SETTINGS)
        _sync_tree(half)
        try:
            half.rename(path)
        except OSError:
            if not (path / "HEAD").exists():
                raise
            return  # another process made it at the same moment
    sync_folder(path.parent)


def _sync_tree(folder: Path) -> None:
    for here, _, names in os.walk(folder):
        for name in names:
            with Path(here, name).open("rb") as file:
                os.fsync(file.fileno())
        sync_folder(Path(here))


def _write_settings(repo: Repo, settings: dict[str, str]) -> None:
    with repo.config_writer() as config:
        for name, value in settings.items():
            section, option = name.split(".", 1)
            config.set_value(section, option, value)


def _settings_of(repo: Repo) -> dict[str, str]:
    """The repository's own settings, by names in lower case, as git compares them."""
    reader = repo.config_reader("repository")
    return {
        f"{section}.{option}".lower(): str(value)
        for section in reader.sections()
        for option, value in reader.items(section)
    }


def _complete_settings(repo: Repo, path: Path) -> None:
    known = _settings_of(repo)
    git = GitProcess(path)
    for name, value in SETTINGS.items():
        if name.lower() not in known:
            git.run("config", name, value)


def _refuse_foreign(repo: Repo, path: Path) -> None:
    if not repo.bare:
        raise NotOurs(f"{path} has a work tree", hint="the content repository must be bare: git clone --bare it")
    if _settings_of(repo).get("dateline.format") != FORMAT:
        raise NotOurs(
            f"{path} is a git repository, but not one that Dateline made",
            hint=f"if it is a copy of one: git --git-dir={path} config dateline.format {FORMAT}",
        )
    owner = path.stat().st_uid
    if owner != os.geteuid():
        raise NotOurs(
            f"{path} belongs to {_name_of(owner)}, and this is {_name_of(os.geteuid())}: what one writes, the other"
            " could not change",
            hint=f"run as {_name_of(owner)}, or give it away: chown -R {_name_of(os.geteuid())} {path}",
        )


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
