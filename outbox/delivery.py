"""What follows from what, for one outward act: status, due time, attempts, and when a person is called. Pure.

`NEXT[(status, change)]` is the only place that says which status may follow which; a pair that is not in it
raises `IllegalChange`. `RHYTHM` holds the bounds of the retry matrix (completed tables §6), `REQUIRES` what
must have happened before, `ALLOWED` which acts a mode may do at all (I14).

Rules:
* what may have happened is looked at, never repeated: UNKNOWN_OUTCOME comes back `in_doubt`;
* transport failures go on for ever; at 8 attempts, or past its deadline, the owner is called;
* a rejected act stops and waits for its owner;
* an act that a newer decision contradicts is superseded instead of repeated; one that happened stays CONFIRMED.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from outbox.errors import IllegalChange
from outbox.message import Effect, EffectReason, EffectStatus, Evidence, Intent, Mode
from outbox.outcome import Confirmed, NotYet, Outcome, Rejected, Retryable, Unknown

HOUR_MS = 3_600_000
OWNER_ANSWER_MS = 4 * HOUR_MS
"""How long an owner has to look at what stopped; the dashboard counts what nobody looked at by then."""

JITTER = 0.2
"""A wait is stretched or shortened by at most this part; a hint from outside is only stretched."""


class Change(StrEnum):
    """What happened to an effect, in the past tense."""

    CLAIMED = "CLAIMED"
    CONFIRMED = "CONFIRMED"
    POSTPONED = "POSTPONED"
    FAILED = "FAILED"
    LOST_SIGHT = "LOST_SIGHT"
    REJECTED = "REJECTED"
    GIVEN_UP = "GIVEN_UP"
    SUPERSEDED = "SUPERSEDED"
    WAIVED = "WAIVED"
    RELEASED = "RELEASED"
    COMPENSATED = "COMPENSATED"


S, C = EffectStatus, Change

OPEN = frozenset({S.PENDING, S.RETRYABLE, S.UNKNOWN_OUTCOME, S.IN_FLIGHT})
"""The relay will come back to these by itself."""

NEEDS_OWNER = frozenset({S.DEAD_LETTERED, S.UNKNOWN_OUTCOME})
"""Never without an owner and a date by which to answer (I16)."""

_WAITING = (S.PENDING, S.RETRYABLE, S.UNKNOWN_OUTCOME)

_TABLE: tuple[tuple[tuple[EffectStatus, ...], Change, EffectStatus], ...] = (
    ((*_WAITING, S.IN_FLIGHT), C.CLAIMED, S.IN_FLIGHT),  # from IN_FLIGHT: its lease ended
    ((S.IN_FLIGHT,), C.CONFIRMED, S.CONFIRMED),
    ((S.IN_FLIGHT,), C.POSTPONED, S.PENDING),
    ((S.IN_FLIGHT,), C.FAILED, S.RETRYABLE),
    ((S.IN_FLIGHT,), C.LOST_SIGHT, S.UNKNOWN_OUTCOME),
    ((S.IN_FLIGHT,), C.REJECTED, S.DEAD_LETTERED),
    ((S.IN_FLIGHT,), C.GIVEN_UP, S.WAIVED),
    ((*_WAITING, S.IN_FLIGHT, S.DEAD_LETTERED), C.SUPERSEDED, S.SUPERSEDED),
    ((*_WAITING, S.DEAD_LETTERED), C.WAIVED, S.WAIVED),
    ((S.DEAD_LETTERED,), C.RELEASED, S.RETRYABLE),
    ((S.CONFIRMED,), C.COMPENSATED, S.COMPENSATED),
)

NEXT: Mapping[tuple[EffectStatus, Change], EffectStatus] = MappingProxyType(
    {(source, change): target for sources, change, target in _TABLE for source in sources}
)


def next_status(status: EffectStatus, change: Change) -> EffectStatus:
    """The status after `change`; IllegalChange when the table has no such row."""
    try:
        return NEXT[status, change]
    except KeyError:
        raise IllegalChange(f"an effect that is {status} cannot become {change.lower()}") from None


# --- rhythm


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How one intent is repeated. `calls_owner_at` and `gives_up_at` count attempts; None: never by count."""

    first_ms: int
    longest_ms: int
    calls_owner_at: int | None = 8
    gives_up_at: int | None = None


