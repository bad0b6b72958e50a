"""Which dates of a product are due now, and which were missed: computed from stored state and the database's now.

Rules:
* a target is a calendar date with a wall-clock time in an IANA zone; a wake-up that comes late, twice or never
  changes nothing, because only `last_planned` and the instant count;
* in a DST gap the target is scheduled at the first instant that exists, in an overlap at the first of two;
* a missed target is made good while its scheduled instant is no older than `catch_up`: with "1d" at most one
  per product after a long sleep, with "3d" up to three. The newest goes first, the others are backfill. What is
  older is answered as MISSED, a date in `schedule.skip` as SKIPPED, each with its own date and a reason;
* a product without history starts with today: nothing before it was promised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from orchestrator.core.policy import Schedule

LOOK_BACK_DAYS = 400  # what was missed longer ago is not recorded date by date
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TargetVerdict(StrEnum):
    """What to do with a target: run it, run it although it is late, or only record it."""

    DUE = "DUE"
    LATE = "LATE"
    MISSED = "MISSED"
    SKIPPED = "SKIPPED"


class TargetReason(StrEnum):
    """Why the verdict is what it is; stored as the process's reason."""

    ON_TIME = "ON_TIME"
    STARTED_PAST_DEADLINE = "STARTED_PAST_DEADLINE"
    OLDER_THAN_CATCH_UP = "OLDER_THAN_CATCH_UP"
    LISTED_AS_SKIPPED = "LISTED_AS_SKIPPED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One date of one product. `backfill`: made good although a newer one is due as well."""

    target_date: date
    scheduled_ms: int
    deadline_ms: int
    verdict: TargetVerdict
    reason: TargetReason
    backfill: bool = False


def due_targets(
    schedule: Schedule, *, now_ms: int, last_planned: date | None, planned: Collection[date] = ()
) -> list[Target]:
    """The targets whose time has come since `last_planned`, to be run first newest first, then the rest.

    `last_planned` is the newest date that the schedule itself planned (no backfill, no date that a person
    planned ahead); None starts with today. `planned` are dates that have a process already.
    """
    targets = [
        target_on(schedule, day, now_ms=now_ms)
        for day in _days_since(schedule, now_ms=now_ms, last_planned=last_planned)
        if schedule.runs_on(day) and day not in planned
    ]
    begun = [target for target in reversed(targets) if target.scheduled_ms <= now_ms]
    run = [target for target in begun if target.verdict in (TargetVerdict.DUE, TargetVerdict.LATE)]
    rest = [target for target in begun if target.verdict in (TargetVerdict.MISSED, TargetVerdict.SKIPPED)]
    return [*run[:1], *map(_as_backfill, run[1:]), *rest]


def target_on(schedule: Schedule, day: date, *, now_ms: int) -> Target:
    """The target of this date as it stands now; for a date still to come its verdict is DUE."""
    at_ms = scheduled_ms(schedule, day)
    deadline_ms = at_ms + schedule.deadline_ms
    verdict, reason = TargetVerdict.DUE, TargetReason.ON_TIME
    if day in schedule.skip:
        verdict, reason = TargetVerdict.SKIPPED, TargetReason.LISTED_AS_SKIPPED
    elif now_ms > deadline_ms and now_ms - at_ms > schedule.catch_up_ms:
        verdict, reason = TargetVerdict.MISSED, TargetReason.OLDER_THAN_CATCH_UP
    elif now_ms > deadline_ms:
        verdict, reason = TargetVerdict.LATE, TargetReason.STARTED_PAST_DEADLINE
    return Target(target_date=day, scheduled_ms=at_ms, deadline_ms=deadline_ms, verdict=verdict, reason=reason)


def scheduled_ms(schedule: Schedule, day: date) -> int:
    """The instant of this date's target, epoch ms."""
    return instant_ms(datetime.combine(day, schedule.at), schedule.zone)


def next_wake_ms(schedule: Schedule, *, now_ms: int) -> int:
    """The first scheduled instant after now: when the loop has a reason to look again."""
    day = _local_day(schedule, now_ms) - _DAY
    while not schedule.runs_on(day) or scheduled_ms(schedule, day) <= now_ms:
        day += _DAY
    return scheduled_ms(schedule, day)


def instant_ms(wall: datetime, zone: ZoneInfo) -> int:
    """The instant at which clocks in this zone show `wall` (naive), epoch ms.

    In an overlap the first of the two; in a gap the gap's end, the first instant that exists.
    """
    early = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if early.astimezone(zone).replace(tzinfo=None) == wall:
        return _ms(early)
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return _jump_s(zone, _ms(before) // 1_000, _ms(early) // 1_000) * 1_000


def _jump_s(zone: ZoneInfo, before_s: int, after_s: int) -> int:
    """The second at which the clock jumps to the offset that holds at `after_s`, by bisection."""
    jumped = _offset(zone, after_s)
    while after_s - before_s > 1:
        middle_s = (before_s + after_s) // 2
        if _offset(zone, middle_s) == jumped:
            after_s = middle_s
        else:
            before_s = middle_s
    return after_s


def _offset(zone: ZoneInfo, at_s: int) -> timedelta | None:
    return (_EPOCH + timedelta(seconds=at_s)).astimezone(zone).utcoffset()


def _days_since(schedule: Schedule, *, now_ms: int, last_planned: date | None) -> Iterator[date]:
    today = _local_day(schedule, now_ms)
    day = today if last_planned is None else max(last_planned + _DAY, today - LOOK_BACK_DAYS * _DAY)
    while day <= today:
        yield day
        day += _DAY


def _local_day(schedule: Schedule, now_ms: int) -> date:
    return (_EPOCH + timedelta(milliseconds=now_ms)).astimezone(schedule.zone).date()


def _as_backfill(target: Target) -> Target:
    return Target(
        target_date=target.target_date,
        scheduled_ms=target.scheduled_ms,
        deadline_ms=target.deadline_ms,
        verdict=target.verdict,
        reason=target.reason,
        backfill=True,
    )


def _ms(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(milliseconds=1)
