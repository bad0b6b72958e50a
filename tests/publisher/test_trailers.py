"""Commit messages: one subject line and trailers that git reads as we wrote them."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher.errors import BadEdition
from publisher.trailers import SUBJECT_CHARS, format_message, one_line, parse_trailers

TEXT = st.text(min_size=1, max_size=60)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=4))
def test_what_is_written_is_read_back(subject: str, values: list[str]) -> None:
    trailers = {f"Name-{place}": one_line(value) or "none" for place, value in enumerate(values)}
    message = format_message(one_line(subject) or "x", trailers.items())
    assert parse_trailers(message.decode()) == trailers


@settings(max_examples=20, deadline=None)
@given(TEXT, TEXT)
def test_git_reads_the_same_trailers(subject: str, value: str) -> None:
    trailers = {"Action": "publish", "Actor": one_line(value) or "none"}
    message = format_message(one_line(subject) or "x", trailers.items())
    command = ["git", "interpret-trailers", "--parse", "--no-divider"]
    said = subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()
    assert said == "".join(f"{name}: {text}\n" for name, text in trailers.items())


@pytest.mark.parametrize("text", ["a\nAction: forged", "a\r\n\r\n---\r\nb", "a\u2028b", "a\u0085b", "\u202eevil"])
def test_a_subject_is_one_line_whatever_it_holds(text: str) -> None:
    message = format_message(text, [("Action", "publish")]).decode()
    assert message.count("\n") == 3
    assert parse_trailers(message) == {"Action": "publish"}


def test_a_long_subject_is_cut_with_an_ellipsis() -> None:
    assert one_line("x" * 500) == "x" * (SUBJECT_CHARS - 1) + "…"


@pytest.mark.parametrize("value", ["", "two\nlines", " lead", "trail ", "nul\0", "a\u2029b"])
def test_a_value_that_is_no_plain_line_is_refused(value: str) -> None:
    with pytest.raises(BadEdition):
        format_message("x", [("Actor", value)])


@pytest.mark.parametrize("subject", ["", " \n ", "\0"])
def test_an_empty_subject_is_refused(subject: str) -> None:
    with pytest.raises(BadEdition):
        format_message(subject, [("Actor", "x")])


@pytest.mark.parametrize(
    "message", ["", "by hand\n", 'Revert "Publish x"\n\nThis reverts commit 0123.\n', "x\n\nno trailers here\n"]
)
def test_other_peoples_messages_have_none(message: str) -> None:
    assert parse_trailers(message) == {}
