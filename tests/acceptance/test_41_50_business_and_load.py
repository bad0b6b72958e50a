"""Acceptance tests 41–50 of the durable orchestration document (§20): business logic and service levels."""

from __future__ import annotations

import copy
import json
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import structlog
from freezegun import freeze_time

from orchestrator.core.policy import read_policy
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import JobState
from orchestrator.daemon import Loop, Standing
from orchestrator.errors import ConfigurationError
from orchestrator.evidence.failure import Code
from orchestrator.store import documents, jobs
from orchestrator.store.codes import DocumentKind
from outbox.database import Database
from tests.acceptance.conftest import Night
from tests.acceptance.shift import (
    DAY,
    HOUR_MS,
    OTHER,
    PRODUCT,
    ROOT,
    Send,
    Shift,
    answered,
    edited,
    write_meanwhile,
)

S = JobState
COMPOSING = JobStage.COMPOSITION
Answer = dict[str, Any]


def test_41_two_products_run_concurrently_without_lock_contention(night: Night, store: Database) -> None:
    shift = night(store)
    processes = {shift.plan(PRODUCT).id, shift.plan(OTHER).id}
    other = Database.open(store.url.render_as_string(hide_password=False))
    second = None
    try:
        with other.write() as conn:
            first = jobs.claim(conn, owner="first", lease_ms=120_000, limit=1).jobs
            if store.dialect != "sqlite":  # one writer at a time there, by its nature
                second = shift.claim("second")
    finally:
        other.close()
    # MariaDB locks every due row while it sorts, so that it may skip one for a moment; nobody waits for it
    assert second is not None or store.dialect != "postgresql"
    second = second or shift.claim("second")
    assert second is not None
    assert {first[0].process_id, second.job.process_id} == processes
    shift.advance(120_000)

    idle: list[list[tuple[Any, ...]]] = []

    def published(_standing: Standing) -> bool:
        idle.append(shift.rows("SELECT stage FROM process"))
        return idle[-1] == [("PUBLISHED",)] * 2 or len(idle) > 30 or not shift.wait()

    with structlog.testing.capture_logs() as logs:
        Loop(shift.house, workers=4).run(until=published)
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
    assert shift.rows("SELECT stage FROM process") == [("PUBLISHED",)] * 2
    slots = Counter(create["metadata"]["product"] for create in shift.creates())
    assert slots == {PRODUCT: 2, OTHER: 2}


