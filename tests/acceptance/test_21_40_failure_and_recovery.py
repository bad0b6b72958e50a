"""Acceptance tests 21–40 of the durable orchestration document (§20): failure and recovery."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, event

from orchestrator.assembly import open_house
from orchestrator.core.observations import (
    CleanupOrdered,
    ConfirmedNotCreated,
    Released,
    ResumeOrdered,
    SuspendOrdered,
)
from orchestrator.core.records import JobStage
from orchestrator.core.states import JobState, Reason
from orchestrator.errors import ConfigurationError, IllegalTransition
from orchestrator.store import attempts, documents
from orchestrator.store.codes import DocumentKind
from outbox.database import Database
from outbox.errors import ConstraintRefused
from tests.acceptance.conftest import Night
from tests.acceptance.shift import (
    HOUR_MS,
    Send,
    Shift,
    answered,
    free_port,
    readers,
    workspace_in,
)

S = JobState
SCOUT = {"stage": "research_primary"}
FIRST = {**SCOUT, "operation_generation": "0"}
NEVER = {"result": "must_not_be_called"}


def test_21_an_http_timeout_in_flight_transitions_to_quarantined(night: Night, sqlite: Database) -> None:
    silent = {"match": SCOUT, "create": [{"result": "timeout_after_accept", "delay_s": 30}, NEVER]}
    shift = night(sqlite, silent, settings={"provider": {"timeout_s": 0.4}})
    process = shift.plan()
    job = shift.until(S.QUARANTINED)
    assert (job.quarantine_reason, job.response_id) == (Reason.CREATE_ACCEPTANCE_UNKNOWN, None)
    assert (job.slot, job.owner) == (process.id, "night desk")
    assert job.owner_deadline_ms is not None
    with shift.house.db.read() as conn:
        (attempt,) = attempts.of_job(conn, job.id)
    assert (attempt.outcome, attempt.error_class) == ("UNKNOWN", "ReadTimeout")
    shift.advance(3 * HOUR_MS)
    shift.finish()
    assert [(c["accepted"], c["violation"]) for c in shift.creates()] == [(True, False)]


def test_22_a_429_backs_off_as_its_headers_say_and_exponentially_without(night: Night, sqlite: Database) -> None:
    full = {"status": 429, "code": "rate_limit_exceeded"}
    hinted = full | {"headers": {"x-ratelimit-remaining-requests": 0, "x-ratelimit-reset-requests": "6m0s"}}
    shift = night(sqlite, {"match": SCOUT, "create": [hinted, full | {"times": 4}, {"result": "ok"}]})
    shift.plan()
    waits = []
    while (job := shift.job()).state is not S.ACCEPTED:
        before = len(shift.creates())
        assert shift.step() or shift.wait()
        if len(shift.creates()) > before and shift.job().state is S.CREATE_ELIGIBLE:
            refused_ms = shift.told("NOT_CREATED_RETRYABLE")[-1].occurred_ms
            waits.append(shift.rows("SELECT until_ms FROM provider_gate")[0][0] - refused_ms)
    assert waits == [360_000, 4_000, 8_000, 16_000, 32_000]
    assert (job.generation_attempts, len(shift.creates())) == (1, 6)
    sent = [c["at"] for c in shift.creates()]
    assert sent == sorted(set(sent))


def test_23_a_500_increments_the_poll_count_and_keeps_the_state(night: Night, sqlite: Database) -> None:
    statuses = [{"status": status} for status in (500, 502, 503)]
    shift = night(sqlite, {"match": SCOUT, "retrieve": [{"status": "in_progress"}, *statuses, {}]})
    shift.plan()
    shift.until(S.IN_PROGRESS)
    for polls in (2, 3, 4):
        assert shift.wait()
        assert shift.step()
        job = shift.job()
        assert (job.state, job.poll_count, job.generation_attempts) == (S.IN_PROGRESS, polls, 1)
    assert shift.until(S.READY_TO_COMPOSE).poll_count == 5


def test_24_a_poll_count_beyond_30_transitions_to_quarantined(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"retrieve": [{"status": "queued", "times": 30}, NEVER]})
    shift.plan()
    job = shift.until(S.QUARANTINED)
    assert (job.quarantine_reason, job.poll_count) == (Reason.POLL_BUDGET_EXHAUSTED, 30)
    assert job.response_id == shift.creates()[0]["response_id"]
    assert (job.slot, job.owner) == (job.process_id, "night desk")
    shift.advance(24 * HOUR_MS)
    shift.finish()
    assert len(shift.requests("GET")) == 30


def test_25_generation_attempts_beyond_3_halt_further_creates(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"create": [{"result": "cut_before_accept", "times": 3}, NEVER]})
    shift.plan()
    for attempt in (1, 2, 3):
        job = shift.until(S.QUARANTINED)
        assert (job.quarantine_reason, job.generation_attempts) == (Reason.CREATE_ACCEPTANCE_UNKNOWN, attempt)
        with shift.house.db.write() as conn:
            shift.recorder.record(conn, job, ConfirmedNotCreated(settled_ms=0))
    job = shift.until(S.QUARANTINED)
    assert job.quarantine_reason is Reason.GENERATION_BUDGET_EXHAUSTED
    assert [c["result"] for c in shift.creates()] == ["cut_before_accept"] * 3


def test_26_a_404_from_the_provider_transitions_to_expired_or_missing(night: Night, sqlite: Database) -> None:
    """Three times over at least 120 s: a provider is known to answer 404 for half a minute after completion."""
    shift = night(sqlite, {"match": FIRST, "retrieve": [{"result": "not_found"}]})
    shift.plan()
    first = shift.until(S.ACCEPTED)
    shift.wait()
    shift.step()
    assert (shift.fresh(first).state, shift.fresh(first).missing_count) == (S.ACCEPTED, 1)
    job = shift.until(S.PROVIDER_EXPIRED_OR_MISSING)
    assert job.missing_count >= 3
    assert (job.last_poll_ms or 0) - (job.missing_since_ms or 0) >= 120_000
    assert job.diagnostic == "NOT_FOUND"
    successor = shift.until(S.READY_TO_COMPOSE)
    assert (successor.generation, shift.fresh(job).superseded_by) == (1, successor.id)
    assert shift.fresh(job).slot is None


def test_27_a_lost_database_rolls_the_publishing_transaction_back_whole(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    job = shift.until(S.SAVED_NOT_PUBLIC)
    before = _everything(shift)
    writer = shift.house.db.writer

    def cut(conn: Connection, _cursor: Any, statement: str, *_rest: object) -> None:
        if statement.startswith("INSERT INTO outbox_event"):
            event.remove(writer, "before_cursor_execute", cut)
            _cut_the_connection(conn, store)

    event.listen(writer, "before_cursor_execute", cut)
    shift.step()
    assert _everything(shift) == before
    assert shift.fresh(job).state is S.SAVED_NOT_PUBLIC

    shift.advance(max(shift.house.lease_ms, 60_000))
    assert shift.step()
    assert shift.fresh(job).state is S.PUBLISHED
    assert len(shift.rows("SELECT id FROM outbox_event")) == 2


def _everything(shift: Shift) -> dict[str, list[tuple[Any, ...]]]:
    """What publishing writes."""
    queries = {
        "edition": "SELECT id, status, current_slot, published_ms FROM edition ORDER BY id",
        "process": "SELECT id, version, revision, stage, published_ms FROM process",
        "outbox_event": "SELECT id FROM outbox_event",
        "effect": "SELECT id FROM effect",
        "event": "SELECT id, event_type FROM event ORDER BY id",
    }
    return {name: shift.rows(query) for name, query in queries.items()}


def _cut_the_connection(conn: Connection, store: Database) -> None:
    """As when the server goes away in the middle of a transaction."""
    raw: Any = conn.connection.dbapi_connection
    if store.dialect == "sqlite":
        raw.close()
        return
    number = raw.info.backend_pid if store.dialect == "postgresql" else raw.thread_id()
    order = {"postgresql": f"SELECT pg_terminate_backend({number})", "mariadb": f"KILL {number}"}
    with store.write() as other:
        other.exec_driver_sql(order[store.dialect])


def test_28_a_payload_schema_mismatch_parks_in_validation_failed(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.wire.meet("GET", answered(lambda answer: answer["candidates"][3].pop("headline_fact")))
    shift.plan()
    job = shift.until(S.VALIDATION_FAILED_RETAINED)
    failure = _report(shift)["failures"][0]
    assert (failure["code"], failure["path"]) == ("MISSING_FIELD", "/candidates/3/headline_fact")
    assert job.payload_digest
    assert shift.rows("SELECT count(*) FROM candidate") == [(0,)]


def _report(shift: Shift) -> dict[str, Any]:
    with shift.house.db.read() as conn:
        stored = documents.get(conn, DocumentKind.REPORT, shift.job().report_digest or "")
    report: dict[str, Any] = json.loads(stored)
    return report


def test_29_overlapping_triggers_do_not_execute_the_same_get(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    shift.until(S.ACCEPTED)
    shift.wait()
    overlapping = []

    def overlap(request: Any, send: Any) -> Any:
        """The second trigger fires while the first one's call is under way."""
        overlapping.append(shift.loop.sweep())
        return send(request)

    shift.wire.meet("GET", overlap)
    shift.loop.step_job("first")
    assert overlapping == [0]
    assert len(shift.requests("GET")) == 1
    assert shift.job().state is S.RETRIEVED_NOT_VALIDATED


