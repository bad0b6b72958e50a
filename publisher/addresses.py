"""Where every page and feed stands, and how links spell it.

Rules: a *path* is a file on the pages branch (`en/daily-brief/2026/11/30/index.html`); an *address* is what
links say. Addresses of pages end in a slash, in canonical, feed, sitemap and internal links alike, and
carry the path of base_url, so that the site works below a folder too.
"""

from __future__ import annotations

from publisher.content import EditionKey
from publisher.profile import Profile

ROOT = ""


def front(lang: str) -> str:
    """A language's front page."""
    return f"{lang}/"


def about(lang: str) -> str:
    """What this site is."""
    return f"{lang}/about/"


def product(slug: str, lang: str) -> str:
    """A publication's own page."""
    return f"{lang}/{slug}/"


def year(slug: str, lang: str, number: int) -> str:
    """A year of the archive."""
    return f"{lang}/{slug}/{number:04d}/"


def month(slug: str, lang: str, in_year: int, number: int) -> str:
    """A month of the archive."""
    return f"{lang}/{slug}/{in_year:04d}/{number:02d}/"


def edition(key: EditionKey) -> str:
    """An edition, or the notice that stands for it."""
    return f"{key.lang}/{key.product}/{key.date.replace('-', '/')}/"


def made(key: EditionKey) -> str:
    """How that edition was made."""
    return f"{edition(key)}made/"


def language_feed(lang: str) -> str:
    """RSS of all publications in a language."""
    return f"{lang}/feed.xml"


def product_feed(slug: str, lang: str, name: str = "feed.xml") -> str:
    """A publication's feed: `feed.xml`, `atom.xml` or `feed.json`."""
    return f"{lang}/{slug}/{name}"


def file_of(page: str) -> str:
    """The file of a page or feed: `en/` is `en/index.html`."""
    return f"{page}index.html" if page == ROOT or page.endswith("/") else page


class Links:
    """How this site's links spell its pages."""

    def __init__(self, profile: Profile) -> None:
        self._base_path = profile.base_path
        self._origin = profile.origin

    def to(self, page: str) -> str:
        """From any page of the site: `/repository/en/`."""
        return f"{self._base_path}/{page}"

    def absolute(self, page: str) -> str:
        """From anywhere: `https://example.org/repository/en/`."""
        return f"{self._origin}{self._base_path}/{page}"
