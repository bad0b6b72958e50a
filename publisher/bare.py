"""Making a content repository, and recognising one.

It is bare, sha1 (GitPython reads nothing else), carries `dateline.format` in its own configuration, and fsyncs
what a publication depends on. Anything else at the path is refused and left alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from git import InvalidGitRepositoryError, NoSuchPathError, Repo

from publisher.errors import NotOurs

FORMAT = "1"

SETTINGS = {
    # git's defaults fsync nothing that a publication depends on
    "core.fsync": "all",
    "core.fsyncMethod": "batch",
    # a batch stays one pack: fewer fsyncs than loose objects, and no unpack child
    "fastimport.unpackLimit": "1",
    "gc.auto": "0",
    "core.logAllRefUpdates": "false",
    "core.filesRefLockTimeout": "5000",
    "core.packedRefsTimeout": "5000",
    "dateline.format": FORMAT,
}


def open_or_create(path: Path, main: str) -> Repo:
    """The repository at `path`, made there when the folder is missing or empty.

    Errors: `NotOurs` for anything that this program did not make, and for kinds that it cannot write.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return _create(path, main)
    try:
        repo = Repo(path, expand_vars=False)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise NotOurs(
            f"{path} exists and is no git repository",
            hint="name another folder in [content] repository, or move this one away",
        ) from error
    _refuse_foreign(repo, path)
    return repo


def _create(path: Path, main: str) -> Repo:
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".new")
    shutil.rmtree(half, ignore_errors=True)
    with (
        # the machine's template could bring hooks; an empty one brings nothing
        Repo.init(
            half, bare=True, mkdir=True, template="", initial_branch=main, allow_unsafe_options=True
        ) as repo,
        repo.config_writer() as config,
    ):
        for name, value in SETTINGS.items():
            section, option = name.split(".", 1)
            config.set_value(section, option, value)
    # renamed when complete: a crash in between leaves nothing that looks like a content repository
    if path.exists():
        path.rmdir()
    half.rename(path)
    return Repo(path, expand_vars=False)


def _refuse_foreign(repo: Repo, path: Path) -> None:
    reader = repo.config_reader("repository")
    if str(reader.get_value("extensions", "objectformat", "sha1")) != "sha1":
        raise NotOurs(
            f"{path} is a sha256 repository, which GitPython cannot read",
            hint="convert it, or name another folder in [content] repository",
        )
    if not repo.bare:
        raise NotOurs(f"{path} has a work tree", hint="the content repository must be bare: git clone --bare it")
    if str(reader.get_value("dateline", "format", "")) != FORMAT:
        raise NotOurs(
            f"{path} is a git repository, but not one that Dateline made",
            hint=f"if it is a copy of one: git --git-dir={path.name} config dateline.format {FORMAT}",
        )
