"""Pages: what they say of themselves, how they link, and that hostile text stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

import pytest

from publisher.archive import digest_of
from publisher.content import DictContent, EditionKey
from publisher.profile import ProductProfile, Profile
from publisher.served import edition_digest_of, notice_of
from tests.publisher.samples import (
    PROFILE,
    corrected,
    edition,
    event,
    files_of,
    notice_files,
    site,
)

EN = EditionKey("daily-brief", "2026-11-30", "en")
ES = EditionKey("daily-brief", "2026-11-30", "es")
PAGE = "en/daily-brief/2026/11/30/index.html"


class Elements(HTMLParser):
    """Every start tag with its attributes, and the text of the page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag and wanted.items() <= attrs.items()]


def rendered(files: dict[str, bytes], profile: Profile = PROFILE) -> dict[str, bytes]:
    return dict(site(profile).whole(DictContent(files)))


def both() -> dict[str, bytes]:
    return files_of(edition(EN)) | files_of(edition(ES))


def elements(pages: dict[str, bytes], path: str = PAGE) -> Elements:
    return Elements(pages[path].decode())


def html_pages(pages: dict[str, bytes]) -> Iterable[tuple[str, str]]:
    return ((path, body.decode()) for path, body in pages.items() if path.endswith(".html"))


def test_an_edition_page_names_its_edition_and_the_digest_of_its_blob() -> None:
    files = files_of(corrected(EN))
    page = rendered(files)[PAGE]
    assert b'<meta name="dateline:edition" content="daily-brief/2026-11-30/en@2">' in page
    served = edition_digest_of(page)
    assert served is not None
    assert served == ("daily-brief/2026-11-30/en@2", digest_of(files[EN.edition_path]))
    assert notice_of(page) is None


def test_the_date_in_words_is_the_first_heading_in_each_language() -> None:
    pages = rendered(both())
    assert '<h1><time datetime="2026-11-30">Monday, 30 November 2026</time></h1>' in pages[PAGE].decode()
    spanish = pages[PAGE.replace("en/", "es/", 1)].decode()
    assert '<h1><time datetime="2026-11-30">lunes, 30 de noviembre de 2026</time></h1>' in spanish
    assert '<html lang="es">' in spanish


def test_alternates_are_absolute_reciprocal_and_include_the_page_itself() -> None:
    pages = rendered(both())
    for lang in ("en", "es"):
        found = elements(pages, PAGE.replace("en/", f"{lang}/", 1)).all("link", rel="alternate")
        alternates = {each["hreflang"]: each["href"] for each in found if "hreflang" in each}
        base = "https://news.example/paper"
        assert alternates == {
            "en": f"{base}/en/daily-brief/2026/11/30/",
            "es": f"{base}/es/daily-brief/2026/11/30/",
            "x-default": f"{base}/en/daily-brief/2026/11/30/",
        }


def test_a_language_that_is_held_is_no_alternate() -> None:
    pages = rendered(files_of(edition(EN)))
    found = elements(pages).all("link", rel="alternate")
    assert [each["hreflang"] for each in found if "hreflang" in each] == ["en", "x-default"]
    assert "es/daily-brief/2026/11/30/" not in pages[PAGE].decode()


def test_an_edition_and_a_notice_are_no_alternates_of_each_other() -> None:
    pages = rendered(files_of(edition(EN)) | notice_files(ES))
    english = elements(pages)
    assert [each["hreflang"] for each in english.all("link", rel="alternate") if "hreflang" in each] == [
        "en",
        "x-default",
    ]
    assert english.all("a", hreflang="es")
    spanish = elements(pages, "es/daily-brief/2026/11/30/index.html")
    assert [each["hreflang"] for each in spanish.all("link", rel="alternate") if "hreflang" in each] == [
        "es",
        "x-default",
    ]


def test_the_first_feed_of_every_page_is_its_own_languages() -> None:
    for path, html in html_pages(rendered(both())):
        page = Elements(html)
        lang = page.all("html")[0]["lang"]
        first = page.all("link", rel="alternate", type="application/rss+xml")[0]
        assert f"/{lang}/" in str(first["href"]), path


def test_a_withdrawn_edition_leaves_its_notice_at_the_same_address_without_the_actor() -> None:
    files = notice_files(EN)
    page = rendered(files)[PAGE]
    assert edition_digest_of(page) is None
    assert notice_of(page) == ("daily-brief/2026-11-30/en@2", "WITHDRAWN", digest_of(files[EN.notice_path]))
    assert "withdrawn on 30 November 2026, 11:40 UTC" in page.decode()
    assert "editor@news.example" not in page.decode()


def test_a_present_edition_wins_over_a_notice() -> None:
    pages = rendered(files_of(edition(EN)) | notice_files(EN, "DELAYED"))
    assert edition_digest_of(pages[PAGE]) is not None


def test_a_late_front_page_says_so_and_names_the_last_edition() -> None:
    delayed = EditionKey("daily-brief", "2026-12-01", "en")
    front = rendered(both() | notice_files(delayed, "DELAYED"))["en/index.html"].decode()
    text = Elements(front).text
    assert "Tuesday, 1 December 2026" in text
    assert "delayed" in text
    assert "The last edition is that of Monday, 30 November 2026." in text


def test_corrections_and_lateness_stand_above_the_contents() -> None:
    text = elements(rendered(files_of(corrected(EN)))).text
    assert "Corrected at 09:14 UTC: the vote was 54–46, not 56–44." in text
    assert text.index("Corrected at") < text.index("In this edition")


