"""The whole site and its changes: the same bytes either way, on any machine, at any size of the archive."""

from __future__ import annotations

import calendar
import datetime as dt
import hashlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from lxml import etree  # type: ignore[import-untyped]
from pydantic import ValidationError

from publisher.content import DictContent, EditionKey, key_of_path
from publisher.errors import BadEdition, PathCollision, PublisherError
from publisher.plan import MonthMap, Standing, everything
from publisher.profile import ProductProfile, Profile
from publisher.site import Assets, Site, Templates
from tests.publisher.golden_refresh import GOLDEN, golden_content, golden_site
from tests.publisher.samples import (
    PROFILE,
    ROOT,
    TITLES,
    edition,
    event,
    files_of,
    notice_files,
    short_edition,
    site,
)

KEYS = [EditionKey(product, "2026-11-30", lang) for product in TITLES for lang in ("en", "es")]


@cache
def changing_site() -> Site:
    """Serves all sequences, so that what it remembers of one would show in the next."""
    return site()


@cache
def rebuilding_site() -> Site:
    """Never renders a change."""
    return site()


def whole(files: dict[str, bytes], of: Site) -> dict[str, bytes]:
    return dict(of.whole(DictContent(files)))


def laid_over(tree: dict[str, bytes], change: dict[str, bytes | None]) -> None:
    for path, body in change.items():
        if body is None:
            tree.pop(path, None)
        else:
            tree[path] = body


def dates(chance: random.Random, count: int) -> list[str]:
    """Days that cross months and years, in no order, some of them twice."""
    start = dt.date(2026, 12, 20)
    spread = chance.choice((10, 40, 400))
    return [(start + dt.timedelta(days=chance.randrange(spread))).isoformat() for _ in range(count)]


def step(files: dict[str, bytes], date: str, chance: random.Random) -> list[EditionKey]:
    """One decision: publish, withdraw, delay or remove a date in one or both languages of a product."""
    product = chance.choice(list(TITLES))
    languages = chance.choice((("en", "es"), ("en", "es"), ("en",), ("es",)))
    keys = [EditionKey(product, date, lang) for lang in languages]
    kind = chance.choices(("publish", "WITHDRAWN", "DELAYED", "remove"), (8, 2, 1, 1))[0]
    for key in keys:
        for path in (key.edition_path, key.evidence_path, key.notice_path):
            files.pop(path, None)
        if kind == "publish":
            files |= files_of(short_edition(key, chance))
        elif kind != "remove":
            files |= notice_files(key, kind)
    return keys


@pytest.mark.parametrize("seed", range(100))
def test_any_sequence_of_changes_gives_the_tree_of_a_whole_rebuild(seed: int) -> None:
    chance = random.Random(seed)
    of, files = changing_site(), dict[str, bytes]()
    tree = whole(files, of)
    for date in dates(chance, 7):
        keys = step(files, date, chance)
        laid_over(tree, of.change(DictContent(files), keys))
    assert tree == whole(files, rebuilding_site())


def test_a_batch_of_several_changes_gives_it_too() -> None:
    chance = random.Random(7)
    of, files = site(), dict[str, bytes]()
    tree = whole(files, of)
    keys = [key for date in dates(chance, 30) for key in step(files, date, chance)]
    laid_over(tree, of.change(DictContent(files), keys))
    assert tree == whole(files, site())


def test_shares_of_a_whole_rebuild_are_disjoint_and_complete() -> None:
    chance = random.Random(3)
    files: dict[str, bytes] = {}
    for date in dates(chance, 20):
        step(files, date, chance)
    shares = [dict(site().whole(DictContent(files), share=share, shares=3)) for share in range(3)]
    assert sum(map(len, shares)) == len(whole(files, site()))
    assert shares[0] | shares[1] | shares[2] == whole(files, site())


RENDER = """
import hashlib, locale, random
from publisher.content import DictContent
from tests.publisher.golden_refresh import golden_content, golden_site
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
found = hashlib.sha256()
for path, body in sorted(golden_site().whole(golden_content())):
    found.update(path.encode() + b"\\0" + body + b"\\0")
print(found.hexdigest())
"""


