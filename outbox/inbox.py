"""What the world told us: webhooks, events of other systems, late evidence of workers that lost their lease.

Rules:
* a message is stored before it is acknowledged; the caller commits, then answers;
* appending needs no fence and changes nothing else, so nothing that was paid for is ever forgotten;
* a message is processed once: `mark` and `apply` say False, or a duplicate's verdict, to whoever comes second;
* messages are never deleted and their payload is never changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, and_, bindparam, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from outbox import entities
from outbox.clock import read_now_ms
from outbox.delivery import OWNER_ANSWER_MS
from outbox.errors import IllegalChange, StaleFence
from outbox.ledger import provenance_of, provenance_row
from outbox.message import EntityChange, InboxMessage, InboxStatus, Provenance, named
from outbox.reducer import Verdict
from outbox.schema import ERROR_LENGTH, inbox_event

_c = inbox_event.c
_KNOWN = select(exists().where(_c.source == bindparam("source"), _c.event_id == bindparam("event_id")))
_PENDING = (
    select(inbox_event).where(_c.status == InboxStatus.PENDING.value).order_by(_c.id).limit(bindparam("row_limit"))
)
_MARK = (
    update(inbox_event)
    .where(_c.id == bindparam("row_id"), _c.status == InboxStatus.PENDING.value)
    .values(
        {
            column: bindparam(f"set_{column.name}", type_=column.type)
            for column in (_c.status, _c.note, _c.owner, _c.owner_deadline_ms, _c.processed_ms)
        }
    )
)
_APPLIED_BEFORE = select(
    exists().where(
        and_(*(column == bindparam(column.name) for column in (_c.entity, _c.revision, _c.state, _c.intent))),
        _c.status.in_([InboxStatus.APPLIED.value, InboxStatus.DUPLICATE.value]),
        _c.id != bindparam("row_id"),
    )
)

_BECOMES: Mapping[Verdict, InboxStatus] = {
    Verdict.APPLIED: InboxStatus.APPLIED,
    Verdict.STALE: InboxStatus.STALE,
    Verdict.BUSINESS_DUPLICATE: InboxStatus.DUPLICATE,
    Verdict.TRANSPORT_DUPLICATE: InboxStatus.DUPLICATE,
    Verdict.CONFLICT: InboxStatus.QUARANTINED,
}


def append(
    conn: Connection,
    *,
    source: str,
    event_id: str,
    kind: str,
    payload: bytes,
    source_time_ms: int | None,
    provenance: Provenance,
    change: EntityChange | None = None,
) -> bool:
    """Store a message as it arrived; `change` is set when it speaks of a numbered revision of an entity.

    False: this source has sent this id before; nothing was written. BadMessage: a name is empty or too long.
    """
    named(source=source, event_id=event_id, kind=kind, origin=provenance.origin)
    row = {
        "source": source,
        "event_id": event_id,
        "kind": kind,
        "payload": payload,
        "source_time_ms": source_time_ms,
        "received_ms": read_now_ms(conn),
        "status": InboxStatus.PENDING.value,
        **provenance_row(provenance),
        **_change_row(change),
    }
    return not _known(conn, source, event_id) and _inserted(conn, row)


def _known(conn: Connection, source: str, event_id: str) -> bool:
    return bool(conn.execute(_KNOWN, {"source": source, "event_id": event_id}).scalar())


def _inserted(conn: Connection, row: dict[str, Any]) -> bool:
    """Two deliveries of one message may meet here; the savepoint keeps the loser's transaction usable."""
    try:
        with conn.begin_nested():
            conn.execute(insert(inbox_event), row)
    except IntegrityError:
        if not _known(conn, row["source"], row["event_id"]):
            raise
        return False
    return True


def pending(conn: Connection, limit: int) -> list[InboxMessage]:
    """Messages that nobody has processed, in the order of their arrival."""
    return [_message(row) for row in conn.execute(_PENDING, {"row_limit": limit}).mappings()]


def listing(conn: Connection, *, statuses: Collection[InboxStatus] = (), limit: int = 1000) -> list[InboxMessage]:
    """Messages in the order of their arrival, narrowed by status."""
    query = select(inbox_event).order_by(_c.id).limit(limit)
    if statuses:
        query = query.where(_c.status.in_([status.value for status in statuses]))
    return [_message(row) for row in conn.execute(query).mappings()]


def mark(
    conn: Connection,
    message_id: int,
    status: InboxStatus,
    note: str | None = None,
    *,
    owner: str | None = None,
) -> bool:
    """Say what became of a pending message; `owner` is required with QUARANTINED (ConstraintRefused).

    False: somebody else processed it; drop what you made of it.
    """
    now = read_now_ms(conn)
    values = {
        "row_id": message_id,
        "set_status": status.value,
        "set_note": None if note is None else note[:ERROR_LENGTH],
        "set_owner": owner,
        "set_owner_deadline_ms": None if owner is None else now + OWNER_ANSWER_MS,
        "set_processed_ms": now,
    }
    return conn.execute(_MARK, values).rowcount == 1


def apply(conn: Connection, message: InboxMessage, *, owner: str) -> Verdict:
    """Judge a pending message that speaks of an entity, and let the entity follow where it is APPLIED.

    A conflict is quarantined with `owner`. IllegalChange: the message names no change. StaleFence: somebody
    else processed it meanwhile.
    """
    if message.change is None:
        raise IllegalChange(f"message {message.id} speaks of no entity")
    before = conn.execute(_APPLIED_BEFORE, {"row_id": message.id, **_change_row(message.change)}).scalar()
    cause = f"{message.source} {message.event_id}"
    verdict = entities.advance(conn, message.change, cause=cause, applied_before=bool(before))
    called = owner if verdict is Verdict.CONFLICT else None
    if not mark(conn, message.id, _BECOMES[verdict], verdict.value, owner=called):
        raise StaleFence(f"message {message.id} was processed meanwhile")
    return verdict


def acknowledge(conn: Connection, message_id: int) -> bool:
    """An owner has seen a quarantined message. False: acknowledged before, or not quarantined."""
    seen = (
        update(inbox_event)
        .where(_c.id == message_id, _c.owner.is_not(None), _c.acked_ms.is_(None))
        .values(acked_ms=read_now_ms(conn))
    )
    return conn.execute(seen).rowcount == 1


def _change_row(change: EntityChange | None) -> dict[str, Any]:
    names = ("entity", "revision", "state", "intent")
    return {name: None if change is None else getattr(change, name) for name in names}


def _message(row: Mapping[Any, Any]) -> InboxMessage:
    change = None
    if row["entity"] is not None:
        change = EntityChange(
            entity=row["entity"], revision=row["revision"], state=row["state"], intent=row["intent"]
        )
    kept = ("source_time_ms", "received_ms", "processed_ms", "note", "owner", "owner_deadline_ms", "acked_ms")
    return InboxMessage(
        id=row["id"],
        source=row["source"],
        event_id=row["event_id"],
        kind=row["kind"],
        payload=bytes(row["payload"]),
        status=InboxStatus(row["status"]),
        provenance=provenance_of(row),
        change=change,
        **{name: row[name] for name in kept},
    )