def test_30_a_changed_configuration_quarantines_the_eligible_job(
    night: Night, sqlite: Database, tmp_path: Path
) -> None:
    shift = night(sqlite)
    shift.plan()
    recorded = shift.until(S.CREATE_ELIGIBLE)
    later = night(sqlite, root=tmp_path / "later", settings={"provider": {"model": "another-model"}})
    later.step()
    job = later.fresh(recorded)
    assert (job.state, job.quarantine_reason) == (S.QUARANTINED, Reason.CONFIGURATION_DRIFT)
    assert (job.fingerprint, job.owner) == (recorded.fingerprint, "night desk")
    assert later.creates() == shift.creates() == []


def test_31_an_expiry_on_the_provider_side_is_caught_and_bought_again(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": FIRST, "retrieve": [{"result": "expired"}]})
    shift.plan()
    old = shift.until(S.ACCEPTED)
    shift.advance(4 * HOUR_MS)  # the scheduler was down; the age limit of two hours has passed meanwhile
    gone = shift.until(S.PROVIDER_EXPIRED_OR_MISSING)
    assert gone.id == old.id
    assert "QUARANTINED" not in shift.path(old)
    new = shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    research = [job for job in shift.jobs() if job.stage is JobStage.RESEARCH_PRIMARY]
    assert [(job.generation, job.generation_attempts) for job in research] == [(0, 1), (1, 1)]
    assert research[0].fingerprint == research[1].fingerprint
    assert new.process_id == old.process_id


def test_32_a_release_from_quarantine_resets_the_poll_count(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": SCOUT, "retrieve": [{"status": "queued", "times": 31}, {}]})
    shift.plan()
    job = shift.until(S.QUARANTINED)
    assert job.poll_count == 30
    with shift.house.db.write() as conn:
        released = shift.recorder.record(conn, job, Released())
    assert (released.state, released.poll_count) == (S.QUEUED, 0)
    assert released.quarantine_reason is None
    assert shift.until(S.READY_TO_COMPOSE).poll_count == 2


def test_33_suspending_a_job_prevents_any_lease(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    with shift.house.db.write() as conn:
        suspended = shift.recorder.record(conn, job, SuspendOrdered())
    assert (suspended.state, suspended.slot) == (S.MANUALLY_SUSPENDED, job.process_id)
    shift.advance(48 * HOUR_MS)
    assert shift.claim() is None
    assert shift.loop.sweep() == 0
    assert shift.requests("GET") == []
    with shift.house.db.write() as conn:
        assert shift.recorder.record(conn, suspended, ResumeOrdered()).state is S.ACCEPTED
    shift.until(S.READY_TO_COMPOSE)


def test_34_a_relay_network_failure_is_made_good_by_the_next_tick(night: Night, sqlite: Database) -> None:
    port = free_port()
    shift = night(sqlite, verify_url=f"http://127.0.0.1:{port}")
    shift.plan()
    shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    shift.loop.sweep()
    assert set(_effects(shift)) == {
        ("COMMIT", "CONFIRMED", 0),
        ("RENDER", "CONFIRMED", 0),
        ("VERIFY", "RETRYABLE", 1),
    }
    assert shift.process().verified_ms is None
    with readers(shift, port):
        shift.wait()
        shift.loop.sweep()
    assert set(_effects(shift)) == {
        ("COMMIT", "CONFIRMED", 0),
        ("RENDER", "CONFIRMED", 0),
        ("VERIFY", "CONFIRMED", 1),
    }
    assert shift.process().verified_ms is not None


def _effects(shift: Shift) -> list[tuple[Any, ...]]:
    return shift.rows("SELECT intent, status, attempts FROM effect")


def test_35_a_delete_before_custody_is_an_invariant_error(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": FIRST, "retrieve": [{"result": "not_found"}], "delete": [NEVER]})
    shift.plan()
    job = shift.until(S.ACCEPTED)
    with pytest.raises(IllegalTransition), shift.house.db.write() as conn:
        shift.recorder.record(conn, job, CleanupOrdered())
    with pytest.raises(ConstraintRefused), shift.house.db.write() as conn:
        conn.exec_driver_sql("UPDATE job SET delete_requested_ms = 1")
    assert shift.fresh(job) == job

    # what the provider has lost before anybody had it is cleaned up without a call
    shift.until(S.READY_TO_COMPOSE)
    lost = shift.fresh(job)
    assert (lost.state, lost.payload_digest) == (S.DELETED, None)
    assert shift.requests("DELETE") == []


def test_36_a_json_parse_error_of_the_payload_is_a_validation_failure(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": FIRST, "retrieve": [{"result": "truncated_json"}]})
    shift.plan()
    job = shift.until(S.VALIDATION_FAILED_RETAINED)
    assert _report(shift)["failures"][0]["code"] == "TRUNCATED_JSON"
    with shift.house.db.read() as conn:
        kept = documents.get(conn, DocumentKind.PAYLOAD, job.payload_digest or "")
    assert kept.startswith(b"{")
    assert not kept.endswith(b"}")


def test_37_a_missing_api_key_is_refused_before_any_lock(tmp_path: Path) -> None:
    real = {"provider": {"base_url": "https://api.openai.com/v1"}}
    workspace = workspace_in(tmp_path, f"sqlite:///{tmp_path / 'night.db'}", real)
    with pytest.raises(ConfigurationError, match="no key"), open_house(workspace):
        pass
    assert list(tmp_path.iterdir()) == []


def test_38_a_full_disk_during_the_payload_save_rolls_back(night: Night, tmp_path: Path) -> None:
    shift = night(f"sqlite:///{tmp_path / 'full.db'}")
    shift.plan()
    job = shift.until(S.ACCEPTED)
    shift.wait()
    audit = shift.rows("SELECT count(*) FROM event")
    _allow_pages(shift, 1)
    assert shift.step()
    stuck = shift.fresh(job)
    assert (stuck.state, stuck.payload_digest, stuck.poll_count) == (S.ACCEPTED, None, 0)
    assert shift.rows("SELECT count(*) FROM document WHERE kind = 'PAYLOAD'") == [(0,)]
    assert shift.rows("SELECT count(*) FROM event") == audit

    _allow_pages(shift, 1_000_000)
    saved = shift.until(S.RETRIEVED_NOT_VALIDATED)
    with shift.house.db.read() as conn:
        assert documents.get(conn, DocumentKind.PAYLOAD, saved.payload_digest or "")
    assert saved.poll_count == 1


def _allow_pages(shift: Shift, more: int) -> None:
    """Let the database file grow by so many pages: SQLite then says "full" as it does on a full disk."""
    with shift.house.db.write() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + more}")


def test_39_an_unreachable_provider_in_cleanup_is_retried_for_ever_unseen(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    shift.until(S.ACCEPTED, stage=JobStage.COMPOSITION)
    shift.loop.sweep()
    shift.wire.meet("DELETE", *[_unreachable] * 14)
    job = shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    shift.loop.sweep()
    assert set(shift.rows("SELECT status FROM effect")) == {("CONFIRMED",)}
    assert shift.rows("SELECT status FROM edition") == [("PUBLISHED",)] * 2
    assert (shift.fresh(job).state, shift.fresh(job).slot) == (S.CLEANUP_PENDING, None)
    while shift.fresh(job).state is S.CLEANUP_PENDING:
        assert shift.wait()
        shift.loop.sweep()
    assert (shift.fresh(job).state, shift.fresh(job).delete_count) == (S.DELETED, 14)
    tries = [line.occurred_ms for line in shift.told("DELETE_TROUBLED") if line.job_id == job.id]
    waits = [then - now for now, then in pairwise(tries)]
    assert all(later >= 0.99 * earlier for earlier, later in pairwise(waits))  # the clock goes on meanwhile
    assert 3_500_000 < waits[-1] < 3_700_000
    ((status,),) = shift.rows("SELECT payload FROM status_projection")
    assert json.loads(status)["stage_code"] == "PUBLISHED"
    assert shift.rows("SELECT status FROM edition") == [("PUBLISHED",)] * 2


def _unreachable(_request: httpx.Request, _send: Send) -> httpx.Response:
    raise httpx.ConnectError("no route to host")


def test_40_deleting_what_is_already_deleted_resolves_to_deleted(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, {"match": SCOUT, "delete": [{"result": "not_found"}, NEVER]})
    shift.plan()
    scout = shift.until(S.READY_TO_COMPOSE)
    shift.until(S.ACCEPTED, stage=JobStage.COMPOSITION)
    shift.until(S.READY_TO_COMPOSE, stage=JobStage.COMPOSITION)
    assert shift.fresh(scout).state is S.DELETED
    assert shift.fresh(scout).payload_digest
    (call,) = [c for c in shift.requests("DELETE") if c["response_id"] == scout.response_id]
    assert call["status"] == 404
