"""Where a content repository may stand, what is refused, and that nothing of the machine reaches a publication."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.bare import SETTINGS
from publisher.errors import BadEdition, NotOurs, RepositoryError
from publisher.fast_import import Importer
from publisher.git_process import Child, GitProcess, clean_environment
from publisher.pages_reader import PagesReader
from tests.publisher.changes import IDENTITY, ListSite, count, git, opened, pair, sound
from tests.publisher.samples import ROOT


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """What a test does to the environment ends with it."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_a_new_repository_is_bare_durable_and_free_of_hooks(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "c.git"
    with opened(path):
        pass
    assert git(path, "rev-parse", "--is-bare-repository") == "true"
    assert {name: git(path, "config", name) for name in SETTINGS} == SETTINGS
    assert git(path, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert not (path / "hooks").exists()
    assert [entry.name for entry in path.parent.iterdir()] == ["c.git"]


def test_an_empty_folder_becomes_one(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    path.mkdir()
    with opened(path) as repository:
        repository.publish(pair(0), None)
    sound(path)


def test_branches_may_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path, main="content/live", pages="site") as repository:
        repository.publish(pair(0), ListSite())
    assert git(path, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/content/live",
        "refs/heads/site",
    ]


def test_a_copy_gets_the_settings_that_make_it_durable(tmp_path: Path) -> None:
    path, copy = tmp_path / "c.git", tmp_path / "copy.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
    git(tmp_path, "clone", "--quiet", "--bare", str(path), str(copy))
    with pytest.raises(NotOurs) as refused:
        opened(copy)
    order = refused.value.hint.split(": ", 1)[1].split()
    assert subprocess.run(order, check=False).returncode == 0
    git(copy, "config", "CORE.filesreflocktimeout", "77")
    with opened(copy) as repository:
        repository.publish(pair(1), ListSite())
    wanted = SETTINGS | {"core.filesRefLockTimeout": "77"}
    assert {name: git(copy, "config", name) for name in SETTINGS} == wanted


def _init(folder: Path, *options: str) -> Path:
    git(folder, "init", "--quiet", *options, str(folder / "x.git"))
    return folder / "x.git"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--bare"], "not one that Dateline made"),
        ([], "has a work tree"),
        (["--bare", "--object-format=sha256"], "sha256"),
    ],
)
def test_other_peoples_repositories_are_refused_and_left_alone(
    tmp_path: Path, options: list[str], said: str
) -> None:
    path = _init(tmp_path, *options)
    before = sorted(str(file) for file in path.rglob("*"))
    with pytest.raises(NotOurs, match=said) as refused:
        opened(path)
    assert refused.value.hint
    assert sorted(str(file) for file in path.rglob("*")) == before


def test_a_folder_of_other_things_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("x")
    for name in ("folder", "file"):
        with pytest.raises(NotOurs, match="no git repository") as refused:
            opened(tmp_path / name)
        assert refused.value.hint


def test_a_path_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RepositoryError, match="cannot use"):
        opened(tmp_path / "file" / "c.git")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_users_repository_is_read_but_not_written(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
    for place in (path, *path.rglob("*")):
        os.chown(place, 65534, 65534)
    with pytest.raises(NotOurs, match="belongs to") as refused:
        opened(path)
    assert "chown" in refused.value.hint
    reader = PagesReader(path)
    assert reader.find("/404.html")
    reader.close()


def test_nothing_of_the_environment_reaches_a_publication(tmp_path: Path) -> None:
    path, other, home = tmp_path / "c.git", _init(tmp_path), tmp_path / "home"
    hooks = tmp_path / "hooks"
    for folder in (home, hooks, tmp_path / "template" / "hooks"):
        folder.mkdir(parents=True)
    trap = f"#!/bin/sh\ntouch {tmp_path}/trapped\nexit 1\n"
    for hook in (hooks / "reference-transaction", tmp_path / "template/hooks/reference-transaction"):
        hook.write_text(trap)
        hook.chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[core]\n\tquotepath = true\n\thooksPath = {hooks}\n[init]\n\ttemplateDir = {tmp_path}/template\n"
        "[user]\n\tname = Machine\n\temail = m@x\n[commit]\n\tgpgsign = true\n[log]\n\tshowSignature = true\n"
    )
    os.environ.update(
        HOME=str(home),
        GIT_DIR=str(other / ".git"),
        GIT_INDEX_FILE=str(tmp_path / "index"),
        GIT_OBJECT_DIRECTORY=str(other / ".git/objects"),
        GIT_WORK_TREE=str(other),
        GIT_NAMESPACE="elsewhere",
        GIT_AUTHOR_NAME="Machine",
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.bare",
        GIT_CONFIG_VALUE_0="false",
        GIT_TEMPLATE_DIR=str(tmp_path / "template"),
        GIT_TRACE=str(tmp_path / "trace"),
    )
    with opened(path) as repository:
        repository.publish(pair(0), ListSite())
        repository.publish(pair(1), ListSite())
    assert not {"GIT_DIR", "GIT_INDEX_FILE", "GIT_TRACE"} & set(os.environ)
    assert (count(path), count(path, "gh-pages")) == (4, 2)
    assert set(git(path, "log", "--all", "--format=%an %ae %cn %ce").splitlines()) == {
        f"{IDENTITY.name} {IDENTITY.email} {IDENTITY.name} {IDENTITY.email}"
    }
    assert not (tmp_path / "trapped").exists()
    assert not (tmp_path / "trace").exists()
    assert list((other / ".git/objects").rglob("*.pack")) == []
    sound(path)


