"""Every code has words, and times and spans read as a person expects."""

from __future__ import annotations

from datetime import timedelta, timezone
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from orchestrator.core.instants import parse_rfc3339
from orchestrator.core.observations import Phase
from orchestrator.core.public import NextAction
from orchestrator.core.states import Event, JobState, Reason
from orchestrator.desk import remedies, words
from orchestrator.desk.clockface import Clockface, span
from orchestrator.desk.explaining import amount

NOW_MS = parse_rfc3339("2026-11-30T05:00:00.000Z")
MADRID = Clockface(NOW_MS, ZoneInfo("Europe/Madrid"))


@pytest.mark.parametrize(
    ("table", "codes"),
    [
        (words.STATES, JobState),
        (words.REASONS, Reason),
        (words.EVENTS, Event),
        (words.ACTIONS, NextAction),
        (words.PHASES, Phase),
        (remedies.SAFE, JobState),
        (remedies.HEALS, Reason),
    ],
)
def test_every_member_of_an_enum_has_words(table: Any, codes: type[StrEnum]) -> None:
    assert set(table) == set(codes)


def test_instants_are_shown_in_the_operators_zone_with_the_offset() -> None:
    at_ms = parse_rfc3339("2026-11-30T04:51:58.400Z")
    assert MADRID.full(at_ms) == "2026-11-30 05:51:58 +01:00"
    assert MADRID.brief(at_ms) == "05:51 +01:00"
    assert MADRID.second(at_ms) == "05:51:58"
    assert MADRID.offset() == "+01:00"
    assert Clockface(NOW_MS, timezone(-timedelta(hours=5))).brief(at_ms) == "2026-11-29 23:51 -05:00"


def test_another_day_is_shown_with_its_date_and_its_own_offset() -> None:
    summer_ms = parse_rfc3339("2026-07-01T04:00:00.000Z")
    assert MADRID.brief(summer_ms) == "2026-07-01 06:00 +02:00"
    assert MADRID.second(summer_ms) == "2026-07-01 06:00:00"


def test_what_is_due_is_now_and_what_is_not_has_a_span() -> None:
    assert [MADRID.until(at) for at in (NOW_MS - 1, NOW_MS, NOW_MS + 41_000, None)] == [
        "now",
        "now",
        "in 41 s",
        "—",
    ]
    assert MADRID.since(NOW_MS - 41 * 60_000) == "41 min"


@pytest.mark.parametrize(
    ("of_ms", "said"),
    [
        (0, "0 s"),
        (59_999, "59 s"),
        (60_000, "1 min"),
        (3_599_999, "59 min"),
        (3_600_000, "1 h 00 min"),
        (7_500_000, "2 h 05 min"),
        (86_400_000, "1 d 0 h"),
        (273_600_000, "3 d 4 h"),
    ],
)
def test_a_span_has_two_units_at_most(of_ms: int, said: str) -> None:
    assert span(of_ms) == said


def test_money_has_two_digits_and_more_where_two_would_hide_it() -> None:
    assert [amount(micro) for micro in (0, 310_000, 840_000, 1_234, 12_345_678)] == [
        "0.00", "0.31", "0.84", "0.0012", "12.35",
    ]  # fmt: skip


def test_codes_without_a_table_are_spoken_and_nouns_are_counted() -> None:
    assert words.spoken("OLDER_THAN_CATCH_UP") == "older than catch up"
    assert words.event("TARGET_DUE") == "target due"
    assert (words.counted(1, "source"), words.counted(2, "source")) == ("1 source", "2 sources")
