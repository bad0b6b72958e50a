"""Tables of the work itself: documents, processes, jobs and create attempts.

`schema` has the rest, the rules, and the whole.
"""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, Index, String, Table, UniqueConstraint

from orchestrator.core.records import JobStage, Overlay, ProcessStage
from orchestrator.core.states import JobState, Reason
from orchestrator.store import columns as c
from orchestrator.store.codes import AttemptOutcome, DocumentKind
from orchestrator.store.columns import metadata
from outbox.schema import ENGINE_OPTIONS

WITH_PAYLOAD = (
    JobState.READY_TO_COMPOSE,
    JobState.COMPOSED_NOT_SAVED,
    JobState.SAVED_NOT_PUBLIC,
    JobState.PUBLISHED,
)
"""I6: states that only a job with a stored payload may hold."""

NEVER_DUE = (JobState.DELETED, JobState.MANUALLY_SUSPENDED)

document = Table(
    "document",
    metadata,
    Column("kind", String(64), primary_key=True),
    Column("digest", String(80), primary_key=True),
    Column("body", c.LongBytes, nullable=False),
    c.instant("stored_ms", null=False),
    c.one_of("kind", DocumentKind),
    **ENGINE_OPTIONS,
)

process = Table(
    "process",
    metadata,
    c.uid(key=True),
    c.text("product", 64, null=False),
    c.text("target_date", 10, null=False),
    c.text("languages", 200, null=False),  # comma-separated, in the product's order
    c.number("version"),
    c.number("revision"),
    c.code("stage"),
    c.code("overlay"),
    c.code("reason", null=True),
    c.number("supplemental_rounds"),
    c.digest("evidence_digest"),
    *c.document("evidence_digest", DocumentKind.PACKAGE),
    c.number("accepted_research_revision", null=True),
    c.number("composition_revision", null=True),
    Column("backfill", Boolean, nullable=False),
    c.text("owner", 64),
    c.instant("acked_ms"),
    c.instant("created_ms", null=False),
    c.instant("scheduled_ms", null=False),
    c.instant("deadline_ms"),
    c.instant("progress_ms", null=False),
    c.instant("published_ms"),
    c.instant("verified_ms"),
    c.one_of("stage", ProcessStage),
    c.one_of("overlay", Overlay),
    CheckConstraint("overlay <> 'QUARANTINED' OR owner IS NOT NULL", name="quarantine_owner"),  # I16
    UniqueConstraint("product", "target_date"),  # I2
    Index("ix_process_unverified", "verified_ms", "deadline_ms"),
    **ENGINE_OPTIONS,
)

RESPONSE_ID_LENGTH = 512  # as long as the provider client takes one: gateways wrap ids into longer ones

