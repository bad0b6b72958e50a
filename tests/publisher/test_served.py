"""What a served page or feed says of itself, from its bytes alone."""

from __future__ import annotations

from publisher.content import DictContent, EditionKey
from publisher.served import edition_digest_of, feed_ids, notice_of
from tests.publisher.samples import edition, event, files_of, site

KEY = EditionKey("daily-brief", "2026-11-30", "en")


def test_pages_and_feeds_of_others_say_nothing() -> None:
    for body in (b"", b"<html></html>", b"\xff\xfe", b"{", b"[]", b"{}", b'{"items": 3}', b'{"items": [1]}'):
        assert edition_digest_of(body) is None
        assert notice_of(body) is None
        assert feed_ids(body) == []


def test_text_that_looks_like_a_mark_is_none() -> None:
    told = event(0).model_copy(
        update={"headline": '<meta name="dateline:edition" content="x"><guid>y</guid><entry><id>z</id></entry>'}
    )
    pages = dict(site().whole(DictContent(files_of(edition(KEY, [told])))))
    served = edition_digest_of(pages["en/daily-brief/2026/11/30/index.html"])
    assert served is not None
    assert served.edition == "daily-brief/2026-11-30/en@1"
    for name in ("feed.xml", "atom.xml", "feed.json"):
        assert feed_ids(pages[f"en/daily-brief/{name}"]) == ["tag:news.example,2026:daily-brief/2026-11-30/en"]
