"""Reading the pages branch by address."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.errors import NotOurs
from publisher.pages_reader import PagesReader
from tests.publisher.changes import ListSite, git, opened, pair


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with opened(tmp_path / "c.git") as repository:
        repository.publish(pair(0), ListSite())
    return tmp_path / "c.git"


@pytest.fixture
def reader(path: Path) -> Iterator[PagesReader]:
    opened_ = PagesReader(path)
    yield opened_
    opened_.close()


def test_a_folder_is_its_index_and_says_when_the_slash_is_missing(reader: PagesReader) -> None:
    closed, bare = reader.find("/en/2026-11-20/"), reader.find("/en/2026-11-20")
    assert closed
    assert bare
    assert (closed.path, closed.folder, bare.folder) == ("en/2026-11-20/index.html", False, True)
    assert closed.body == bare.body != b""


def test_the_tag_is_the_blobs_id_and_the_time_is_the_branchs(path: Path, reader: PagesReader) -> None:
    found = reader.find("/404.html")
    assert found
    assert found.etag == f'"{git(path, "rev-parse", "gh-pages:404.html")}"'
    assert found.rendered_s == int(git(path, "log", "-1", "--format=%ct", "gh-pages"))


@pytest.mark.parametrize(
    "address",
    [
        "/en", "/en/", "/404.html/", "/no", "//", "///", "//en/2026-11-20/", "/en//2026-11-20/", "/./404.html",
        "/en/../404.html", "/..", "/../HEAD", "/en\\2026-11-20/", "/404.html\0", "/refs/heads/main", "/HEAD",
    ],
)  # fmt: skip
def test_there_is_nothing_else(reader: PagesReader, address: str) -> None:
    assert reader.find(address) is None


def test_a_publication_is_seen_at_once(path: Path, reader: PagesReader) -> None:
    before = reader.tip()
    assert reader.find("/en/2026-11-21/") is None
    with opened(path) as repository:
        repository.publish(pair(1), ListSite())
    git(path, "repack", "-a", "-d", "--quiet")
    assert reader.tip() != before
    assert reader.find("/en/2026-11-21/")


def test_many_threads_read_the_right_bytes(reader: PagesReader) -> None:
    addresses = ["/en/2026-11-20/", "/es/2026-11-20/", "/404.html", "/"]
    wanted = {address: reader.find(address) for address in addresses}
    wrong: list[str] = []

    def read(address: str) -> None:
        wrong.extend(address for _ in range(50) if reader.find(address) != wanted[address])

    threads = [threading.Thread(target=read, args=(address,)) for address in addresses * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_without_pages_there_is_nothing_and_without_a_repository_a_sentence(tmp_path: Path) -> None:
    with opened(tmp_path / "c.git"):
        reader = PagesReader(tmp_path / "c.git")
    assert (reader.find("/"), reader.tip()) == (None, None)
    reader.close()
    with pytest.raises(NotOurs) as refused:
        PagesReader(tmp_path / "nowhere")
    assert refused.value.hint
