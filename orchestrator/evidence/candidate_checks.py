"""The candidate layer: each candidate or patch as a whole, and its texts.

Duplicates depend on what came before and are judged while binding (`binder`); the count of the whole answer is
judged in `validation`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

from orchestrator.contracts.scout import Precision
from orchestrator.evidence.dossier import Bench, Dossier, clean_name, clean_title
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.prose import folded
from orchestrator.evidence.safety import record_failures
from orchestrator.evidence.source_checks import parse_date

HEADLINE_CHARS, CLAIM_CHARS, TITLE_CHARS, NAME_CHARS = 400, 600, 500, 200
_SLACK_DAYS = {Precision.DAY: 0, Precision.WEEK: 6, Precision.MONTH: 30}
_QUOTED = re.compile(r"[“\"«][^”\"»]*[”\"»]")
_TEASERS = re.compile(
    r"\A\W*(?:breaking|exclusive|must read|just in|here(?:'s|’s| is) (?:what|why|how)|why you|what you|you won)\b",
    re.IGNORECASE,
)

Check = Callable[[Dossier, Bench], Iterator[Failure]]


def candidate_failures(dossier: Dossier, bench: Bench) -> list[Failure]:
    """Every failure of the candidate as a whole and of its texts."""
    return [failure for check in CHECKS for failure in check(dossier, bench)]


def _target(dossier: Dossier, bench: Bench) -> Iterator[Failure]:
    known = {candidate.candidate_id for candidate in bench.known}
    if dossier.candidate is None and dossier.patch_target not in known:
        yield dossier.place.at("candidate_id").fails(Code.PATCH_TARGET_UNKNOWN)


def _chronology(dossier: Dossier, bench: Bench) -> Iterator[Failure]:
    if dossier.candidate is None:
        return
    place, happened = dossier.place.at("event_date"), parse_date(dossier.candidate.event_date)
    if happened is None:
        yield place.fails(Code.CHRONOLOGY_INVALID, "NO_SUCH_DAY")
        return
    days = bench.scout.window_days + _SLACK_DAYS[dossier.candidate.chronology_precision]
    if happened > bench.target_date:
        yield place.fails(Code.CHRONOLOGY_OUTSIDE_WINDOW, "AFTER_TARGET")
    elif happened < bench.target_date - timedelta(days=days):
        yield place.fails(Code.CHRONOLOGY_OUTSIDE_WINDOW, "TOO_EARLY")


def _codes(dossier: Dossier, bench: Bench) -> Iterator[Failure]:
    """At least one region and topic of the product; others that the scout adds are passed over."""
    if dossier.candidate is None:
        return
    if not set(dossier.candidate.regions) & set(bench.scout.regions):
        yield dossier.place.at("regions").fails(Code.REGION_UNKNOWN)
    if not set(dossier.candidate.topics) & set(bench.scout.topics):
        yield dossier.place.at("topics").fails(Code.TOPIC_UNKNOWN)


def _sized(dossier: Dossier, _bench: Bench) -> Iterator[Failure]:
    for text, place, limit in _texts(dossier):
        if not folded(text):  # nothing but marks says nothing, and has no identity
            yield place.fails(Code.FIELD_EMPTY)
        elif len(text) > limit:
            yield place.fails(Code.FIELD_TOO_LONG)


def _safe(dossier: Dossier, _bench: Bench) -> Iterator[Failure]:
    for text, place, _ in _texts(dossier):
        yield from record_failures(text, place)


def _neutral(dossier: Dossier, _bench: Bench) -> Iterator[Failure]:
    for text, place in _statements(dossier):
        spoken = _QUOTED.sub("", text)
        if "!" in spoken:
            yield place.fails(Code.PUBLICATION_PROSE, "EXCLAMATION")
        elif "?" in spoken:
            yield place.fails(Code.PUBLICATION_PROSE, "QUESTION")
        elif _TEASERS.search(spoken):
            yield place.fails(Code.PUBLICATION_PROSE, "TEASER")


def _statements(dossier: Dossier) -> Iterator[tuple[str, Place]]:
    if dossier.candidate is not None:
        yield dossier.candidate.headline_fact, dossier.place.at("headline_fact")
    for index, claim in enumerate(dossier.claims):
        yield claim.claim, dossier.claim_place(index).at("claim")


def _texts(dossier: Dossier) -> Iterator[tuple[str, Place, int]]:
    """Every free text, as it would be kept, with its place and its longest allowed length."""
    if dossier.candidate is not None:
        yield dossier.candidate.proposed_event_key, dossier.place.at("proposed_event_key"), NAME_CHARS
    for text, place in _statements(dossier):
        yield text, place, HEADLINE_CHARS if place.path.endswith("headline_fact") else CLAIM_CHARS
    for index, source in enumerate(dossier.sources):
        place = dossier.source_place(index)
        yield clean_title(source.title, source.publisher), place.at("title"), TITLE_CHARS
        yield clean_name(source.publisher), place.at("publisher"), NAME_CHARS


CHECKS: tuple[Check, ...] = (_target, _chronology, _codes, _sized, _safe, _neutral)
