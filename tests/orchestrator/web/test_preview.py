"""The preview over a real socket: one address per page, validators, a real 404, nothing but reading."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from orchestrator.web.preview import SECURITY_HEADERS, preview
from orchestrator.web.server import WebServer
from publisher.pages_reader import PagesReader
from publisher.repository import ContentRepository
from tests.publisher.changes import opened, pair
from tests.publisher.samples import site

DAY = "/en/daily-brief/2026/11/20"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("preview") / "c.git"
    with opened(place) as repository:
        repository.publish(pair(0), site())
    return place


@pytest.fixture(scope="module")
def client(path: Path) -> Iterator[httpx.Client]:
    reader = PagesReader(path)
    with WebServer(preview(reader)) as server, httpx.Client(base_url=server.url, trust_env=False) as opened_:
        yield opened_
    reader.close()


def raw(client: httpx.Client, head: str) -> bytes:
    """What the server answers to bytes that no client library would send."""
    host, port = client.base_url.host, client.base_url.port or 0
    with socket.create_connection((host, port), timeout=10) as sent:
        sent.sendall(f"{head}\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        answer = b""
        while piece := sent.recv(65536):
            answer += piece
    return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        (f"{DAY}/", "text/html; charset=utf-8"),
        ("/en/feed.xml", "application/rss+xml; charset=utf-8"),
        ("/en/daily-brief/feed.xml", "application/rss+xml; charset=utf-8"),
        ("/en/daily-brief/atom.xml", "application/atom+xml; charset=utf-8"),
        ("/en/daily-brief/feed.json", "application/feed+json; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/sitemap.xml", "application/xml; charset=utf-8"),
    ],
)
def test_every_file_has_its_type_and_the_headers_that_forbid_the_rest(
    client: httpx.Client, address: str, kind: str
) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.content
    assert dict(SECURITY_HEADERS).items() <= dict(answer.headers).items()
    assert "server" not in answer.headers


def test_assets_are_kept_for_good_and_pages_are_asked_for_again(client: httpx.Client) -> None:
    style = client.get("/").text.partition('rel="stylesheet" href="')[2].partition('"')[0].removeprefix("/paper")
    answer = client.get(style)
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert "must-revalidate" in client.get("/").headers["cache-control"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '"a" , W/{} ,"b"', "*"])
def test_who_has_the_page_gets_no_body(client: httpx.Client, form: str) -> None:
    etag = client.get(f"{DAY}/").headers["etag"]
    answer = client.get(f"{DAY}/", headers={"if-none-match": form.format(etag)})
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_tags_in_several_lines_are_one_list(client: httpx.Client) -> None:
    etag = client.get("/en/feed.xml").headers["etag"]
    lines = [("if-none-match", '"a"'), ("if-none-match", etag)]
    assert client.get("/en/feed.xml", headers=lines).status_code == 304


@pytest.mark.parametrize("form", ['"other"', "", "bare", '"*"'])
def test_who_has_another_page_gets_this_one(client: httpx.Client, form: str) -> None:
    assert client.get(f"{DAY}/", headers={"if-none-match": form}).status_code == 200


def test_a_feed_is_not_sent_again_by_its_date_either(client: httpx.Client) -> None:
    first = client.get("/en/feed.xml")
    since = {"if-modified-since": first.headers["last-modified"]}
    assert client.get("/en/feed.xml", headers=since).status_code == 304
    assert client.get("/en/feed.xml", headers=since | {"if-none-match": '"old"'}).status_code == 200
    for other in ("Thu, 01 Jan 2099 00:00:00 GMT", "yesterday"):
        assert client.get("/en/feed.xml", headers={"if-modified-since": other}).status_code == 200


def test_a_missing_page_is_a_real_404_with_the_sites_own_page(client: httpx.Client, path: Path) -> None:
    answer = client.get("/en/daily-brief/2026/11/29/")
    with opened(path) as repository:
        assert answer.content == repository.pages_tree().file("404.html")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert dict(SECURITY_HEADERS).items() <= dict(answer.headers).items()
    assert client.get("/en/nothing", headers={"if-none-match": "*"}).status_code == 404


def test_a_folder_without_its_slash_is_one_redirect_away(client: httpx.Client) -> None:
    answer = client.get(f"{DAY}?from=feed", follow_redirects=True)
    assert [(hop.status_code, hop.headers["location"]) for hop in answer.history] == [(301, f"{DAY}/?from=feed")]
    assert answer.status_code == 200
    assert client.get(f"{DAY}/index.html/").status_code == 404


@pytest.mark.parametrize(
    "target",
    [
        "/../HEAD", "/%2e%2e/HEAD", "/en/%2e%2e/robots.txt", "/..%2fHEAD", "/en%2ffeed.xml", "/%5c..%5cHEAD",
        "/en\\feed.xml", "/robots.txt%00", "/%00", "//en/", "/en//feed.xml", "/./robots.txt", "/HEAD", "/config",
        "/%ff%fe", "/refs/heads/main", "/en/feed.xml/", "/.git/config",
    ],
)  # fmt: skip
def test_there_is_no_way_out_and_no_second_address(client: httpx.Client, target: str) -> None:
    assert status(raw(client, f"GET {target} HTTP/1.1")) == 404


def test_a_redirect_never_leads_to_another_host(client: httpx.Client) -> None:
    for target in ("//en", "///en", "//en/daily-brief", "/%2fen"):
        answer = raw(client, f"GET {target} HTTP/1.1")
        assert (status(answer), b"location:" in answer.lower()) == (404, False)


def test_head_answers_like_get_without_the_body(client: httpx.Client) -> None:
    got, headed = client.get(f"{DAY}/"), client.head(f"{DAY}/")
    for answer in (got, headed):
        answer.headers.pop("date")
    assert (headed.status_code, headed.content, headed.headers) == (200, b"", got.headers)
    assert client.head("/nothing").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_nothing_but_reading_is_answered(client: httpx.Client, method: str) -> None:
    answer = client.request(method, f"{DAY}/", content=b"x")
    assert answer.status_code == 405
    assert {part.strip() for part in answer.headers["allow"].split(",")} == {"GET", "HEAD"}
    assert dict(SECURITY_HEADERS).items() <= dict(answer.headers).items()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ContentRepository]:
    with opened(tmp_path / "c.git") as repository:
        yield repository


def test_below_a_base_path_the_pages_own_links_lead_somewhere(own: ContentRepository) -> None:
    own.publish(pair(0), site())
    reader = PagesReader(own.path)
    with WebServer(preview(reader, base_path="/paper")) as server, httpx.Client(base_url=server.url) as client:
        assert client.get("/").headers["location"] == client.get("/paper").headers["location"] == "/paper/"
        assert client.get(f"/paper{DAY}").headers["location"] == f"/paper{DAY}/"
        page = client.get(f"/paper{DAY}/").text
        links = {part.partition('"')[0].partition("#")[0] for part in page.split('href="')[1:]}
        inside = {link for link in links if link.startswith("/")}
        assert inside
        assert {link: client.get(link).status_code for link in inside} == dict.fromkeys(inside, 200)
        assert [client.get(target).status_code for target in (f"{DAY}/", "/paperx/", "/robots.txt")] == [404] * 3
    reader.close()


def test_before_the_first_publication_everything_is_missing(own: ContentRepository) -> None:
    reader = PagesReader(own.path)
    with WebServer(preview(reader)) as server:
        answer = httpx.get(f"{server.url}/")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/plain; charset=utf-8")
    reader.close()


def test_a_rebuild_of_the_same_keeps_every_validator_and_a_publication_moves_the_date(
    own: ContentRepository,
) -> None:
    renderer = site()
    own.publish(pair(0), renderer)
    reader = PagesReader(own.path)
    with WebServer(preview(reader)) as server, httpx.Client(base_url=server.url) as client:
        first = client.get(f"{DAY}/").headers
        own.render(renderer)
        again = client.get(f"{DAY}/").headers
        assert (again["etag"], again["last-modified"]) == (first["etag"], first["last-modified"])
        own.publish(pair(0, "revolution-watch"), renderer)
        later = client.get(f"{DAY}/").headers
        assert later["etag"] == first["etag"]
        assert later["last-modified"] != first["last-modified"]
    reader.close()


def test_a_damaged_repository_is_a_503_and_not_a_traceback(own: ContentRepository) -> None:
    own.publish(pair(0), site())
    reader = PagesReader(own.path)
    (own.path / "refs/heads/gh-pages").write_text("torn")
    with WebServer(preview(reader)) as server:
        answer = httpx.get(f"{server.url}/")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    reader.close()
