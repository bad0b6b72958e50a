"""Acceptance tests 1–10 of the durable orchestration document (§20): core state transitions."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace

import httpx
import pytest

from orchestrator.core.machine import decide
from orchestrator.core.observations import Validated
from orchestrator.core.records import JobStage
from orchestrator.core.states import JobState
from orchestrator.errors import InvariantBroken
from orchestrator.store import attempts, documents, jobs, processes
from orchestrator.store.codes import DocumentKind
from outbox.database import Database
from outbox.errors import ConstraintRefused
from tests.acceptance.conftest import Night
from tests.acceptance.shift import DAY, PRODUCT, Send, free_port, readers

S = JobState


def test_01_intent_creation_generates_a_uuid_and_sets_no_job(night: Night, store: Database) -> None:
    shift = night(store)
    process = shift.plan()
    (job,) = shift.jobs()
    assert uuid.UUID(job.id).version == uuid.UUID(process.id).version == 4
    assert (job.state, job.process_id, job.slot, job.generation) == (S.NO_JOB, process.id, None, 0)
    assert (job.fingerprint, job.client_request_id) == (None, None)
    assert shift.creates() == []


def test_02_create_eligible_claims_the_unique_date_lock(night: Night, store: Database) -> None:
    shift = night(store)
    process = shift.plan()
    shift.step()
    (job,) = shift.jobs()
    assert (job.state, job.slot) == (S.CREATE_ELIGIBLE, process.id)
    assert job.fingerprint
    assert job.contract_digest
    assert job.client_request_id

    rival = jobs.Job(
        id=str(uuid.uuid4()), process_id=process.id, slot=process.id, state=S.NO_JOB, version=1, stage=job.stage
    )
    with pytest.raises(ConstraintRefused), shift.house.db.write() as conn:
        jobs.insert(conn, rival)
    assert shift.house.ticker.plan(PRODUCT, DAY) is None
    twin = replace(process, id=str(uuid.uuid4()))
    with pytest.raises(ConstraintRefused), shift.house.db.write() as conn:
        processes.insert(conn, twin)


def test_03_a_dispatched_call_is_in_flight_strictly_before_network_io(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    seen = []

    def look(request: httpx.Request, send: Send) -> httpx.Response:
        job = shift.job()
        with shift.house.db.read() as conn:
            (attempt,) = attempts.of_job(conn, job.id)
        named = request.headers["x-client-request-id"] == attempt.client_request_id
        seen.append((job.state, attempt.outcome, named, len(shift.creates())))
        return send(request)

    shift.wire.meet("POST", look)
    shift.until(S.ACCEPTED)
    assert seen == [(S.CREATE_IN_FLIGHT, None, True, 0)]
    assert len(shift.creates()) == 1


def test_04_http_200_saves_the_response_id_and_advances_to_accepted(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    (create,) = shift.creates()
    assert (job.response_id, create["status"]) == (create["response_id"], 200)
    assert job.x_request_id == create["x_request_id"]
    assert job.client_request_id == create["client_request_id"]
    assert job.generation_attempts == 1
    with shift.house.db.read() as conn:
        (attempt,) = attempts.of_job(conn, job.id)
    assert (attempt.outcome, attempt.response_id) == ("CREATED", job.response_id)


def test_05_a_poll_counts_itself_and_leaves_generation_attempts_unchanged(night: Night, sqlite: Database) -> None:
    waiting = {"retrieve": [{"status": "queued", "times": 2}, {"status": "in_progress", "times": 3}, {}]}
    shift = night(sqlite, waiting)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    counted = [(job.poll_count, job.generation_attempts)]
    while job.state in (S.ACCEPTED, S.QUEUED, S.IN_PROGRESS):
        shift.wait()
        shift.step()
        job = shift.fresh(job)
        counted.append((job.poll_count, job.generation_attempts))
    assert counted == [(polls, 1) for polls in range(7)]
    assert len(shift.requests("GET")) == 6


def test_06_status_completed_transitions_to_completed_not_retrieved(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    shift.advance(5_000)
    shift.tell("response.completed", job.response_id or "")
    shift.loop.tick()
    assert shift.fresh(job).state is S.COMPLETED_NOT_RETRIEVED
    assert shift.requests("GET") == []

    shift.until(S.READY_TO_COMPOSE)
    other = shift.until(S.ACCEPTED, stage=JobStage.COMPOSITION)  # this one finds out by polling
    shift.until(S.RETRIEVED_NOT_VALIDATED, stage=JobStage.COMPOSITION)
    for path in (shift.path(job), shift.path(other)):
        reached = path.index("COMPLETED_NOT_RETRIEVED")
        assert path[reached - 1] == "ACCEPTED"
        assert path[reached + 1] == "RETRIEVED_NOT_VALIDATED"


def test_07_payload_retrieval_saves_the_bytes_and_transitions(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    served = []

    def keep(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        served.append(response.read())
        return httpx.Response(200, content=served[-1])

    shift.wire.always["GET"] = keep
    job = shift.until(S.RETRIEVED_NOT_VALIDATED)
    with shift.house.db.read() as conn:
        assert documents.get(conn, DocumentKind.PAYLOAD, job.payload_digest or "") == served[-1]
    assert job.terminal_seen_ms is not None
    with pytest.raises(ConstraintRefused), shift.house.db.write() as conn:
        conn.exec_driver_sql("UPDATE document SET body = 'other' WHERE kind = 'PAYLOAD'")


def test_08_validation_failure_transitions_to_validation_failed_retained(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": {"stage": "research_primary"}, "retrieve": [{"status": "empty_output"}]})
    shift.plan()
    job = shift.until(S.VALIDATION_FAILED_RETAINED)
    calls = len(shift.wire.calls)
    with shift.house.db.read() as conn:
        report = json.loads(documents.get(conn, DocumentKind.REPORT, job.report_digest or ""))
        assert documents.get(conn, DocumentKind.PAYLOAD, job.payload_digest or "")
    assert (report["accepted"], [f["code"] for f in report["failures"]]) == (False, ["NO_MESSAGE"])
    assert shift.path(job)[-2:] == ["RETRIEVED_NOT_VALIDATED", "VALIDATION_FAILED_RETAINED"]
    assert len(shift.wire.calls) == calls


def test_09_validation_success_transitions_to_ready_to_compose(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    stored = shift.until(S.RETRIEVED_NOT_VALIDATED)
    calls = len(shift.wire.calls)
    job = shift.until(S.READY_TO_COMPOSE)
    assert shift.path(job)[-2:] == ["RETRIEVED_NOT_VALIDATED", "READY_TO_COMPOSE"]
    with shift.house.db.read() as conn:
        report = json.loads(documents.get(conn, DocumentKind.REPORT, job.report_digest or ""))
    assert (report["accepted"], report["result_digest"]) == (True, job.payload_digest)
    assert len(shift.wire.calls) == calls
    assert job.slot == job.process_id

    # what is not stored cannot be valid: the machine says so, and so does the database
    limits = shift.house.editorial.limits(PRODUCT)
    empty = jobs.Job(
        id=stored.id, process_id=stored.process_id, slot=None, state=stored.state, version=1, stage=stored.stage
    )
    with pytest.raises(InvariantBroken, match="I6"):
        decide(empty, Validated(passed=True, report_digest=job.report_digest or "", code="VALID"), limits, 0)
    with pytest.raises(ConstraintRefused), shift.house.db.write() as conn:
        conn.exec_driver_sql("UPDATE job SET payload_digest = NULL")


def test_10_the_final_save_publishes_and_its_outbox_event_is_verified(night: Night, sqlite: Database) -> None:
    port = free_port()
    shift = night(sqlite, verify_url=f"http://127.0.0.1:{port}")
    shift.plan()
    job = shift.until(S.SAVED_NOT_PUBLIC)
    assert shift.rows("SELECT count(*) FROM outbox_event") == [(0,)]
    shift.step()
    assert (shift.fresh(job).state, shift.fresh(job).slot) == (S.PUBLISHED, None)
    keys = [f"{PRODUCT}/{DAY}/{lang}" for lang in ("en", "es")]
    assert shift.rows("SELECT key, entity, mode FROM outbox_event ORDER BY key") == [
        (f"{key}@1:published", key, "LIVE") for key in keys
    ]
    assert shift.rows("SELECT status, published_ms IS NOT NULL FROM edition") == [("PUBLISHED", 1)] * 2
    with readers(shift, port):
        shift.finish()
    assert set(shift.rows("SELECT intent, status, evidence FROM effect")) == {
        ("COMMIT", "CONFIRMED", None),
        ("RENDER", "CONFIRMED", None),
        ("VERIFY", "CONFIRMED", "http"),
    }
    assert shift.process().verified_ms is not None
