"""A story, told from its key alone: the same key gives the same facts to the scout and to the composer.

The key is `<kind>-<city>-<yyyymmdd>-<variant>`; everything else follows from it and the product by hashing.
A story has facts that the scout reports at once and a reserve that supplemental research adds. Each fact is a
claim (a neutral English note) and a sentence in both languages made from the same slots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from orchestrator.contracts.scout import Support
from orchestrator.emulator.newsroom_chance import Chance
from orchestrator.emulator.newsroom_lexicon import City, Kind, Lexicon
from orchestrator.emulator.newsroom_rota import Turn
from orchestrator.emulator.newsroom_wording import Pair, full_date, read_note, short_date, write

CACHED_STORIES = 4096
_KEY = re.compile(r"([a-z0-9-]+)-(\d{8})-(\d{1,3})")
_COLOURS = ("quote", "hedges", "negations", "plain")
_MIXES = ((1, 1), (2, 1), (1, 2), (2, 0), (2, 1), (1, 2))  # (further facts of the kind, shared ones)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: the claim, the sentence in both languages, and the template it was made from."""

    shape: str
    claim: str
    sentence: Pair
    support: Support


@dataclass(frozen=True, slots=True)
class Thought:
    """A sentence of analysis and its template."""

    shape: str
    sentence: Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One event of the invented world. `headlines` begin with the one that the composer uses."""

    key: str
    kind: Kind
    subject: str
    city: City
    organisation: str
    event_date: date
    target_date: date
    headlines: tuple[Pair, ...]
    facts: tuple[Fact, ...]
    reserve: tuple[Fact, ...]
    thoughts: tuple[Thought, ...]
    chance: Chance

    @property
    def lead(self) -> Fact:
        """What happened."""
        return self.facts[0]


@dataclass(frozen=True, slots=True)
class _Person:
    """A name and the Spanish ending of adjectives that describe its bearer."""

    name: str
    female: bool

    @property
    def slots(self) -> dict[str, Pair]:
        return {"oa": ("", "a" if self.female else "o")}


class Storyteller:
    """Tells stories from the fixtures."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._told = lru_cache(maxsize=CACHED_STORIES)(self._tell)

    def key_of(self, turn: Turn, day: date) -> str:
        """The key under which the story of this turn can be told again."""
        return f"{turn.kind}-{turn.city.slug}-{day:%Y%m%d}-{turn.variant}"

    def tell(self, product: str, key: str) -> Story | None:
        """The story, or None for a key that this newsroom never gave out."""
        return self._told(product, key)

    def _tell(self, product: str, key: str) -> Story | None:
        match = _KEY.fullmatch(key)
        family = self._lexicon.family_of(product)
        if match is None:
            return None
        names, digits, variant = match.groups()
        target = _calendar_day(digits)
        name = next((kind for kind in family.kinds if names.startswith(f"{kind}-")), "")
        city = self._lexicon.cities.get(names.removeprefix(f"{name}-"))
        if not name or city is None or target is None:
            return None
        chance = Chance(self._lexicon.world.seed).under(product, key)
        desk = _Desk(self._lexicon, name=name, kind=family.kinds[name], city=city, target=target, chance=chance)
        return desk.story(key, int(variant))


