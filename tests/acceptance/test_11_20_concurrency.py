"""Acceptance tests 11–20 of the durable orchestration document (§20): idempotency and concurrency."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from orchestrator.core.observations import CancelOrdered, SuspendOrdered
from orchestrator.core.records import JobStage
from orchestrator.core.states import JobState
from orchestrator.store import documents
from orchestrator.store.codes import DocumentKind
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.server import WebServer
from outbox import lease
from outbox import store as ledger
from outbox.database import Database
from outbox.errors import StaleFence
from outbox.message import Intent
from outbox.schema import effect
from tests.acceptance.conftest import Night
from tests.acceptance.shift import DAY, OTHER, PRODUCT, ROOT, Send, Shift, write_meanwhile

S = JobState


class Killed(BaseException):
    """The process dies here."""


def test_11_two_simultaneous_starts_yield_one_job_and_the_second_is_refused(night: Night, store: Database) -> None:
    """HTTP 409 of the document is `plan` with exit code 3 here."""
    shift = night(store)
    ready, planned = threading.Barrier(2), []

    def start() -> None:
        ready.wait()
        planned.append(shift.house.ticker.plan(PRODUCT, DAY))

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(process is None for process in planned) == {True: 1, False: 1}
    shift.step()
    assert [job.state for job in shift.jobs()] == [S.CREATE_ELIGIBLE]
    if store.dialect == "sqlite":
        assert _plan_command(shift.house.workspace.store_url) == 3


def _plan_command(url: str) -> int:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DATELINE_", "PYTEST_"))}
    command = [sys.executable, "-m", "orchestrator.cli", "plan", "--product", PRODUCT, "--date", str(DAY)]
    environment = {**kept, "DATELINE_STORE__URL": url, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "planned before" in done.stderr
    return done.returncode


def test_12_modifying_a_job_with_a_stale_version_raises_stale_fence(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    stale = shift.until(S.ACCEPTED)
    with shift.house.db.write() as conn:
        shift.recorder.record(conn, stale, CancelOrdered())
    fresh = shift.fresh(stale)
    with pytest.raises(StaleFence), shift.house.db.write() as conn:
        shift.recorder.record(conn, stale, SuspendOrdered())
    assert shift.fresh(stale) == fresh
    assert fresh.version == stale.version + 1


def test_13_an_update_of_zero_rows_stops_the_step_cleanly(night: Night, store: Database) -> None:
    """The process goes on to other work: only the step stops (completed tables §0)."""
    shift = night(store)
    shift.plan()
    shift.until(S.ACCEPTED)
    shift.wait()
    stalled = shift.claim("stalled")
    assert stalled is not None
    shift.advance(shift.house.lease_ms)
    assert shift.step("healthy")
    before = shift.fresh(stalled.job)
    assert before.state is S.RETRIEVED_NOT_VALIDATED
    audit = shift.rows("SELECT max(id) FROM event")

    assert shift.worker("stalled").step(stalled) is None
    assert shift.fresh(stalled.job) == before
    (line,) = shift.told("STALE_WORKER")
    assert (line.actor, line.fence) == ("stalled", stalled.job.version)
    assert shift.rows("SELECT count(*) FROM event WHERE id > :last", last=audit[0][0]) == [(1,)]
    shift.plan(OTHER)
    assert shift.step("stalled")


def test_14_lease_acquisition_ignores_a_lease_that_ends_in_the_future(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    held = shift.claim("first")
    assert held is not None
    assert held.job.next_due_ms is not None
    assert held.job.next_due_ms >= held.now_ms + shift.house.lease_ms
    assert shift.claim("second") is None
    shift.advance(shift.house.lease_ms - 60_000)
    assert shift.claim("second") is None
    assert shift.fresh(held.job).lease_owner == "first"


def test_15_lease_acquisition_claims_a_lease_that_has_ended(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    held = shift.claim("first")
    shift.advance(shift.house.lease_ms)
    taken = shift.claim("second")
    assert held is not None
    assert taken is not None
    assert (taken.job.id, taken.job.lease_owner) == (held.job.id, "second")
    assert taken.job.version == held.job.version + 1


def test_16_death_in_mid_retrieval_lets_the_next_worker_retry_after_the_lease(
    night: Night, store: Database
) -> None:
    shift = night(store)
    shift.plan()
    shift.until(S.ACCEPTED)
    shift.wait()

    def die(request: httpx.Request, send: Send) -> httpx.Response:
        send(request).read()  # the answer was there
        raise Killed

    shift.wire.meet("GET", die)
    claim = shift.claim("dying")
    assert claim is not None
    with pytest.raises(Killed):
        shift.worker("dying").step(claim)
    assert not shift.step("next")  # the dead worker's lease still runs
    assert shift.fresh(claim.job) == claim.job

    shift.advance(shift.house.lease_ms)
    assert shift.step("next")
    job = shift.fresh(claim.job)
    assert (job.state, job.poll_count, job.generation_attempts) == (S.RETRIEVED_NOT_VALIDATED, 1, 1)
    assert shift.rows("SELECT count(*) FROM document WHERE kind = 'PAYLOAD'") == [(1,)]
    with shift.house.db.read() as conn:
        assert documents.get(conn, DocumentKind.PAYLOAD, job.payload_digest or "")


def test_17_both_languages_fork_after_validation_without_lock_contention(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    composed = shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    made = shift.rows("SELECT lang, revision, composition_digest FROM edition ORDER BY lang")
    assert made == [(lang, 1, composed.payload_digest) for lang in ("en", "es")]
    keys = {f"{PRODUCT}/{DAY}/{lang}" for lang in ("en", "es")}
    assert {row[0] for row in shift.rows("SELECT entity FROM outbox_event")} == keys

    with shift.house.db.read() as conn:
        english, spanish = [e for e in ledger.listing(conn) if e.intent is Intent.COMMIT]
    write_spanish = f"UPDATE effect SET version = version + 1 WHERE id = {spanish.id}"
    with shift.house.db.write() as conn:
        assert lease.fenced_update(conn, effect, english.id, english.version, {"priority": 1})
        if store.dialect != "sqlite":  # one writer at a time there, by its nature
            write_meanwhile(store, write_spanish)
    if store.dialect == "sqlite":
        write_meanwhile(store, write_spanish)
    with shift.house.db.read() as conn:
        versions = [ledger.get(conn, each.id).version for each in (english, spanish)]
    assert versions == [english.version + 1, spanish.version + 1]


def test_18_the_outbox_deduplicates_identical_publish_events(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    with shift.house.db.read() as conn:
        effects = ledger.listing(conn)
        event = ledger.event(conn, f"{PRODUCT}/{DAY}/en@1:published")
    planned = [ledger.Planned(intent=intent, batch_key="again") for intent in (Intent.COMMIT, Intent.RENDER)]
    with shift.house.db.write() as conn:
        assert not ledger.record(conn, event, planned)
    with shift.house.db.read() as conn:
        assert ledger.listing(conn) == effects

    shift.finish()
    tip = _commits(shift.house.workspace.repository)
    assert len(tip) == 2
    # a relay that died after its commit and before its ledger row does it once more, and adopts what is there
    commits = [one for one in effects if one.intent is Intent.COMMIT]
    shift.house.press.commit(commits)
    assert _commits(shift.house.workspace.repository) == tip


def _commits(repository: object) -> list[str]:
    done = subprocess.run(
        ["git", f"--git-dir={repository}", "log", "--format=%H", "main"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_19_a_webhook_out_of_order_is_answered_and_harmless(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.PUBLISHED, stage=JobStage.COMPOSITION)
    told = [("wh_1", "response.completed"), ("wh_2", "response.failed"), ("wh_1", "response.completed")]
    before, calls = _machine(shift), list(shift.wire.calls)
    with _webhooks(shift.house.db) as url:
        answers = [_post(url, event_id, kind, job.response_id or "") for event_id, kind in told]
    assert answers == [200, 200, 200]
    shift.loop.tick()
    assert _machine(shift) == before
    assert shift.wire.calls == calls
    assert shift.rows("SELECT event_id, status FROM inbox_event ORDER BY id") == [
        ("wh_1", "IGNORED"),
        ("wh_2", "IGNORED"),
    ]
    shift.finish()
    assert shift.fresh(job).state is S.DELETED


def test_20_a_replayed_webhook_is_refused_outside_its_five_minutes(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    with _webhooks(shift.house.db) as url:
        for seconds in (-360, 360):
            assert _post(url, "wh_1", "response.completed", job.response_id or "", seconds=seconds) == 401
        assert _post(url, "wh_1", "response.completed", job.response_id or "", secret=OTHER_SECRET) == 401
        assert shift.rows("SELECT count(*) FROM inbox_event") == [(0,)]
        shift.loop.tick()
        assert shift.fresh(job) == job
        for seconds in (-240, 240):  # the second is the same delivery once more
            assert _post(url, "wh_1", "response.completed", job.response_id or "", seconds=seconds) == 200
    assert shift.rows("SELECT count(*) FROM inbox_event") == [(1,)]
    shift.loop.tick()
    assert shift.fresh(job).state is S.COMPLETED_NOT_RETRIEVED


SECRET, OTHER_SECRET = ("whsec_" + base64.b64encode(word * 4).decode() for word in (b"evening", b"morning"))


def _machine(shift: Shift) -> list[list[tuple[Any, ...]]]:
    return [shift.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("process", "job", "edition", "effect")]


@contextmanager
def _webhooks(db: Database) -> Iterator[str]:
    app = DeskApp(secrets=[SECRET])
    app.begin(db, silent_s=lambda: 0.0, told=lambda: None)
    with WebServer(app.asgi) as server:
        yield server.url + WEBHOOK_PATH


def _post(url: str, event_id: str, kind: str, response_id: str, *, seconds: int = 0, secret: str = SECRET) -> int:
    """Deliver an event that was signed so many seconds from now; answers the status."""
    body = json.dumps({"object": "event", "id": event_id, "type": kind, "data": {"id": response_id}})
    moment = datetime.now(UTC) + timedelta(seconds=seconds)
    headers = {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(secret).sign(event_id, moment, body),
    }
    return httpx.post(url, content=body, headers=headers, trust_env=False).status_code
