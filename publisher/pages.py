"""Every page of the site as bytes, from what stands in the archive and the site's profile.

Rules: a page is a function of its arguments; templates come in a jinja2 environment that is passed in, with
autoescape on. Canonical, language and feed links are made here, for every page alike. `dateline:edition` and
`dateline:digest` in an edition page say which blob it shows (the interface of the live verifier).
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jinja2 import Environment

from publisher import addresses
from publisher.archive import Line, StandingEdition, StandingNotice
from publisher.citations import note_numbers, notes_of
from publisher.content import EditionKey
from publisher.edition import Edition, Event
from publisher.markdown import kicker_of
from publisher.profile import Profile
from publisher.prose import safe_url
from publisher.words import Words, language_name, words_of


class Page(NamedTuple):
    """One file of the pages branch."""

    path: str
    body: bytes


class Alternate(NamedTuple):
    """The same page in a language; `address` is None when there is none."""

    lang: str
    name: str
    address: str | None


@dataclass(frozen=True)
class Head:
    """What every page says of itself; `canonical` is False for a page that stands at many addresses."""

    lang: str
    title: str
    address: str
    description: str = ""
    product: str = ""
    others: tuple[Alternate, ...] = ()
    default: str = ""
    metas: tuple[tuple[str, str], ...] = ()
    synthetic: bool = False
    canonical: bool = True


@dataclass(frozen=True)
class Beside:
    """What an edition's or notice's page links to: the same date in other languages, the slots around it."""

    same_date: tuple[EditionKey, ...]
    same_kind: tuple[EditionKey, ...]
    before: EditionKey | None
    after: EditionKey | None


class Shown(NamedTuple):
    """A sentence on a page."""

    text: str
    notes: list[int]


class Run(NamedTuple):
    """Neighbouring sentences of one kind."""

    kind: str
    sentences: list[Shown]


class Month(NamedTuple):
    """A month in the grid of a year: days with a slot, and the weekday (1…7) on which it begins."""

    number: int
    begins: int
    days: list[tuple[int, bool]]


class Overview(NamedTuple):
    """A product on a front page: its newest slot, its newest edition, the slots before, its years."""

    slug: str
    newest: Line | None
    edition: StandingEdition | None
    earlier: list[Line]
    years: list[int]


class Pages:
    """The page builder of one site. `style` and `icon` are paths of the assets."""

    def __init__(self, templates: Environment, profile: Profile, *, style: str, icon: str) -> None:
        self._templates = templates
        self._profile = profile
        self._shared = {
            "links": addresses.Links(profile),
            "at": addresses,
            "profile": profile,
            "style": style,
            "icon": icon,
            "safe_url": safe_url,
            "language_name": language_name,
        }

    def edition(self, standing: StandingEdition, beside: Beside) -> Page:
        """An edition's page."""
        edition, key = standing.edition, standing.key
        words = words_of(key.lang)
        head = Head(
            lang=key.lang,
            title=f"{edition.product_title}, {words.date(key.date)}",
            address=addresses.edition(key),
            description="; ".join(event.headline for event in edition.events[:3]),
            product=key.product,
            others=self._alternates(beside),
            default=self._default(beside),
            metas=(
                ("dateline:edition", f"{key.slot}@{edition.revision}"),
                ("dateline:digest", standing.digest),
            ),
            synthetic=edition.synthetic,
        )
        events = _events(edition, words)
        return self._page("edition", head, key=key, edition=edition, events=events, beside=beside)

    def made(self, standing: StandingEdition, beside: Beside) -> Page:
        """How that edition was made."""
        edition, key = standing.edition, standing.key
        words = words_of(key.lang)
        head = Head(
            lang=key.lang,
            title=f"{words.say.how_made}: {edition.product_title}, {words.date(key.date)}",
            address=addresses.made(key),
            product=key.product,
            others=tuple(
                Alternate(each.lang, language_name(each.lang), addresses.made(each)) for each in beside.same_kind
            ),
            default=addresses.made(beside.same_kind[0]),
            synthetic=edition.synthetic,
        )
        return self._page("made", head, key=key, standing=standing, edition=edition, evidence=standing.evidence)

    def notice(self, standing: StandingNotice, beside: Beside) -> Page:
        """The notice at the edition's address."""
        key, notice = standing.key, standing.notice
        words = words_of(key.lang)
        head = Head(
            lang=key.lang,
            title=f"{notice.product_title}, {words.date(key.date)}",
            address=addresses.edition(key),
            product=key.product,
            others=self._alternates(beside),
            default=self._default(beside),
            metas=(
                ("dateline:notice", f"{key.slot}@{notice.revision}"),
                ("dateline:kind", notice.kind),
                ("dateline:digest", standing.digest),
            ),
            synthetic=notice.synthetic,
        )
        said = words.notices[notice.kind].format(moment=words.moment(notice.at))
        return self._page("notice", head, key=key, notice=notice, said=said, beside=beside)

    def front(self, lang: str, overviews: Sequence[Overview]) -> Page:
        """A language's front page."""
        head = Head(
            lang=lang,
            title=self._profile.title(lang),
            address=addresses.front(lang),
            others=self._fixed_alternates(addresses.front, self._profile.languages),
            default=addresses.ROOT,
            synthetic=any(_is_synthetic(each) for each in overviews),
        )
        return self._page("front", head, overviews=overviews, of_site=True)

    def product(self, lang: str, overview: Overview) -> Page:
        """A publication's own page."""
        head = self._listing(lang, overview.slug, addresses.product, "", synthetic=_is_synthetic(overview))
        return self._page("front", head, overviews=[overview], of_site=False)

    def year(self, product: str, lang: str, year: int, months: Sequence[Month]) -> Page:
        """A year of the archive: a grid of months."""
        said = words_of(lang).say.archive_of.format(year=year)
        head = self._listing(lang, product, lambda slug, each: addresses.year(slug, each, year), said)
        return self._page("year", head, year=year, months=months, said=said)

    def month(self, key: EditionKey, lines: Sequence[tuple[int, Line | None]]) -> Page:
        """A month of the archive, every date that was due; `key` is any slot in it."""
        said = words_of(key.lang).month(key.year, key.month)
        synthetic = any(line.synthetic for _, line in lines if line)
        head = self._listing(
            key.lang,
            key.product,
            lambda slug, each: addresses.month(slug, each, key.year, key.month),
            said,
            synthetic=synthetic,
        )
        return self._page("month", head, key=key, lines=lines, said=said)

    def about(self, lang: str) -> Page:
        """What this site is."""
        head = Head(
            lang=lang,
            title=f"{words_of(lang).say.about}, {self._profile.title(lang)}",
            address=addresses.about(lang),
            others=self._fixed_alternates(addresses.about, self._profile.languages),
            default=addresses.about(self._profile.languages[0]),
        )
        return self._page("about", head)

    def chooser(self) -> Page:
        """The root: which language?"""
        lang = self._profile.languages[0]
        head = Head(
            lang=lang,
            title=self._profile.title(lang),
            address=addresses.ROOT,
            others=self._fixed_alternates(addresses.front, self._profile.languages),
            default=addresses.ROOT,
        )
        return self._page("chooser", head, all_words=self._all_words())

    def missing(self) -> Page:
        """404: the way home, in every language."""
        lang = self._profile.languages[0]
        head = Head(lang=lang, title=f"404, {self._profile.title(lang)}", address="", canonical=False)
        page = self._page("missing", head, all_words=self._all_words())
        return Page("404.html", page.body)

    def item(self, standing: StandingEdition) -> str:
        """An edition's full text for feeds: plain HTML with absolute links."""
        return self._fragment("item", standing, events=_events(standing.edition, words_of(standing.key.lang)))

    def item_contents(self, standing: StandingEdition) -> str:
        """An edition's headlines for feeds, each a link into its page."""
        return self._fragment("item_contents", standing)

    def _fragment(self, template: str, standing: StandingEdition, **values: Any) -> str:
        words = words_of(standing.key.lang)
        return self._templates.get_template(f"{template}.html.j2").render(
            self._shared, words=words, key=standing.key, edition=standing.edition, **values
        )

    def _page(self, template: str, head: Head, **values: Any) -> Page:
        body = self._templates.get_template(f"{template}.html.j2").render(
            self._shared,
            head=head,
            words=words_of(head.lang),
            feeds=self._feeds(head),
            banner=head.synthetic or self._profile.synthetic,
            **values,
        )
        return Page(addresses.file_of(head.address), body.encode())

    def _feeds(self, head: Head) -> list[tuple[str, str, str]]:
        """Feed discovery (type, title, address): the page's own language first, its own product before all."""
        own = [head.lang, *(lang for lang in self._profile.languages if lang != head.lang)]
        product = self._profile.product(head.product) if head.product else None
        feeds: list[tuple[str, str, str]] = []
        for lang in own:
            if product and lang in product.languages:
                title = self._profile.product_title(product.slug, lang)
                feeds += [
                    ("application/rss+xml", title, addresses.product_feed(product.slug, lang)),
                    ("application/atom+xml", title, addresses.product_feed(product.slug, lang, "atom.xml")),
                    ("application/feed+json", title, addresses.product_feed(product.slug, lang, "feed.json")),
                ]
            feeds.append(("application/rss+xml", self._profile.title(lang), addresses.language_feed(lang)))
        return feeds

    def _alternates(self, beside: Beside) -> tuple[Alternate, ...]:
        return tuple(
            Alternate(key.lang, language_name(key.lang), addresses.edition(key)) for key in beside.same_kind
        )

    def _default(self, beside: Beside) -> str:
        return addresses.edition(beside.same_kind[0])

    def _fixed_alternates(self, address: Any, languages: Sequence[str]) -> tuple[Alternate, ...]:
        return tuple(Alternate(lang, language_name(lang), address(lang)) for lang in languages)

    def _listing(self, lang: str, slug: str, address: Any, said: str, *, synthetic: bool = False) -> Head:
        product = self._profile.product(slug)
        languages = product.languages if product else (lang,)
        title = self._profile.product_title(slug, lang)
        return Head(
            lang=lang,
            title=f"{said}, {title}" if said else title,
            address=address(slug, lang),
            product=slug,
            others=self._fixed_alternates(lambda each: address(slug, each), languages),
            default=address(slug, languages[0]),
            synthetic=synthetic,
        )

    def _all_words(self) -> list[Words]:
        return [words_of(lang) for lang in self._profile.languages]