class _Desk:
    """Where one story is written: its slots, filled once."""

    def __init__(
        self, lexicon: Lexicon, *, name: str, kind: Kind, city: City, target: date, chance: Chance
    ) -> None:
        self._lexicon = lexicon
        self._name, self._kind, self._city, self._target, self._chance = name, kind, city, target, chance
        self._pool = lexicon.pools.pools[kind.pool]
        self._day = target - timedelta(days=chance.below(5, "event") // 3)  # the day itself three times in five
        self._subject = f"{name.replace('-', ' ').capitalize()} in {city.name}"
        names = lexicon.press.organisations.get(kind.organisation, ())
        self._organisation = chance.pick(names, "organisation") if names else ""
        self._person = self._somebody("person")
        self._slots = self._common() | self._drawn(kind.slots, chance.under("slots"))

    def story(self, key: str, variant: int) -> Story:
        """The story in the headline variant that the rota chose."""
        facts = [self._own_fact(number) for number in range(len(self._kind.facts))]
        colours = [self._colour(colour) for colour in self._chance.shuffled(_COLOURS, "colours")]
        own, shared = self._chance.pick(_MIXES, "mix")
        told = (*facts[: 1 + own], *colours[:shared])
        return Story(
            key=key,
            kind=self._kind,
            subject=self._subject,
            city=self._city,
            organisation=self._organisation,
            event_date=self._day,
            target_date=self._target,
            headlines=self._headlines(variant),
            facts=told,
            reserve=tuple(fact for fact in (*colours, *facts) if fact not in told),
            thoughts=self._thoughts(),
            chance=self._chance,
        )

    def _headlines(self, variant: int) -> tuple[Pair, ...]:
        texts = self._kind.headlines
        first = variant % len(texts)
        return tuple(_filled(text, self._slots) for text in (*texts[first:], *texts[:first]))

    def _own_fact(self, number: int) -> Fact:
        sentence = _filled(self._kind.facts[number], self._slots | self._person.slots)
        claim = sentence[0] if number == 0 else self._noted(sentence[0])
        return Fact(f"{self._name}/{number}", claim, sentence, Support.DIRECT)

    def _colour(self, colour: str) -> Fact:
        if colour == "quote":
            return self._quotation()
        texts: tuple[Pair, ...] = getattr(self._pool, colour)
        number = self._chance.below(len(texts), colour)
        notes = {
            name: note for name, note in self._lexicon.pools.slots.items() if f"{{{name}}}" in texts[number][0]
        }
        shared = self._drawn(notes, self._chance.under(colour))
        sentence = _filled(texts[number], self._slots | shared)
        support = Support.ATTRIBUTED if colour == "hedges" else Support.DIRECT
        return Fact(f"{self._kind.pool}/{colour}/{number}", self._noted(sentence[0]), sentence, support)

    def _quotation(self) -> Fact:
        role = self._lexicon.people.roles[self._chance.pick(self._kind.roles, "role")]
        speaker = self._somebody("speaker")
        quote = self._chance.pick(self._lexicon.pools.quotes[role.voice], "quote")
        number = self._chance.below(len(self._lexicon.pools.speech), "speech")
        slots = {
            "quote": quote,
            "name": (speaker.name, speaker.name),
            "role": (role.en, role.female if speaker.female else role.male),
        }
        text = self._lexicon.pools.speech[number].pair
        sentence = _filled(text, self._slots | slots | speaker.slots)
        return Fact(f"speech/{number}", self._noted(sentence[0]), sentence, Support.ATTRIBUTED)

    def _thoughts(self) -> tuple[Thought, ...]:
        own = self._chance.below(len(self._kind.analysis), "own thought")
        shared = self._chance.below(len(self._pool.analysis), "shared thought")
        return (
            Thought(f"{self._name}/analysis/{own}", self._kind.analysis[own]),
            Thought(f"{self._kind.pool}/analysis/{shared}", self._pool.analysis[shared]),
        )

    def _noted(self, sentence: str) -> str:
        """A claim that can be checked alone: it says which event it is about."""
        return f"{self._subject}: {sentence}"

    def _somebody(self, why: str) -> _Person:
        people = self._lexicon.people
        female = self._chance.below(2, why, "gender") == 0
        given = self._chance.pick(people.female if female else people.male, why, "given")
        return _Person(f"{given} {self._chance.pick(people.surnames, why, 'surname')}", female)

    def _common(self) -> dict[str, Pair]:
        same = {
            "city": self._city.name,
            "country": self._city.country,
            "person": self._person.name,
            "org": self._organisation,
        }
        dates = {"date": full_date(self._day), "day": short_date(self._day)}
        return {name: (text, text) for name, text in same.items()} | dates

    def _drawn(self, notes: Mapping[str, str], chance: Chance) -> dict[str, Pair]:
        return {
            name: write(read_note(note), chance=chance.under(name), currency=self._city.currency, day=self._day)
            for name, note in notes.items()
        }


def _filled(text: Pair, slots: Mapping[str, Pair]) -> Pair:
    english = text[0].format_map({name: pair[0] for name, pair in slots.items()})
    spanish = text[1].format_map({name: pair[1] for name, pair in slots.items()})
    return english, spanish


def _calendar_day(digits: str) -> date | None:
    try:
        return date.fromisoformat(digits)
    except ValueError:
        return None