def test_another_zone_locale_day_and_hash_seed_give_the_same_bytes() -> None:
    found = hashlib.sha256()
    for path, body in sorted(golden_site().whole(golden_content())):
        found.update(path.encode() + b"\0" + body + b"\0")
    code = f"from freezegun import freeze_time\nwith freeze_time('2031-02-03'):\n    exec({RENDER!r})"
    elsewhere = os.environ | {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C.UTF-8",
        "LANG": "es_ES.UTF-8",
        "PYTHONHASHSEED": "7",
    }
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=elsewhere, capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == found.hexdigest(), result.stderr


def test_the_golden_site_has_not_changed() -> None:
    """`python -m tests.publisher.golden_refresh` writes it anew; the difference is reviewed like code."""
    expected = {
        path.relative_to(GOLDEN).as_posix(): path.read_bytes() for path in GOLDEN.rglob("*") if path.is_file()
    }
    actual = dict(golden_site().whole(golden_content()))
    assert sorted(actual) == sorted(expected)
    assert [path for path in expected if actual[path] != expected[path]] == []


class Endless:
    """A content tree of any length, made when it is read, that counts what is asked of it."""

    def __init__(self, first: dt.date, last: dt.date) -> None:
        self.first, self.last, self.asked = first, last, 0
        self._files: dict[str, dict[str, bytes]] = {}

    def products(self) -> list[str]:
        return sorted(TITLES)

    def years(self, product: str) -> list[int]:
        self.asked += 1
        return list(range(self.first.year, self.last.year + 1))

    def months(self, product: str, year: int) -> list[int]:
        self.asked += 1
        bounds = (self.first.year, self.first.month), (self.last.year, self.last.month)
        return [month for month in range(1, 13) if bounds[0] <= (year, month) <= bounds[1]]

    def days(self, product: str, year: int, month: int) -> list[int]:
        self.asked += 1
        last = calendar.monthrange(year, month)[1]
        return [day for day in range(1, last + 1) if self.first <= dt.date(year, month, day) <= self.last]

    def languages(self, product: str, date: str) -> list[str]:
        self.asked += 1
        return ["en", "es"]

    def file(self, path: str) -> bytes | None:
        self.asked += 1
        key = key_of_path(path)
        assert key is not None
        if path == key.notice_path:
            return None
        if key.slot not in self._files:
            self._files[key.slot] = files_of(edition(key, [event(0, key.lang)]))
        return self._files[key.slot][path]


def test_a_change_asks_as_much_of_an_archive_of_100000_pages_as_of_one_of_two_years() -> None:
    last = dt.date(2026, 11, 15)
    keys = [EditionKey("daily-brief", last.isoformat(), lang) for lang in ("en", "es")]
    asked = []
    for years in (2, 69):
        content = Endless(dt.date(last.year - years, 1, 1), last)
        site().change(content, keys)
        asked.append(content.asked)
    assert asked[0] == asked[1] < 220


def test_the_whole_site_comes_part_by_part() -> None:
    content = Endless(dt.date(1950, 1, 1), dt.date(2026, 11, 15))
    pages = site().whole(content)
    assert isinstance(pages, Iterator)
    next(pages)
    assert content.asked == 0


def links(path: str, body: bytes) -> set[str]:
    if path.endswith(".html"):
        tree = etree.HTML(body.decode())
        return {str(each) for each in tree.xpath("//@href") if not str(each).startswith("#")}
    if path.startswith("sitemap"):
        return {str(each) for each in etree.fromstring(body).xpath("//*[local-name() = 'loc']/text()")}
    if path.endswith((".xml", ".json")):
        return set(re.findall(r"https://news\.example/paper/[^\s\"<>&#]*", body.decode()))
    return set()


