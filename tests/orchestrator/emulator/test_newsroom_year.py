"""A year of both products: variety, and no headline twice. Every answer of the year is made once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

import pytest

from orchestrator.contracts.composition import ComposedEvent, CompositionAnswer, LanguageVersion
from orchestrator.contracts.package import EvidencePackage
from orchestrator.core.policy import CompositionPolicy
from orchestrator.emulator.newsroom import SyntheticNewsroom, load_newsroom
from orchestrator.emulator.newsroom_story import Story
from orchestrator.emulator.newsroom_wording import MONTHS_EN, MONTHS_ES
from orchestrator.evidence.composition_checks import composition_failures
from tests.orchestrator.emulator.test_newsroom import FIXTURES, PRODUCTS, composed, packed, scouted, scouting

DAYS = 365
FIRST = date(2026, 3, 1)
VALIDATED_EVERY = 30  # days; the real validation of a whole year would take as long as the rest of this folder

MONTHS = {"en": MONTHS_EN, "es": MONTHS_ES}
FEATURES = {
    "en": {
        "number": r"\d",
        "money": r"\d (?:million |billion )?(?:crown|franc|peso|dinar|dollar|florin|rupee|shilling)s\b",
        "percentage": r"\d%",
        "date": r"\b\d{1,2} (?:" + "|".join(MONTHS["en"]) + r")\b",
        "quote": r"“[^”]+”",
        "hedge": r"\b(?:reportedly|[Aa]ccording to|alleged)\b",
        "negation": r"\bnot\b",
        "name": r"[a-z,] [A-Z][a-zé]+ [A-Z][a-zé]+",
    },
    "es": {
        "number": r"\d",
        "money": r"\d (?:mil )?(?:millones de )?(?:corona|franco|peso|dinare|dólare|florine|rupia|cheline)s\b",
        "percentage": r"\d\u00a0%",
        "date": r"\b\d{1,2} de (?:" + "|".join(MONTHS["es"]) + r")\b",
        "quote": r"«[^»]+»",
        "hedge": r"\b(?:[Ss]egún|presunt[oa]s?)\b",
        "negation": r"\b[Nn]o\b",
        "name": r"[a-z,] [A-Z][a-zé]+ [A-Z][a-zé]+",
    },
}
PATTERNS = {lang: {name: re.compile(text) for name, text in found.items()} for lang, found in FEATURES.items()}


@dataclass
class Year:
    """What the year came to."""

    headlines: dict[str, Counter[str]] = field(default_factory=lambda: {"en": Counter(), "es": Counter()})
    features: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # product, language, feature
    unequal: list[str] = field(default_factory=list)
    shapes: dict[str, set[str]] = field(default_factory=dict)  # product → templates
    kinds: dict[str, set[str]] = field(default_factory=dict)  # product → kinds of story
    longest: int = 0
    sampled: list[tuple[EvidencePackage, CompositionAnswer]] = field(default_factory=list)


@pytest.fixture(scope="module")
def newsroom() -> SyntheticNewsroom:
    """The newsroom that ships."""
    return load_newsroom(FIXTURES)


@pytest.fixture(scope="module")
def year(newsroom: SyntheticNewsroom) -> Year:
    """Research and composition of all fourteen candidates of every day."""
    found = Year()
    for product in PRODUCTS:
        for number in range(DAYS):
            day = (FIRST + timedelta(days=number)).isoformat()
            package = packed(product, scouted(newsroom, scouting(product, day)))
            answer = composed(newsroom, package)
            _classify(found, product, [newsroom.storyteller.tell(product, e.event_key) for e in package.events])
            if number % VALIDATED_EVERY == 0:
                found.sampled.append((package, answer))
            _read(found, product, answer)
    return found


def _read(year: Year, product: str, answer: CompositionAnswer) -> None:
    seen: set[tuple[str, str]] = set()
    for event in answer.events:
        for lang, version in (("en", event.english), ("es", event.spanish)):
            year.headlines[lang][version.headline] += 1
            year.longest = max(year.longest, len(version.headline))
            text = _text(version)
            seen |= {(lang, name) for name, pattern in PATTERNS[lang].items() if pattern.search(text)}
        year.unequal += _unequal(event)
    year.features.update((product, *feature) for feature in seen)


def _classify(year: Year, product: str, stories: Iterable[Story | None]) -> None:
    shapes, kinds = year.shapes.setdefault(product, set()), year.kinds.setdefault(product, set())
    for story in stories:
        assert story is not None
        shapes.update(fact.shape for fact in story.facts)
        shapes.update(thought.shape for thought in story.thoughts)
        kinds.add(story.subject.rpartition(" in ")[0])


def _text(version: LanguageVersion) -> str:
    return " ".join((version.headline, *(sentence.text for sentence in version.sentences)))


def _unequal(event: ComposedEvent) -> Iterator[str]:
    """Sentences whose figures, marks or names differ between the languages: this test's own parity."""
    pairs = [(event.english.headline, event.spanish.headline)]
    pairs += [(e.text, s.text) for e, s in zip(event.english.sentences, event.spanish.sentences, strict=True)]
    for english, spanish in pairs:
        same_marks = all(
            len(PATTERNS["en"][name].findall(english)) == len(PATTERNS["es"][name].findall(spanish))
            for name in ("money", "percentage", "date", "quote", "hedge", "negation")
        )
        if (
            not same_marks
            or _figures(english, "en") != _figures(spanish, "es")
            or _months(english) != _months(spanish)
        ):
            yield f"{english} | {spanish}"


