"""Figures and dates in two languages, and the chooser that takes the place of chance."""

from __future__ import annotations

from datetime import date

import pytest

from orchestrator.emulator.newsroom_chance import Chance
from orchestrator.emulator.newsroom_wording import full_date, in_both, read_note, short_date, slug_of, write
from orchestrator.errors import ConfigurationError

CROWNS = ("crowns", "coronas")
DAY = date(2026, 11, 30)


def written(note: str, key: str = "k") -> tuple[str, str]:
    """A value of this note."""
    return write(read_note(note), chance=Chance(key), currency=CROWNS, day=DAY)


@pytest.mark.parametrize(
    ("value", "places", "english", "spanish"),
    [
        (12345, 1, "1,234.5", "1.234,5"),
        (1234567, 0, "1,234,567", "1.234.567"),
        (5, 2, "0.05", "0,05"),
        (40, 1, "4.0", "4,0"),
    ],
)
def test_numbers_follow_the_language(value: int, places: int, english: str, spanish: str) -> None:
    assert in_both(value, places) == (english, spanish)


def all_written(note: str) -> set[tuple[str, str]]:
    """Every value of a short note."""
    return {written(note, str(number)) for number in range(200)}


def test_billions_are_thousands_of_millions_in_spanish() -> None:
    assert all_written("money 4.0..4.1 billion") == {
        ("4 billion crowns", "4 mil millones de coronas"),
        ("4.1 billion crowns", "4.100 millones de coronas"),
    }
    assert all_written("money 0.9..1.0 billion") == {
        ("900 million crowns", "900 millones de coronas"),
        ("1 billion crowns", "1.000 millones de coronas"),
    }
    assert all_written("money 24.5..24.6 million") == {
        ("24.5 million crowns", "24,5 millones de coronas"),
        ("24.6 million crowns", "24,6 millones de coronas"),
    }


def test_percentages_have_a_no_break_space_in_spanish_only() -> None:
    assert all_written("percent 3.9..4.0") == {("3.9%", "3,9\u00a0%"), ("4%", "4\u00a0%")}


def test_amounts_and_counts() -> None:
    assert all_written("amount 12.10..12.11") == {
        ("12.10 crowns", "12,10 coronas"),
        ("12.11 crowns", "12,11 coronas"),
    }
    assert all_written("int 12400..12499") == {("12,400", "12.400")}


def test_dates_are_written_out() -> None:
    assert full_date(date(2026, 5, 1)) == ("1 May 2026", "1 de mayo de 2026")
    assert short_date(DAY) == ("30 November", "30 de noviembre")
    assert all_written("later 1..2") == {
        ("1 December 2026", "1 de diciembre de 2026"),
        ("2 December 2026", "2 de diciembre de 2026"),
    }


@pytest.mark.parametrize(
    "note", ["", "int 5", "int 9..3", "money 1.0..2.0", "percent 1.0..2.0 million", "year 1..2"]
)
def test_a_note_that_says_nothing_is_refused(note: str) -> None:
    with pytest.raises(ConfigurationError):
        read_note(note)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Şternovo ", "sternovo"),
        ("Altınpınar", "altinpinar"),
        ("Ravnsø", "ravnso"),
        ("Peñaluz: 1,200", "penaluz-1-200"),
    ],
)
def test_slugs_are_plain(text: str, slug: str) -> None:
    assert slug_of(text) == slug


def test_the_chooser_answers_the_same_question_the_same_way_for_ever() -> None:
    assert [Chance("seed").below(1000, "a", str(number)) for number in range(4)] == [200, 286, 41, 789]
    assert Chance("seed").under("a").below(1000, "b") == Chance("seed").below(1000, "a", "b")
    assert sorted(Chance("seed").shuffled(range(9), "x")) == list(range(9))
