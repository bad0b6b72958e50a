"""RSS 2.0, Atom and JSON Feed, the same bytes for the same editions.

Rules: newest edition date first, the cap drops the oldest. A feed's time is that of its newest content, an
entry's times are the edition's; nothing is stamped with the time of rendering. An item's id depends on the
slot alone (`feed_id`). A product's RSS carries full texts; the other feeds carry the headlines as links,
because every feed is stored again with every edition (full texts in all of them: 37 KiB an edition after
maintenance, so: 19). feedgen writes the XML; text is normal (`publisher.prose`) before it comes here, so
that every character in it is one that XML allows.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from feedgen.entry import FeedEntry
from feedgen.feed import FeedGenerator

from publisher.content import EditionKey
from publisher.prose import plain


@dataclass(frozen=True, slots=True)
class Item:
    """One edition in a feed.

    `html` is its full text, `contents` its headlines as links; `published_at` and `revised_at` are RFC 3339.
    """

    feed_id: str
    title: str
    address: str
    summary: str
    html: str
    contents: str
    published_at: str
    revised_at: str
    lang: str


@dataclass(frozen=True, slots=True)
class Channel:
    """One feed: `home` is the page it belongs to, `address` its own, `empty_at` its time while it has no item."""

    feed_id: str
    title: str
    description: str
    author: str
    lang: str
    home: str
    address: str
    empty_at: str


def feed_id(key: EditionKey, authority: str, since: str) -> str:
    """The id of an edition in every feed, for ever: no revision, no title and no base_url in it (RFC 4151)."""
    return f"tag:{authority},{since}:{key.slot}"


def channel_id(product: str, lang: str, authority: str, since: str) -> str:
    """The id of a feed itself; `product` is empty for a language's feed of all publications."""
    return f"tag:{authority},{since}:{product}/{lang}" if product else f"tag:{authority},{since}:{lang}"


def rss(channel: Channel, items: Sequence[Item], *, full: bool) -> bytes:
    """RSS 2.0 with `content:encoded`: full texts, or headlines."""
    feed = _feed(channel, items, "application/rss+xml")
    for item in items:
        feed.add_entry(_entry(item, item.html if full else item.contents, "CDATA"), order="append")
    return bytes(feed.rss_str(pretty=True))


def atom(channel: Channel, items: Sequence[Item]) -> bytes:
    """Atom (RFC 4287)."""
    feed = _feed(channel, items, "application/atom+xml")
    for item in items:
        feed.add_entry(_entry(item, item.contents, "xhtml"), order="append")
    return bytes(feed.atom_str(pretty=True))


def json_feed(channel: Channel, items: Sequence[Item]) -> bytes:
    """JSON Feed 1.1."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "description": channel.description,
        "home_page_url": channel.home,
        "feed_url": channel.address,
        "language": channel.lang,
        "authors": [{"name": channel.author}],
        "items": [_json_item(item) for item in items],
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _json_item(item: Item) -> dict[str, object]:
    return {
        "id": item.feed_id,
        "url": item.address,
        "title": item.title,
        "summary": item.summary,
        "content_html": item.contents,
        "date_published": item.published_at,
        "date_modified": item.revised_at,
        "language": item.lang,
    }


def _feed(channel: Channel, items: Sequence[Item], media_type: str) -> FeedGenerator:
    changed = _instant(max((item.revised_at for item in items), default=channel.empty_at))
    feed = FeedGenerator()
    feed.id(channel.feed_id)
    feed.title(plain(channel.title))
    feed.description(plain(channel.description))
    feed.language(channel.lang)
    feed.author({"name": plain(channel.author)})
    feed.generator("Dateline")
    feed.link(href=channel.address, rel="self", type=media_type)
    feed.link(href=channel.home, rel="alternate")  # the last link is the channel's own
    feed.updated(changed)
    feed.lastBuildDate(changed)
    return feed


@lru_cache(maxsize=512)
def _entry(item: Item, html: str, kind: str) -> FeedEntry:
    entry = FeedEntry()
    entry.id(item.feed_id)
    entry.guid(item.feed_id, permalink=False)
    entry.title(item.title)
    entry.link(href=item.address, rel="alternate")
    entry.summary(item.summary)
    entry.content(html, type=kind)
    entry.published(_instant(item.published_at))
    entry.updated(_instant(item.revised_at))
    return entry


def _instant(instant: str) -> dt.datetime:
    return dt.datetime.fromisoformat(instant)
