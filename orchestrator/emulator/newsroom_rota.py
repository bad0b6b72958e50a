"""Which story kind goes to which city on which day, so that no headline comes back.

Stories are numbered through all days: day × stride + slot. For number n of a family of K kinds (K prime):

    kind   = n mod K          the kind's turn is n div K
    region = n mod R          K and R share no factor, so in R turns a kind visits every region once
    city   = (round + kind) mod cities of the region, where round = turn div R
    headline variant          changes each time the round has been through all cities

A kind therefore meets the same city in the same words only after cities × variants rounds: with the
fixtures and six regions, after more than a year and a half. Consecutive numbers cover every region and,
because kinds are dealt by topic, nearly always every topic; `_covering` sees to the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from orchestrator.emulator.newsroom_chance import Chance
from orchestrator.emulator.newsroom_lexicon import FAMILIES, City, Family, Lexicon
from orchestrator.emulator.newsroom_wording import slug_of

SPARES = 6
"""Stories of a day beyond those asked for: what supplemental research finds."""
LEAST_STRIDE = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One story that is due: what, where, in which words, and the request's codes for it."""

    kind: str
    city: City
    variant: int
    region: str
    topics: tuple[str, ...]


class Rota:
    """The rota of one product under one request's regions and topics."""

    def __init__(self, lexicon: Lexicon, *, product: str, regions: Sequence[str], topics: Sequence[str]) -> None:
        self._family = lexicon.family_of(product)
        self._kinds = lexicon.rota[self._family.family]
        self._chance = Chance(lexicon.world.seed).under("rota", self._family.family)
        self._offset = 0 if product in FAMILIES else self._chance.below(1 << 20, product)
        self._regions = tuple(sorted(set(regions))) or tuple(area.code for area in lexicon.world.areas)
        self._topics = tuple(sorted(set(topics))) or self._family.topics
        self._cities = {
            region: self._chance.shuffled([city for city in cities if not city.spare], "cities")
            for region, cities in _cities_by_region(lexicon, self._regions).items()
        }
        self._spare_cities = {
            region: [city for city in cities if city.spare]
            for region, cities in _cities_by_region(lexicon, self._regions).items()
        }
        self._codes = _topics_by_kind(lexicon, self._family, self._kinds, self._topics)

    def edition(self, day: date, count: int) -> tuple[list[Turn], list[Turn]]:
        """The `count` stories of a day, every region and topic among them, and the day's spare ones."""
        due = list(self._due(day, count))
        return self._covering(due[:count], due[count:])

    def reserve(self, day: date, *, region: str = "", topic: str = "") -> Iterator[Turn]:
        """Further stories from the spare cities, all of this region and topic where one is named."""
        chance = self._chance.under("extra", day.isoformat())
        for kind in chance.shuffled(self._kinds, "kinds"):
            if topic and topic not in self._codes[kind]:
                continue
            where = region if region in self._spare_cities else chance.pick(self._regions, kind, "region")
            city = chance.pick(self._spare_cities[where], kind, where)
            yield Turn(kind, city, self._variant(kind, chance.below(2, kind)), where, self._codes[kind])

    def _due(self, day: date, count: int) -> Iterator[Turn]:
        stride = max(LEAST_STRIDE, count + SPARES)
        first = day.toordinal() * stride + self._offset
        for number in range(first, first + stride):
            yield self._turn(number)

    def _turn(self, number: int) -> Turn:
        turn, place = divmod(number, len(self._kinds))
        region = self._regions[number % len(self._regions)]
        cities = self._cities[region]
        lap = turn // len(self._regions)
        kind = self._kinds[place]
        city = cities[(lap + place) % len(cities)]
        return Turn(kind, city, self._variant(kind, lap // len(cities)), region, self._codes[kind])

    def _variant(self, kind: str, lap: int) -> int:
        return lap % len(self._family.kinds[kind].headlines)

    def _covering(self, chosen: list[Turn], spare: list[Turn]) -> tuple[list[Turn], list[Turn]]:
        """Swaps in what a missing topic needs; where no spare story has it, the last one is filed under it."""
        for topic in self._topics:
            if any(topic in turn.topics for turn in chosen) or not chosen:
                continue
            found = next((turn for turn in spare if topic in turn.topics), None)
            loose = next((n for n in reversed(range(len(chosen))) if _dispensable(chosen, n)), None)
            if found is not None and loose is not None:
                spare[spare.index(found)], chosen[loose] = chosen[loose], found
                continue
            chosen[-1] = replace(chosen[-1], topics=(*chosen[-1].topics, topic))
        return chosen, spare


def _dispensable(chosen: Sequence[Turn], index: int) -> bool:
    """Whether the others have this story's region and all its topics."""
    others = [turn for number, turn in enumerate(chosen) if number != index]
    topics = {topic for turn in others for topic in turn.topics}
    return topics.issuperset(chosen[index].topics) and chosen[index].region in {turn.region for turn in others}


@lru_cache(maxsize=64)
def _code(text: str) -> str:
    return slug_of(text)


def _cities_by_region(lexicon: Lexicon, regions: Sequence[str]) -> dict[str, list[City]]:
    """Areas by code, else by alias, else dealt out; regions that share an area share its cities, not one twice."""
    claims: dict[str, list[str]] = {area.code: [] for area in lexicon.world.areas}
    strangers = []
    for region in regions:
        areas = _areas_called(lexicon, _code(region))
        strangers += [] if areas else [region]
        for area in areas:
            claims[area].append(region)
    free = [area for area, claimants in claims.items() if not claimants] or list(claims)
    for number, region in enumerate(strangers):
        claims[free[number % len(free)]].append(region)
    return _dealt_cities(lexicon, regions, claims)


def _areas_called(lexicon: Lexicon, code: str) -> list[str]:
    exact = [area.code for area in lexicon.world.areas if area.code == code]
    return exact or [area.code for area in lexicon.world.areas if code in area.aliases]


def _dealt_cities(lexicon: Lexicon, regions: Iterable[str], claims: dict[str, list[str]]) -> dict[str, list[City]]:
    found: dict[str, list[City]] = {region: [] for region in regions}
    for area, claimants in claims.items():
        for spare in (False, True):
            cities = [city for city in lexicon.cities.values() if city.area == area and city.spare is spare]
            for number, region in enumerate(claimants):
                found[region].extend(cities[number :: len(claimants)])
    return found


def _topics_by_kind(
    lexicon: Lexicon, family: Family, kinds: Sequence[str], topics: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The request's codes for each kind; codes that nobody knows are dealt out in turn."""
    known = {
        topic: {own for own in family.topics if _code(topic) in (own, *lexicon.world.topic_aliases.get(own, ()))}
        for topic in topics
    }
    strangers = [topic for topic in topics if not known[topic]]
    codes = {}
    for number, kind in enumerate(kinds):
        own = family.kinds[kind].topics
        fitting = [topic for topic in topics if known[topic].intersection(own)]
        fitting += [strangers[number % len(strangers)]] if strangers else []
        codes[kind] = tuple(fitting) or (topics[number % len(topics)],)
    return codes