RHYTHM: Mapping[Intent, Rhythm] = MappingProxyType(
    {
        Intent.COMMIT: Rhythm(2_000, 300_000),
        Intent.WITHDRAW: Rhythm(2_000, 300_000),
        Intent.RENDER: Rhythm(2_000, 300_000),
        Intent.PUSH: Rhythm(2_000, HOUR_MS),
        Intent.VERIFY: Rhythm(15_000, 300_000, calls_owner_at=None),  # its deadline calls, not a count
        Intent.ANNOUNCE: Rhythm(2_000, HOUR_MS, gives_up_at=5),  # then recorded, and waived by policy
        Intent.ALERT: Rhythm(2_000, HOUR_MS),
    }
)


def backoff_ms(intent: Intent, attempts: int, *, chance: float) -> int:
    """How long to wait after the `attempts`-th failure (from 1): doubled each time, ±20 % by `chance` in [0, 1)."""
    rhythm = RHYTHM[intent]
    doubled = rhythm.first_ms * 2 ** min(max(attempts, 1) - 1, 30)
    stretched = min(doubled, rhythm.longest_ms) * (1 - JITTER + 2 * JITTER * chance)
    return min(int(stretched), rhythm.longest_ms)


def hinted_ms(after_ms: int, *, chance: float) -> int:
    """A wait that somebody asked for: never shorter, up to 20 % longer."""
    return int(max(after_ms, 0) * (1 + JITTER * chance))


# --- what comes first


CONTENT = frozenset({Intent.COMMIT, Intent.WITHDRAW})
"""Acts that write an edition's history: one revision after the other."""

REQUIRES: Mapping[Intent, frozenset[Intent]] = MappingProxyType(
    {
        Intent.COMMIT: frozenset(),
        Intent.WITHDRAW: frozenset(),
        Intent.RENDER: CONTENT,
        Intent.PUSH: frozenset({Intent.RENDER}),
        Intent.VERIFY: frozenset({Intent.RENDER}),
        Intent.ANNOUNCE: frozenset({Intent.VERIFY}),  # hubs fetch the feed at once: it must be live
        Intent.ALERT: frozenset(),
    }
)
"""Intents of the same entity, revision and mode that must have happened before, where they were planned."""

SATISFIED = frozenset({S.CONFIRMED, S.WAIVED, S.COMPENSATED})
"""Statuses that let the dependents go: it happened, or a person or policy said to go on without."""

SUPERSEDABLE = frozenset({Intent.PUSH, Intent.VERIFY, Intent.ANNOUNCE})
"""Acts that would contradict a newer decision (I19); history and pages still follow one another."""


@dataclass(frozen=True, slots=True)
class Standing:
    """As much of another effect of the same entity and mode as decides whether one must wait for it."""

    intent: Intent
    revision: int
    status: EffectStatus


def waits(intent: Intent, revision: int, others: Iterable[Standing]) -> bool:
    """Whether an act must wait: for what it requires, or for an older revision's commit to be settled."""
    return any(_before(intent, revision, other) for other in others)


def _before(intent: Intent, revision: int, other: Standing) -> bool:
    if other.revision == revision:
        return other.intent in REQUIRES[intent] and other.status not in SATISFIED
    older_history = other.revision < revision and {intent, other.intent} <= CONTENT
    return older_history and other.status in OPEN


# --- what a mode may do


ALLOWED: Mapping[Mode, frozenset[Intent]] = MappingProxyType(
    {
        Mode.LIVE: frozenset(Intent),
        Mode.REPAIR: frozenset(Intent) - {Intent.ANNOUNCE},
        Mode.REPLAY: frozenset(Intent) - {Intent.ANNOUNCE, Intent.PUSH, Intent.ALERT},
        Mode.SHADOW: frozenset(Intent) - {Intent.ANNOUNCE, Intent.PUSH},
    }
)
"""Replay and repair tell nobody anything new (I14); shadow does everything but outward acts."""


