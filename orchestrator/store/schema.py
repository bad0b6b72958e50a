"""The orchestrator's tables (design §3). The invariants that a database can keep are kept here.

Rules:
* every CHECK over a code is generated from its enum; names stay under 64 characters;
* a NULL in a unique key means "holds no slot": `job.slot`, `create_attempt.live_key`, `edition.current_slot`,
  `command.active_key`;
* documents are named by (kind, digest); a column that names one has a constant `*_kind` beside it, so that a
  foreign key can prove that the bytes are stored.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    String,
    Table,
    UniqueConstraint,
)

from orchestrator.store import columns as c
from orchestrator.store.codes import (
    ActorType,
    CommandStatus,
    CostKind,
    DocumentKind,
    EditionStatus,
    Provenance,
)
from orchestrator.store.columns import metadata
from orchestrator.store.triggers import refuse
from orchestrator.store.work_tables import document
from outbox import schema as outbox_schema
from outbox.schema import ENGINE_OPTIONS

SCHEMA = 1
"""The newest migration this program knows; `alembic_version` holds it as four digits."""

candidate = Table(
    "candidate",
    metadata,
    c.uid("process_id", key=True),
    c.uid(key=True),
    c.number("position"),
    c.text("identity", 200, null=False),
    c.ref("job_id", "job.id"),
    c.number("process_revision"),
    Column("content", c.LongText, nullable=False),
    ForeignKeyConstraint(["process_id"], ["process.id"]),
    UniqueConstraint("process_id", "identity"),
    **ENGINE_OPTIONS,
)

evidence_patch = Table(
    "evidence_patch",
    metadata,
    c.uid("process_id", key=True),
    c.uid(key=True),
    c.uid("candidate_id"),
    c.ref("job_id", "job.id"),
    c.number("process_revision"),
    Column("content", c.LongText, nullable=False),
    ForeignKeyConstraint(["process_id", "candidate_id"], ["candidate.process_id", "candidate.id"]),
    **ENGINE_OPTIONS,
)

claim = Table(
    "claim",
    metadata,
    c.uid("process_id", key=True),
    c.uid(key=True),
    c.uid("candidate_id"),
    c.uid("patch_id", null=True),
    c.number("position"),
    Column("content", c.LongText, nullable=False),
    ForeignKeyConstraint(["process_id", "candidate_id"], ["candidate.process_id", "candidate.id"]),
    **ENGINE_OPTIONS,
)

source = Table(
    "source",
    metadata,
    c.uid("process_id", key=True),
    c.uid(key=True),
    c.uid("candidate_id"),
    c.uid("patch_id", null=True),
    c.number("position"),
    c.digest("payload_digest", null=False),
    *c.document("payload_digest", DocumentKind.PAYLOAD),
    Column("content", c.LongText, nullable=False),
    ForeignKeyConstraint(["process_id", "candidate_id"], ["candidate.process_id", "candidate.id"]),
    **ENGINE_OPTIONS,
)

edition = Table(
    "edition",
    metadata,
    c.serial(),
    c.ref("process_id", "process.id"),
    c.ref("job_id", "job.id", null=True),
    c.text("product", 64, null=False),
    c.text("target_date", 10, null=False),
    c.text("lang", 8, null=False),
    c.number("revision"),
    c.number("number"),
    c.code("status"),
    c.code("provenance"),
    c.text("current_slot", 120),
    Column("content", c.LongText, nullable=False),
    Column("evidence", c.LongText, nullable=False),
    c.digest("digest", null=False),
    c.digest("package_digest", null=False),
    c.digest("composition_digest", null=False),
    c.digest("report_digest", null=False),
    *c.document("report_digest", DocumentKind.REPORT),
    Column("report_passed", Boolean, nullable=False),
    c.text("approved_by", 64),
    c.text("owner", 64),
    c.instant("saved_ms", null=False),
    c.instant("published_ms"),
    c.instant("ended_ms"),  # superseded or withdrawn
    c.one_of("status", EditionStatus),
    c.one_of("provenance", Provenance),
    CheckConstraint("provenance <> 'PROVIDER' OR job_id IS NOT NULL", name="composed"),  # I8
    CheckConstraint("report_passed OR (provenance = 'ADOPTED' AND owner IS NOT NULL)", name="validated"),  # I8
    CheckConstraint(
        "(status = 'PUBLISHED' AND current_slot IS NOT NULL) OR (status <> 'PUBLISHED' AND current_slot IS NULL)",
        name="current",
    ),
    UniqueConstraint("product", "target_date", "lang", "revision"),  # I2
    UniqueConstraint("current_slot"),  # I2
    Index("ix_edition_process_id", "process_id"),
    **ENGINE_OPTIONS,
)

command = Table(
    "command",
    metadata,
    c.serial(),
    c.code("verb"),
    c.text("target", 120, null=False),  # a job, a process, an edition key, an effect, or "" for the loop
    c.text("active_key", 200),  # "<verb>:<target>" while it is open
    c.text("idempotency_key", 120, null=False),
    c.code("reason_code"),
    Column("reason_text", c.LongText, nullable=False),
    c.text("actor", 64, null=False),
    Column("arguments", c.LongText, nullable=False),  # JSON
    c.code("status"),
    c.text("outcome", 400),
    c.instant("ordered_ms", null=False),
    c.instant("finished_ms"),
    c.one_of("status", CommandStatus),
    CheckConstraint(
        "(status = 'OPEN' AND active_key IS NOT NULL) OR (status <> 'OPEN' AND active_key IS NULL)",
        name="active_key",
    ),
    UniqueConstraint("active_key"),
    UniqueConstraint("idempotency_key"),
    **ENGINE_OPTIONS,
)

audit = Table(
    "event",
    metadata,
    c.serial(),
    c.instant("occurred_ms", null=False),
    c.code("event_type"),
    c.uid("process_id", null=True),
    c.number("process_revision", null=True),
    c.uid("job_id", null=True),
    c.number("generation", null=True),
    c.number("fence", null=True),
    c.code("stage_code", null=True),
    c.code("from_state", null=True),
    c.code("to_state", null=True),
    c.text("fingerprint_prefix", 16),
    c.code("actor_type"),
    c.text("actor", 64, null=False),
    c.text("diagnostic_code"),
    c.one_of("actor_type", ActorType),
    Index("ix_event_process_id", "process_id"),
    **ENGINE_OPTIONS,
)

cost_entry = Table(
    "cost_entry",
    metadata,
    c.serial(),
    c.ref("process_id", "process.id"),
    c.uid("job_id"),
    c.text("day", 10, null=False),
    c.code("kind"),
    c.micro("amount_micro", null=False),
    c.instant("at_ms", null=False),
    c.one_of("kind", CostKind),
    CheckConstraint("kind = 'RELEASED' OR amount_micro >= 0", name="sign"),
    Index("ix_cost_entry_day", "day"),
    Index("ix_cost_entry_process_id", "process_id"),
    Index("ix_cost_entry_job_id", "job_id"),
    **ENGINE_OPTIONS,
)

cost_day = Table("cost_day", metadata, Column("day", String(10), primary_key=True), **ENGINE_OPTIONS)
"""One row a day, locked by whoever reserves: the sum and the new line then belong together (I17)."""

provider_gate = Table(
    "provider_gate",
    metadata,
    c.uid("provider", key=True),
    c.instant("until_ms", null=False),
    **ENGINE_OPTIONS,
)

pause = Table(
    "pause",
    metadata,
    c.uid("scope", key=True),
    Column("paused", Boolean, nullable=False),
    c.text("actor", 64, null=False),
    c.text("reason", 200, null=False),
    c.instant("since_ms", null=False),
    **ENGINE_OPTIONS,
)

status_projection = Table(
    "status_projection",
    metadata,
    c.uid("process_id", key=True),
    Column("payload", c.LongText, nullable=False),
    c.instant("written_ms", null=False),
    ForeignKeyConstraint(["process_id"], ["process.id"]),
    **ENGINE_OPTIONS,
)


refuse(document, "UPDATE")  # its removal is a matter of retention
for _table in (audit, cost_entry, candidate, evidence_patch, claim, source):
    refuse(_table, "UPDATE", "DELETE")


ALL_METADATA = (outbox_schema.metadata, metadata)


def all_tables() -> list[Table]:
    """Every table of the store, the outbox's too, in an order in which they can be created."""
    return [table for tables in ALL_METADATA for table in tables.sorted_tables]
