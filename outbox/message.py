"""The words of the ledger: decisions, outward acts, what was heard from outside. Frozen values, no behaviour.

Identities are kept apart, because each answers another question (outcome-first recovery, "Evidence synthesis"):

    message identity     source + event_id               was this delivery seen before?
    business identity    entity + revision               which accepted change is this?
    operation identity   entity + revision + intent      was this act done before?

Instants are UTC epoch milliseconds of the database's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from outbox.errors import BadMessage

NAME_LENGTH = 190
"""Longest key, entity, source or id, in characters: what every engine can put under a unique key."""

MAX_HOPS = 5
"""A causal chain longer than this is a loop of automations until its owner says otherwise."""


class Mode(StrEnum):
    """Why an effect exists: only LIVE may tell the world something new."""

    LIVE = "LIVE"
    REPLAY = "REPLAY"
    REPAIR = "REPAIR"
    SHADOW = "SHADOW"


class Intent(StrEnum):
    """One kind of outward act. The order is the order in which the relay looks for work."""

    COMMIT = "COMMIT"
    WITHDRAW = "WITHDRAW"
    RENDER = "RENDER"
    PUSH = "PUSH"
    VERIFY = "VERIFY"
    ANNOUNCE = "ANNOUNCE"
    ALERT = "ALERT"


class EffectStatus(StrEnum):
    """What is known about one outward act."""

    PENDING = "PENDING"
    IN_FLIGHT = "IN_FLIGHT"
    CONFIRMED = "CONFIRMED"
    UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME"
    RETRYABLE = "RETRYABLE"
    SUPERSEDED = "SUPERSEDED"
    COMPENSATED = "COMPENSATED"
    WAIVED = "WAIVED"
    DEAD_LETTERED = "DEAD_LETTERED"


class EffectReason(StrEnum):
    """Why an effect is dead-lettered."""

    PUBLICATION_CONFLICT = "PUBLICATION_CONFLICT"
    REMOTE_REJECTED = "REMOTE_REJECTED"
    HOP_BUDGET_EXHAUSTED = "HOP_BUDGET_EXHAUSTED"


class Evidence(StrEnum):
    """How a verification saw the edition; only `http` is what readers see."""

    HTTP = "http"
    BRANCH = "branch"


class InboxStatus(StrEnum):
    """What became of a message from outside."""

    PENDING = "PENDING"
    APPLIED = "APPLIED"
    DUPLICATE = "DUPLICATE"
    STALE = "STALE"
    IGNORED = "IGNORED"
    QUARANTINED = "QUARANTINED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where something comes from: who made it, what caused it, the chain's root, steps since the root."""

    origin: str
    causation: str | None = None
    root: str | None = None
    hops: int = 0

    def caused(self, *, by: str, origin: str) -> Provenance:
        """The provenance of what `origin` does because of the message `by`: one hop further."""
        return replace(self, origin=origin, causation=by, root=self.root or by, hops=self.hops + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChange:
    """One accepted change of an entity, as its source numbers it."""

    entity: str
    revision: int
    state: str
    intent: str

    def __post_init__(self) -> None:
        named(entity=self.entity)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEvent:
    """Something decided that the world must learn. `key` is unique for ever; `decided_ms` dates it."""

    key: str
    type: str
    entity: str
    revision: int
    mode: Mode
    provenance: Provenance
    decided_ms: int
    payload: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named(key=self.key, type=self.type, entity=self.entity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """An outward act that an event asks for.

    Acts with one `batch_key` and intent are claimed and handled together (both languages of a publication).
    A lower `priority` goes first; past `deadline_ms` the owner is called.
    """

    intent: Intent
    batch_key: str
    priority: int = 0
    deadline_ms: int | None = None

    def __post_init__(self) -> None:
        named(batch_key=self.batch_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A row of the operation ledger: one outward act and what is known about it.

    `next_due_ms` is the due time and, while leased, the lease's end; None: waits for another effect, or is
    settled. `in_doubt`: an earlier attempt may have happened, so look before acting.
    """

    id: int
    event_key: str
    entity: str
    revision: int
    intent: Intent
    mode: Mode
    status: EffectStatus
    version: int
    batch_key: str
    idempotency_key: str
    attempts: int = 0
    hops: int = 0
    priority: int = 0
    next_due_ms: int | None = None
    lease_owner: str | None = None
    deadline_ms: int | None = None
    reference: str | None = None  # what the act left outside: a commit id, an address
    evidence: Evidence | None = None  # of a verification
    reason: EffectReason | None = None
    last_error: str | None = None
    note: str | None = None  # who waived it and why, or which revision superseded it
    owner: str | None = None
    owner_deadline_ms: int | None = None
    acked_ms: int | None = None
    created_ms: int = 0
    updated_ms: int = 0
    confirmed_ms: int | None = None
    in_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxMessage:
    """Something the world told us, stored before it was acknowledged. `payload` is what arrived, byte by byte."""

    id: int
    source: str
    event_id: str
    kind: str
    payload: bytes
    status: InboxStatus
    provenance: Provenance
    received_ms: int
    source_time_ms: int | None = None
    change: EntityChange | None = None
    note: str | None = None
    owner: str | None = None
    owner_deadline_ms: int | None = None
    acked_ms: int | None = None
    processed_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One transition of an effect, for the host application's audit trail, written in the same transaction.

    `fence` is the version after the transition. `owner` is set on the line that calls the owner.
    """

    at_ms: int
    effect_id: int
    event_key: str
    entity: str
    revision: int
    intent: Intent
    mode: Mode
    from_status: EffectStatus
    to_status: EffectStatus
    fence: int
    attempts: int
    actor: str
    code: str
    owner: str | None = None


def operation_key(entity: str, revision: int, intent: Intent, mode: Mode) -> str:
    """The operation's identity as one string: the idempotency key to hand to whoever takes one."""
    return f"{entity}@{revision}:{intent.lower()}:{mode.lower()}"


def named(**names: str) -> None:
    """Refuse an empty name or one that is longer than `NAME_LENGTH` (BadMessage)."""
    for what, name in names.items():
        if not 0 < len(name) <= NAME_LENGTH:
            raise BadMessage(f"{what} must have 1 to {NAME_LENGTH} characters, not {len(name)}")
