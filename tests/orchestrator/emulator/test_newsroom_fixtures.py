"""The fixtures themselves: every template in both languages, every name, every address."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from babel import Locale

from orchestrator.emulator.newsroom_lexicon import Lexicon, load_lexicon, slots_of
from orchestrator.emulator.newsroom_wording import Pair, slug_of
from orchestrator.evidence.prose import factual_marks, language_of
from orchestrator.evidence.quantities import quantities
from tests.orchestrator.emulator.test_newsroom import FIXTURES

HEDGES = (
    (r"\b(?:reportedly|according to)\b", r"\bsegún\b"),
    (r"\balleged(?:ly)?\b", r"\bpresunt[oa]s?\b"),
    (r"\bcould\b", r"\bpodrían?\b"),
    (r"\blikely\b", r"\bprobable\b"),
)
NEGATIONS = (
    r"\b(?:not|no|never|nor|none|nobody|nothing|without|cannot)\b",
    r"\b(?:no|nunca|ni|nadie|nada|sin|ningun[oa]|tampoco)\b",
)


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    """The fixtures that ship."""
    return load_lexicon(FIXTURES)


def pairs(lexicon: Lexicon) -> Iterator[Pair]:
    """Every bilingual template."""
    for family in lexicon.families.values():
        for kind in family.kinds.values():
            yield from (*kind.headlines, *kind.facts, *kind.analysis)
    for pool in lexicon.pools.pools.values():
        yield from (*pool.hedges, *pool.negations, *pool.plain, *pool.analysis)
    yield from (speech.pair for speech in lexicon.pools.speech)
    for quotes in lexicon.pools.quotes.values():
        yield from quotes


def thoughts(lexicon: Lexicon) -> Iterator[Pair]:
    """Every sentence of analysis."""
    for family in lexicon.families.values():
        for kind in family.kinds.values():
            yield from kind.analysis
    for pool in lexicon.pools.pools.values():
        yield from pool.analysis


def bare(text: str) -> str:
    """The template's own words, its slots taken out."""
    return re.sub(r"\{\w+\}", "…", text)


def test_negation_stands_in_both_languages_or_in_neither(lexicon: Lexicon) -> None:
    for english, spanish in pairs(lexicon):
        counts = [len(re.findall(p, bare(t), re.I)) for p, t in zip(NEGATIONS, (english, spanish), strict=True)]
        assert counts[0] == counts[1], (english, spanish)


def test_hedges_stand_in_both_languages_or_in_neither(lexicon: Lexicon) -> None:
    for english, spanish in pairs(lexicon):
        for in_english, in_spanish in HEDGES:
            found = len(re.findall(in_english, english, re.I)), len(re.findall(in_spanish, spanish, re.I))
            assert found[0] == found[1], (english, spanish)


def test_no_template_spells_a_number_in_one_language_only(lexicon: Lexicon) -> None:
    for english, spanish in pairs(lexicon):
        left, right = quantities(bare(english), "en"), quantities(bare(spanish), "es")
        assert [one.values for one in left] == [one.values for one in right], (english, spanish)


def test_analysis_holds_nothing_that_makes_it_a_fact(lexicon: Lexicon) -> None:
    for english, spanish in thoughts(lexicon):
        assert factual_marks(english, "en") == (), english
        assert factual_marks(spanish, "es") == (), spanish
        assert not slots_of(english)


def test_each_side_is_in_its_language(lexicon: Lexicon) -> None:
    for english, spanish in pairs(lexicon):
        assert language_of(bare(english)) in ("en", None), english
        assert language_of(bare(spanish)) in ("es", None), spanish


def test_templates_are_typeset(lexicon: Lexicon) -> None:
    for pair in pairs(lexicon):
        for text in pair:
            assert not re.search(r"[\"'!?]|  |\s[,.;:]|\.\.", bare(text)), text
    for family in lexicon.families.values():
        for kind in family.kinds.values():
            for text in (side for pair in (*kind.facts, *kind.analysis) for side in pair):
                assert text.endswith("."), text
            for text in (side for pair in kind.headlines for side in pair):
                assert not text.endswith("."), text


def test_no_template_stands_twice(lexicon: Lexicon) -> None:
    for family in lexicon.families.values():
        counted = Counter(side for kind in family.kinds.values() for pair in kind.headlines for side in pair)
        assert [text for text, times in counted.items() if times > 1] == []


def test_every_family_has_many_kinds_and_each_topic_several(lexicon: Lexicon) -> None:
    for family in lexicon.families.values():
        assert len(family.kinds) >= 40
        topics = Counter(topic for kind in family.kinds.values() for topic in kind.topics)
        assert set(topics) == set(family.topics)
        assert min(topics.values()) >= 3


def test_countries_and_cities_are_invented_and_distinct(lexicon: Lexicon) -> None:
    countries = {city.country for city in lexicon.cities.values()}
    names = [name for area in lexicon.world.areas for cities in area.countries.values() for name in cities]
    real = {name.casefold() for lang in ("en", "es") for name in Locale(lang).territories.values()}
    assert len(names) == len(set(names)) == len(lexicon.cities)
    assert not {name.casefold() for name in (*countries, *names)} & real
    assert not countries & set(names)


def test_every_publisher_is_on_a_reserved_domain_named_after_it(lexicon: Lexicon) -> None:
    for publisher in lexicon.press.publishers:
        label, _, domain = publisher.domain.partition(".")
        assert label == slug_of(publisher.name)
        assert domain in ("example", "test")
    for office in lexicon.press.offices.values():
        assert office.domain.endswith(".example")


def test_every_voice_and_role_has_something_to_say(lexicon: Lexicon) -> None:
    assert {role.voice for role in lexicon.people.roles.values()} == set(lexicon.pools.quotes)
    used = {role for family in lexicon.families.values() for kind in family.kinds.values() for role in kind.roles}
    assert used == set(lexicon.people.roles)
    assert all(len(quotes) >= 5 for quotes in lexicon.pools.quotes.values())
