"""The newsroom's fixtures as frozen values: places, people, press, story kinds, shared sentences.

Rules, checked while reading:
* the two languages of a pair use the same slots, so a figure cannot be in one and not in the other
  ({oa} is the Spanish ending of a person's adjective and has no English side);
* a headline names its city, and its other slots stand in the story's lead;
* the number of kinds of a family is prime: the rota needs it to give every kind a turn in every region.

Errors: ConfigurationError that names the file and the entry.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.emulator.newsroom_wording import Pair, read_note, slug_of
from orchestrator.errors import ConfigurationError

FAMILIES = ("daily-brief", "revolution-watch")
"""Product families; a product with another name is served by the first."""


class Entry(BaseModel):
    """Base of what the files hold: closed and frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Kind(Entry):
    """One kind of story. The first fact is the lead."""

    topics: tuple[str, ...] = Field(min_length=1)
    pool: str
    office: str
    roles: tuple[str, ...] = Field(min_length=1)
    organisation: str = ""
    slots: Mapping[str, str]
    headlines: tuple[Pair, ...] = Field(min_length=2)
    facts: tuple[Pair, ...] = Field(min_length=3)
    analysis: tuple[Pair, ...] = Field(min_length=1)


class Pool(Entry):
    """Sentences that fit every story of the kinds that name it."""

    hedges: tuple[Pair, ...] = Field(min_length=2)
    negations: tuple[Pair, ...] = Field(min_length=2)
    plain: tuple[Pair, ...] = Field(min_length=2)
    analysis: tuple[Pair, ...] = Field(min_length=2)


class Translated(Entry):
    """One text in both languages, by name."""

    en: str
    es: str

    @property
    def pair(self) -> Pair:
        """English, Spanish."""
        return self.en, self.es


class Pools(Entry):
    """pools.toml."""

    slots: Mapping[str, str]
    speech: tuple[Translated, ...] = Field(min_length=2)
    quotes: Mapping[str, tuple[Pair, ...]]
    pools: Mapping[str, Pool]


class Role(Entry):
    """What somebody is, as an apposition; the voice picks the quotations that fit."""

    voice: str
    en: str
    female: str
    male: str


class People(Entry):
    """people.toml."""

    female: tuple[str, ...]
    male: tuple[str, ...]
    surnames: tuple[str, ...]
    roles: Mapping[str, Role]


class Publisher(Entry):
    """A newsroom that reports."""

    name: str
    domain: str
    language: str


class Office(Entry):
    """A primary source; names, domains and titles have slots."""

    name: str
    domain: str
    titles: tuple[str, ...] = Field(min_length=1)


class Press(Entry):
    """press.toml."""

    organisations: Mapping[str, tuple[str, ...]]
    publishers: tuple[Publisher, ...]
    offices: Mapping[str, Office]


class Area(Entry):
    """A part of the world and the codes that requests may use for it."""

    code: str
    aliases: tuple[str, ...]
    countries: Mapping[str, tuple[str, ...]]


class World(Entry):
    """world.toml."""

    seed: str
    currencies: tuple[Translated, ...]
    areas: tuple[Area, ...]
    topic_aliases: Mapping[str, tuple[str, ...]]


class Family(Entry):
    """The story kinds of one product family."""

    family: str
    topics: tuple[str, ...]
    kinds: Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class City:
    """A place of the invented world; `spare` ones are kept for supplemental research."""

    name: str
    slug: str
    country: str
    area: str
    currency: Pair
    spare: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All fixtures. `rota` is each family's kinds, topics dealt out evenly."""

    world: World
    people: People
    press: Press
    pools: Pools
    families: Mapping[str, Family]
    rota: Mapping[str, tuple[str, ...]]
    cities: Mapping[str, City]

    def family_of(self, product: str) -> Family:
        """The family that serves this product."""
        return self.families.get(product) or self.families[FAMILIES[0]]


Model = TypeVar("Model", bound=Entry)


