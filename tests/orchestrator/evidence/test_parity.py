"""English and Spanish side by side: what is the same value, what is not, and what is no value at all."""

from __future__ import annotations

import pytest

from orchestrator.evidence.comparison import Verdict, compare_strangers, compare_texts
from orchestrator.evidence.failure import Code
from orchestrator.evidence.numerals import numerals
from orchestrator.evidence.prose import factual_marks, language_of
from tests.orchestrator.evidence.agency_pairs import SAME


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
    assert compare_texts(english, spanish).findings == ()


@pytest.mark.parametrize(
    ("english", "spanish", "code"),
    [
        ("1.5", "1.500", Code.PARITY_NUMBER),
        ("22.10", "2210", Code.PARITY_NUMBER),
        ("2.0001", "20001", Code.PARITY_NUMBER),
        ("1,234", "1,23", Code.PARITY_NUMBER),
        ("4.2 million people", "4,2 mil millones de personas", Code.PARITY_NUMBER),
        ("a billion people", "un billón de personas", Code.PARITY_NUMBER),
        ("3 people", "personas", Code.PARITY_NUMBER),
        ("12%", "21 %", Code.PARITY_PERCENTAGE),
        ("2 percentage points", "2 %", Code.PARITY_PERCENTAGE),
        ("25 basis points", "25 puntos porcentuales", Code.PARITY_PERCENTAGE),
        ("5 million dollars", "5 millones de euros", Code.PARITY_MONEY),
        ("$4.2 billion", "4,2 billones de dólares", Code.PARITY_MONEY),
        ("November 30, 2026", "29 de noviembre de 2026", Code.PARITY_DATE),
        ("November 30, 2026", "30 de octubre de 2026", Code.PARITY_DATE),
        ("on Monday", "el martes", Code.PARITY_DATE),
        ("6:02 a.m.", "18:02", Code.PARITY_TIME),
    ],
)
def test_a_different_value_is_found_by_its_kind(english: str, spanish: str, code: Code) -> None:
    assert code in {finding.code for finding in compare_texts(english, spanish).findings}


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


@pytest.mark.parametrize(("english", "spanish"), SAME)
def test_agency_copy_that_says_the_same_is_not_refused(english: str, spanish: str) -> None:
    assert compare_strangers(english, spanish).findings == ()


@pytest.mark.parametrize(
    ("english", "spanish", "code"),
    [
        ("a fund of 5 to 7 million dollars", "un fondo de 5 a 7 millones de euros", Code.PARITY_MONEY),
        ("10,500 pesos", "10 mil 600 pesos", Code.PARITY_MONEY),
        ("ran for 60 miles", "corrió 60 kilómetros", Code.PARITY_UNIT),
        ("waited 3 weeks", "esperó 3 meses", Code.PARITY_UNIT),
        ("12 people were killed and 34 injured", "34 personas murieron y 12 resultaron heridas", Code.PARITY_UNIT),
        ("half of them left", "un tercio de ellos se fue", Code.PARITY_NUMBER),
        ("in the 19th century", "en el siglo XVIII", Code.PARITY_DATE),
        ("in the 1920s", "en los años treinta", Code.PARITY_DATE),
        ("at 3 p.m. GMT", "a las 16.00 GMT", Code.PARITY_TIME),
        ("more than 500 people", "casi 500 personas", Code.PARITY_NUMBER),
        ("thousands of people marched", "cientos de personas marcharon", Code.PARITY_NUMBER),
        ("He flew to London.", "Voló a Lisboa.", Code.PARITY_NAME),
        ("He works for NATO.", "Trabaja para la ONU.", Code.PARITY_NAME),
        ("Spain voted for it.", "Francia votó a favor.", Code.PARITY_NAME),
        ("President Ana Torres spoke.", "Habló la presidenta Ana Vidal.", Code.PARITY_NAME),
        ("The alleged thief fled.", "El ladrón huyó.", Code.PARITY_HEDGE),
        ("It could rain.", "Va a llover.", Code.PARITY_HEDGE),
        ("He left.", "Al parecer se marchó.", Code.PARITY_HEDGE),
        ("He did not leave.", "Se marchó.", Code.PARITY_NEGATION),
        ("He left.", "No se marchó.", Code.PARITY_NEGATION),
        ("It did not fail.", "Falló.", Code.PARITY_NEGATION),
        ("The bridge is closed, according to the town.", "El puente está cerrado.", Code.PARITY_ATTRIBUTION),
        ("“We will stay here,” she said.", "Dijo que se quedarán aquí.", Code.PARITY_QUOTE),
        ("Prices rose sharply.", "Los precios cayeron con fuerza.", Code.PARITY_OPPOSITE),
        ("The bridge opened.", " ", Code.PARITY_MISSING),
    ],
)
def test_what_a_reader_would_be_misled_by_is_found(english: str, spanish: str, code: Code) -> None:
    comparison = compare_texts(english, spanish)
    assert comparison.verdict is Verdict.DIFFER
    assert code in {finding.code for finding in comparison.findings}


def test_nothing_to_compare_is_a_verdict_of_its_own() -> None:
    assert compare_texts("Vision", "Visión").verdict is Verdict.CANNOT_JUDGE
    assert compare_texts("", " ").verdict is Verdict.CANNOT_JUDGE


def test_a_text_is_compared_as_it_is_shown_whatever_its_composition_of_accents() -> None:
    composed, decomposed = "Murió Alena González.", "Murio\u0301 Alena Gonza\u0301lez."
    assert compare_texts("Alena González died.", composed) == compare_texts("Alena González died.", decomposed)
