"""The source layer: each source on its own, against what the tool returned and what may be cited.

A source that fails here is not bound. An address that the tool never returned (a hallucinated one) costs the
whole candidate: who invents one address cannot be believed about the rest of that event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from orchestrator.contracts.scout import ScoutSource
from orchestrator.evidence import urls
from orchestrator.evidence.dossier import Bench, Dossier
from orchestrator.evidence.failure import Code, Failure, Place

TOO_OLD_DAYS = 365
"""Nobody's news; what is merely stale is a freshness deficit of the candidate."""

_DOMAIN_NAME = re.compile(r"(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})", re.IGNORECASE)

Check = Callable[[ScoutSource, Bench, Place], Iterator[Failure]]


def source_failures(dossier: Dossier, bench: Bench) -> list[Failure]:
    """Every failure of every source of the dossier."""
    return [
        failure
        for index, source in enumerate(dossier.sources)
        for check in CHECKS
        for failure in check(source, bench, dossier.source_place(index))
    ]


def parse_date(text: str) -> date | None:
    """The day, or None where the calendar has no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _acceptable(source: ScoutSource, _bench: Bench, place: Place) -> Iterator[Failure]:
    refusal = urls.refusal(source.url)
    if refusal is not None:
        yield place.at("url").fails(Code.SOURCE_URL_REFUSED, refusal)


def _retrieved(source: ScoutSource, bench: Bench, place: Place) -> Iterator[Failure]:
    if urls.comparison_key(source.url) not in bench.retrieved:
        yield place.at("url").fails(Code.SOURCE_NOT_RETRIEVED, "URL_NOT_RETURNED_BY_TOOL")


def _domain(source: ScoutSource, bench: Bench, place: Place) -> Iterator[Failure]:
    if not urls.in_domains(urls.host_of(source.url), bench.scout.allowed_domains):
        yield place.at("url").fails(Code.SOURCE_DOMAIN_NOT_ALLOWED, "OUTSIDE_CONTRACT")


def _publisher(source: ScoutSource, _bench: Bench, place: Place) -> Iterator[Failure]:
    """A publisher that is given as a domain must be the address's own."""
    named = _DOMAIN_NAME.fullmatch(source.publisher.strip())
    if not source.publisher.strip():
        yield place.at("publisher").fails(Code.SOURCE_PUBLISHER_MISMATCH, "EMPTY")
    elif named and not urls.in_domains(urls.host_of(source.url), (named[1].lower(),)):
        yield place.at("publisher").fails(Code.SOURCE_PUBLISHER_MISMATCH, "OTHER_DOMAIN")


def _dated(source: ScoutSource, bench: Bench, place: Place) -> Iterator[Failure]:
    published = parse_date(source.published_at)
    if published is None:
        yield place.at("published_at").fails(Code.SOURCE_DATE_INVALID, "NO_SUCH_DAY")
    elif published > bench.target_date:
        yield place.at("published_at").fails(Code.SOURCE_AFTER_TARGET)
    elif published < bench.target_date - timedelta(days=TOO_OLD_DAYS):
        yield place.at("published_at").fails(Code.SOURCE_TOO_OLD)


CHECKS: tuple[Check, ...] = (_acceptable, _retrieved, _domain, _publisher, _dated)
