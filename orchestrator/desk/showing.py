"""One thing in full: a job, process or edition, its report, evidence, text or the answer as it came.

Rules: what is stored is shown as it is stored; its digest is checked on the way out (`documents.get`).
"""

from __future__ import annotations

import json

from sqlalchemy import Connection

from orchestrator.core.records import Job, Process
from orchestrator.desk import finding
from orchestrator.desk.edition_rows import EditionRow, edition_rows
from orchestrator.desk.shapes import Json
from orchestrator.errors import NotFound
from orchestrator.store import documents, evidence
from orchestrator.store.codes import DocumentKind
from orchestrator.store.editions import SavedEdition
from publisher.edition import Edition


def report(conn: Connection, wanted: str) -> Json:
    """The validation report of a job's answer, or the one that let an edition pass."""
    found = finding.find(conn, wanted)
    holder = found if isinstance(found, SavedEdition) else finding.find_job(conn, wanted)
    digest = holder.report_digest
    if digest is None:
        raise NotFound(f"{wanted} has no report yet: its answer was not checked", hint=_explain(wanted))
    shown: Json = json.loads(documents.get(conn, DocumentKind.REPORT, digest))
    return shown


def payload(conn: Connection, wanted: str) -> bytes:
    """The provider's answer, byte by byte."""
    job = finding.find_job(conn, wanted)
    if job.payload_digest is None:
        raise NotFound(f"no answer of {wanted} is stored", hint=_explain(wanted))
    return documents.get(conn, DocumentKind.PAYLOAD, job.payload_digest)


def evidence_of(conn: Connection, wanted: str) -> Json:
    """An edition's evidence as it is published; a process's frozen package, or what was accepted so far."""
    found = finding.find(conn, wanted)
    if isinstance(found, SavedEdition):
        return found.trail().model_dump(mode="json")
    process = finding.find_process(conn, wanted)
    if process.evidence_digest is not None:
        package: Json = json.loads(documents.get(conn, DocumentKind.PACKAGE, process.evidence_digest))
        return package
    accepted = evidence.of_process(conn, process.id)
    return {
        "candidates": [{"id": one.id, **json.loads(one.content)} for one in accepted.candidates],
        "patches": [{"id": one.id, **json.loads(one.content)} for one in accepted.patches],
        "claims": [{"id": one.id, **json.loads(one.content)} for one in accepted.claims],
        "sources": [{"id": one.id, **json.loads(one.content)} for one in accepted.sources],
    }


def edition(conn: Connection, wanted: str) -> Edition:
    """One revision of an edition; NotFound names the keys where a process or job has several."""
    return _edition(conn, wanted).edition()


def edition_row(conn: Connection, found: SavedEdition) -> EditionRow:
    """The edition with what it reached."""
    rows = edition_rows(conn, process_id=found.process_id)
    return next(r for r in rows if (r.key.slot, r.revision) == (found.key, found.revision))


def _edition(conn: Connection, wanted: str) -> SavedEdition:
    found: Job | Process | SavedEdition = finding.find(conn, wanted)
    if isinstance(found, SavedEdition):
        return found
    process = finding.find_process(conn, wanted)
    keys = sorted({row.key.slot for row in edition_rows(conn, process_id=process.id)})
    if not keys:
        raise NotFound(f"{wanted} has no edition yet", hint=_explain(wanted))
    raise NotFound(f"{wanted} is no single edition", hint=f"Name one: {', '.join(keys)}")


def _explain(wanted: str) -> str:
    return f"`dateline explain {wanted}` says how it stands."
