"""Records as the JSON that `--json` prints: the interface's names, RFC 3339 UTC instants, full ids.

Keys are a promise: add, never rename.
"""

from __future__ import annotations

from typing import Any

from orchestrator.core.instants import rfc3339
from orchestrator.core.records import Job, Process
from orchestrator.store.events import Line
from outbox.message import Effect, InboxMessage

Json = dict[str, Any]


def instant(at_ms: int | None) -> str | None:
    """`2026-11-30T06:02:00.000Z`, or null."""
    return None if at_ms is None else rfc3339(at_ms)


def money(micro: int | None) -> float | None:
    """Millionths as an amount of the price list's currency."""
    return None if micro is None else round(micro / 1_000_000, 6)


def process_json(process: Process) -> Json:
    """One process."""
    return {
        "id": process.id,
        "process_suffix": process.suffix,
        "product": process.product,
        "target_date": process.target_date,
        "languages": list(process.languages),
        "stage": process.stage.value,
        "overlay": process.overlay.value,
        "reason": process.reason,
        "version": process.version,
        "revision": process.revision,
        "supplemental_rounds": process.supplemental_rounds,
        "evidence_digest": process.evidence_digest,
        "backfill": process.backfill,
        "owner": process.owner,
        "created_at": instant(process.created_ms),
        "scheduled_at": instant(process.scheduled_ms),
        "deadline_at": instant(process.deadline_ms),
        "progress_at": instant(process.progress_ms),
        "published_at": instant(process.published_ms),
        "verified_at": instant(process.verified_ms),
    }


def job_json(job: Job, process: Process) -> Json:
    """One job of a process."""
    return {
        "id": job.id,
        "process": job.process_id,
        "product": process.product,
        "target_date": process.target_date,
        "stage": job.stage.value,
        "generation": job.generation,
        "state": job.state.value,
        "version": job.version,
        "reason": job.quarantine_reason.value if job.quarantine_reason else None,
        "diagnostic": job.diagnostic,
        "generation_attempts": job.generation_attempts,
        "poll_count": job.poll_count,
        "retrieve_count": job.retrieve_count,
        "next_due_at": instant(job.next_due_ms),
        "deadline_at": instant(job.deadline_ms),
        "lease_owner": job.lease_owner,
        "fingerprint": job.fingerprint,
        "client_request_id": job.client_request_id,
        "response_id": job.response_id,
        "payload_digest": job.payload_digest,
        "report_digest": job.report_digest,
        "superseded_by": job.superseded_by,
        "abandoned": job.abandoned,
        "resume_state": job.resume_state.value if job.resume_state else None,
        "owner": job.owner,
        "owner_deadline_at": instant(job.owner_deadline_ms),
        "acked_at": instant(job.acked_ms),
        "created_at": instant(job.created_ms),
        "accepted_at": instant(job.accepted_ms),
        "deleted_at": instant(job.deleted_ms),
    }


def effect_json(effect: Effect) -> Json:
    """One outward act."""
    return {
        "id": effect.id,
        "key": effect.entity,
        "revision": effect.revision,
        "intent": effect.intent.value,
        "mode": effect.mode.value,
        "status": effect.status.value,
        "version": effect.version,
        "attempts": effect.attempts,
        "next_due_at": instant(effect.next_due_ms),
        "deadline_at": instant(effect.deadline_ms),
        "lease_owner": effect.lease_owner,
        "reference": effect.reference,
        "evidence": effect.evidence.value if effect.evidence else None,
        "reason": effect.reason.value if effect.reason else None,
        "last_error": effect.last_error,
        "note": effect.note,
        "owner": effect.owner,
        "owner_deadline_at": instant(effect.owner_deadline_ms),
        "acked_at": instant(effect.acked_ms),
        "event_key": effect.event_key,
        "batch_key": effect.batch_key,
        "idempotency_key": effect.idempotency_key,
        "created_at": instant(effect.created_ms),
        "confirmed_at": instant(effect.confirmed_ms),
    }


def inbox_json(message: InboxMessage) -> Json:
    """One message from outside; its payload stays in the store."""
    return {
        "id": message.id,
        "source": message.source,
        "event_id": message.event_id,
        "kind": message.kind,
        "status": message.status.value,
        "note": message.note,
        "entity": message.change.entity if message.change else None,
        "revision": message.change.revision if message.change else None,
        "origin": message.provenance.origin,
        "payload_bytes": len(message.payload),
        "source_time": instant(message.source_time_ms),
        "received_at": instant(message.received_ms),
        "processed_at": instant(message.processed_ms),
        "owner": message.owner,
        "owner_deadline_at": instant(message.owner_deadline_ms),
        "acked_at": instant(message.acked_ms),
    }


def event_json(line: Line) -> Json:
    """One line of the audit trail."""
    return {
        "id": line.id,
        "event_type": line.event_type,
        "occurred_at": instant(line.occurred_ms),
        "process_id": line.process_id,
        "process_revision": line.process_revision,
        "job_id": line.job_id,
        "generation": line.generation,
        "fence": line.fence,
        "stage_code": line.stage_code,
        "from_state": line.from_state,
        "to_state": line.to_state,
        "fingerprint_prefix": line.fingerprint_prefix,
        "actor_type": line.actor_type.value,
        "actor": line.actor,
        "diagnostic_code": line.diagnostic_code,
    }
