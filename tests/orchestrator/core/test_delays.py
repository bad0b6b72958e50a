"""Waiting: spacing, backoff, jitter, and hints read from hostile headers."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core import delays
from orchestrator.core.limits import MachinePolicy

POLICY = MachinePolicy()
NOW_MS = 1_796_000_000_000
chances = st.floats(0, 1, exclude_max=True)
counts = st.integers(0, 10_000)
hints = st.none() | st.integers(0, 10**12)


def test_looks_start_at_20_s_and_grow_to_60_s() -> None:
    spacing = [delays.poll_spacing_ms(n, POLICY, chance=0.5) for n in range(9)]
    assert spacing == [20_000, 24_000, 28_800, 34_560, 41_472, 49_766, 59_720, 60_000, 60_000]


@given(counts, chances, hints)
def test_a_look_stays_within_its_jitter_and_never_comes_before_the_hint(
    count: int, chance: float, hint_ms: int | None
) -> None:
    wait = delays.poll_spacing_ms(count, POLICY, chance=chance, hint_ms=hint_ms)
    assert wait >= 16_000
    assert wait >= (hint_ms or 0)
    assert wait <= max(72_000, 1 + 1.2 * (hint_ms or 0))


@given(counts, chances)
def test_backoff_stays_between_its_first_step_and_its_cap(count: int, chance: float) -> None:
    assert 1_600 <= delays.backoff_ms(count, POLICY, chance=chance) <= 360_000
    assert 1_600 <= delays.delete_backoff_ms(count, POLICY, chance=chance) <= 4_320_000


@given(chances, st.integers(0, 10**12))
def test_a_hint_is_jittered_only_upward(chance: float, hint_ms: int) -> None:
    assert hint_ms <= delays.hinted_ms(hint_ms, chance) <= 1 + 1.2 * hint_ms


@given(counts, chances)
def test_more_failures_never_wait_less(count: int, chance: float) -> None:
    here, there = (delays.backoff_ms(n, POLICY, chance=chance) for n in (count, count + 1))
    assert here <= there


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after-ms": "1500"}, 1_500),
        ({"Retry-After-Ms": "12.5", "retry-after": "9"}, 13),
        ({"retry-after": "45"}, 45_000),
        ({"retry-after": "0.25"}, 250),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2_000),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "Mon, 99 Nov 2026 25:00:00 GMT"}, None),
        ({"retry-after": "999999999999999"}, delays.LONGEST_HINT_MS),
        ({"x-ratelimit-reset-requests": "1s"}, None),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "59"}, None),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "0"}, 1_000),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, 360_000),
        ({"x-ratelimit-reset-project-tokens": "1m30s", "x-ratelimit-remaining-project-tokens": "0"}, 90_000),
        ({"x-ratelimit-reset-tokens": "garbage", "x-ratelimit-remaining-tokens": "0"}, None),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "-1"}, None),
    ],
)
def test_a_hint_is_read_in_its_order(headers: dict[str, str], expected: int | None) -> None:
    assert delays.hint_ms(headers, NOW_MS) == expected


def test_the_longest_wait_of_the_empty_buckets_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "12ms",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "3s",
    }
    assert delays.hint_ms(headers, NOW_MS) == 3_000


@pytest.mark.parametrize(("ahead_s", "expected_ms"), [(45, 45_000), (0, 0), (-300, 0)])
def test_a_date_is_a_wait_from_now_and_never_negative(ahead_s: int, expected_ms: int) -> None:
    then = datetime.fromtimestamp(NOW_MS // 1_000 + ahead_s, UTC)
    for text in (format_datetime(then, usegmt=True), format_datetime(then.replace(tzinfo=None))):
        assert delays.hint_ms({"retry-after": text}, NOW_MS) == expected_ms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12ms", 12),
        ("1s", 1_000),
        ("6m0s", 360_000),
        ("1m30.5s", 90_500),
        ("1h2m3s4ms", 3_723_004),
        ("900µs", 1),
        ("0", 0),
        ("0s", 0),
        ("", None),
        ("5", None),
        ("1 s", None),
        ("-1s", None),
        ("s", None),
        ("1sx", None),
    ],
)
def test_a_go_duration_is_read_whole_or_not_at_all(text: str, expected: int | None) -> None:
    assert delays.go_duration_ms(text) == expected


names = st.sampled_from(
    ["retry-after", "retry-after-ms", "x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"]
)


@given(st.dictionaries(names, st.text(max_size=40) | st.sampled_from(["0", "6m0s", "1e400", "0x10"])))
def test_no_header_ever_raises_or_gives_a_wait_outside_its_bounds(headers: dict[str, str]) -> None:
    hint = delays.hint_ms(headers, NOW_MS)
    assert hint is None or 0 <= hint <= delays.LONGEST_HINT_MS
