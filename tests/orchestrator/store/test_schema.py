"""What the database itself refuses, on every engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

import pytest
from sqlalchemy import Connection, Table, delete, inspect, update

from orchestrator.core.records import JobStage, Overlay, ProcessStage
from orchestrator.core.states import JobState, Reason
from orchestrator.store import attempts, documents, editions, events, schema, work_tables
from orchestrator.store.codes import (
    ActorType,
    AttemptOutcome,
    CommandStatus,
    CostKind,
    DocumentKind,
    EditionStatus,
    Provenance,
)
from outbox.database import Database
from outbox.errors import ConstraintRefused
from tests.orchestrator.store.rows import a_job, a_process, an_edition, in_flight, put, uid

CODES: list[tuple[Table, str, type[StrEnum]]] = [
    (work_tables.job, "state", JobState),
    (work_tables.job, "stage", JobStage),
    (work_tables.job, "quarantine_reason", Reason),
    (work_tables.job, "resume_state", JobState),
    (work_tables.process, "stage", ProcessStage),
    (work_tables.process, "overlay", Overlay),
    (work_tables.document, "kind", DocumentKind),
    (work_tables.create_attempt, "outcome", AttemptOutcome),
    (schema.edition, "status", EditionStatus),
    (schema.edition, "provenance", Provenance),
    (schema.command, "status", CommandStatus),
    (schema.audit, "actor_type", ActorType),
    (schema.cost_entry, "kind", CostKind),
]


@pytest.mark.parametrize(("table", "column", "codes"), CODES, ids=[f"{t.name}.{c}" for t, c, _ in CODES])
def test_the_check_in_the_database_agrees_with_the_enum(
    store: Database, table: Table, column: str, codes: type[StrEnum]
) -> None:
    with store.read() as conn:
        checks = inspect(conn).get_check_constraints(table.name)
    texts = [check["sqltext"] for check in checks if check["name"] == f"ck_{table.name}_{column}"]

    assert len(texts) == 1
    assert set(re.findall(r"'([^']*)'", texts[0])) == {code.value for code in codes}


def _job(number: int = 2, **changes: Any) -> Callable[[Connection], None]:
    return lambda conn: put(conn, a_job(number, **changes))


def _edition(**changes: Any) -> Callable[[Connection], object]:
    return lambda conn: editions.insert(conn, an_edition(conn, **changes), now_ms=1)


DIGEST = "sha256:" + "f" * 64
REFUSED: dict[str, Callable[[Connection], object]] = {
    "I1: a second job in the slot of a process": _job(slot=uid(1)),
    "I2: a second process for the same product and date": lambda conn: put(conn, replace(a_process(), id=uid(9))),
    "I2: the same revision of an edition twice": lambda conn: [_edition()(conn) for _ in range(2)],
    "I6: ready to compose without a payload": _job(state=JobState.READY_TO_COMPOSE),
    "I6: composed without a payload": _job(state=JobState.COMPOSED_NOT_SAVED),
    "I6: saved without a payload": _job(state=JobState.SAVED_NOT_PUBLIC),
    "I6: published without a payload": _job(state=JobState.PUBLISHED),
    "I6: a digest of bytes that are not stored": _job(payload_digest=DIGEST),
    "I6: a report that is not stored": _job(report_digest=DIGEST),
    "I7: a package that is not stored": lambda conn: put(conn, a_process(2, evidence_digest=DIGEST)),
    "I8: a composed edition without its job": _edition(job_id=None),
    "I8: an edition that failed its checks": _edition(report_passed=False),
    "I8: an adopted one that failed, without an owner": _edition(
        report_passed=False, provenance=Provenance.ADOPTED
    ),
    "I9: a result committed twice": _job(result_commit_key="key"),
    "I10: a deletion before custody": _job(state=JobState.CLEANUP_PENDING, delete_requested_ms=1),
    "I16: a quarantine without an owner": _job(state=JobState.QUARANTINED, owner_deadline_ms=1),
    "I16: a quarantine without a deadline": _job(state=JobState.QUARANTINED, owner="recovery"),
    "I16: a quarantined process without an owner": lambda conn: put(
        conn, a_process(2, overlay=Overlay.QUARANTINED, owner=None)
    ),
    "a suspended job that is due": _job(state=JobState.MANUALLY_SUSPENDED, next_due_ms=1),
    "a job of no process": lambda conn: put(conn, a_job(2, process=77)),
    "one response for two jobs": _job(response_id="resp_1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_database_refuses(store: Database, what: str) -> None:
    with store.write() as conn:
        put(conn, a_process(), a_job(1, slot=uid(1), result_commit_key="key", response_id="resp_1"))
    with pytest.raises(ConstraintRefused), store.write() as conn:
        REFUSED[what](conn)


ACCEPTED: dict[str, Callable[[Connection], object]] = {
    "many jobs without a slot": _job(),
    "a deletion that a person ordered": lambda conn: conn.execute(
        update(work_tables.job).values(state="CLEANUP_PENDING", discard_ordered_ms=1, delete_requested_ms=1)
    ),
    "a deletion of what was replaced": _job(
        state=JobState.CLEANUP_PENDING, delete_requested_ms=1, superseded_by=uid(1)
    ),
    "a deletion of what was given up": _job(state=JobState.CLEANUP_PENDING, delete_requested_ms=1, abandoned=True),
    "a published job with its payload": lambda conn: put(
        conn,
        a_job(2, state=JobState.PUBLISHED, payload_digest=documents.put(conn, DocumentKind.PAYLOAD, b"{}")),
    ),
    "a correction without a job": _edition(job_id=None, provenance=Provenance.CORRECTION),
    "an adopted edition that failed, with an owner": _edition(
        report_passed=False, provenance=Provenance.ADOPTED, job_id=None, owner="recovery"
    ),
    "a quarantine with owner and deadline": _job(state=JobState.QUARANTINED, owner="recovery", owner_deadline_ms=1),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_the_database_accepts(store: Database, what: str) -> None:
    with store.write() as conn:
        put(conn, a_process(), a_job(1, slot=uid(1)))
        ACCEPTED[what](conn)


def _open_attempt(conn: Connection, number: int = 1) -> None:
    job = in_flight(conn, number)
    attempts.open(conn, job, now_ms=1, reserved_micro=5, metadata={"stage": "x"}, contract_version="c-1")


def test_i5_a_fingerprint_and_generation_has_one_attempt_that_may_exist(store: Database) -> None:
    with store.write() as conn:
        _open_attempt(conn)
    with pytest.raises(ConstraintRefused), store.write() as conn:
        _open_attempt(conn, 2)  # another job, the same fingerprint and generation

    with store.write() as conn:
        assert attempts.settle(conn, uid(1), AttemptOutcome.NOT_CREATED, now_ms=2)
        _open_attempt(conn, 2)


def test_i5_cannot_be_cheated_by_the_columns(store: Database) -> None:
    with store.write() as conn:
        _open_attempt(conn)
    cheats: list[dict[str, object]] = [{"live_key": None}, {"outcome": "NOT_CREATED"}, {"outcome": "DROPPED"}]
    for values in cheats:
        with pytest.raises(ConstraintRefused), store.write() as conn:
            conn.execute(update(work_tables.create_attempt).values(**values))


def test_the_audit_trail_and_the_ledger_are_append_only(store: Database) -> None:
    entry = events.Entry(occurred_ms=1, event_type="X", actor_type=ActorType.WORKER, actor="w1")
    with store.write() as conn:
        events.append(conn, entry)
    changes = (update(schema.audit).values(actor="somebody else"), delete(schema.audit))
    for change in changes:
        with pytest.raises(ConstraintRefused, match="append-only"), store.write() as conn:
            conn.execute(change)


def test_a_document_is_not_changed(store: Database) -> None:
    with store.write() as conn:
        digest = documents.put(conn, DocumentKind.PAYLOAD, b"first")
        assert documents.put(conn, DocumentKind.PAYLOAD, b"first") == digest
    with pytest.raises(ConstraintRefused, match="append-only"), store.write() as conn:
        conn.execute(update(work_tables.document).values(body=b"second"))


def test_names_fit_every_engine() -> None:
    names = [str(c.name) for t in schema.all_tables() for c in t.constraints]
    names += [str(index.name) for t in schema.all_tables() for index in t.indexes]
    names += [name for t in schema.all_tables() for name in (t.name, *t.columns.keys())]

    assert [name for name in names if len(name) > 63] == []