def load_lexicon(folder: Path) -> Lexicon:
    """Everything under `folder` (`fixtures/newsroom`), checked."""
    world = _read(folder, "world", World)
    families = {name: _read(folder, name, Family) for name in FAMILIES}
    lexicon = Lexicon(
        world=world,
        people=_read(folder, "people", People),
        press=_read(folder, "press", Press),
        pools=_read(folder, "pools", Pools),
        families=families,
        rota={name: _dealt(family) for name, family in families.items()},
        cities={city.slug: city for city in _cities(world)},
    )
    problems = list(_problems(lexicon))
    if problems:
        raise ConfigurationError("newsroom: " + "\n".join(problems), hint=f"Correct the files in {folder}.")
    return lexicon


def slots_of(text: str) -> frozenset[str]:
    """Names of the slots of a template."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def _read(folder: Path, name: str, model: type[Model]) -> Model:
    path = folder / f"{name}.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        return model.model_validate(data)
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}", hint="The newsroom's fixtures are incomplete.") from error


def _cities(world: World) -> Iterator[City]:
    number = 0
    for area in world.areas:
        for country, names in area.countries.items():
            currency = world.currencies[number % len(world.currencies)].pair
            number += 1
            for name in names:
                yield City(name, slug_of(name), country, area.code, currency, name == names[-1])


def _dealt(family: Family) -> tuple[str, ...]:
    """Kinds in turn of their first topic, so that few days lack a topic."""
    rows = {topic: [n for n, kind in family.kinds.items() if kind.topics[0] == topic] for topic in family.topics}
    # A kind's place is its share of the way through its own topic: topics of every size spread evenly.
    places = [
        ((2 * index + 1) / (2 * len(names)), order, name)
        for order, names in enumerate(rows.values())
        for index, name in enumerate(names)
    ]
    return tuple(name for _, _, name in sorted(places))


def _problems(lexicon: Lexicon) -> Iterator[str]:
    for family in lexicon.families.values():
        count = len(lexicon.rota[family.family])
        if count != len(family.kinds) or any(count % n == 0 for n in range(2, count)):
            yield f"{family.family}: {count} of {len(family.kinds)} kinds have a known topic; a prime number must"
        for name, kind in family.kinds.items():
            if any(other.startswith(f"{name}-") for other in family.kinds):
                yield f"{family.family}: {name}: begins another kind's name, so event keys would be ambiguous"
            yield from (f"{family.family}: {name}: {problem}" for problem in _kind_problems(kind, lexicon))
    for pair in _shared_pairs(lexicon.pools):
        if slots_of(pair[0]) != slots_of(pair[1]) - {"oa"}:
            yield f"pools: slots differ: {pair[0]}"
    for note in lexicon.pools.slots.values():
        read_note(note)


def _kind_problems(kind: Kind, lexicon: Lexicon) -> Iterator[str]:
    known = {"city", "country", "date", "day", "person", *kind.slots} | ({"org"} if kind.organisation else set())
    for pair in (*kind.headlines, *kind.facts, *kind.analysis):
        if slots_of(pair[0]) != slots_of(pair[1]) - {"oa"}:
            yield f"slots differ: {pair[0]}"
        if not slots_of(pair[0]) <= known:
            yield f"unknown slot: {pair[0]}"
    lead = slots_of(kind.facts[0][0])
    for english, _ in kind.headlines:
        if "city" not in slots_of(english) or not slots_of(english) <= lead:
            yield f"a headline names its city and otherwise what the lead says: {english}"
    for note in kind.slots.values():
        read_note(note)
    yield from _reference_problems(kind, lexicon)


def _reference_problems(kind: Kind, lexicon: Lexicon) -> Iterator[str]:
    references = (
        ("pool", kind.pool, lexicon.pools.pools),
        ("office", kind.office, lexicon.press.offices),
        ("organisation", kind.organisation, lexicon.press.organisations),
        *(("role", role, lexicon.people.roles) for role in kind.roles),
    )
    for noun, name, known in references:
        if name and name not in known:
            yield f"unknown {noun}: {name}"
    if kind.office == "organisation" and not kind.organisation:
        yield "an organisation's notice needs an organisation"


def _shared_pairs(pools: Pools) -> Iterator[Pair]:
    yield from (speech.pair for speech in pools.speech)
    for pool in pools.pools.values():
        yield from (*pool.hedges, *pool.negations, *pool.plain, *pool.analysis)
