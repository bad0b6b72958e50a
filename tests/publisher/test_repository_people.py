"""What people do to a content repository with plain git, and what the next publication makes of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from publisher.content import Content, EditionKey
from publisher.errors import RefMoved, RepositoryError
from tests.publisher.changes import ListSite, commit_by_hand, count, git, key, opened, pair, sound, tree
from tests.publisher.samples import site


def whole_tree(path: Path) -> str:
    """The tree that a rebuild of everything gives."""
    with opened(path, pages="rebuilt") as rebuilt:
        rebuilt.render(ListSite())
    made = tree(path, "rebuilt")
    git(path, "update-ref", "-d", "refs/heads/rebuilt")
    return made


class MeddledSite(ListSite):
    """While it renders, a person commits to a branch, `times` times."""

    def __init__(self, path: Path, branch: str, times: int) -> None:
        super().__init__()
        self._path, self._branch, self._left = path, branch, times

    def whole(self, content: Content) -> Iterator[tuple[str, bytes]]:
        self._meddle()
        return super().whole(content)

    def change(self, content: Content, keys: Collection[EditionKey]) -> Mapping[str, bytes | None]:
        self._meddle()
        return super().change(content, keys)

    def _meddle(self) -> None:
        if self._left:
            self._left -= 1
            commit_by_hand(self._path, self._branch, {f"notes/{self._left}.txt": "moved\n"})


@pytest.mark.parametrize("branch", ["main", "gh-pages"])
def test_a_branch_that_moves_meanwhile_is_built_upon(tmp_path: Path, branch: str) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        done = repository.publish(pair(1), MeddledSite(path, branch, times=2))
        assert tree(path, "gh-pages") == whole_tree(path)
    assert git(path, "rev-parse", "main", "gh-pages").split() == [done.main, done.pages]
    assert git(path, "log", "--format=%s", branch).splitlines().count("by hand") == 2
    assert count(path) == (6 if branch == "main" else 4)
    sound(path)


def test_a_branch_that_never_stands_still_is_given_up_with_nothing_changed(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        pages = repository.pages
        with pytest.raises(RefMoved):
            repository.publish(pair(1), MeddledSite(path, "main", times=99))
        assert repository.pages == pages
        assert repository.content().languages("daily-brief", key(1).date) == []
        repository.publish(pair(1), ListSite())
    sound(path)


def test_a_persons_commit_on_the_pages_is_rendered_over_once(tmp_path: Path) -> None:
    path, site_ = tmp_path / "c.git", ListSite()
    with opened(path) as repository:
        repository.publish(pair(0), site_)
        by_hand = commit_by_hand(path, "gh-pages", {"index.html": "defaced\n", "extra.html": "x\n"})
        assert repository.pages_state() is None
        site_.wholes = 0
        repository.publish(pair(1), site_)
        assert tree(path, "gh-pages") == whole_tree(path)
    assert site_.wholes == 1
    assert git(path, "rev-parse", "gh-pages^") == by_hand


def test_pages_amended_under_the_old_message_are_seen_as_a_persons(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        message = git(path, "log", "-1", "--format=%B", "gh-pages")
        commit_by_hand(path, "gh-pages", {"index.html": "defaced\n"}, message=message)
        repository.render(ListSite())
        assert tree(path, "gh-pages") == whole_tree(path)


def test_a_persons_commit_on_main_renders_what_it_changed_and_no_more(tmp_path: Path) -> None:
    path, site_ = tmp_path / "c.git", ListSite()
    with opened(path) as repository:
        for day in range(3):
            repository.publish(pair(day), site_)
        commit_by_hand(
            path, "main", {key(0).edition_path: None, key(0).evidence_path: None, "README.md": "hello\n"}
        )
        site_.wholes = 0
        done = repository.publish(pair(3), site_)
        assert site_.wholes == 0
        assert tree(path, "gh-pages") == whole_tree(path)
    assert git(path, "log", "-1", "--format=%s", f"{done.main}~2") == "by hand"


def test_a_branch_that_was_set_back_by_force_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        first = repository.publish(pair(0), ListSite())
        repository.publish(pair(1), ListSite())
        git(path, "update-ref", "refs/heads/main", first.main or "")
        repository.render(ListSite())
        assert tree(path, "gh-pages") == whole_tree(path)
        repository.publish(pair(1), ListSite())
        assert repository.content().languages("daily-brief", key(1).date) == ["en", "es"]
    assert count(path) == 4
    sound(path)


def test_the_oldest_editions_commit_reverts_without_a_conflict_and_the_site_follows(tmp_path: Path) -> None:
    path, clone = tmp_path / "c.git", tmp_path / "clone"
    with opened(path) as repository:
        done = [repository.publish(pair(day), site()) for day in range(6)]
        git(tmp_path, "clone", "--quiet", str(path), str(clone))
        git(clone, "revert", "--no-edit", next(iter(done[0].commits.values())))
        git(clone, "push", "--quiet", "origin", "main")
        repository.render(site())
        pages = repository.pages_tree()
        assert pages.file("en/daily-brief/2026/11/20/index.html") is None
        assert pages.file("es/daily-brief/2026/11/20/index.html") is not None
        with opened(path, pages="rebuilt") as rebuilt:
            rebuilt.render(site())
        assert tree(path, "gh-pages") == tree(path, "rebuilt")
        again = repository.publish(pair(0), site())
    assert again.main == git(path, "rev-parse", "main")
    sound(path)


def test_head_may_name_any_branch(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        for head in ("refs/heads/gh-pages", "refs/heads/nowhere"):
            git(path, "symbolic-ref", "HEAD", head)
            repository.publish(pair(1), ListSite())
        assert git(path, "symbolic-ref", "HEAD") == "refs/heads/nowhere"
    assert count(path) == 4


def test_packed_refs_and_reflogs_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        git(path, "config", "core.logAllRefUpdates", "true")
        git(path, "pack-refs", "--all")
        git(path, "gc", "--quiet", "--prune=now")
        repository.publish(pair(1), ListSite())
    assert count(path) == 4
    sound(path)


def test_links_submodules_and_foreign_files_in_the_tree_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        link = git(path, "hash-object", "-w", "--stdin", stdin="/etc/passwd")
        script = f"""commit refs/heads/main
committer Pat <pat@example.org> 1795000000 +0000
data 2
x
from refs/heads/main^0
M 120000 {link} {key(1).edition_path}
M 160000 {git(path, "rev-parse", "main")} daily-brief/2026/11/22/en/edition.md
M 100644 inline "año niño \\"x\\".md"
data 1
y
"""
        git(path, "fast-import", "--quiet", "--date-format=raw", stdin=script)
        content = repository.content()
        assert content.file(key(1).edition_path) is None
        assert content.file(key(2).edition_path) is None
        assert content.file('año niño "x".md') == b"y"
        repository.publish(pair(1), ListSite())
        assert repository.content().file(key(1).edition_path) == pair(1)[0].files[key(1).edition_path]
    sound(path)


def test_a_damaged_ref_is_named_and_not_taken_for_an_empty_branch(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        for torn in ("", "\0" * 40, "abc\n"):
            (path / "refs/heads/main").write_text(torn)
            with pytest.raises(RepositoryError, match="refs/heads/main"):
                repository.publish(pair(1), ListSite())
            assert (path / "refs/heads/main").read_text() == torn


def test_a_missing_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
    for pack in (path / "objects/pack").iterdir():
        pack.unlink()
    with opened(path) as repository, pytest.raises(RepositoryError, match="cannot be read"):
        repository.publish(pair(1), ListSite())
