"""Publishing into the content repository: commits, trailers, adoption, maintenance, against real git."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from publisher.errors import BadEdition
from publisher.repository import Identity
from tests.publisher.changes import (
    IDENTITY,
    ListSite,
    commit_by_hand,
    count,
    git,
    key,
    opened,
    pair,
    published,
    small,
    sound,
    tree,
    withdrawn,
)


def test_a_pair_is_two_commits_one_move_and_one_pages_commit(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        done = repository.publish(pair(0), ListSite())
    assert git(path, "rev-list", "--reverse", "main").split() == list(done.commits.values())
    assert (done.main, done.pages) == (git(path, "rev-parse", "main"), git(path, "rev-parse", "gh-pages"))
    assert count(path, "gh-pages") == 1
    sound(path)


def test_git_reads_the_trailers_that_were_written(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        done = repository.publish(pair(0), ListSite())
        assert repository.trailers(done.main or "")["Edition-Key"] == "daily-brief/2026-11-20/es"
    said = git(path, "log", "-1", "--format=%(trailers:unfold)", "main^").splitlines()
    assert said == [f"{name}: {value}" for name, value in pair(0)[0].trailers()]
    pages = git(path, "log", "-1", "--format=%(trailers:key=Source-Commit,valueonly)", "gh-pages")
    assert pages == done.main
    assert git(path, "log", "-1", "--format=%s", "main").startswith(
        "Publish daily-brief 2026-11-20 (es): El puerto"
    )


def test_commits_carry_the_configured_identity_and_the_decisions_time(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    change = dataclasses.replace(pair(0)[0], author=Identity("Ana <b> Núñez\n", "ana@example.org"))
    with opened(path) as repository:
        repository.publish([change], None)
    assert git(path, "log", "-1", "--format=%an|%ae|%cn|%ce|%cI") == (
        f"Ana b Núñez|ana@example.org|{IDENTITY.name}|{IDENTITY.email}|2026-11-20T06:00:00+00:00"
    )


def test_publishing_the_same_again_makes_no_commit_on_either_branch(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        first = repository.publish(pair(0), ListSite())
        again = repository.publish(pair(0), ListSite())
        assert repository.publish((), ListSite()) == repository.render(ListSite())
    with opened(path) as repository:
        cold = repository.publish(pair(0), ListSite())
    assert first == again == cold
    assert (count(path, "main"), count(path, "gh-pages")) == (2, 1)


def test_nothing_at_all_in_an_empty_repository_makes_no_commit(tmp_path: Path) -> None:
    with opened(tmp_path / "c.git") as repository:
        done = repository.render(ListSite())
    assert (done.main, done.pages) == (None, None)


def test_one_change_given_twice_in_a_batch_is_committed_once(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish([*pair(0), *pair(0)], ListSite())
    assert count(path) == 2


def test_a_late_repetition_of_an_old_revision_does_not_undo_the_newer_one(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        first = repository.publish(pair(0), ListSite())
        second = repository.publish(pair(0, revision=2), ListSite())
    with opened(path) as repository:
        again = repository.publish([*pair(0), *pair(0, revision=2)], ListSite())
    assert again.main == second.main
    assert again.commits == {**first.commits, **second.commits}


def test_an_old_revision_that_history_never_held_is_adopted_by_what_stands(tmp_path: Path) -> None:
    with opened(tmp_path / "c.git") as repository:
        newer = repository.publish(pair(0, revision=2), ListSite())
        late = repository.publish(pair(0), ListSite())
    assert late.main == newer.main
    assert set(late.commits.values()) <= set(newer.commits.values())


def test_the_same_bytes_by_another_hand_are_adopted(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    change = published(small(key(0)))
    with opened(path) as repository:
        repository.publish(pair(5), ListSite())
        files = {name: data.decode() for name, data in change.files.items() if data}
        by_hand = commit_by_hand(path, "main", files)
        done = repository.publish([change], ListSite())
    assert done.commits == {change.event_key: by_hand}
    assert done.main == by_hand


def test_an_edition_that_a_person_took_away_is_not_published_again_by_a_repetition(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        first = repository.publish(pair(0), ListSite())
    removed = {name: None for change in pair(0) for name, data in change.files.items() if data}
    commit_by_hand(path, "main", removed)
    with opened(path) as repository:
        again = repository.publish(pair(0), ListSite())
        assert repository.content().products() == []
    assert again.commits == first.commits


def test_the_commit_of_an_event_is_found_along_the_paths_history(tmp_path: Path) -> None:
    with opened(tmp_path / "c.git") as repository:
        assert repository.commit_of_event("x", "y") is None
        first = repository.publish(pair(0), None)
        repository.publish(pair(1), None)
        change = pair(0)[0]
        assert (
            repository.commit_of_event(change.event_key, change.key.edition_path) == first.commits[change.event_key]
        )
        assert repository.commit_of_event(change.event_key, pair(1)[0].key.edition_path) is None


def test_a_withdrawal_deletes_the_edition_and_adds_its_notice_in_one_commit(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        repository.publish([withdrawn(key(0))], ListSite())
        assert repository.content().names(key(0).folder) == ["notice.md"]
    assert git(path, "show", "--format=", "--name-status", "main").splitlines() == [
        f"D\t{key(0).edition_path}",
        f"D\t{key(0).evidence_path}",
        f"A\t{key(0).notice_path}",
    ]
    sound(path)


def test_a_new_renderer_means_one_whole_rebuild_and_then_none(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        newer = ListSite("list-2")
        repository.render(newer)
        repository.render(newer)
        repository.publish(pair(1), newer)
    assert newer.wholes == 1
    assert count(path, "gh-pages") == 3


def test_the_pages_branch_can_be_deleted_and_comes_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        for day in range(4):
            repository.publish(pair(day), ListSite())
        before = tree(path, "gh-pages")
        git(path, "update-ref", "-d", "refs/heads/gh-pages")
        repository.render(ListSite())
    assert tree(path, "gh-pages") == before


def test_pages_commits_get_later_and_later(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        for day in (3, 0, 1):
            repository.publish(pair(day), ListSite())
    times = [int(word) for word in git(path, "log", "--format=%ct", "gh-pages").split()]
    assert times == sorted(set(times), reverse=True)


@pytest.mark.parametrize(
    "path",
    ["elsewhere.md", "daily-brief/2026/11/20/en/deep/x.md", "daily-brief/2026/11/21/en/edition.md", "../x", "/x"],
)
def test_a_change_writes_inside_its_own_slot_only(path: str) -> None:
    with pytest.raises(BadEdition, match="outside"):
        dataclasses.replace(pair(0)[0], files={path: b"x"})


def test_a_change_writes_something() -> None:
    with pytest.raises(BadEdition, match="writes nothing"):
        dataclasses.replace(pair(0)[0], files={key(0).edition_path: None})


def test_a_bad_message_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        before = repository.publish(pair(0), ListSite())
        with pytest.raises(BadEdition):
            repository.publish([dataclasses.replace(pair(1)[0], actor="two\nlines")], ListSite())
        assert (repository.main, repository.pages) == (before.main, before.pages)
        repository.publish(pair(1), ListSite())
    sound(path)


def test_maintenance_joins_packs_sweeps_old_halves_and_lets_readers_go_on(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    old, young = path / "objects/pack/tmp_pack_old", path / "objects/pack/tmp_pack_young"
    with opened(path) as repository, opened(path) as reader:
        assert not repository.maintain()
        for day in range(51):
            repository.publish([published(small(key(day)))], None)
        first = reader.content().file(key(0).edition_path)
        for file in (old, young):
            file.write_bytes(b"half")
        hour_ago_s = young.stat().st_mtime - 3600
        os.utime(old, (hour_ago_s, hour_ago_s))
        assert repository.maintain()
        assert len(list((path / "objects/pack").glob("*.pack"))) < 12
        assert reader.content().file(key(0).edition_path) == first
        assert reader.content().file(key(50).edition_path) is not None
        assert not repository.maintain()
    assert (old.exists(), young.exists()) == (False, True)
    young.unlink()
    sound(path)


def test_children_and_descriptors_stay_flat_over_two_hundred_publications(tmp_path: Path) -> None:
    site, before = ListSite(), _children()  # other tests of this process may have left servers of their own
    with opened(tmp_path / "c.git") as repository:

        def cycle(day: int) -> tuple[int, int]:
            repository.publish([published(small(key(day)))], site)
            repository.maintain()
            repository.pages_state()
            return len(list(Path("/proc/self/fd").iterdir())), len(_children())

        seen = [cycle(day) for day in range(200)]
    assert max(abs(a - b) for now in seen[3:] for a, b in zip(now, seen[3], strict=True)) <= 2
    assert _children() <= before


def _children() -> set[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}
