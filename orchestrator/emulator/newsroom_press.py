"""The invented press: who published what about a story, at which address, and which searches found it.

Every address is an article on a reserved domain (RFC 2606, RFC 6761), never a home page. Where a request allows
certain domains only, publishers of those domains report; further ones are named after the domain. A list
that holds no reserved domain cannot be served: `reporters` is then empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import gcd

from orchestrator.contracts.scout import ScoutSource, SourceType
from orchestrator.emulator.answers import Search
from orchestrator.emulator.newsroom_chance import Chance
from orchestrator.emulator.newsroom_lexicon import Lexicon, Publisher
from orchestrator.emulator.newsroom_story import Story
from orchestrator.emulator.newsroom_wording import full_date, slug_of

RESERVED = ("example", "test", "invalid", "localhost", "example.com", "example.net", "example.org")
FALLBACK_OFFICE = "government"
ENOUGH_REPORTERS = 4
SLUG_LENGTH = 60
NOISE = 2  # results of a search that have nothing to do with the story


@dataclass(frozen=True, slots=True)
class Page:
    """One page that a search returns."""

    title: str
    publisher: str
    url: str
    published_at: date
    source_type: SourceType

    def as_source(self, ref: str) -> ScoutSource:
        """The page as the contract writes it."""
        return ScoutSource(
            source_ref=ref,
            title=self.title,
            publisher=self.publisher,
            url=self.url,
            published_at=self.published_at.isoformat(),
            source_type=self.source_type,
        )


class Press:
    """The press as one request may use it."""

    def __init__(self, lexicon: Lexicon, allowed: Sequence[str] = ()) -> None:
        self._lexicon = lexicon
        self._allowed = tuple(domain.lower() for domain in allowed)
        self.reporters = self._reporters()

    def pages(self, story: Story, least: int) -> tuple[Page, ...]:
        """The story's two or three pages, each by another publisher; at least `least`, a primary one among them."""
        primary = self._notice(story, story.kind.office)
        reports = max(2 if not primary else 1 + story.chance.below(2, "reports"), least - len(primary))
        return (*primary, *(self._report(story, number) for number in range(reports)))

    def further(self, story: Story, least: int) -> tuple[Page, ...]:
        """Pages that the story did not have: a primary one, and reports by other publishers."""
        known = {page.url for page in self.pages(story, least)}
        office = story.kind.office or FALLBACK_OFFICE
        reports = (self._report(story, number) for number in range(len(self.reporters)))
        found = [*self._notice(story, office), *reports]
        return tuple(page for page in found if page.url not in known)[:2]

    def search(self, story: Story, pages: Sequence[Page]) -> Search:
        """The search that found these pages, among others."""
        others = [self._stray(story.chance, number) for number in range(NOISE)]
        urls = [page.url for page in pages]
        query = f"{story.subject} {story.city.country} {full_date(story.event_date)[0]}"
        return Search(query=query, sources=tuple(story.chance.shuffled([*urls, *others], "results", *urls)))

    def _report(self, story: Story, number: int) -> Page:
        publisher = self._reporter(story.chance, number)
        headline = story.headlines[(number + 1) % len(story.headlines)]
        title = headline[1] if publisher.language == "es" else headline[0]
        late = story.chance.below((story.target_date - story.event_date).days + 1, "late", str(number))
        day = story.event_date + timedelta(days=late)
        tag = story.chance.tag(str(number))
        url = f"https://{publisher.domain}/{day:%Y/%m/%d}/{_slug(title)}-{tag}"
        return Page(title, publisher.name, url, day, SourceType.REPORT)

    def _reporter(self, chance: Chance, number: int) -> Publisher:
        """The story's reporter of this number; the first `len(reporters)` numbers give each of them once."""
        count = len(self.reporters)
        steps = [step for step in range(1, count + 1) if gcd(step, count) == 1]
        return self.reporters[(chance.below(count, "reporter") + number * chance.pick(steps, "step")) % count]

    def _notice(self, story: Story, office_name: str) -> tuple[Page, ...]:
        """The actor's own page; empty where the kind has no such actor or its domain is not allowed."""
        office = self._lexicon.press.offices.get(office_name)
        if office is None:
            return ()
        words = {"country": story.city.country, "city": story.city.name, "org": story.organisation}
        domain = office.domain.format_map({name: slug_of(word) for name, word in words.items()})
        if not self._permits(domain):
            return ()
        words["date"] = full_date(story.event_date)[0]
        title = story.chance.pick(office.titles, "notice").format_map(words)
        url = f"https://{domain}/notices/{story.event_date.year}/{_slug(title)}-{story.chance.tag('notice')}"
        return (Page(title, office.name.format_map(words), url, story.event_date, SourceType.PRIMARY),)

    def _stray(self, chance: Chance, number: int) -> str:
        publisher = chance.pick(self.reporters, "stray", str(number))
        return f"https://{publisher.domain}/archive/{chance.tag('stray', str(number))}/a-look-back"

    def _reporters(self) -> tuple[Publisher, ...]:
        ours = [one for one in self._lexicon.press.publishers if self._permits(one.domain)]
        if len(ours) < ENOUGH_REPORTERS:
            ours += [_named_after(domain) for domain in self._allowed if _reserved(domain)]
        return tuple({one.domain: one for one in reversed(ours)}.values())

    def _permits(self, domain: str) -> bool:
        return not self._allowed or any(domain == one or domain.endswith(f".{one}") for one in self._allowed)


def _named_after(domain: str) -> Publisher:
    label = domain.removeprefix("www.").partition(".")[0]
    return Publisher(name=label.replace("-", " ").title(), domain=domain, language="en")


def _reserved(domain: str) -> bool:
    return any(domain.endswith(f".{name}") or domain == name for name in RESERVED)


def _slug(title: str) -> str:
    return slug_of(title)[:SLUG_LENGTH].rstrip("-")
