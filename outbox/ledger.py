"""Rows of the ledger as values, and the one guarded way to change them.

Rules: a change goes through the delivery table, writes only what differs, names the version it read and
raises it by one, and leaves one audit line in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any

from sqlalchemy import Connection, bindparam, select

from outbox.clock import read_now_ms
from outbox.delivery import OWNER_ANSWER_MS, Change, Settled, next_status
from outbox.errors import NoSuchEffect, StaleFence
from outbox.lease import fenced_update
from outbox.message import (
    AuditLine,
    Effect,
    EffectReason,
    EffectStatus,
    Evidence,
    Intent,
    Mode,
    OutboxEvent,
    Planned,
    Provenance,
    operation_key,
)
from outbox.schema import ERROR_LENGTH, effect

Audit = Callable[[Connection, AuditLine], None]
"""Writes one line into the host's audit trail, inside the transaction that it is handed."""

_c = effect.c
_BY_ID = select(effect).where(_c.id == bindparam("id"))
_OF_ENTITY_LOCKED = (
    select(effect)
    .where(_c.entity == bindparam("entity"))
    .order_by(_c.revision, _c.intent, _c.mode)  # the unique key's order: every engine locks along it
    .with_for_update()
)

_COLUMNS = tuple(field.name for field in fields(Effect) if field.name not in {"id", "version", "in_doubt"})
_DOUBTFUL = frozenset({EffectStatus.IN_FLIGHT, EffectStatus.UNKNOWN_OUTCOME})


# --- reading


def get(conn: Connection, effect_id: int) -> Effect:
    """One effect; NoSuchEffect."""
    row = conn.execute(_BY_ID, {"id": effect_id}).mappings().first()
    if row is None:
        raise NoSuchEffect(f"there is no effect {effect_id}")
    return effect_of(row)


def locked(conn: Connection, effect_id: int) -> Effect:
    """One effect; neither it nor another of its entity is changed by others before this transaction ends."""
    of_entity(conn, get(conn, effect_id).entity)
    return get(conn, effect_id)


def of_entity(conn: Connection, entity: str) -> list[Effect]:
    """All effects of an entity, oldest first, locked until this transaction ends.

    Rows that another transaction added while this one waited for the locks are missing: ask again.
    """
    rows = conn.execute(_OF_ENTITY_LOCKED, {"entity": entity}).mappings()
    return sorted(map(effect_of, rows), key=lambda one: one.id)


# --- writing


@dataclass(frozen=True, slots=True)
class Pen:
    """One actor who changes effects in one transaction, at one instant."""

    conn: Connection
    now_ms: int
    actor: str
    audit: Audit | None

    @classmethod
    def of(cls, conn: Connection, actor: str, audit: Audit | None) -> Pen:
        """A pen that dates everything with the database's present time."""
        return cls(conn, read_now_ms(conn), actor, audit)

    def move(self, old: Effect, change: Change, *, note: str | None = None) -> Effect:
        """Apply a change that carries nothing but its name. IllegalChange; StaleFence."""
        return self.apply(old, plain(old, change), note=note)

    def apply(
        self,
        old: Effect,
        after: Settled,
        *,
        note: str | None = None,
        owner_role: str | None = None,
        lease_owner: str | None = None,
    ) -> Effect:
        """Write what `after` says, and its audit line. StaleFence: somebody else changed the effect."""
        new = replace(
            old,
            status=after.status,
            attempts=after.attempts,
            next_due_ms=after.next_due_ms,
            lease_owner=lease_owner,
            reference=_short(after.reference) or old.reference,
            evidence=after.evidence or old.evidence,
            reason=after.reason or old.reason,
            last_error=_short(after.error) or old.last_error,
            note=_short(note) or old.note,
            confirmed_ms=self.now_ms if after.change is Change.CONFIRMED else old.confirmed_ms,
        )
        if after.calls_owner:
            deadline_ms = self.now_ms + OWNER_ANSWER_MS
            new = replace(new, owner=owner_role, owner_deadline_ms=deadline_ms, acked_ms=None)
        if after.change is Change.RELEASED:
            new = replace(new, reason=None, owner=None, owner_deadline_ms=None, acked_ms=None)
        written = self.write(old, new)
        self.tell(old, written, after.code, owner=written.owner if after.calls_owner else None)
        return written

    def write(self, old: Effect, new: Effect) -> Effect:
        """Write what differs under the fence of `old`, without an audit line. StaleFence."""
        new = replace(new, updated_ms=self.now_ms)
        changes = {
            name: _value(getattr(new, name)) for name in _COLUMNS if getattr(new, name) != getattr(old, name)
        }
        if not fenced_update(self.conn, effect, old.id, old.version, changes):
            raise StaleFence(f"effect {old.id} is no longer at version {old.version}")
        return replace(new, version=old.version + 1, in_doubt=new.status in _DOUBTFUL)

    def tell(self, old: Effect, new: Effect, code: str, *, owner: str | None = None) -> None:
        """Hand the line that tells how `old` became `new` to the audit trail."""
        if self.audit is None:
            return
        line = AuditLine(
            at_ms=self.now_ms,
            effect_id=new.id,
            event_key=new.event_key,
            entity=new.entity,
            revision=new.revision,
            intent=new.intent,
            mode=new.mode,
            from_status=old.status,
            to_status=new.status,
            fence=new.version,
            attempts=new.attempts,
            actor=self.actor,
            code=code,
            owner=owner,
        )
        self.audit(self.conn, line)


