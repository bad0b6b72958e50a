"""Moving refs: all or none, by compare-and-swap, never forced."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.errors import RefMoved, RepositoryError
from publisher.git_process import GitProcess
from publisher.refs import Move, Mover
from tests.publisher.changes import commit_by_hand, git

MAIN, PAGES = "refs/heads/main", "refs/heads/pages"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "c.git"))
    return tmp_path / "c.git"


@pytest.fixture
def commits(path: Path) -> list[str]:
    return [commit_by_hand(path, "made", {"x": text}) for text in ("1", "2", "3")]


def _move(path: Path, *moves: Move) -> None:
    def unexpected(lock: Path) -> None:
        raise AssertionError(lock)

    with Mover(GitProcess(path), on_stale_lock=unexpected) as mover:
        mover.move(moves)


def _refs(path: Path) -> dict[str, str]:
    lines = git(path, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return {name: at for name, _, at in (line.partition(" ") for line in lines) if name != "refs/heads/made"}


def test_refs_are_made_moved_and_deleted_together(path: Path, commits: list[str]) -> None:
    first, second, _ = commits
    _move(path, Move(MAIN, None, first), Move(PAGES, None, first))
    assert _refs(path) == {MAIN: first, PAGES: first}
    _move(path, Move(MAIN, first, second), Move(PAGES, first, None))
    assert _refs(path) == {MAIN: second}


def test_a_branch_that_stands_elsewhere_stops_all_moves(path: Path, commits: list[str]) -> None:
    first, second, third = commits
    _move(path, Move(MAIN, None, first), Move(PAGES, None, first))
    before = _refs(path)
    for wrong in (
        Move(PAGES, second, third),
        Move(PAGES, None, third),
        Move("refs/heads/gone", first, third),
        Move(PAGES, second, None),
    ):
        with pytest.raises(RefMoved) as caught:
            _move(path, Move(MAIN, first, second), wrong)
        assert caught.value.retryable
        assert _refs(path) == before


def test_what_is_no_race_is_said_in_gits_words(path: Path, commits: list[str]) -> None:
    with pytest.raises(RepositoryError, match="nonexistent object"):
        _move(path, Move(MAIN, None, "1" * 40))
    with pytest.raises(RepositoryError, match="exists; cannot create"):
        _move(path, Move("refs/heads/made/deeper", None, commits[0]))
    (path / MAIN).write_text("")
    with pytest.raises(RepositoryError, match="broken"):
        _move(path, Move(MAIN, commits[0], commits[1]))
