"""What must hold after every step, whatever happened: read from the database and from the provider's own log.

`D2` is the Daily Brief workflow's list of properties; `I…` are the invariants of the completed tables, §3.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, text

from orchestrator.core.states import PENDING_REMOTE, JobState
from tests.acceptance.shift import Shift

S = JobState
COMMITS = ("EVIDENCE_MERGED", "SALVAGED", "EDITIONS_SAVED")
GIVEN_UP = ("REPLACED", "ABANDONED", "DISCARDED")
IN_CUSTODY = (S.READY_TO_COMPOSE, S.COMPOSED_NOT_SAVED, S.SAVED_NOT_PUBLIC, S.PUBLISHED)
AT_WORK = (S.CREATE_IN_FLIGHT, *PENDING_REMOTE, S.COMPLETED_NOT_RETRIEVED)
Row = Mapping[str, Any]


@dataclass
class Book:
    """What one look at the store found."""

    conn: Connection
    checked: set[str]
    jobs: dict[str, Row] = field(init=False)
    processes: dict[str, Row] = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = {row["id"]: row for row in self.rows("SELECT * FROM job")}
        self.processes = {row["id"]: row for row in self.rows("SELECT * FROM process")}

    def rows(self, query: str) -> list[Row]:
        return [dict(row) for row in self.conn.execute(text(query)).mappings()]

    def document(self, kind: str, digest: str) -> bytes:
        found = self.conn.execute(
            text("SELECT body FROM document WHERE kind = :kind AND digest = :digest"),
            {"kind": kind, "digest": digest},
        ).scalar()
        assert found is not None, f"no {kind} {digest}"
        return bytes(found)


def check(shift: Shift, checked: set[str]) -> None:
    """Every property at this moment; `checked` remembers what can never change again."""
    with shift.house.db.read() as conn:
        book = Book(conn, checked)
        for one in PROPERTIES:
            for broken in one(book):
                raise AssertionError(f"{(one.__doc__ or '').strip()} {broken}")
    for broken in bought_once(shift):
        raise AssertionError(f"one accepted create per fingerprint and generation: {broken}")
    for broken in deleted_in_custody(shift):
        raise AssertionError(f"what was deleted is preserved, or a person gave it up: {broken}")


def machine_of(shift: Shift) -> tuple[list[Any], ...]:
    """Every row of the work itself: what a stale worker must leave as it was."""
    tables = ("process", "job", "edition", "candidate", "evidence_patch", "outbox_event", "create_attempt")
    return tuple(shift.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables)


def bought_once(shift: Shift) -> Iterator[str]:
    """D2: provider_create_count(fingerprint, generation) ≤ 1, as the provider counts."""
    names = ("process_suffix", "stage", "fingerprint_prefix", "operation_generation")
    counted = Counter(
        tuple(create["metadata"][name] for name in names) for create in shift.creates() if create["accepted"]
    )
    yield from (str(key) for key, count in counted.items() if count > 1)


def deleted_in_custody(shift: Shift) -> Iterator[str]:
    """D2: deleted ⇒ evidence preserved (I10)."""
    deleted = {call["response_id"] for call in shift.requests("DELETE") if call["status"] == 200}
    excused = "payload_digest IS NOT NULL OR abandoned OR discard_ordered_ms IS NOT NULL"
    kept = {row[0] for row in shift.rows(f"SELECT response_id FROM job WHERE {excused}")}
    known = {row[0] for row in shift.rows("SELECT response_id FROM job WHERE response_id IS NOT NULL")}
    yield from sorted(one for one in deleted if one in known - kept)


def one_active(book: Book) -> Iterator[str]:
    """D2, I1: at most one active operation per process."""
    holding = Counter(job["slot"] for job in book.jobs.values() if job["slot"])
    working = Counter(
        job["process_id"]
        for job in book.jobs.values()
        if job["state"] in AT_WORK and not job["abandoned"] and not job["superseded_by"]
    )
    yield from (
        f"{process}: {count}" for seen in (holding, working) for process, count in seen.items() if count > 1
    )


def published_from_accepted_evidence(book: Book) -> Iterator[str]:
    """D2, I7, I8: what is published has a validated composition, made from the accepted evidence."""
    for edition in book.rows("SELECT * FROM edition WHERE published_ms IS NOT NULL"):
        key = f"edition {edition['id']}"
        if key in book.checked:
            continue
        job, process = book.jobs[edition["job_id"]], book.processes[edition["process_id"]]
        contract = json.loads(book.document("CONTRACT", job["contract_digest"]))
        report = json.loads(book.document("REPORT", edition["report_digest"]))
        if not report["accepted"] or job["stage"] != "composition":
            yield f"{key}: no validated composition"
        if report["result_digest"] != job["payload_digest"]:
            yield f"{key}: the report is of another answer"
        if not contract["evidence_digest"] == process["evidence_digest"] == edition["package_digest"]:
            yield f"{key}: other evidence"
        book.checked.add(key)


def committed_once(book: Book) -> Iterator[str]:
    """D2, I9, I11: a job's result is committed once, and never after it was given up."""
    over: set[str] = set()
    done: Counter[str] = Counter()
    for line in book.rows("SELECT job_id, event_type FROM event WHERE job_id IS NOT NULL ORDER BY id"):
        if line["event_type"] in GIVEN_UP:
            over.add(line["job_id"])
        if line["event_type"] in COMMITS:
            done[line["job_id"]] += 1
            if line["job_id"] in over:
                yield f"{line['job_id']} committed after it was given up"
    yield from (f"{job}: {count}" for job, count in done.items() if count > 1)


