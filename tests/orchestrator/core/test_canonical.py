"""The canonical form: the same value, the same bytes, whatever way it was written down."""

from __future__ import annotations

import hashlib
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.canonical import SetLike, canonical_bytes, digest, digest_bytes, fingerprint
from orchestrator.core.states import JobState

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
safe_ints = st.integers(-(2**53) + 1, 2**53 - 1)
safe_floats = st.floats(-(2.0**53) + 1, 2.0**53 - 1)  # beyond, a whole float is written like a refused integer
scalars = st.none() | st.booleans() | safe_ints | safe_floats | texts
ascii_keys = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_keys, inner, max_size=4)
)


@given(values)
def test_reading_the_form_back_gives_the_same_form(value: object) -> None:
    form = canonical_bytes(value)
    assert canonical_bytes(json.loads(form)) == form


@given(st.dictionaries(ascii_keys, values, max_size=5))
def test_the_order_of_keys_means_nothing(value: dict[str, object]) -> None:
    assert canonical_bytes(dict(reversed(value.items()))) == canonical_bytes(value)


@given(texts)
def test_text_is_the_same_in_any_unicode_form_and_with_any_line_ending(text: str) -> None:
    dos = text.replace("\r", "").replace("\n", "\r\n")
    unix = text.replace("\r", "")
    assert canonical_bytes(unicodedata.normalize("NFD", dos)) == canonical_bytes(unix)


@given(st.lists(values, max_size=5))
def test_the_order_and_repetition_of_a_set_mean_nothing(items: list[object]) -> None:
    assert canonical_bytes(SetLike([*reversed(items), *items])) == canonical_bytes(SetLike(items))


def test_the_order_of_an_array_means_something() -> None:
    assert canonical_bytes(["b", "a"]) == b'["b","a"]'
    assert canonical_bytes(frozenset({"b", "a"})) == canonical_bytes({"b", "a"}) == b'["a","b"]'


def test_the_form_is_the_one_of_rfc_8785() -> None:
    value = {"\u20ac": 1, "1": 1e30, "literals": [None, True, False], "n": [1.0, 0.000001, -0.0]}
    assert canonical_bytes(value) == ('{"1":1e+30,"literals":[null,true,false],"n":[1,0.000001,0],"€":1}'.encode())


def test_a_named_state_is_its_text() -> None:
    assert canonical_bytes({"state": JobState.QUEUED}) == b'{"state":"QUEUED"}'


@pytest.mark.parametrize("value", [b"x", object(), {1: "a"}, {"a": b"x"}, [1j]])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_bytes(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", {"é": 1, "e\u0301": 2}])
def test_what_has_no_single_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical_bytes(value)


def test_digests_say_what_they_are_and_fingerprints_have_a_domain() -> None:
    contract = {"b": 1, "a": "x"}
    assert digest_bytes(b"abc") == "sha256:" + hashlib.sha256(b"abc").hexdigest()
    assert digest(contract) == digest_bytes(b'{"a":"x","b":1}')
    expected = hashlib.sha256(b'dateline-response-v1{"a":"x","b":1}').hexdigest()
    assert fingerprint(contract) == expected