def test_42_backfill_yields_to_the_editions_of_today(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan(PRODUCT, DAY - timedelta(days=9))
    shift.plan(OTHER)
    shift.plan(PRODUCT)
    order = []
    for _ in range(3):
        claim = shift.claim()
        assert claim is not None
        ((product, day),) = shift.rows(
            "SELECT product, target_date FROM process WHERE id = :id", id=claim.job.process_id
        )
        order.append((product, day))
    assert order == [(PRODUCT, str(DAY)), (OTHER, str(DAY)), (PRODUCT, "2026-11-21")]


def test_43_rate_limit_waits_respect_the_reset_timestamps(night: Night, sqlite: Database) -> None:
    headers = {
        "x-ratelimit-remaining-tokens": 0,
        "x-ratelimit-reset-tokens": "1m30.5s",
        "x-ratelimit-remaining-requests": 7,
        "x-ratelimit-reset-requests": "50m0s",
    }
    throttled = {"status": 429, "code": "rate_limit_exceeded", "headers": headers}
    shift = night(sqlite, {"match": {"product": PRODUCT}, "retrieve": [throttled, {}]})
    shift.plan()
    job = shift.until(S.ACCEPTED)
    shift.wait()
    shift.step()
    refused_ms = shift.told("LOOK_TROUBLED")[0].occurred_ms
    ((gate_ms,),) = shift.rows("SELECT until_ms FROM provider_gate")
    assert gate_ms - refused_ms == 90_500
    assert (shift.fresh(job).next_due_ms or 0) >= gate_ms

    shift.plan(OTHER)  # every dispatch and every look waits, whoever was throttled
    calls = list(shift.wire.calls)
    while shift.step():
        pass
    waiting = shift.job(OTHER)
    assert (waiting.state, waiting.generation_attempts) == (S.CREATE_ELIGIBLE, 0)
    assert gate_ms <= (waiting.next_due_ms or 0) <= gate_ms + 1_000
    shift.advance(gate_ms - shift.now_ms() - 60_000)
    assert not shift.step()
    assert shift.wire.calls == calls
    shift.advance(90_000)
    while shift.step():
        pass
    assert shift.job(OTHER).state is S.ACCEPTED
    assert len(shift.creates()) == 2 + (shift.job().stage is COMPOSING)


def test_44_validation_rejects_hallucinated_urls(night: Night, sqlite: Database) -> None:
    invented = {
        0: "{}-invented",
        1: "https://reporter:secret@news.example/story",
        2: "ftp://news.example/story",
        3: "https://192.168.0.7/story",
        4: "javascript:alert(1)",
    }

    def hallucinate(answer: Answer) -> None:
        for index, url in invented.items():
            source = answer["candidates"][index]["sources"][0]
            source["url"] = url.format(source["url"])

    shift = night(sqlite)
    shift.wire.meet("GET", answered(hallucinate))
    shift.plan()
    shift.until(S.READY_TO_COMPOSE, S.VALIDATION_FAILED_RETAINED)
    found = {(f["path"], f["code"]) for f in report_of(shift, shift.job())["failures"]}
    for index in invented:
        assert (f"/candidates/{index}/sources/0/url", Code.SOURCE_NOT_RETRIEVED) in found
        assert index == 0 or (f"/candidates/{index}/sources/0/url", Code.SOURCE_URL_REFUSED) in found
    shift.step()
    assert shift.rows("SELECT count(*) FROM candidate") == [(14 - len(invented),)]
    kept = [json.loads(row[0])["url"] for row in shift.rows("SELECT content FROM source")]
    assert kept
    assert not any("invented" in url or not url.startswith("https://") for url in kept)


def test_45_the_composer_enforces_distinct_english_and_spanish_fields(night: Night, sqlite: Database) -> None:
    def drop(answer: Answer) -> None:
        del answer["events"][0]["spanish"]

    def copy_over(answer: Answer) -> None:
        answer["events"][0]["spanish"] = answer["events"][0]["english"]

    shift = night(sqlite)
    shift.plan()
    shift.until(S.ACCEPTED, stage=COMPOSING)
    shift.wire.meet("GET", answered(drop), answered(copy_over))
    job = shift.until(S.PUBLISHED, stage=COMPOSING)
    assert job.generation == 2
    failed = [one for one in shift.jobs() if one.stage is COMPOSING and one.id != job.id]
    codes = [{f["code"] for f in report_of(shift, one)["failures"]} for one in failed]
    assert "MISSING_FIELD" in codes[0]
    assert "PARITY_LANGUAGE" in codes[1]
    english, spanish = (json.loads(row[0]) for row in shift.rows("SELECT content FROM edition ORDER BY lang"))
    assert (english["lang"], spanish["lang"]) == ("en", "es")
    titles = [[event["headline"] for event in edition["events"]] for edition in (english, spanish)]
    assert len(titles[0]) == len(titles[1]) > 0
    assert not set(titles[0]) & set(titles[1])


@pytest.mark.parametrize(("count", "detail"), [(13, "TOO_FEW"), (14, None), (15, "TOO_MANY")])
def test_46_a_scout_owes_exactly_14_candidates(
    night: Night, sqlite: Database, count: int, detail: str | None
) -> None:
    def resize(answer: Answer) -> None:
        answer["candidates"] = (answer["candidates"] + [copy.deepcopy(answer["candidates"][0])])[:count]

    shift = night(sqlite)
    shift.wire.meet("GET", answered(resize))
    shift.plan()
    scout = shift.until(S.READY_TO_COMPOSE, S.VALIDATION_FAILED_RETAINED)
    wrong = [f["detail_class"] for f in report_of(shift, scout)["failures"] if f["code"] == "WRONG_COUNT"]
    assert wrong == ([detail] if detail else [])
    assert scout.state is (S.VALIDATION_FAILED_RETAINED if detail else S.READY_TO_COMPOSE)
    # what was valid in a wrong count is salvaged: the scout is never bought a second time
    shift.until(S.PUBLISHED, stage=COMPOSING)
    assert [c["metadata"]["stage"] for c in shift.creates()].count("research_primary") == 1


def test_47_unauthorised_search_parameters_are_rejected(night: Night, sqlite: Database) -> None:
    """Composing has no tools at all; a product file cannot name any search parameter that the contract lacks."""

    def search(body: Answer) -> None:
        call = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}}
        body["output"].insert(0, call)

    shift = night(sqlite)
    shift.plan()
    scout = shift.until(S.ACCEPTED)
    tools = request_of(shift, scout)["tools"]
    assert [(tool["type"], set(tool) - {"type"}) for tool in tools] == [("web_search", {"search_context_size"})]
    composition = shift.until(S.ACCEPTED, stage=COMPOSING)
    assert not {"tools", "tool_choice", "include", "max_tool_calls"} & request_of(shift, composition).keys()
    shift.wire.meet("GET", edited(search))
    failed = shift.until(S.VALIDATION_FAILED_RETAINED, stage=COMPOSING)
    assert [f["code"] for f in report_of(shift, failed)["failures"]] == ["TOOL_IN_COMPOSITION"]

    data = tomllib.loads((ROOT / "content" / "products" / f"{PRODUCT}.toml").read_text(encoding="utf-8"))
    for key, value in (("web_search", {"user_location": "ES"}), ("search_context_size", "high")):
        with pytest.raises(ConfigurationError, match=key):
            read_policy(data | {"scout": data["scout"] | {key: value}}, place="product")