_FIGURE = {
    "en": re.compile(r"(\d[\d,]*(?:\.\d+)?)(?: (million|billion))?"),
    "es": re.compile(r"(\d[\d.]*(?:,\d+)?)(?: (millones|mil millones))?"),
}
_SCALE = {"": 1, "million": 10**6, "billion": 10**9, "millones": 10**6, "mil millones": 10**9}


def _figures(text: str, lang: str) -> list[Decimal]:
    """Every figure as an exact value, sorted: locale and scale words taken out."""
    group, point = (",", ".") if lang == "en" else (".", ",")
    found = (match.groups("") for match in _FIGURE[lang].finditer(text))
    return sorted(
        Decimal(digits.rstrip(",.").replace(group, "").replace(point, ".")) * _SCALE[scale]
        for digits, scale in found
    )


_MONTH_NUMBER = {name: number for names in MONTHS.values() for number, name in enumerate(names)}
_MONTH = re.compile(r"\b(?:" + "|".join(_MONTH_NUMBER) + r")\b")


def _months(text: str) -> list[int]:
    return [_MONTH_NUMBER[word] for word in _MONTH.findall(text)]


def test_no_headline_comes_back_in_either_language(year: Year) -> None:
    for lang in ("en", "es"):
        assert [headline for headline, times in year.headlines[lang].items() if times > 1] == []
        assert len(year.headlines[lang]) == DAYS * len(PRODUCTS) * 14


def test_figures_marks_and_months_are_the_same_in_both_languages(year: Year) -> None:
    assert year.unequal[:5] == []


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("feature", sorted(FEATURES["en"]))
def test_every_feature_stands_in_many_editions(year: Year, product: str, lang: str, feature: str) -> None:
    assert year.features[product, lang, feature] >= 30


@pytest.mark.parametrize("product", PRODUCTS)
def test_stories_come_in_many_kinds_and_shapes(year: Year, product: str) -> None:
    """Every template has both languages, so the shapes are those of each."""
    assert len(year.kinds[product]) >= 40
    assert len(year.shapes[product]) >= 12


def test_headlines_fit_on_a_line(year: Year) -> None:
    assert year.longest <= 105


def test_sampled_compositions_pass_the_real_validation(year: Year) -> None:
    policy = CompositionPolicy(sentences_min=3, sentences_max=5)
    for package, answer in year.sampled:
        assert composition_failures(answer, package, policy) == []
