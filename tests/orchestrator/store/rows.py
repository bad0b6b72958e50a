"""Rows that the store's tests start from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from orchestrator.core.observations import Decision
from orchestrator.core.records import Job, JobStage, Process, ProcessStage
from orchestrator.core.states import JobState
from orchestrator.store import documents, jobs, processes
from orchestrator.store.codes import ActorType, DocumentKind
from orchestrator.store.editions import NewEdition
from outbox.clock import read_now_ms

FINGERPRINT = "b42a1e5d" * 8


def uid(number: int) -> str:
    """A UUID that is easy to read in a failure."""
    return str(UUID(int=(number << 96) + number))


def a_process(number: int = 1, **changes: Any) -> Process:
    """A planned process; each number has a date of its own."""
    plain = Process(
        id=uid(number),
        product="daily-brief",
        target_date=f"2026-11-{number:02}",
        languages=("en", "es"),
        version=1,
        revision=0,
        stage=ProcessStage.RESEARCH_PRIMARY,
        owner="recovery",
    )
    return replace(plain, **changes)


def a_job(number: int = 1, process: int = 1, **changes: Any) -> Job:
    """A job of that process, due never."""
    plain = Job(
        id=uid(number),
        process_id=uid(process),
        slot=None,
        state=JobState.NO_JOB,
        version=1,
        stage=JobStage.RESEARCH_PRIMARY,
        created_ms=number,
    )
    return replace(plain, **changes)


def put(conn: Connection, *records: Process | Job) -> None:
    """Insert them, processes first where they come first."""
    for record in records:
        if isinstance(record, Process):
            processes.insert(conn, record)
        else:
            jobs.insert(conn, record)


def in_flight(conn: Connection, number: int = 1) -> Job:
    """A job with a frozen request that was just dispatched, and its process."""
    now_ms = read_now_ms(conn)
    job = a_job(
        number,
        number,
        slot=uid(number),
        state=JobState.CREATE_IN_FLIGHT,
        fingerprint=FINGERPRINT,
        request_digest="sha256:" + "0" * 64,
        client_request_id=f"request-{number}",
        lease_owner="w1",
        next_due_ms=now_ms + 60_000,
    )
    put(conn, a_process(number), job)
    return job


def decision(event: str, state: JobState, **fields: Any) -> Decision:
    """What the machine would answer."""
    return Decision(event=event, next_state=state, **fields)


def commit(conn: Connection, job: Job, decided: Decision, **extra: object) -> Job:
    """`jobs.apply` in the name of a worker."""
    return jobs.apply(conn, job, decided, now_ms=1_000, actor_type=ActorType.WORKER, actor="w1", extra=extra)


def an_edition(conn: Connection, process: int = 1, **changes: Any) -> NewEdition:
    """An edition of the process's first job, with its report stored."""
    report = documents.put(conn, DocumentKind.REPORT, b'{"accepted": true}')
    values: dict[str, Any] = {
        "process_id": uid(process),
        "job_id": uid(process),
        "product": "daily-brief",
        "target_date": f"2026-11-{process:02}",
        "lang": "en",
        "revision": 1,
        "number": 1,
        "content": "{}",
        "evidence": "{}",
        "digest": "sha256:" + "1" * 64,
        "package_digest": "sha256:" + "2" * 64,
        "composition_digest": "sha256:" + "3" * 64,
        "report_digest": report,
    }
    return NewEdition(**{**values, **changes})
