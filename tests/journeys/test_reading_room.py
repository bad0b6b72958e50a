"""What `dateline serve` gives readers: every page, feed and sitemap entry, and no dead link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

import feedparser
import httpx
import pytest

from tests.journeys.workspace import Workspace

BASE_URL = "http://127.0.0.1:8000"  # what the shipped workspace's links say


class Links(HTMLParser):
    """Every address that a page links, loads or names as its own."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


class Room:
    """The running server, asked by the addresses that links say."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, trust_env=False)

    def get(self, address: str) -> httpx.Response:
        return self.client.get(address.removeprefix(BASE_URL) or "/")


@pytest.fixture(scope="module")
def room(published: Workspace) -> Iterator[Room]:
    server = published.start("serve", "--port", "0")
    assert server.stdout is not None
    line = server.stdout.readline()
    opened = Room(re.search(r"http://127\.0\.0\.1:\d+", line)[0])  # type: ignore[index]
    yield opened
    opened.client.close()
    server.terminate()
    server.wait(timeout=10)
    server.stdout.close()


def crawl(room: Room) -> dict[str, httpx.Response]:
    """Everything that can be reached from the root by links that stay here."""
    seen: dict[str, httpx.Response] = {}
    waiting = ["/"]
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        seen[address] = answer = room.get(address)
        if answer.headers.get("content-type", "").startswith("text/html"):
            parser = Links()
            parser.feed(answer.text)
            here = [urldefrag(urljoin(BASE_URL + address, link))[0] for link in parser.found]
            waiting += [link.removeprefix(BASE_URL) or "/" for link in here if link.startswith(BASE_URL)]
    return seen


@pytest.fixture(scope="module")
def pages(room: Room) -> dict[str, httpx.Response]:
    return crawl(room)


def test_every_linked_page_answers_200(pages: dict[str, httpx.Response]) -> None:
    assert {address: r.status_code for address, r in pages.items() if r.status_code != 200} == {}
    assert sum("/2026/11/" in address for address in pages) >= 12


def test_links_that_leave_the_site_go_to_reserved_names_only(pages: dict[str, httpx.Response]) -> None:
    outside: set[str] = set()
    for address, answer in pages.items():
        if answer.headers["content-type"].startswith("text/html"):
            parser = Links()
            parser.feed(answer.text)
            outside |= {urlsplit(urljoin(BASE_URL + address, link)).hostname or "" for link in parser.found}
    outside.discard("127.0.0.1")
    outside.discard("")
    assert all(host.endswith((".example", ".example.org", ".example.com", ".test")) for host in outside), outside


def test_every_sitemap_entry_answers_200_and_every_edition_is_in_one(room: Room) -> None:
    index = room.get("/sitemap.xml")
    assert index.status_code == 200
    entries: list[str] = []
    for sitemap in re.findall(r"<loc>([^<]+)</loc>", index.text):
        inner = room.get(sitemap)
        assert inner.status_code == 200
        entries += re.findall(r"<loc>([^<]+)</loc>", inner.text)
    assert {entry: room.get(entry).status_code for entry in entries if room.get(entry).status_code != 200} == {}
    assert sum(bool(re.search(r"/2026/11/\d\d/$", entry)) for entry in entries) == 12


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize(
    "feed",
    [
        "feed.xml",
        "daily-brief/feed.xml",
        "daily-brief/atom.xml",
        "revolution-watch/feed.xml",
        "revolution-watch/atom.xml",
    ],
)
def test_feeds_parse_without_a_fault_and_hold_their_own_language(room: Room, lang: str, feed: str) -> None:
    answer = room.get(f"/{lang}/{feed}")
    assert answer.status_code == 200
    parsed = feedparser.parse(answer.content, response_headers={"content-type": answer.headers["content-type"]})
    assert not parsed.bozo, parsed.get("bozo_exception")
    assert len(parsed.entries) == (6 if feed == "feed.xml" else 3)
    assert {entry.id.rsplit("/", 1)[-1] for entry in parsed.entries} == {lang}
    assert all(room.get(entry.link).status_code == 200 for entry in parsed.entries)


def test_a_missing_page_is_a_real_404_with_the_sites_own_page(room: Room) -> None:
    answer = room.get("/en/daily-brief/2031/01/01/")
    assert answer.status_code == 404
    assert 'href="/en/"' in answer.text
    assert 'href="/es/"' in answer.text


def test_the_synthetic_banner_stands_on_every_page(pages: dict[str, httpx.Response]) -> None:
    html = [r.text for r in pages.values() if r.headers["content-type"].startswith("text/html")]
    assert len(html) > 20
    assert all(re.search(r"[Ss]ynthetic|[Ss]int[ée]tic", text) for text in html)
