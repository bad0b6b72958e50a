"""Feeds: stable ids, newest first, pinned times, and characters that XML allows."""

from __future__ import annotations

import json

import feedparser
import pytest
from lxml import etree  # type: ignore[import-untyped]

from publisher.content import DictContent, EditionKey
from publisher.feeds import feed_id
from publisher.profile import Profile
from publisher.served import feed_ids
from tests.publisher.samples import PROFILE, corrected, edition, event, files_of, notice_files, site

EN = EditionKey("daily-brief", "2026-08-01", "en")
CONTENT = "{http://purl.org/rss/1.0/modules/content/}encoded"


def capped(length: int) -> Profile:
    products = tuple(each.model_copy(update={"feed_length": length}) for each in PROFILE.products)
    return PROFILE.model_copy(update={"products": products})


def rendered(files: dict[str, bytes], profile: Profile = PROFILE) -> dict[str, bytes]:
    return dict(site(profile).whole(DictContent(files)))


def key(date: str, lang: str = "en") -> EditionKey:
    return EditionKey("daily-brief", date, lang)


def test_a_feed_id_depends_on_the_slot_alone() -> None:
    assert feed_id(EN, "example.org", "2026") == "tag:example.org,2026:daily-brief/2026-08-01/en"


def test_a_correction_and_a_new_base_url_change_no_id_and_add_no_item() -> None:
    before = rendered(files_of(edition(EN)))
    after = rendered(files_of(corrected(EN)), PROFILE.model_copy(update={"base_url": "https://other.example"}))
    for name in ("en/feed.xml", "en/daily-brief/feed.xml", "en/daily-brief/atom.xml", "en/daily-brief/feed.json"):
        assert feed_ids(before[name]) == ["tag:news.example,2026:daily-brief/2026-08-01/en"]
        assert feed_ids(after[name]) == feed_ids(before[name])


def test_newest_comes_first_and_the_cap_drops_the_oldest() -> None:
    old = edition(key("2026-07-30"), revision=2, revised_at="2026-08-02T09:00:00.000Z", provenance="CORRECTION")
    files = files_of(old) | files_of(edition(key("2026-07-31"))) | files_of(edition(EN))
    pages = rendered(files, capped(2))
    for name in ("feed.xml", "atom.xml", "feed.json"):
        ids = feed_ids(pages[f"en/daily-brief/{name}"])
        assert [each.split("/")[1] for each in ids] == ["2026-08-01", "2026-07-31"]


def test_the_feed_of_a_language_holds_its_own_editions_of_all_products() -> None:
    files: dict[str, bytes] = {}
    for product in ("daily-brief", "revolution-watch"):
        for lang in ("en", "es"):
            files |= files_of(edition(EditionKey(product, "2026-08-01", lang)))
    pages = rendered(files)
    for lang in ("en", "es"):
        parsed = feedparser.parse(pages[f"{lang}/feed.xml"])
        assert not parsed.bozo
        assert parsed.feed.language == lang
        assert [entry.id.rsplit("/", 1)[1] for entry in parsed.entries] == [lang, lang]


def test_dates_of_a_spanish_feed_are_english() -> None:
    pages = rendered(files_of(edition(EditionKey("daily-brief", "2026-08-01", "es"))))
    assert b"<pubDate>Sat, 01 Aug 2026 06:02:00 +0000</pubDate>" in pages["es/daily-brief/feed.xml"]


def test_the_time_of_a_feed_is_that_of_its_newest_content() -> None:
    files = files_of(corrected(EN)) | files_of(edition(key("2026-07-31")))
    feed = rendered(files)["en/daily-brief/feed.xml"]
    assert b"<lastBuildDate>Sat, 01 Aug 2026 09:14:00 +0000</lastBuildDate>" in feed
    assert rendered(files)["en/daily-brief/feed.xml"] == feed


