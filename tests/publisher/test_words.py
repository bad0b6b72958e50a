"""Words: both languages complete, dates as each language writes them."""

from __future__ import annotations

from dataclasses import fields

from publisher.phrases import ENGLISH, LAYERS, SPANISH, Phrases
from publisher.words import language_name, words_of


def test_dates_are_written_as_each_language_does() -> None:
    english, spanish = words_of("en"), words_of("es")
    assert english.date("2026-11-30") == "Monday, 30 November 2026"
    assert spanish.date("2026-08-01") == "sábado, 1 de agosto de 2026"
    assert (english.month(2026, 11), spanish.month(2026, 11)) == ("November 2026", "noviembre de 2026")
    assert english.moment("2026-11-30T06:02:00.000Z") == "30 November 2026, 06:02 UTC"
    assert spanish.moment("2026-11-30T06:02:00.000Z") == "30 de noviembre de 2026, 06:02 UTC"


def test_a_correction_names_the_day_when_it_was_another() -> None:
    spanish = words_of("es")
    assert spanish.corrected("2026-11-30T09:14:00.000Z", "2026-11-30") == "Corregido a las 09:14 UTC"
    assert spanish.corrected("2026-12-01T09:14:00.000Z", "2026-11-30") == (
        "Corregido el 1 de diciembre de 2026, 09:14 UTC"
    )


def test_every_phrase_is_there_in_both_languages_with_the_same_places_to_fill() -> None:
    for field in fields(Phrases):
        english, spanish = getattr(ENGLISH, field.name), getattr(SPANISH, field.name)
        assert english, field.name
        assert spanish, field.name
        assert [part.count("{") for part in english] == [part.count("{") for part in spanish] or isinstance(
            english, str
        )
        if isinstance(english, str):
            assert english.count("{") == spanish.count("{"), field.name
    assert LAYERS["en"].keys() == LAYERS["es"].keys()


def test_codes_are_names_and_unknown_ones_are_readable() -> None:
    assert words_of("es").name("middle-east") == "Oriente Próximo"
    assert words_of("en").name("deep-sea mining") == "deep sea mining"
    assert words_of("en").reason("FACTUAL_ERROR") == "factual error"
    assert words_of("es").reason("FACTUAL_ERROR") == "error de hecho"


def test_a_language_without_words_of_its_own_speaks_english_with_its_own_dates() -> None:
    german = words_of("de")
    assert german.say is ENGLISH
    assert german.date("2026-11-30") == "Montag, 30. November 2026"
    assert (language_name("es"), language_name("en")) == ("Español", "English")
