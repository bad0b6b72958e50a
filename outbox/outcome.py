"""What a handler can answer, and how far an edition has come.

A handler answers one `Outcome` per effect. The difference that matters is what it *proves* (outcome-first
recovery, "Timeout after an external side effect"):

    Confirmed   it happened                              recorded, never repeated
    NotYet      it cannot be done yet                    comes again, not counted
    Retryable   it did not happen                        comes again, counted
    Unknown     it may have happened                     the handler looks before anything is repeated
    Rejected    it will not happen                       dead-lettered, an owner is called

`ladder` turns the facts about one edition revision into the level that it has reached (completed tables §10).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from outbox.message import Effect, EffectReason, EffectStatus, Evidence, Intent


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The act is done, now or earlier; `reference` names what it left outside."""

    reference: str | None = None
    evidence: Evidence | None = None  # of a verification


@dataclass(frozen=True, slots=True)
class NotYet:
    """Something it needs is not there; `after_ms` from now it may be."""

    after_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class Retryable:
    """Proven not done. `after_ms` is a hint from outside, else the intent's backoff applies."""

    error: str
    after_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """No proof either way."""

    error: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Refused for good, or contradicted by what is out there; a person decides."""

    error: str
    reason: EffectReason = EffectReason.REMOTE_REJECTED


Outcome = Confirmed | NotYet | Retryable | Unknown | Rejected


class Level(StrEnum):
    """How far an accepted edition revision has come; the last five end it."""

    WORK_ACCEPTED = "WORK_ACCEPTED"
    STATE_APPLIED = "STATE_APPLIED"
    COMMITTED = "COMMITTED"
    RENDERED = "RENDERED"
    EFFECTS_CONFIRMED = "EFFECTS_CONFIRMED"
    RECONCILED = "RECONCILED"
    VERIFIED_COMPLETE = "VERIFIED_COMPLETE"
    SUPERSEDED = "SUPERSEDED"
    COMPENSATED = "COMPENSATED"
    HUMAN_WAIVED = "HUMAN_WAIVED"
    QUARANTINED_REQUIRES_OWNER = "QUARANTINED_REQUIRES_OWNER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about one edition revision."""

    saved: bool = False
    committed: bool = False
    rendered: bool = False
    outward_settled: bool = False  # push and announcement done or waived, where any was planned
    seen: Evidence | None = None
    every_language: bool = False  # each language of the publication was seen over HTTP
    open: bool = False  # an effect of this revision is not settled
    superseded: bool = False
    compensated: bool = False
    waived: bool = False
    quarantined: bool = False

    @property
    def reconciled(self) -> bool:
        """Readers of every language can see it."""
        return self.seen is Evidence.HTTP and self.every_language


@dataclass(frozen=True, slots=True)
class Reached:
    """The level, the kind of evidence behind it, and whether it counts as verified."""

    level: Level
    evidence: Evidence | None
    verified: bool


RUNGS = (
    (Level.STATE_APPLIED, "saved"),
    (Level.COMMITTED, "committed"),
    (Level.RENDERED, "rendered"),
    (Level.EFFECTS_CONFIRMED, "outward_settled"),
    (Level.RECONCILED, "reconciled"),
)
"""Each rung needs its fact and all rungs below it."""

ENDS = (
    (Level.COMPENSATED, "compensated"),
    (Level.SUPERSEDED, "superseded"),
    (Level.QUARANTINED_REQUIRES_OWNER, "quarantined"),
    (Level.HUMAN_WAIVED, "waived"),
)
"""What ends a revision otherwise than by verification; the first that holds names it."""

_SETTLED = {EffectStatus.CONFIRMED, EffectStatus.WAIVED, EffectStatus.COMPENSATED, EffectStatus.SUPERSEDED}
_OUTWARD = {Intent.PUSH, Intent.ANNOUNCE}
_CONTENT = {Intent.COMMIT, Intent.WITHDRAW}


def ladder(facts: Facts) -> Reached:
    """The level that these facts prove; a superseded revision still counts as verified if it was."""
    level = Level.WORK_ACCEPTED
    for rung, fact in RUNGS:
        if not getattr(facts, fact):
            break
        level = rung
    verified = level is Level.RECONCILED
    for end, fact in ENDS:
        if getattr(facts, fact) and not (verified and end is Level.HUMAN_WAIVED):
            return Reached(end, facts.seen, verified)
    if verified and not facts.open:
        level = Level.VERIFIED_COMPLETE
    return Reached(level, facts.seen, verified)


def facts(
    effects: Collection[Effect], *, saved: bool, every_language: bool = False, superseded: bool = False
) -> Facts:
    """The facts in the ledger's rows of one edition revision; the rest is known to the caller alone."""
    status = {effect.intent: effect.status for effect in effects}
    seen = [e.evidence for e in effects if e.intent is Intent.VERIFY and e.status is EffectStatus.CONFIRMED]
    return Facts(
        saved=saved,
        committed=any(status.get(intent) is EffectStatus.CONFIRMED for intent in _CONTENT),
        rendered=status.get(Intent.RENDER) is EffectStatus.CONFIRMED,
        outward_settled=all(status[intent] in _SETTLED for intent in _OUTWARD & status.keys()),
        seen=seen[0] if seen else None,
        every_language=every_language,
        open=any(one not in _SETTLED for one in status.values()),
        superseded=superseded,
        compensated=status.get(Intent.COMMIT) is EffectStatus.COMPENSATED,
        waived=any(status[i] is EffectStatus.WAIVED for i in status.keys() - _OUTWARD),
        quarantined=EffectStatus.DEAD_LETTERED in status.values(),
    )
