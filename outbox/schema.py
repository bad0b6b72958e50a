"""Tables that the outbox owns.

Rules: instants are `*_ms` BIGINT (UTC epoch milliseconds of the database's clock); text keys are compared
byte by byte on every engine; names stay under 64 characters; every CHECK over a code is made from its enum or
from the delivery tables. The host application owns the migrations.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from outbox.delivery import ALLOWED, NEEDS_OWNER, OPEN
from outbox.message import (
    NAME_LENGTH,
    EffectReason,
    EffectStatus,
    Evidence,
    InboxStatus,
    Intent,
    Mode,
)

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

ENGINE_OPTIONS: dict[str, Any] = {
    f"{prefix}_{option}": value
    for prefix in ("mysql", "mariadb")
    for option, value in {"engine": "InnoDB", "charset": "utf8mb4", "collate": "utf8mb4_bin"}.items()
}
"""For every table: InnoDB, and text that compares byte by byte, as on the other engines."""

metadata = MetaData(naming_convention=NAMING)

clock = Table(
    "clock",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("offset_ms", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="single"),
    **ENGINE_OPTIONS,
)
"""At most one row; without it the offset is 0."""

# --- the outbox's own tables: outbox_event, effect, inbox_event, entity_state

_SERVERS = ("mysql", "mariadb")
_LongText: TypeEngine[str] = Text().with_variant(mysql.LONGTEXT(), *_SERVERS)
_LongBytes: TypeEngine[bytes] = LargeBinary().with_variant(mysql.LONGBLOB(), *_SERVERS)
_RowId: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")

ERROR_LENGTH = 500
"""What is kept of an error's or a person's words, in characters."""


def _name(name: str, *, null: bool = False, key: bool = False) -> Column[Any]:
    return Column(name, String(NAME_LENGTH), nullable=null, primary_key=key)


def _code(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, String(32), nullable=null)


def _instant(name: str, *, null: bool = True) -> Column[Any]:
    return Column(name, BigInteger, nullable=null)


def _number(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Integer, nullable=null)


def _words(name: str) -> Column[Any]:
    return Column(name, String(ERROR_LENGTH), nullable=True)


def _id() -> Column[Any]:
    return Column("id", _RowId, primary_key=True, autoincrement=True)


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(f"'{code}'" for code in sorted(str(code) for code in codes))


def _one_of(column: str, codes: type[StrEnum]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({_listed(codes)})", name=column)


def _owned(statuses: Iterable[str]) -> CheckConstraint:
    """I16: what waits for a person names that person's role and a date."""
    return CheckConstraint(
        f"status NOT IN ({_listed(statuses)}) OR (owner IS NOT NULL AND owner_deadline_ms IS NOT NULL)",
        name="owned",
    )


def _allowed() -> CheckConstraint:
    """I14: a mode holds only the acts that it may do."""
    rows = (f"(mode = '{mode}' AND intent IN ({_listed(ALLOWED[mode])}))" for mode in Mode)
    return CheckConstraint(" OR ".join(rows), name="allowed")


def _provenance() -> tuple[Column[Any], ...]:
    return (_name("origin"), _name("causation", null=True), _name("root", null=True), _number("hops"))


outbox_event = Table(
    "outbox_event",
    metadata,
    _id(),
    _name("key"),
    _name("type"),
    _name("entity"),
    _number("revision"),
    _code("mode"),
    *_provenance(),
    Column("payload", _LongText, nullable=False),
    _instant("decided_ms", null=False),
    UniqueConstraint("key"),
    _one_of("mode", Mode),
    **ENGINE_OPTIONS,
)
"""Something decided that the world must learn. `payload` is JSON."""

Index("ix_outbox_event_entity", outbox_event.c.entity, outbox_event.c.revision)
Index("ix_outbox_event_root", outbox_event.c.root)

effect = Table(
    "effect",
    metadata,
    _id(),
    Column("event_key", String(NAME_LENGTH), ForeignKey("outbox_event.key"), nullable=False),
    _name("entity"),
    _number("revision"),
    _code("intent"),
    _code("mode"),
    _code("status"),
    _number("version"),
    _name("batch_key"),
    Column("idempotency_key", String(NAME_LENGTH + 40), nullable=False),
    _number("attempts"),
    _number("hops"),
    _number("priority"),
    _instant("next_due_ms"),
    _name("lease_owner", null=True),
    _instant("deadline_ms"),
    _words("reference"),
    _code("evidence", null=True),
    _code("reason", null=True),
    _words("last_error"),
    _words("note"),
    _name("owner", null=True),
    _instant("owner_deadline_ms"),
    _instant("acked_ms"),
    _instant("created_ms", null=False),
    _instant("updated_ms", null=False),
    _instant("confirmed_ms"),
    UniqueConstraint("entity", "revision", "intent", "mode"),
    _one_of("intent", Intent),
    _one_of("mode", Mode),
    _one_of("status", EffectStatus),
    _one_of("evidence", Evidence),
    _one_of("reason", EffectReason),
    _owned(NEEDS_OWNER),
    _allowed(),
    CheckConstraint(f"status IN ({_listed(OPEN)}) OR next_due_ms IS NULL", name="settled_never_due"),
    CheckConstraint("status = 'IN_FLIGHT' OR lease_owner IS NULL", name="leased_in_flight"),
    **ENGINE_OPTIONS,
)
"""The operation ledger: one outward act a row."""

Index("ix_effect_next_due_ms", effect.c.next_due_ms)
Index("ix_effect_batch_key", effect.c.batch_key, effect.c.intent)
Index("ix_effect_status", effect.c.status)

inbox_event = Table(
    "inbox_event",
    metadata,
    _id(),
    _name("source"),
    _name("event_id"),
    _name("kind"),
    _name("entity", null=True),
    _number("revision", null=True),
    _name("state", null=True),
    _name("intent", null=True),
    *_provenance(),
    Column("payload", _LongBytes, nullable=False),
    _instant("source_time_ms"),
    _instant("received_ms", null=False),
    _code("status"),
    _words("note"),
    _name("owner", null=True),
    _instant("owner_deadline_ms"),
    _instant("acked_ms"),
    _instant("processed_ms"),
    UniqueConstraint("source", "event_id"),
    _one_of("status", InboxStatus),
    _owned([InboxStatus.QUARANTINED]),
    **ENGINE_OPTIONS,
)
"""Something the world told us, stored before it is acknowledged."""

Index("ix_inbox_event_status", inbox_event.c.status, inbox_event.c.id)
Index("ix_inbox_event_entity", inbox_event.c.entity, inbox_event.c.revision)
Index("ix_inbox_event_root", inbox_event.c.root)

entity_state = Table(
    "entity_state",
    metadata,
    _name("entity", key=True),
    _number("revision"),
    _name("state"),
    _name("cause"),
    _instant("updated_ms", null=False),
    **ENGINE_OPTIONS,
)
"""The reducer's view of one entity; the revision only grows. `cause` names the event that last moved it."""