def replaced_forward(book: Book) -> Iterator[str]:
    """D2, I11: a replacement has a higher generation, and the replaced job holds no slot."""
    for job in book.jobs.values():
        if job["superseded_by"]:
            follower = book.jobs[job["superseded_by"]]
            if follower["generation"] <= job["generation"] or follower["stage"] != job["stage"]:
                yield f"{job['id']} → {follower['id']}"
        if (job["superseded_by"] or job["abandoned"]) and job["slot"]:
            yield f"{job['id']} is given up and holds a slot"


def payloads_stored(book: Book) -> Iterator[str]:
    """I6: a payload's digest is that of the stored bytes, and nothing goes on without one."""
    for job in book.jobs.values():
        digest = job["payload_digest"]
        if job["state"] in IN_CUSTODY and not digest:
            yield f"{job['id']} is {job['state']} without a payload"
        if digest and digest not in book.checked:
            if digest != "sha256:" + hashlib.sha256(book.document("PAYLOAD", digest)).hexdigest():
                yield f"{job['id']}: other bytes are stored"
            book.checked.add(digest)


def owned(book: Book) -> Iterator[str]:
    """I16: what is quarantined has an owner and a date by which to answer."""
    for job in book.jobs.values():
        if job["state"] == S.QUARANTINED and not (job["owner"] and job["owner_deadline_ms"]):
            yield job["id"]
    for process in book.processes.values():
        if process["overlay"] == "QUARANTINED" and not process["owner"]:
            yield process["id"]


def attempts_accounted(book: Book) -> Iterator[str]:
    """I5: at most one create of a job may have been accepted, and what was accepted has its id."""
    sent = Counter(
        row["job_id"] for row in book.rows("SELECT job_id FROM create_attempt WHERE outcome <> 'NOT_CREATED'")
    )
    for job in book.jobs.values():
        if sent[job["id"]] > 1:
            yield f"{job['id']} has {sent[job['id']]} creates that may have been accepted"
        if job["accepted_ms"] is not None and not job["response_id"]:
            yield f"{job['id']} was accepted without an id"


PROPERTIES: tuple[Callable[[Book], Iterator[str]], ...] = (
    one_active,
    published_from_accepted_evidence,
    committed_once,
    replaced_forward,
    payloads_stored,
    owned,
    attempts_accounted,
)
