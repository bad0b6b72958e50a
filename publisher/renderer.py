"""One part of the site into the files that it consists of.

Rules: rendering reads the snapshot and writes nothing; a file that should not be there comes as None. What a
feed says of an edition is remembered by the digests of its blobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, assert_never

from publisher import addresses, feeds, sitemap
from publisher.archive import Archive, Recent, StandingEdition, StandingNotice
from publisher.content import EditionKey
from publisher.feeds import Channel, Item
from publisher.pages import Beside, Overview, Pages, month_grid
from publisher.plan import (
    FrontPage,
    MadePage,
    Maps,
    MonthMap,
    MonthPage,
    Part,
    ProductPage,
    SlotPage,
    Standing,
    YearPage,
    all_months,
)
from publisher.profile import ProductProfile, Profile
from publisher.words import words_of

EARLIER = 7  # what stands under the newest edition: "the last seven days"

Files = Iterator[tuple[str, bytes | None]]


class _Feed(NamedTuple):
    path: str
    channel: Channel


class Renderer:
    """Renders parts of one site. `assets` are the files that it ships, by path."""

    def __init__(self, pages: Pages, profile: Profile, assets: dict[str, bytes]) -> None:
        self._pages = pages
        self._profile = profile
        self._assets = assets
        self._links = addresses.Links(profile)
        self._items: Recent[tuple[str, str, str], Item] = Recent(1024)

    def render(self, part: Part, archive: Archive) -> Files:
        """The files of a part."""
        match part:
            case SlotPage(key):
                return self._slot(key, archive)
            case MadePage(key):
                return self._made(key, archive)
            case MonthPage():
                return self._month(part, archive)
            case YearPage():
                return self._year(part, archive)
            case ProductPage():
                return self._product(part, archive)
            case FrontPage(lang):
                return self._front(lang, archive)
            case MonthMap(year, month):
                return self._month_map(year, month, archive)
            case Maps():
                return self._maps(archive)
            case Standing():
                return self._standing()
            case _:
                assert_never(part)

    def _slot(self, key: EditionKey, archive: Archive) -> Files:
        standing, links = archive.standing(key), self._beside(key, archive)
        match standing:
            case StandingEdition():
                yield self._pages.edition(standing, links)
            case StandingNotice():
                yield self._pages.notice(standing, links)
            case None:
                yield addresses.file_of(addresses.edition(key)), None

    def _made(self, key: EditionKey, archive: Archive) -> Files:
        standing = archive.standing(key)
        if isinstance(standing, StandingEdition):
            yield self._pages.made(standing, self._beside(key, archive))
        else:
            yield addresses.file_of(addresses.made(key)), None

    def _beside(self, key: EditionKey, archive: Archive) -> Beside:
        """The links of a slot. An edition's alternates are editions and a notice's notices, so that they agree."""
        product, own = self._profile.product(key.product), archive.line(key)
        languages = product.languages if product else ()
        same_date = [each for lang in languages if (each := archive.line(replace(key, lang=lang)))]
        same_kind = (each.key for each in same_date if own and each.is_edition == own.is_edition)
        same_dates = tuple(each.key for each in same_date)
        return Beside(same_dates, tuple(same_kind), archive.before(key), archive.after(key))

    def _month(self, part: MonthPage, archive: Archive) -> Files:
        days = archive.days(part.product, part.year, part.month)
        if not days:
            address = addresses.month(part.product, part.lang, part.year, part.month)
            yield addresses.file_of(address), None
            return
        keys = [EditionKey(part.product, f"{part.year:04d}-{part.month:02d}-{day:02d}", part.lang) for day in days]
        lines = [archive.line(key) for key in keys]
        yield self._pages.month(keys[0], list(zip(days, lines, strict=True)))

    def _year(self, part: YearPage, archive: Archive) -> Files:
        months = archive.months(part.product, part.year)
        if not months:
            yield addresses.file_of(addresses.year(part.product, part.lang, part.year)), None
            return
        grid = [month_grid(part.year, each, archive.days(part.product, part.year, each)) for each in months]
        yield self._pages.year(part.product, part.lang, part.year, grid)

    def _product(self, part: ProductPage, archive: Archive) -> Files:
        product = self._profile.product(part.product)
        if product is None:
            return
        yield self._pages.product(part.lang, _overview(product, part.lang, archive))
        items = self._items_of(product, part.lang, archive)
        rss, atom, json_feed = (
            self._channel(part.product, part.lang, addresses.product_feed(part.product, part.lang, name))
            for name in ("feed.xml", "atom.xml", "feed.json")
        )
        yield rss.path, feeds.rss(rss.channel, items, full=True)
        yield atom.path, feeds.atom(atom.channel, items)
        yield json_feed.path, feeds.json_feed(json_feed.channel, items)

    def _front(self, lang: str, archive: Archive) -> Files:
        products = self._profile.products_in(lang)
        yield self._pages.front(lang, [_overview(product, lang, archive) for product in products])
        dated = [
            (standing, replace(item, title=f"{standing.edition.product_title}, {item.title}"))
            for product in products
            for standing, item in self._dated(product, lang, archive)
        ]
        dated.sort(key=lambda pair: pair[0].key.date, reverse=True)
        length = max((product.feed_length for product in products), default=0)
        rss = self._channel("", lang, addresses.language_feed(lang))
        yield rss.path, feeds.rss(rss.channel, [item for _, item in dated[:length]], full=False)

    def _month_map(self, year: int, month: int, archive: Archive) -> Files:
        products = [each for each in self._profile.products if archive.days(each.slug, year, month)]
        pages = [
            (self._links.absolute(address), changed)
            for product in products
            for lang in product.languages
            for address, changed in _month_addresses(MonthPage(product.slug, lang, year, month), archive)
        ]
        yield sitemap.month_file(year, month), sitemap.urlset(pages) if pages else None

    def _maps(self, archive: Archive) -> Files:
        months = [sitemap.month_file(year, month) for year, month in all_months(archive, self._profile)]
        yield sitemap.INDEX, sitemap.index(self._links.absolute(each) for each in [sitemap.PAGES, *months])
        pages = [addresses.ROOT]
        for lang in self._profile.languages:
            pages += [addresses.front(lang), addresses.about(lang)]
            for product in self._profile.products_in(lang):
                pages.append(addresses.product(product.slug, lang))
                pages += [addresses.year(product.slug, lang, year) for year in archive.years(product.slug)]
        yield sitemap.PAGES, sitemap.urlset((self._links.absolute(page), "") for page in pages)

    def _standing(self) -> Files:
        yield self._pages.chooser()
        yield self._pages.missing()
        yield from (self._pages.about(lang) for lang in self._profile.languages)
        yield "robots.txt", sitemap.robots(self._links.absolute(sitemap.INDEX))
        yield ".nojekyll", b""  # the files are finished: a forge must not run a generator over them
        yield from self._assets.items()

    def _items_of(self, product: ProductProfile, lang: str, archive: Archive) -> list[Item]:
        return [item for _, item in self._dated(product, lang, archive)]

    def _dated(self, product: ProductProfile, lang: str, archive: Archive) -> list[tuple[StandingEdition, Item]]:
        lines = archive.newest(product.slug, lang, product.feed_length, editions_only=True)
        standings = (archive.standing(line.key) for line in lines)
        return [(each, self._item(each)) for each in standings if isinstance(each, StandingEdition)]

    def _item(self, standing: StandingEdition) -> Item:
        read = (standing.key.slot, standing.digest, standing.evidence_digest)
        return self._items.get(read, lambda: self._made_item(standing))

    def _made_item(self, standing: StandingEdition) -> Item:
        edition, key = standing.edition, standing.key
        headlines = [event.headline for event in edition.events]
        return Item(
            feed_id=feeds.feed_id(key, self._profile.authority, self._profile.authority_since),
            title=f"{words_of(key.lang).date(key.date)}: {headlines[0]}",
            address=self._links.absolute(addresses.edition(key)),
            summary=" · ".join(headlines),
            html=self._pages.item(standing),
            contents=self._pages.item_contents(standing),
            published_at=edition.published_at,
            revised_at=edition.revised_at,
            lang=key.lang,
        )

    def _channel(self, product: str, lang: str, path: str) -> _Feed:
        """The feed at `path`, of a product or, when it is empty, of all of them."""
        profile = self._profile
        site = profile.title(lang)
        title = profile.product_title(product, lang) if product else site
        channel = Channel(
            feed_id=feeds.channel_id(product, lang, profile.authority, profile.authority_since),
            title=title,
            description=f"{title}, {site}" if product else title,
            author=profile.identity,
            lang=lang,
            home=self._links.absolute(addresses.product(product, lang) if product else addresses.front(lang)),
            address=self._links.absolute(path),
            empty_at=f"{profile.authority_since}-01-01"[:10] + "T00:00:00.000Z",
        )
        return _Feed(path, channel)


def _overview(product: ProductProfile, lang: str, archive: Archive) -> Overview:
    lines = archive.newest(product.slug, lang, EARLIER + 1)
    newest = lines[0] if lines else None
    editions = archive.newest(product.slug, lang, 1, editions_only=True)
    standing = archive.standing(editions[0].key) if editions else None
    edition = standing if isinstance(standing, StandingEdition) else None
    shown = {each.key for each in [newest, edition] if each}
    earlier = [line for line in lines if line.key not in shown][:EARLIER]
    return Overview(product.slug, newest, edition, earlier, archive.years(product.slug))


def _month_addresses(page: MonthPage, archive: Archive) -> Iterator[tuple[str, str]]:
    yield addresses.month(page.product, page.lang, page.year, page.month), ""
    for day in archive.days(page.product, page.year, page.month):
        key = EditionKey(page.product, f"{page.year:04d}-{page.month:02d}-{day:02d}", page.lang)
        line = archive.line(key)
        if line is not None and line.is_edition:
            yield addresses.edition(key), line.changed