def month_grid(year: int, month: int, days: Sequence[int]) -> Month:
    """The grid of a month in which `days` have a slot."""
    begins, length = calendar.monthrange(year, month)
    return Month(month, begins + 1, [(day, day in days) for day in range(1, length + 1)])


def _is_synthetic(overview: Overview) -> bool:
    shown = [overview.newest, *overview.earlier]
    return any(line.synthetic for line in shown if line)


def _events(edition: Edition, words: Words) -> list[dict[str, Any]]:
    numbers = note_numbers(edition)
    return [
        {
            "number": place + 1,
            "kicker": kicker_of(event, words),
            "headline": event.headline,
            "runs": _runs(event, notes),
            "sources": [(notes[source.source_id], source, safe_url(source.url)) for source in event.sources],
        }
        for place, (event, notes) in enumerate(zip(edition.events, numbers, strict=True))
    ]


def _runs(event: Event, numbers: dict[str, int]) -> list[Run]:
    runs: list[Run] = []
    for sentence in event.sentences:
        shown = Shown(sentence.text, notes_of(sentence.claim_ids, event, numbers))
        if runs and runs[-1].kind == sentence.kind:
            runs[-1].sentences.append(shown)
        else:
            runs.append(Run(sentence.kind, [shown]))
    return runs