job = Table(
    "job",
    metadata,
    c.uid(key=True),
    c.ref("process_id", "process.id"),
    c.uid("slot", null=True),
    c.code("state"),
    c.number("version"),
    c.code("stage"),
    c.number("generation"),
    c.number("priority"),
    c.instant("deadline_ms"),
    c.instant("next_due_ms"),
    c.text("lease_owner", 64),
    c.text("fingerprint", 80),
    c.digest("contract_digest"),
    c.digest("request_digest"),
    c.text("client_request_id", 64),
    c.text("response_id", RESPONSE_ID_LENGTH),
    c.text("x_request_id"),
    c.number("generation_attempts"),
    c.number("throttle_count"),
    c.number("poll_count"),
    c.number("retrieve_count"),
    c.number("validate_count"),
    c.number("delete_count"),
    c.instant("created_ms", null=False),
    c.instant("eligible_ms"),
    c.instant("create_started_ms"),
    c.instant("accepted_ms"),
    c.instant("last_poll_ms"),
    c.instant("missing_since_ms"),
    c.number("missing_count"),
    c.instant("terminal_seen_ms"),
    c.instant("cancel_requested_ms"),
    c.number("cancel_calls"),
    c.instant("delete_requested_ms"),
    c.instant("discard_ordered_ms"),  # a person ordered the remote answer to be dropped without custody
    c.instant("deleted_ms"),
    c.code("quarantine_reason", null=True),
    c.instant("quarantined_ms"),
    c.text("owner", 64),
    c.instant("owner_deadline_ms"),
    c.instant("acked_ms"),
    c.code("resume_state", null=True),
    c.uid("superseded_by", null=True),
    Column("no_replacement", Boolean, nullable=False),
    Column("abandoned", Boolean, nullable=False),
    Column("drift_waived", Boolean, nullable=False),
    c.text("diagnostic"),
    c.micro("cost_ceiling_micro"),
    c.number("output_ceiling_tokens"),
    c.digest("payload_digest"),
    *c.document("payload_digest", DocumentKind.PAYLOAD),
    c.digest("report_digest"),
    *c.document("report_digest", DocumentKind.REPORT),
    c.text("result_commit_key"),
    c.one_of("state", JobState),
    c.one_of("stage", JobStage),
    c.one_of("quarantine_reason", Reason),
    c.one_of("resume_state", JobState),
    CheckConstraint(f"state NOT IN ({c.quoted(WITH_PAYLOAD)}) OR payload_digest IS NOT NULL", name="custody"),  # I6
    CheckConstraint(
        "delete_requested_ms IS NULL OR payload_digest IS NOT NULL"
        " OR discard_ordered_ms IS NOT NULL OR abandoned OR superseded_by IS NOT NULL",
        name="delete_after_custody",
    ),  # I10: custody first, unless a person gave it up or the provider had nothing to keep and it was replaced
    CheckConstraint(
        "state <> 'QUARANTINED' OR (owner IS NOT NULL AND owner_deadline_ms IS NOT NULL)",
        name="quarantine_owner",
    ),  # I16
    CheckConstraint(f"state NOT IN ({c.quoted(NEVER_DUE)}) OR next_due_ms IS NULL", name="never_due"),
    UniqueConstraint("slot"),  # I1
    UniqueConstraint("result_commit_key"),  # I9
    UniqueConstraint("response_id"),
    UniqueConstraint("client_request_id"),
    Index("ix_job_next_due_ms", "next_due_ms"),  # finished jobs are NULL in it: an idle look costs the same
    Index("ix_job_process_id", "process_id"),
    **ENGINE_OPTIONS,
)

create_attempt = Table(
    "create_attempt",
    metadata,
    c.serial(),
    c.ref("job_id", "job.id"),
    c.uid("process_id"),
    c.number("process_revision"),
    c.code("stage"),
    c.text("fingerprint", 80, null=False),
    c.number("generation"),
    c.number("attempt"),
    c.text("live_key", 120),  # "<fingerprint>:<generation>" unless proven not created
    c.text("contract_version", 120, null=False),
    c.digest("request_digest", null=False),
    c.text("client_request_id", 64, null=False),
    c.number("fence"),
    c.text("lease_owner", 64),
    c.instant("started_ms", null=False),
    c.micro("reserved_micro", null=False),
    Column("metadata_json", c.LongText, nullable=False),
    c.code("outcome", null=True),
    c.code("phase", null=True),
    c.number("http_status", null=True),
    c.number("elapsed_ms", null=True),
    c.text("error_class"),
    c.text("x_request_id"),
    c.text("response_id", RESPONSE_ID_LENGTH),
    c.instant("settled_ms"),
    c.one_of("outcome", AttemptOutcome),
    CheckConstraint(
        "(outcome IS NOT NULL AND outcome = 'NOT_CREATED' AND live_key IS NULL)"
        " OR ((outcome IS NULL OR outcome <> 'NOT_CREATED') AND live_key IS NOT NULL)",
        name="live_key",
    ),
    UniqueConstraint("live_key"),  # I5
    UniqueConstraint("job_id", "attempt"),
    **ENGINE_OPTIONS,
)