def test_a_feed_without_items_is_valid_and_pinned_too() -> None:
    pages = rendered(notice_files(EN))
    for name in ("feed.xml", "atom.xml"):
        parsed = feedparser.parse(pages[f"en/daily-brief/{name}"])
        assert not parsed.bozo
        assert not parsed.entries
    assert b"Thu, 01 Jan 2026 00:00:00 +0000" in pages["en/daily-brief/feed.xml"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Cuota\u000b sube", "Cuota sube"),
        ("a\ufffeb", "ab"),
        ("\ud83d fin", "fin"),
        ("Sube 📈 el IPC", "Sube 📈 el IPC"),
        ("AT&T: ¿precio < 5 €?", "AT&T: ¿precio < 5 €?"),
        ("if (a[b[0]]>1) ]]> x", "if (a[b[0]]>1) ]]> x"),
    ],
)
def test_text_arrives_exactly_and_without_what_xml_forbids(text: str, shown: str) -> None:
    told = event(0)
    told = told.model_copy(update={"headline": text})
    other = edition(key("2026-07-31"))
    pages = rendered(files_of(edition(EN, [told])) | files_of(other))
    feed = pages["en/daily-brief/feed.xml"]
    items = etree.fromstring(feed).findall(".//item")
    assert len(items) == 2
    assert str(items[0].findtext("title")).removeprefix("Saturday, 1 August 2026: ") == shown
    content = etree.HTML(str(items[0].findtext(CONTENT)))
    assert "".join(content.find(".//h2").itertext()) == f"1. {shown}"
    assert "&amp;amp;" not in "".join(
        body.decode() for path, body in pages.items() if path.endswith((".xml", ".json", ".html"))
    )
    assert json.loads(pages["en/daily-brief/feed.json"])["items"][0]["title"].endswith(shown)


def test_addresses_keep_a_single_ampersand_after_one_parse() -> None:
    feed = rendered(files_of(edition(EN)))["en/daily-brief/feed.xml"]
    content = etree.HTML(str(etree.fromstring(feed).findtext(f".//{CONTENT}")))
    assert "https://press-0.example/0/article?ref=a&page=0" in content.xpath("//a/@href")


def test_a_products_rss_carries_the_full_text_and_no_element_that_acts() -> None:
    told = event(0)
    hostile = told.sentences[0].model_copy(update={"text": "hi <img src=x onerror=x> <script>x</script>"})
    told = told.model_copy(update={"sentences": (hostile, *told.sentences[1:])})
    feed = rendered(files_of(edition(EN, [told])))["en/daily-brief/feed.xml"]
    content = etree.HTML(str(etree.fromstring(feed).findtext(f".//{CONTENT}")))
    assert "hi <img src=x onerror=x> <script>x</script>" in "".join(content.itertext())
    assert not content.xpath("//script | //img | //@*[starts-with(name(), 'on')]")


def test_every_feed_names_itself_its_page_and_a_generator_that_never_changes() -> None:
    pages = rendered(files_of(edition(EN)))
    rss = etree.fromstring(pages["en/daily-brief/feed.xml"])
    assert rss.findtext("channel/link") == "https://news.example/paper/en/daily-brief/"
    assert rss.find("channel/{http://www.w3.org/2005/Atom}link").get("href").endswith("/en/daily-brief/feed.xml")
    assert rss.findtext("channel/generator") == "Dateline"
    assert rss.find("channel/item/guid").get("isPermaLink") == "false"
    document = json.loads(pages["en/daily-brief/feed.json"])
    assert document["version"] == "https://jsonfeed.org/version/1.1"
    assert document["feed_url"] == "https://news.example/paper/en/daily-brief/feed.json"


def test_a_publication_time_is_never_later_than_the_edition_was_published() -> None:
    parsed = feedparser.parse(rendered(files_of(corrected(EN)))["en/daily-brief/atom.xml"])
    assert parsed.entries[0].published == "2026-08-01T06:02:00+00:00"
    assert parsed.entries[0].updated == "2026-08-01T09:14:00+00:00"