def plan_effects(mode: Mode, intents: Collection[Intent]) -> tuple[Intent, ...]:
    """Those of `intents` that `mode` may do, in the order in which they depend on one another."""
    return tuple(intent for intent in Intent if intent in intents and intent in ALLOWED[mode])


# --- settling


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Everything that an outcome changes about its effect."""

    change: Change
    status: EffectStatus
    code: str
    attempts: int
    next_due_ms: int | None = None
    reference: str | None = None
    evidence: Evidence | None = None
    reason: EffectReason | None = None
    error: str | None = None
    calls_owner: bool = False


def settled(effect: Effect, outcome: Outcome, *, now_ms: int, chance: float, superseded: bool = False) -> Settled:
    """What `outcome` makes of an effect in flight at `now_ms`; `superseded`: a newer decision contradicts it."""
    if isinstance(outcome, Confirmed):
        done = _end(effect, C.CONFIRMED, "CONFIRMED")
        return replace(done, reference=outcome.reference, evidence=outcome.evidence)
    if superseded:
        return replace(_end(effect, C.SUPERSEDED, "SUPERSEDED"), error=said(outcome))
    match outcome:
        case NotYet(after_ms=after_ms):
            change = C.LOST_SIGHT if effect.in_doubt else C.POSTPONED
            return _again(effect, change, outcome, now_ms=now_ms, wait_ms=after_ms)
        case Retryable(after_ms=hint_ms):
            wait_ms = _wait_ms(effect, hint_ms, chance)
            return _counted(effect, C.FAILED, outcome, now_ms=now_ms, wait_ms=wait_ms)
        case Unknown():
            wait_ms = _wait_ms(effect, None, chance)
            return _counted(effect, C.LOST_SIGHT, outcome, now_ms=now_ms, wait_ms=wait_ms)
        case Rejected(error=error, reason=reason):
            dead = _end(effect, C.REJECTED, reason.value)
            return replace(dead, error=error, reason=reason, calls_owner=True)
        case _:
            assert_never(outcome)


def _counted(effect: Effect, change: Change, outcome: Outcome, *, now_ms: int, wait_ms: int) -> Settled:
    counted = replace(effect, attempts=effect.attempts + 1)
    gives_up_at = RHYTHM[effect.intent].gives_up_at
    if gives_up_at is not None and counted.attempts >= gives_up_at:
        return replace(_end(counted, C.GIVEN_UP, "WAIVED_BY_POLICY"), error=said(outcome))
    return _again(counted, change, outcome, now_ms=now_ms, wait_ms=wait_ms)


def _again(effect: Effect, change: Change, outcome: Outcome, *, now_ms: int, wait_ms: int) -> Settled:
    status = next_status(effect.status, change)
    late = effect.deadline_ms is not None and now_ms > effect.deadline_ms
    limit = RHYTHM[effect.intent].calls_owner_at
    stuck = late or status in NEEDS_OWNER or (limit is not None and effect.attempts >= limit)
    return Settled(
        change=change,
        status=status,
        code="PAST_DEADLINE" if late else change.value,
        attempts=effect.attempts,
        next_due_ms=now_ms + wait_ms,
        error=said(outcome),
        calls_owner=stuck and effect.owner is None,
    )


def _end(effect: Effect, change: Change, code: str) -> Settled:
    return Settled(change=change, status=next_status(effect.status, change), code=code, attempts=effect.attempts)


def _wait_ms(effect: Effect, hint_ms: int | None, chance: float) -> int:
    if hint_ms is not None:
        return hinted_ms(hint_ms, chance=chance)
    return backoff_ms(effect.intent, effect.attempts + 1, chance=chance)


def said(outcome: Outcome) -> str | None:
    """What the handler said went wrong, in words; None when nothing did."""
    match outcome:
        case Confirmed():
            return None
        case NotYet(why=why):
            return why
        case _:
            return outcome.error
