"""Who says it, who accuses, who wins: the party beside the verb must be the same in both languages.

Careful: a difference only when each side names parties beside its verb, none in common, and the party of one side
stands elsewhere in the other text, or two of one family (army, rebels) stand in each other's place. Passive voice
and verbs in other numbers are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.evidence.lexicon import Tag, spaced
from orchestrator.evidence.names import Names
from orchestrator.evidence.scan import Scan

REACH_BEFORE, REACH_AFTER = 12, 8  # tokens
_SAYS = {
    "en": spaced("said says say told insisted claimed stated argued maintains added"),
    "es": spaced(
        "dijo dijeron dice dicen afirmó afirmaron aseguró aseguraron señaló señalaron sostuvo sostiene sostienen "
        "sostuvieron declaró declararon indicó indicaron insistió manifestó explicó agregó añadió"
    ),
}
_ACTS = (
    {"en": spaced("accused accuses"), "es": spaced("acusó acusaron acusa acusan")},
    {"en": spaced("beat beats defeated"), "es": spaced("venció vencieron derrotó derrotaron batió superó ganó")},
    {"en": spaced("sued"), "es": spaced("demandó demandaron")},
    {"en": spaced("criticised criticized"), "es": spaced("criticó criticaron")},
)
_PASSIVE = spaced("was were been is are be being by fue fueron sido es son ser")
_STOPS = {".", ";", ":", "”", "»", "“", "«", '"', "!", "?"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two verbs whose parties differ: where they stand, and the parties."""

    english: tuple[int, int]
    spanish: tuple[int, int]
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Party:
    """Somebody or something that can act: what it is, its family, its token."""

    name: str
    family: str
    at: int


def exchanges(left: tuple[Scan, Names], right: tuple[Scan, Names]) -> list[Exchange]:
    """Parties that changed places."""
    here, there = _parties(*left), _parties(*right)
    if not here or not there:
        return []
    found = []
    for verbs, both in ((_SAYS, True), *((acts, False) for acts in _ACTS)):
        one, other = _first(left[0], verbs), _first(right[0], verbs)
        if one is None or other is None:
            continue
        mine, yours = _beside(left[0], here, one, after=both), _beside(right[0], there, other, after=both)
        near = {party.name for side in _around(right[0], there, other) for party in side} if both else set()
        if not near & {party.name for party in mine} and _exchanged(mine, yours, here, there):
            found.append(Exchange(_span(left[0], one), _span(right[0], other), (_named(mine), _named(yours))))
    return found


def _first(found: Scan, verbs: dict[str, frozenset[str]]) -> int | None:
    """The first such verb, unless it is passive."""
    for at, word in enumerate(found.low):
        if word in verbs[found.lang]:
            return None if found.word(at - 1) in _PASSIVE else at
    return None


def _parties(found: Scan, names: Names) -> list[_Party]:
    starts = {token.start: at for at, token in enumerate(found.tokens)}
    parties = [_Party(one.name, "", starts[one.start]) for one in names.known if one.start in starts]
    parties += [_Party(one.letters, "", starts[one.start]) for one in names.strange if one.start in starts]
    for mark in found.all_tagged(Tag.MEMBER):
        family, member = mark.value
        if family == "speaker":
            parties.append(_Party(member, family, mark.first))
    return parties


def _beside(found: Scan, parties: list[_Party], verb: int, *, after: bool) -> list[_Party]:
    """The parties before the verb in its clause; where there are none and the verb may lead, those behind it."""
    before, behind = _around(found, parties, verb)
    return behind if after and not before else before


def _around(found: Scan, parties: list[_Party], verb: int) -> tuple[list[_Party], list[_Party]]:
    first, last = verb, verb
    while first > 0 and verb - first < REACH_BEFORE and not _stops(found, first - 1, first):
        first -= 1
    while last + 1 < len(found.tokens) and last - verb < REACH_AFTER and not _stops(found, last, last + 1):
        last += 1
    before = [party for party in parties if first <= party.at < verb]
    return before, [party for party in parties if verb < party.at <= last]


def _stops(found: Scan, left: int, right: int) -> bool:
    return any(mark in _STOPS for mark in found.gap(left, right))


def _exchanged(mine: list[_Party], yours: list[_Party], here: list[_Party], there: list[_Party]) -> bool:
    names, others = {party.name for party in mine}, {party.name for party in yours}
    if not names or not others or names & others:
        return False
    crossed = names & {party.name for party in there} and others & {party.name for party in here}
    families = {party.family for party in mine} & {party.family for party in yours} - {""}
    return bool(crossed) or (bool(families) and bool(others & {party.name for party in here}))


def _named(parties: list[_Party]) -> str:
    return " ".join(dict.fromkeys(party.name for party in parties))


def _span(found: Scan, at: int) -> tuple[int, int]:
    return found.tokens[at].start, found.tokens[at].end
