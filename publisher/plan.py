"""What the site consists of, and which parts of it a change of editions can touch.

Rules: a *part* is the smallest thing rendered at once; rendering it depends only on the snapshot. `affected`
names every part whose bytes a change can alter, so that rendering those gives what rendering all would;
it looks at the months and neighbours of the changed slots and never lists the archive.

- a slot's page: depends on itself, the same date in other languages, its neighbours
- a slot's made page: depends on itself and the same date in other languages
- month, year, product and front pages and feeds: depend on the slots that they show
- sitemaps: one per month; the index and the standing pages' change only when a month begins or ends to exist
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from publisher.archive import Archive
from publisher.content import EditionKey
from publisher.profile import ProductProfile, Profile


@dataclass(frozen=True, slots=True)
class SlotPage:
    """An edition's page, or the notice that stands for it."""

    key: EditionKey


@dataclass(frozen=True, slots=True)
class MadePage:
    """How an edition was made."""

    key: EditionKey


@dataclass(frozen=True, slots=True)
class MonthPage:
    """A month of a product's archive in a language."""

    product: str
    lang: str
    year: int
    month: int


@dataclass(frozen=True, slots=True)
class YearPage:
    """A year of a product's archive in a language."""

    product: str
    lang: str
    year: int


@dataclass(frozen=True, slots=True)
class ProductPage:
    """A product's page and its feeds in a language."""

    product: str
    lang: str


@dataclass(frozen=True, slots=True)
class FrontPage:
    """A language's front page and its feed of all products."""

    lang: str


@dataclass(frozen=True, slots=True)
class MonthMap:
    """The sitemap of a month, all products and languages."""

    year: int
    month: int


@dataclass(frozen=True, slots=True)
class Maps:
    """The index of sitemaps and the sitemap of standing pages."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that only profile and renderer decide: chooser, about, 404, assets, robots."""


Part = SlotPage | MadePage | MonthPage | YearPage | ProductPage | FrontPage | MonthMap | Maps | Standing


def everything(archive: Archive, profile: Profile, *, share: int = 0, shares: int = 1) -> Iterator[Part]:
    """Every part of the site; with `shares` > 1 one of that many disjoint shares, split by month."""
    if share == 0:
        yield Standing()
        yield Maps()
    for product in profile.products:
        for year in archive.years(product.slug):
            if share == 0:
                yield from (YearPage(product.slug, lang, year) for lang in product.languages)
            for month in archive.months(product.slug, year):
                if (year * 12 + month) % shares == share:
                    yield from _month(archive, product, year, month)
    if share == 0:
        yield from (MonthMap(year, month) for year, month in all_months(archive, profile))
        yield from (ProductPage(each.slug, lang) for each in profile.products for lang in each.languages)
        yield from (FrontPage(lang) for lang in profile.languages)


def _month(archive: Archive, product: ProductProfile, year: int, month: int) -> Iterator[Part]:
    for day in archive.days(product.slug, year, month):
        date = f"{year:04d}-{month:02d}-{day:02d}"
        for lang in product.languages:
            yield SlotPage(EditionKey(product.slug, date, lang))
            yield MadePage(EditionKey(product.slug, date, lang))
    yield from (MonthPage(product.slug, lang, year, month) for lang in product.languages)


def all_months(archive: Archive, profile: Profile) -> list[tuple[int, int]]:
    """Every month of any product, oldest first."""
    found = {
        (year, month)
        for product in profile.products
        for year in archive.years(product.slug)
        for month in archive.months(product.slug, year)
    }
    return sorted(found)


def affected(archive: Archive, profile: Profile, keys: Collection[EditionKey]) -> list[Part]:
    """The parts that a change of `keys` can touch, `archive` being the snapshot after it."""
    parts: dict[Part, None] = {}
    for key in sorted(set(keys)):
        product = profile.product(key.product)
        if product is not None:
            parts.update(dict.fromkeys(_touched(archive, product, key)))
    if _months_may_differ(archive, keys):
        parts[Maps()] = None
    return list(parts)


def _touched(archive: Archive, product: ProductProfile, key: EditionKey) -> Iterator[Part]:
    same_date = [EditionKey(key.product, key.date, lang) for lang in product.languages]
    for each in same_date:
        yield SlotPage(each)
        yield MadePage(each)
    if key in same_date:
        yield from (SlotPage(each) for each in (archive.before(key), archive.after(key)) if each)
    for lang in product.languages:
        yield MonthPage(key.product, lang, key.year, key.month)
        yield YearPage(key.product, lang, key.year)
        yield ProductPage(key.product, lang)
        yield FrontPage(lang)
    yield MonthMap(key.year, key.month)


def _months_may_differ(archive: Archive, keys: Collection[EditionKey]) -> bool:
    """False only when each changed month has a day that did not change, so existed before and does now."""
    touched: dict[tuple[str, int, int], set[int]] = {}
    for key in keys:
        touched.setdefault((key.product, key.year, key.month), set()).add(int(key.date[8:]))
    return any(set(archive.days(*month)) <= days for month, days in touched.items())
