"""What a served page or feed says of itself, read from its bytes alone.

Rules: pure readers for whoever compares what readers get with what was decided. Bytes that say nothing
give None or an empty result; nothing raises.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import NamedTuple

_META = re.compile(rb'<meta name="dateline:(edition|notice|kind|digest)" content="([^"]*)">')
_HEAD_END = b"</head>"
_RSS_ID = re.compile(rb"<guid[^>]*>([^<]*)</guid>")
_ATOM_ID = re.compile(rb"<entry>.*?<id>([^<]*)</id>", re.DOTALL)


class ServedEdition(NamedTuple):
    """`edition` is `daily-brief/2026-11-30/en@1`; `digest` is `sha256:…` of the blob it was made from."""

    edition: str
    digest: str


class ServedNotice(NamedTuple):
    """A notice: slot and revision, WITHDRAWN, DELAYED or MISSED, digest of its blob."""

    slot: str
    kind: str
    digest: str


def edition_digest_of(html: bytes) -> ServedEdition | None:
    """Which edition a page shows, None when it shows none (a notice, an error page, another site)."""
    metas = _metas(html)
    if "edition" in metas and "digest" in metas:
        return ServedEdition(metas["edition"], metas["digest"])
    return None


def notice_of(html: bytes) -> ServedNotice | None:
    """Which notice a page shows, None when it shows none."""
    metas = _metas(html)
    if "notice" in metas and "digest" in metas:
        return ServedNotice(metas["notice"], metas.get("kind", ""), metas["digest"])
    return None


def feed_ids(feed: bytes) -> list[str]:
    """The ids of a feed's items in their order; RSS, Atom or JSON Feed."""
    if feed.lstrip()[:1] == b"{":
        return _json_ids(feed)
    found = _RSS_ID.findall(feed) or _ATOM_ID.findall(feed)
    return [unescape(each.decode("utf-8", "replace")) for each in found]


def _json_ids(feed: bytes) -> list[str]:
    try:
        items = json.loads(feed).get("items")
    except ValueError:
        return []
    listed = items if isinstance(items, list) else []
    return [str(item["id"]) for item in listed if isinstance(item, dict) and "id" in item]


def _metas(html: bytes) -> dict[str, str]:
    head = html.partition(_HEAD_END)[0]
    return {name.decode(): unescape(value.decode("utf-8", "replace")) for name, value in _META.findall(head)}
