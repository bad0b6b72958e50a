"""Sitemaps and robots.txt (sitemaps.org 0.9).

Rules: one index, one sitemap of the standing pages, one per month of the archive; a month is what one
publication day changes, so that nothing grows with the archive. Addresses are absolute and end as the
pages' own links do.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

INDEX = "sitemap.xml"
PAGES = "sitemap-pages.xml"

_XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


def month_file(year: int, month: int) -> str:
    """The sitemap of a month: `sitemap-2026-11.xml`."""
    return f"sitemap-{year:04d}-{month:02d}.xml"


def index(sitemaps: Iterable[str]) -> bytes:
    """The index of sitemaps at absolute addresses."""
    lines = (f"<sitemap><loc>{escape(address)}</loc></sitemap>" for address in sitemaps)
    return _document("sitemapindex", lines)


def urlset(pages: Iterable[tuple[str, str]]) -> bytes:
    """A sitemap of (absolute address, date of last change or "")."""
    lines = (
        f"<url><loc>{escape(address)}</loc>{f'<lastmod>{changed[:10]}</lastmod>' if changed else ''}</url>"
        for address, changed in pages
    )
    return _document("urlset", lines)


def robots(index_address: str) -> bytes:
    """robots.txt: everything may be read, here is the map."""
    return f"User-agent: *\nAllow: /\n\nSitemap: {index_address}\n".encode()


def _document(element: str, lines: Iterable[str]) -> bytes:
    return "\n".join([_DECLARATION, f"<{element} {_XMLNS}>", *lines, f"</{element}>", ""]).encode()