def test_no_link_in_any_page_feed_or_sitemap_is_dead() -> None:
    chance = random.Random(11)
    files: dict[str, bytes] = {}
    for date in dates(chance, 40):
        step(files, date, chance)
    tree = whole(files, site())
    for path, body in tree.items():
        for link in links(path, body):
            own = link.removeprefix("https://news.example")
            if own.startswith("https://"):
                continue
            assert own.startswith("/paper/"), (path, link)
            place, _, anchor = own.removeprefix("/paper/").partition("#")
            target = unquote(f"{place}index.html" if place == "" or place.endswith("/") else place)
            assert target in tree, (path, link)
            assert not anchor or f'id="{anchor}"'.encode() in tree[target], (path, link)


def test_every_edition_stands_in_the_sitemap_of_its_month_and_no_notice_does() -> None:
    files = files_of(edition(KEYS[0])) | notice_files(KEYS[1])
    tree = whole(files, site())
    assert b"https://news.example/paper/sitemap-2026-11.xml" in tree["sitemap.xml"]
    assert b"/en/daily-brief/2026/11/30/</loc><lastmod>2026-11-30</lastmod>" in tree["sitemap-2026-11.xml"]
    assert b"/es/daily-brief/2026/11/30/" not in tree["sitemap-2026-11.xml"]
    assert tree["robots.txt"].endswith(b"Sitemap: https://news.example/paper/sitemap.xml\n")


def test_the_digests_name_profile_and_renderer() -> None:
    one, other = site(), site(PROFILE.model_copy(update={"base_url": "https://other.example"}))
    assert one.renderer_digest == other.renderer_digest
    assert one.profile_digest != other.profile_digest
    assert one.renderer_digest.startswith("sha256:")
    assert site().renderer_digest == one.renderer_digest


def test_a_product_that_would_stand_on_a_page_of_the_site_is_refused() -> None:
    product = ProductProfile(slug="about", titles={"en": "About"}, languages=("en",))
    with pytest.raises(PathCollision, match="about"):
        site(PROFILE.model_copy(update={"products": (product,)}))


def test_an_impossible_profile_is_refused() -> None:
    for wrong in (
        {"base_url": "javascript:x"},
        {"languages": ("en",)},
        {"products": (PROFILE.products[0], PROFILE.products[0])},
        {"authority": "no spaces, please"},
    ):
        with pytest.raises(ValidationError):
            Profile.model_validate(PROFILE.model_dump() | wrong)


def test_templates_and_assets_must_be_there(tmp_path: Path) -> None:
    empty = tmp_path
    with pytest.raises(PublisherError, match="no templates"):
        Templates.load(empty)
    with pytest.raises(OSError, match=r"style\.css"):
        Assets.load(empty)


def test_a_file_that_cannot_be_read_is_named() -> None:
    key = KEYS[0]
    files = files_of(edition(key))
    with pytest.raises(BadEdition, match=r"daily-brief/2026/11/30/en/edition\.md: evidence\.json is missing"):
        whole({key.edition_path: files[key.edition_path]}, site())
    broken = files | {key.edition_path: files[key.edition_path].replace(b"## 2.", b"## 5.")}
    with pytest.raises(BadEdition, match=r"daily-brief/2026/11/30/en/edition\.md: line [0-9]+"):
        whole(broken, site())
    moved = {path.replace("/30/", "/29/"): body for path, body in files.items()}
    with pytest.raises(BadEdition, match="holds the edition daily-brief/2026-11-30/en"):
        whole(moved, site())


def test_what_is_not_ours_in_the_tree_is_passed_over() -> None:
    files = files_of(edition(KEYS[0]))
    strange = {
        "README.md": b"x",
        "daily-brief/2026/02/31/en/edition.md": b"x",
        "daily-brief/2026/13/01/en/edition.md": b"x",
        "daily-brief/2026/11/30/en/notes.txt": b"x",
        "unknown/2026/11/30/en/edition.md": b"x",
    }
    assert whole(files | strange, site()) == whole(files, site())


def test_the_plan_begins_with_what_stands_and_ends_with_what_is_newest() -> None:
    from publisher.archive import Archive, Memory

    parts = list(everything(Archive(DictContent(files_of(edition(KEYS[0]))), Memory()), PROFILE))
    assert parts[0] == Standing()
    assert MonthMap(2026, 11) in parts
