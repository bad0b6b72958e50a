"""Which of two messages about one entity counts: the order of arrival never decides, the revision does.

The reducer of "Retries, Duplicates and Idempotency" (portable reducer fixture), as a pure function. It rests on
one assumption that its caller must be able to make: the source numbers its revisions, upwards, and means it.
A source without trustworthy revisions must be asked for its present state instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from outbox.message import EntityChange


class Verdict(StrEnum):
    """What to do with a message. Only APPLIED changes anything; CONFLICT needs a person."""

    APPLIED = "applied"
    STALE = "stale"
    TRANSPORT_DUPLICATE = "transport_duplicate"
    BUSINESS_DUPLICATE = "business_duplicate"
    CONFLICT = "conflict_quarantine"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityState:
    """The newest accepted revision of an entity; the revision only grows."""

    entity: str
    revision: int
    state: str


def reduce(
    change: EntityChange, current: EntityState | None, *, delivered_before: bool, applied_before: bool
) -> Verdict:
    """Judge one message.

    `delivered_before`: this very delivery (source and event id) is known. `applied_before`: another message
    with the same entity, revision, state and intent was applied. `current`: None when the entity is new.
    """
    if delivered_before:
        return Verdict.TRANSPORT_DUPLICATE
    if applied_before:
        return Verdict.BUSINESS_DUPLICATE
    if current is None or change.revision > current.revision:
        return Verdict.APPLIED
    if change.revision < current.revision:
        return Verdict.STALE
    return Verdict.BUSINESS_DUPLICATE if change.state == current.state else Verdict.CONFLICT
