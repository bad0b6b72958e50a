"""Due targets: wall-clock time in its zone, daylight-saving changes, and what a long sleep leaves."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.policy import Schedule
from orchestrator.core.targets import (
    Target,
    TargetReason,
    TargetVerdict,
    due_targets,
    instant_ms,
    next_wake_ms,
    scheduled_ms,
)
from tests.orchestrator.core.products import schedule

V, W = TargetVerdict, TargetReason
UTC_DAILY = schedule(timezone="UTC")
DAY = date(2026, 11, 30)  # a Monday
ZONES = sorted(available_timezones())


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def due(
    now: str, *, last_planned: date | None = None, given: Schedule = UTC_DAILY, planned: tuple[date, ...] = ()
) -> list[Target]:
    return due_targets(given, now_ms=ms(now), last_planned=last_planned, planned=planned)


def short(targets: list[Target]) -> list[tuple[str, TargetVerdict, bool]]:
    return [(t.target_date.isoformat()[5:], t.verdict, t.backfill) for t in targets]


# --- what is due


def test_nothing_is_due_before_its_minute_and_all_of_it_from_then_on() -> None:
    assert due("2026-11-30T05:29:59.999") == []
    (target,) = due("2026-11-30T05:30:00")
    assert (target.target_date, target.verdict, target.reason) == (DAY, V.DUE, W.ON_TIME)
    assert (target.scheduled_ms, target.deadline_ms) == (ms("2026-11-30T05:30"), ms("2026-11-30T06:30"))


def test_a_target_is_planned_once_however_often_the_loop_wakes() -> None:
    assert due("2026-11-30T09:00", last_planned=DAY) == []
    assert due("2026-11-30T09:00", last_planned=DAY - timedelta(days=1), planned=(DAY,)) == []


def test_a_target_that_starts_past_its_deadline_says_so() -> None:
    (target,) = due("2026-11-30T06:30:00.001")
    assert (target.verdict, target.reason) == (V.LATE, W.STARTED_PAST_DEADLINE)


def test_a_product_without_history_starts_today() -> None:
    assert short(due("2026-11-30T12:00")) == [("11-30", V.LATE, False)]


def test_three_days_asleep_buy_one_edition_and_leave_dated_reasons_for_the_rest() -> None:
    slept = due("2026-11-30T06:00", last_planned=date(2026, 11, 27))
    assert short(slept) == [
        ("11-30", V.DUE, False),
        ("11-29", V.MISSED, False),
        ("11-28", V.MISSED, False),
    ]
    assert {t.reason for t in slept[1:]} == {W.OLDER_THAN_CATCH_UP}
    assert slept[1].scheduled_ms == ms("2026-11-29T05:30")


def test_yesterday_is_made_good_while_today_has_not_come() -> None:
    slept = due("2026-11-30T04:00", last_planned=date(2026, 11, 27))
    assert short(slept) == [("11-29", V.LATE, False), ("11-28", V.MISSED, False)]


def test_a_longer_catch_up_replays_more_with_today_first() -> None:
    patient = schedule(timezone="UTC", catch_up="3d")
    slept = due("2026-11-30T06:00", last_planned=date(2026, 11, 26), given=patient)
    assert short(slept) == [
        ("11-30", V.DUE, False),
        ("11-29", V.LATE, True),
        ("11-28", V.LATE, True),
        ("11-27", V.MISSED, False),
    ]


def test_the_deadline_outlives_a_shorter_catch_up() -> None:
    strict = schedule(timezone="UTC", catch_up="1m")
    assert short(due("2026-11-30T06:00", given=strict)) == [("11-30", V.DUE, False)]
    assert short(due("2026-11-30T07:00", given=strict)) == [("11-30", V.MISSED, False)]


def test_only_the_days_of_the_schedule_are_targets_and_skipped_dates_are_recorded() -> None:
    weekdays = schedule(
        timezone="UTC", days=["mon", "tue", "wed", "thu", "fri"], skip=[date(2026, 11, 27)], catch_up="7d"
    )
    slept = due("2026-11-30T06:00", last_planned=date(2026, 11, 26), given=weekdays)
    assert short(slept) == [("11-30", V.DUE, False), ("11-27", V.SKIPPED, False)]
    assert slept[1].reason is W.LISTED_AS_SKIPPED


def test_a_clock_set_back_plans_nothing_twice() -> None:
    assert due("2026-11-28T09:00", last_planned=DAY) == []


def test_a_very_long_sleep_is_answered_within_bounds() -> None:
    assert len(due("2026-11-30T06:00", last_planned=date(2001, 1, 1))) == 401


# --- daylight saving


@pytest.mark.parametrize(
    ("zone", "wall", "instant"),
    [
        ("Europe/Madrid", "2026-03-29T02:30", "2026-03-29T01:00"),  # a gap from 02:00 to 03:00
        ("Europe/Madrid", "2026-10-25T02:30", "2026-10-25T00:30"),  # shown twice: the first
        ("America/Chicago", "2026-03-08T02:00", "2026-03-08T08:00"),
        ("America/Chicago", "2026-11-01T01:30", "2026-11-01T06:30"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"),  # a gap of half an hour
        ("Pacific/Apia", "2011-12-30T05:30", "2011-12-30T10:00"),  # a day that never was
        ("UTC", "2026-11-30T05:30", "2026-11-30T05:30"),
    ],
)
def test_a_gap_runs_at_the_first_valid_instant_and_an_overlap_once(zone: str, wall: str, instant: str) -> None:
    assert instant_ms(datetime.fromisoformat(wall), ZoneInfo(zone)) == ms(instant)


@pytest.mark.parametrize(("day", "instant"), [("2026-03-29", "01:00"), ("2026-10-25", "00:30")])
def test_a_day_of_change_has_one_target_however_often_it_is_asked_for(day: str, instant: str) -> None:
    madrid = schedule(timezone="Europe/Madrid", at="02:30")
    yesterday = date.fromisoformat(day) - timedelta(days=1)
    found = set()
    for minute in range(0, 300, 5):
        now_ms = ms(f"{day}T00:00") + minute * 60_000
        found |= {
            t.scheduled_ms
            for t in due_targets(madrid, now_ms=now_ms, last_planned=yesterday)
            if t.target_date.isoformat() == day
        }
    assert found == {ms(f"{day}T{instant}")}


walls = st.builds(
    datetime.combine,
    st.dates(date(1975, 1, 1), date(2035, 1, 1)),
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
)


@given(st.sampled_from(ZONES), walls)
def test_in_any_zone_the_instant_is_the_first_at_which_clocks_show_the_time_or_more(
    name: str, wall: datetime
) -> None:
    zone = ZoneInfo(name)
    at = datetime.fromtimestamp(instant_ms(wall, zone) // 1_000, UTC)

    def shown(moment: datetime) -> datetime:
        return moment.astimezone(zone).replace(tzinfo=None)

    assert shown(at) >= wall
    assert shown(at - timedelta(seconds=1)) < wall or shown(at) == wall
    if shown(at) == wall:
        assert at.astimezone(zone).fold == 0
    else:
        assert shown(at) - shown(at - timedelta(seconds=1)) > timedelta(seconds=1)


@given(st.sampled_from(ZONES), st.dates(date(1975, 1, 1), date(2035, 1, 1)), st.times())
def test_in_any_zone_the_next_wake_is_a_target_and_none_lies_between(name: str, day: date, at: time) -> None:
    given_schedule = schedule(timezone=name, at=at.strftime("%H:%M"))
    now_ms = ms(f"{day}T12:00")
    wake_ms = next_wake_ms(given_schedule, now_ms=now_ms)
    around = [scheduled_ms(given_schedule, day + timedelta(days=n)) for n in range(-2, 5)]
    assert wake_ms == min(instant for instant in around if instant > now_ms)


def test_the_next_wake_waits_for_a_day_that_has_an_edition() -> None:
    mondays = schedule(timezone="UTC", days=["mon"])
    assert next_wake_ms(mondays, now_ms=ms("2026-11-30T05:30")) == ms("2026-12-07T05:30")