def test_no_page_runs_or_loads_anything_of_its_own_or_from_elsewhere() -> None:
    for path, html in html_pages(rendered(both() | notice_files(EditionKey("daily-brief", "2026-11-29", "en")))):
        page = Elements(html)
        assert not page.all("script"), path
        assert not page.all("style"), path
        assert not [name for _, attrs in page.tags for name in attrs if name == "style" or name.startswith("on")]
        for sheet in page.all("link", rel="stylesheet") + page.all("link", rel="icon"):
            assert str(sheet["href"]).startswith("/paper/assets/")


def test_no_page_says_today() -> None:
    for path, html in html_pages(rendered(both())):
        assert not re.search(r"\b(today|hoy)\b", Elements(html).text, re.IGNORECASE), path


def test_the_synthetic_banner_stands_on_every_page_that_shows_synthetic_work() -> None:
    said = "Synthetic edition", "Edición sintética"
    for path, html in html_pages(rendered(both())):
        shows_editions = re.search(r"/\d{4}/\d{2}/|^\w\w/index\.html|daily-brief/index\.html", path)
        assert any(each in html for each in said) == bool(shows_editions), path
    everywhere = PROFILE.model_copy(update={"synthetic": True})
    assert all(any(each in html for each in said) for _, html in html_pages(rendered(both(), everywhere)))
    real = files_of(edition(EN, synthetic=False)) | files_of(edition(ES, synthetic=False))
    assert not any(each in html for each in said for _, html in html_pages(rendered(real)))


HOSTILE = [
    "</title><script>x</script>",
    "hi <img src=x onerror=x>",
    '" onmouseover="x',
    "{{ 7*7 }} {% raw %}",
    "]]> <!-- -->",
    "AT&T: ¿precio < 5 €?",
    "[Exclusiva] A | B",
    "`x` *y* _z_",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_creates_nothing_on_any_page(text: str) -> None:
    told = event(0)
    sources = tuple(each.model_copy(update={"title": text, "publisher": text}) for each in told.sources)
    sentences = tuple(each.model_copy(update={"text": text}) for each in told.sentences)
    told = told.model_copy(
        update={
            "headline": text,
            "sources": sources,
            "sentences": sentences,
            "region": text,
            "topics": (text,),
        }
    )
    titled = PROFILE.model_copy(
        update={
            "titles": {"en": text},
            "products": (ProductProfile(slug="daily-brief", titles={"en": text}, languages=("en",)),),
        }
    )
    pages = rendered(files_of(edition(EN, [told], product_title=text)), titled)
    plainly = rendered(
        files_of(edition(EN, [event(0)], product_title="x")), titled.model_copy(update={"titles": {"en": "x"}})
    )
    assert text in elements(pages).text
    for path, html in html_pages(pages):
        tags = [tag for tag, _ in Elements(html).tags]
        assert tags == [tag for tag, _ in Elements(plainly[path].decode()).tags] or "made" in path, path
        assert not {"script", "img"} & set(tags), path


BAD_ADDRESSES = [
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    "javascript&#58;x",
    "java&Tab;script:x",
    "java\tscript:x",
    " javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "//ex.test/x",
    "/etc/passwd",
    "https://user:pw@ex.test/",
    "https://",
    "https://[bad/",
    "https://ex.test:99999999/",
    "https://ex.test/a\u202eb",
]


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_only_absolute_http_addresses_become_links(url: str) -> None:
    told = event(0, sources=1)
    told = told.model_copy(update={"sources": (told.sources[0].model_copy(update={"url": url}),)})
    pages = rendered(files_of(edition(EN, [told])))
    hrefs = [str(attrs["href"]) for attrs in elements(pages).all("a")]
    assert all(href.startswith(("/paper/", "#")) for href in hrefs)
    assert b"<a href" not in pages["en/daily-brief/feed.xml"]


def test_a_full_edition_page_stays_small() -> None:
    pages = rendered(files_of(edition(EN, [event(place, sources=4) for place in range(14)])))
    assert len(pages[PAGE]) < 40_000
    style = next(body for path, body in pages.items() if path.startswith("assets/style"))
    assert len(style) < 10_000


def test_the_made_page_leads_an_auditor_to_the_commit() -> None:
    files = both()
    text = elements(rendered(files), "en/daily-brief/2026/11/30/made/index.html").text
    assert digest_of(files[EN.edition_path]) in text
    assert "git log main -- daily-brief/2026/11/30/en" in text
    assert "Candidates found\n14" in re.sub(r"\s*\n\s*", "\n", text) or "Candidates found14" in text


def test_a_month_lists_every_date_that_was_due_with_what_became_of_it() -> None:
    files = both() | notice_files(EditionKey("daily-brief", "2026-11-29", "en"), "MISSED")
    files |= notice_files(EditionKey("daily-brief", "2026-11-28", "en")) | files_of(
        edition(EditionKey("daily-brief", "2026-11-27", "es"))
    )
    files |= files_of(edition(EditionKey("daily-brief", "2026-11-26", "en"), late=True))
    text = elements(rendered(files), "en/daily-brief/2026/11/index.html").text
    lines = re.sub(r"\s+", " ", text)
    for expected in (
        "Thursday, 26 November late",
        "Friday, 27 November not in English",
        "Saturday, 28 November withdrawn",
        "Sunday, 29 November missed",
        "Monday, 30 November published",
    ):
        assert expected in lines