def test_48_a_lease_lives_by_the_databases_clock_whatever_the_hosts_say(night: Night, store: Database) -> None:
    shift = night(store)
    shift.plan()
    shift.until(S.ACCEPTED)
    shift.wait()
    real = datetime.now(UTC)
    with freeze_time(real - timedelta(hours=1), tick=True):
        behind = shift.claim("behind")
    with freeze_time(real + timedelta(hours=1), tick=True):
        assert shift.claim("ahead") is None
    assert behind is not None
    shift.advance(shift.house.lease_ms)
    with freeze_time(real + timedelta(hours=1), tick=True):
        ahead = shift.claim("ahead")
        assert ahead is not None
        assert shift.worker("ahead").step(ahead) is not None
    after = shift.fresh(behind.job)
    with freeze_time(real - timedelta(hours=1), tick=True):
        assert shift.worker("behind").step(behind) is None
    assert shift.fresh(behind.job) == after
    assert after.state is S.RETRIEVED_NOT_VALIDATED

    # the database's own clock was set back: the lease does not become endless, the fence protects the row
    stranded = shift.claim("before")
    assert stranded is not None
    shift.advance(-3 * HOUR_MS)
    taken = shift.claim("after")
    assert taken is not None
    assert (taken.job.id, taken.job.version) == (stranded.job.id, stranded.job.version + 1)


def test_49_a_detached_worker_holds_no_endless_lock(night: Night, store: Database) -> None:
    """LSAPI_AVOID_FORK's detached child is a worker here whose provider call does not come back."""
    shift = night(store)
    shift.plan()
    shift.until(S.ACCEPTED)
    shift.wait()
    away, back = threading.Event(), threading.Event()

    def hang(request: httpx.Request, send: Send) -> httpx.Response:
        away.set()
        back.wait()
        return send(request)

    shift.wire.meet("GET", hang)
    claim = shift.claim("detached")
    assert claim is not None
    outcome: list[Job | None] = []
    worker = shift.worker("detached")
    thread = threading.Thread(target=lambda: outcome.append(worker.step(claim)))
    thread.start()
    try:
        away.wait()
        write_meanwhile(store, f"UPDATE job SET priority = priority WHERE id = '{claim.job.id}'")
        shift.advance(shift.house.lease_ms)
        assert shift.step("next")
        taken = shift.fresh(claim.job)
        assert taken.state is S.RETRIEVED_NOT_VALIDATED
    finally:
        back.set()
        thread.join()
    assert outcome == [None]
    assert shift.fresh(claim.job) == taken


def test_50_a_hundred_parallel_jobs_are_processed_without_a_dropped_connection(
    night: Night, sqlite: Database
) -> None:
    shift = night(sqlite)
    for back in range(1, 101):
        shift.plan(PRODUCT, DAY - timedelta(days=back))

    def going_forward() -> None:
        """A hundred jobs take four audit lines each to be accepted."""
        assert shift.rows("SELECT count(*) FROM event")[0][0] < 1_000, "the workers go in circles"

    with structlog.testing.capture_logs() as logs:
        Loop(shift.house, workers=8).run(until=lambda _standing: True, observe=going_forward)
        assert shift.rows("SELECT state, count(*) FROM job GROUP BY state") == [("ACCEPTED", 100)]
        shift.advance(30_000)
        in_parallel(8, lambda owner: shift.wire.calls.count("GET") < 100 and shift.step(owner))
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
    named = Counter(
        json.dumps(create["metadata"], sort_keys=True) for create in shift.creates() if create["accepted"]
    )
    assert len(shift.creates()) == len(named) == 100
    assert shift.rows("SELECT outcome, count(*) FROM create_attempt GROUP BY outcome") == [("CREATED", 100)]
    assert shift.rows("SELECT count(*), count(DISTINCT payload_digest) FROM job") == [(100, 100)]
    looked = Counter(call["response_id"] for call in shift.requests("GET"))
    assert len(looked) == 100
    assert set(looked.values()) == {1}
    troubles = (
        "SELECT count(*) FROM event WHERE event_type IN ('LOOK_TROUBLED', 'CREATION_UNKNOWN', 'STALE_WORKER')"
    )
    assert shift.rows(troubles) == [(0,)]


def in_parallel(number: int, step: Callable[[str], bool]) -> None:
    """Let so many threads step until there is nothing for them."""

    def work(owner: str) -> None:
        while step(owner):
            pass

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def report_of(shift: Shift, job: Job) -> dict[str, Any]:
    """The stored validation report of a job."""
    return document(shift, DocumentKind.REPORT, job.report_digest)


def request_of(shift: Shift, job: Job) -> Mapping[str, Any]:
    """The stored body of a job's create."""
    return document(shift, DocumentKind.REQUEST, job.request_digest)


def document(shift: Shift, kind: DocumentKind, digest: str | None) -> dict[str, Any]:
    """A stored JSON document."""
    with shift.house.db.read() as conn:
        stored: dict[str, Any] = json.loads(documents.get(conn, kind, digest or ""))
    return stored
