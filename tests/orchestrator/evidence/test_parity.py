"""English and Spanish side by side: what is the same value, what is not, and what is no value at all."""

from __future__ import annotations

import pytest

from orchestrator.evidence.numerals import numerals
from orchestrator.evidence.parity import compare
from orchestrator.evidence.prose import factual_marks, language_of
from orchestrator.evidence.quantities import Kind


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("1,234.56", "1.234,56"),
        ("1.5%", "1,5\u00a0%"),
        ("1.5%", "1,5\u202f%"),
        ("1,500", "1.500"),
        ("1,500", "1500"),
        ("1,500", "1\u202f500"),
        ("1,234.56", "1,234.56"),
        ("3.2 percent", "3,2 por ciento"),
        ("0.25 percentage points", "0,25 puntos porcentuales"),
        ("25 basis points", "25 puntos básicos"),
        ("$4.2 billion", "4.200 millones de dólares"),
        ("$4.2 billion", "4,2 mil millones de dólares"),
        ("US$2 trillion", "2 billones de dólares"),
        ("a million euros", "un millón de euros"),
        ("half a million people", "medio millón de personas"),
        ("€1,500", "1.500 €"),
        ("a 5-million-dollar fund", "un fondo de 5 millones de dólares"),
        ("two hundred and five", "doscientos cinco"),
        ("twenty-five", "veinticinco"),
        ("thirty-two", "treinta y dos"),
        ("a thousand people", "mil personas"),
        ("both sides", "ambas partes"),
        ("both sides", "los dos bandos"),
        ("the two sides", "ambos bandos"),
        ("either side", "ambos lados"),
        ("November 30, 2026", "30 de noviembre de 2026"),
        ("30 November 2026", "30 de noviembre del 2026"),
        ("Aug. 1", "1 de agosto"),
        ("August 1", "primero de agosto"),
        ("on Monday", "el lunes"),
        ("June 2026", "junio de 2026"),
        ("6:02 p.m.", "18:02"),
        ("06:02 UTC", "06:02 UTC"),
        ("54–46", "54 a 46"),
        ("COVID-19 and F-16", "la covid y los F-16"),
        ("the 21st century", "el siglo XXI"),
        ("It fell by -3.2%", "Cayó un -3,2 %"),
        ("Tres Mareas struck", "Tres Mareas paró"),
        ("one of them", "uno de ellos"),
    ],
)
def test_the_same_value_in_both_languages_is_no_difference(english: str, spanish: str) -> None:
    assert list(compare(english, spanish)) == []


@pytest.mark.parametrize(
    ("english", "spanish", "kind"),
    [
        ("1.5", "1.500", Kind.NUMBER),
        ("22.10", "2210", Kind.NUMBER),
        ("2.0001", "20001", Kind.NUMBER),
        ("1,234", "1,23", Kind.NUMBER),
        ("4.2 million people", "4,2 mil millones de personas", Kind.NUMBER),
        ("a billion people", "un billón de personas", Kind.NUMBER),
        ("3 people", "personas", Kind.NUMBER),
        ("12%", "21 %", Kind.PERCENTAGE),
        ("2 percentage points", "2 %", Kind.PERCENTAGE),
        ("25 basis points", "25 puntos porcentuales", Kind.PERCENTAGE),
        ("5 million dollars", "5 millones de euros", Kind.MONEY),
        ("$4.2 billion", "4,2 billones de dólares", Kind.MONEY),
        ("November 30, 2026", "29 de noviembre de 2026", Kind.DATE),
        ("November 30, 2026", "30 de octubre de 2026", Kind.DATE),
        ("on Monday", "el martes", Kind.DATE),
        ("6:02 a.m.", "18:02", Kind.DATE),
    ],
)
def test_a_different_value_is_found_by_its_kind(english: str, spanish: str, kind: Kind) -> None:
    assert kind in {found for found, _ in compare(english, spanish)}


def test_a_spanish_comma_before_three_digits_has_two_readings() -> None:
    assert numerals("1,500", "es")[0].values == ("1.5", "1500")
    assert numerals("1.500", "es")[0].values == ("1500",)


@pytest.mark.parametrize(
    ("text", "lang", "mark"),
    [
        ("It rose by 3.", "en", "NUMBER"),
        ("Subió por tres razones.", "es", "NUMBER"),
        ("The vote comes on Monday.", "en", "DATE"),
        ("La votación llega en noviembre.", "es", "DATE"),
        ("The talks in Geneva matter.", "en", "NAME"),
        ("La ONU decide.", "es", "NAME"),
        ("They call it “historic”.", "en", "QUOTE"),
        ("Lo llaman «histórico».", "es", "QUOTE"),
        ("It doesn’t change much.", "en", "NEGATION"),
        ("Nunca cambia mucho.", "es", "NEGATION"),
    ],
)
def test_a_sentence_that_holds_a_fact_is_known_as_one(text: str, lang: str, mark: str) -> None:
    assert mark in factual_marks(text, lang)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("This may make the way shorter for both sides.", "en"),
        ("We march on; there is one way to see it.", "en"),
        ("Esto acorta el camino para ambas partes.", "es"),
        ("¿Y ahora? Un puente une.", "es"),
    ],
)
def test_plain_analysis_holds_no_fact(text: str, lang: str) -> None:
    assert factual_marks(text, lang) == ()


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The bridge was opened by the town in the morning.", "en"),
        ("El puente fue abierto por el municipio en la mañana.", "es"),
        ("Apple Vision Pro 2", None),
        ("Tres Mareas", None),
        ("", None),
    ],
)
def test_a_language_is_named_only_where_there_is_enough_to_judge(text: str, lang: str | None) -> None:
    assert language_of(text) == lang
