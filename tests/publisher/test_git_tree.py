"""Reading commits, trees and blobs: as git says, from memory where they were read before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git import Repo

from publisher.errors import RepositoryError
from publisher.git_tree import GitContent, ObjectCache, tip_of
from tests.publisher.changes import commit_by_hand, git


@pytest.fixture
def path(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "c.git"))
    return tmp_path / "c.git"


@pytest.fixture
def repo(path: Path) -> Iterator[Repo]:
    with Repo(path) as opened:
        yield opened


def test_a_commit_is_read_as_git_reads_it(path: Path, repo: Repo) -> None:
    commit_by_hand(path, "main", {"a/b": "1"})
    tip = commit_by_hand(path, "main", {"a/c": "2"}, message="señal\n\nAction: x\n")
    read = ObjectCache(repo).commit(tip)
    assert read.tree.hex() == git(path, "rev-parse", "main^{tree}")
    assert read.parents == (git(path, "rev-parse", "main^"),)
    assert (read.committer, read.committed_s) == ("Pat Person <pat@example.org>", 1795000000)
    assert read.message.startswith("señal\n\nAction: x\n")


def test_a_tree_is_walked_by_path(path: Path, repo: Repo) -> None:
    content = GitContent(ObjectCache(repo), commit_by_hand(path, "main", {"a/b": "1", "a/d/e": "2", "x": "3"}))
    assert content.walk() == ["a/b", "a/d/e", "x"]
    assert (content.folders(""), content.folders("a"), content.names("a")) == (["a"], ["d"], ["b"])
    assert (content.file("a/d/e"), content.file("a/d"), content.file("a/b/c"), content.file("no")) == (
        b"2",
        None,
        None,
        None,
    )
    assert content.folders("nowhere") == content.walk("nowhere") == []


def test_an_empty_branch_is_an_empty_tree(repo: Repo) -> None:
    content = GitContent(ObjectCache(repo), None)
    assert (content.walk(), content.products(), content.file("x")) == ([], [], None)


def test_what_was_read_or_written_once_is_not_asked_for_again(path: Path, repo: Repo) -> None:
    cache = ObjectCache(repo)
    tip = commit_by_hand(path, "main", {"a": "old"})
    assert GitContent(cache, tip).file("a") == b"old"
    new = commit_by_hand(path, "main", {"a": "new"})
    GitContent(cache, new).entry("a")
    cache.wrote(b"new")
    for file in path.glob("objects/*/*"):
        file.unlink()
    assert GitContent(cache, tip).file("a") == b"old"
    assert GitContent(cache, new).file("a") == b"new"
    with pytest.raises(RepositoryError, match="cannot be read"):
        ObjectCache(repo).commit("1" * 40)


def test_a_tip_is_read_loose_packed_and_through_a_symbolic_ref(path: Path, repo: Repo) -> None:
    assert tip_of(repo, "refs/heads/main") is None
    tip = commit_by_hand(path, "main", {"a": "1"})
    assert tip_of(repo, "refs/heads/main") == tip
    git(path, "pack-refs", "--all")
    git(path, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    assert (tip_of(repo, "refs/heads/main"), tip_of(repo, "refs/heads/alias")) == (tip, tip)
