"""Whatever comes in, validation ends in a report: no answer raises, and every report can be stored and read."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.records import JobStage
from orchestrator.evidence.comparison import compare_texts
from orchestrator.evidence.lexicon import spaced
from orchestrator.evidence.numerals import numerals
from orchestrator.evidence.payload import parse_json
from orchestrator.evidence.report import feedback_of, read_report, report_bytes
from orchestrator.evidence.urls import comparison_key, host_of, refusal
from orchestrator.evidence.validation import Validation, validate
from tests.orchestrator.evidence import samples

SEEDED = settings(max_examples=120, deadline=None, derandomize=True)
TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)  # half characters included
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
SCOUT, PACKAGE = samples.scout_answer(), samples.package()
COMPOSITION = samples.composition_answer(PACKAGE)


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from nodes(inner)


def changed(value: Any, data: st.DataObject) -> Any:
    """A copy with one to three places overwritten, some with text that looks right."""
    fresh = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(list(nodes(fresh))))
        container[key] = data.draw(VALUES)
    return fresh


def body(response: Any) -> bytes:
    return json.dumps(response).encode()


def stands(validation: Validation) -> None:
    stored = report_bytes(validation.report)
    assert read_report(stored) == validation.report
    assert len(feedback_of(validation.report)) <= 20
    assert validation.report.accepted == (validation.code == "VALID")


@SEEDED
@given(st.data())
def test_no_corrupted_research_answer_raises(data: st.DataObject) -> None:
    response = samples.research_response(SCOUT)
    response["output"][1]["content"][0]["text"] = json.dumps(changed(SCOUT, data))
    stands(validate(body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None))


@SEEDED
@given(st.data())
def test_no_corrupted_composition_raises(data: st.DataObject) -> None:
    response = samples.composition_response(changed(COMPOSITION, data))
    stands(validate(body(response), samples.subject(JobStage.COMPOSITION, package=PACKAGE), asked_id=None))


@SEEDED
@given(st.data())
def test_no_corrupted_response_object_raises(data: st.DataObject) -> None:
    response = changed(samples.research_response(SCOUT), data)
    stands(validate(body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None))


@SEEDED
@given(st.binary(max_size=60) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_raise(data: bytes) -> None:
    stands(validate(data, samples.subject(JobStage.RESEARCH_PRIMARY), asked_id="resp_1"))
    parse_json(data)


@SEEDED
@given(TEXT, TEXT)
def test_no_text_raises_in_the_comparison_of_languages(english: str, spanish: str) -> None:
    compare_texts(english, spanish)
    numerals(english, "en")
    numerals(spanish, "es")


WORDS = """
one two a and half hundred thousand million billion dozen dozens of the first second third quarter
percent points $ € US$ % ° C F km miles 5 12 1,500 1.500 2026 18:30 18.30 6 p.m. noon GMT May 3 - –
to from November Monday 30th 1990s century XXI siglo años noventa y media medio mil millones billón
un una uno dos tercio tercera parte primer segundo lunes noviembre de del al las la tarde hora no
not never sin ningún nada alleged presunto según podría could more than menos rose cayó US EE.UU.
NATO OTAN London Madrid Trump “ ” « » . , ( ) killed heridos aged º th 1.º
"""


@settings(max_examples=600, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(sorted(spaced(WORDS))), max_size=14),
    st.lists(st.sampled_from(sorted(spaced(WORDS))), max_size=14),
)
def test_no_order_of_telling_words_raises_in_the_comparison(english: list[str], spanish: list[str]) -> None:
    for glue in (" ", ""):
        comparison = compare_texts(glue.join(english), glue.join(spanish))
        assert all(finding.english or finding.spanish or finding.detail for finding in comparison.findings)


@SEEDED
@given(TEXT | TEXT.map(lambda text: f"https://{text}") | TEXT.map(lambda text: f"https://ex.test/{text}"))
def test_no_address_raises_and_one_that_may_be_cited_has_a_key(url: str) -> None:
    host_of(url)
    assert refusal(url) is not None or comparison_key(url) is not None


def test_a_bomb_of_brackets_inside_an_answer_is_refused_by_name() -> None:
    for depth in (400, 900, 100_000):
        response = samples.response([samples.message("[" * depth + "]" * depth), samples.search_call([])])
        validation = validate(body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None)
        assert validation.code in ("OUTPUT_NOT_JSON", "SCHEMA_MISMATCH")