def plain(old: Effect, change: Change) -> Settled:
    """A change that carries nothing but its name; IllegalChange when the table has no such row."""
    return Settled(change=change, status=next_status(old.status, change), code=change.value, attempts=old.attempts)


# --- rows


def effect_of(row: Mapping[Any, Any]) -> Effect:
    """A row of `effect` as a value."""
    known = {name: row[name] for name in _COLUMNS}
    status = EffectStatus(row["status"])
    known |= {
        "status": status,
        "intent": Intent(row["intent"]),
        "mode": Mode(row["mode"]),
        "evidence": Evidence(row["evidence"]) if row["evidence"] else None,
        "reason": EffectReason(row["reason"]) if row["reason"] else None,
    }
    return Effect(id=row["id"], version=row["version"], in_doubt=status in _DOUBTFUL, **known)


def effect_row(event: OutboxEvent, planned: Planned, *, at_ms: int, asleep: bool) -> dict[str, Any]:
    """A new row: due at once, or `asleep` until another effect wakes it."""
    return {
        "event_key": event.key,
        "entity": event.entity,
        "revision": event.revision,
        "intent": planned.intent.value,
        "mode": event.mode.value,
        "status": EffectStatus.PENDING.value,
        "version": 0,
        "batch_key": planned.batch_key,
        "idempotency_key": operation_key(event.entity, event.revision, planned.intent, event.mode),
        "attempts": 0,
        "hops": event.provenance.hops,
        "priority": planned.priority,
        "next_due_ms": None if asleep else at_ms,
        "deadline_ms": planned.deadline_ms,
        "created_ms": at_ms,
        "updated_ms": at_ms,
    }


def event_of(row: Mapping[Any, Any]) -> OutboxEvent:
    """A row of `outbox_event` as a value."""
    return OutboxEvent(
        key=row["key"],
        type=row["type"],
        entity=row["entity"],
        revision=row["revision"],
        mode=Mode(row["mode"]),
        provenance=provenance_of(row),
        decided_ms=row["decided_ms"],
        payload=json.loads(row["payload"]),
    )


def event_row(event: OutboxEvent) -> dict[str, Any]:
    """The row of an event; its payload as JSON with sorted keys."""
    return {
        "key": event.key,
        "type": event.type,
        "entity": event.entity,
        "revision": event.revision,
        "mode": event.mode.value,
        "payload": json.dumps(event.payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        "decided_ms": event.decided_ms,
        **provenance_row(event.provenance),
    }


def provenance_of(row: Mapping[Any, Any]) -> Provenance:
    """The provenance columns of a row as a value."""
    return Provenance(origin=row["origin"], causation=row["causation"], root=row["root"], hops=row["hops"])


def provenance_row(provenance: Provenance) -> dict[str, Any]:
    """The provenance columns of a row."""
    return {
        "origin": provenance.origin,
        "causation": provenance.causation,
        "root": provenance.root,
        "hops": provenance.hops,
    }


def _short(words: str | None) -> str | None:
    return None if words is None else words[:ERROR_LENGTH]


def _value(value: object) -> object:
    return value.value if isinstance(value, Enum) else value