def test_a_hook_in_the_repository_does_not_stop_a_publication(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        (path / "hooks").mkdir()
        hook = path / "hooks" / "reference-transaction"
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
        repository.publish(pair(0), ListSite())
    assert count(path) == 2


def test_a_change_of_folder_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(Path("c.git")) as repository:
        repository.publish(pair(0), ListSite())
        monkeypatch.chdir("/")
        repository.publish(pair(1), ListSite())
        repository.maintain()
    assert count(tmp_path / "c.git") == 4


def test_another_zone_locale_day_and_hash_seed_give_the_same_commits(tmp_path: Path) -> None:
    places = {
        "here": {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
        "there": {"TZ": "Pacific/Auckland", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2"},
    }
    said = {}
    for (name, environment), now in zip(places.items(), ("2026-11-20", "2031-02-03 23:59:58"), strict=True):
        command = [sys.executable, "-m", "tests.publisher.dying_press", str(tmp_path / f"{name}.git"), "0", now]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=True, timeout=60
        )
        said[name] = done.stdout
    assert said["here"] == said["there"]
    assert len(said["here"].split()) == 2


@pytest.mark.parametrize("name", ["a b/año-niño.md", 'say "hi"/x.md', "back\\slash.md", "*/?[a]", "日本.md"])
def test_any_printable_name_is_the_name_in_the_tree(tmp_path: Path, name: str) -> None:
    path = tmp_path / "c.git"
    with opened(path) as repository:
        assert _imported(path, name)
        assert git(path, "-c", "core.quotepath=false", "ls-tree", "-rz", "--name-only", "x").strip("\0") == name
        assert repository.content(git(path, "rev-parse", "x")).walk() == [name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/x",
        "a//b",
        "../x",
        "a/..",
        "./a",
        "a/.git/config",
        ".GIT/x",
        "GIT~1",
        "a\nb",
        "a\0b",
        "\ud800",
        "a/",
    ],
)
def test_names_that_no_tree_can_hold_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "c.git"
    with opened(path), pytest.raises(BadEdition):
        _imported(path, name)
    sound(path)


def _imported(path: Path, name: str) -> str:
    line = IDENTITY.line(1_795_000_000_000)
    with Importer(GitProcess(path)) as importer:
        made = importer.commit(
            "x", author=line, committer=line, message=b"x\n", files=[(name, b"data")], parent=None
        )
        importer.finish()
    git(path, "branch", "x", importer.id_of(made))
    return importer.id_of(made)


def test_an_import_of_thousands_of_commits_does_not_choke_on_its_own_answers(tmp_path: Path) -> None:
    path = tmp_path / "c.git"
    line = IDENTITY.line(1_795_000_000_000)
    with opened(path), Importer(GitProcess(path)) as importer:
        made = None
        for number in range(3000):
            files = [("x", str(number).encode())]
            made = importer.commit("x", author=line, committer=line, message=b"x\n", files=files, parent=made)
        importer.finish()
        git(path, "branch", "x", importer.id_of(made or 0))
    assert count(path, "x") == 3000


def test_a_child_that_does_not_answer_is_cut(tmp_path: Path) -> None:
    child = Child("sleep", ["sleep", "600"], clean_environment(os.environ), patience_s=0.1)
    with pytest.raises(RepositoryError, match=r"git sleep: no answer for 0\.1 s"):
        child.read_line()
    child.kill()


def test_a_child_that_does_not_listen_is_cut(tmp_path: Path) -> None:
    child = Child("sleep", ["sleep", "600"], clean_environment(os.environ), patience_s=0.1)
    with pytest.raises(RepositoryError, match="no answer"):
        child.write(b"\0" * 10_000_000)
    child.kill()


def test_the_callers_own_pauses_are_not_counted(tmp_path: Path) -> None:
    child = Child("cat", ["cat"], clean_environment(os.environ), patience_s=0.05)
    for word in (b"one\n", b"two\n"):
        time.sleep(0.2)
        child.write(word)
        assert child.read_line() == word
    child.finish()


def test_a_child_that_fails_says_why(tmp_path: Path) -> None:
    git_ = GitProcess(tmp_path / "nowhere")
    with pytest.raises(RepositoryError, match="git log: fatal: not a git repository"):
        git_.run("log")
    child = git_.start("fast-import")
    with pytest.raises(RepositoryError, match="git fast-import: fatal: not a git repository"):
        child.read_line()
    child.kill()
