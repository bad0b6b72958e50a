"""Nothing that was paid for is forgotten, and nothing is bought without its reservation (I3, I17)."""

from __future__ import annotations

import json

import httpx
import pytest
from sqlalchemy import Connection, event

from orchestrator.core.observations import Abandoned, CancelOrdered, Released
from orchestrator.core.records import JobStage
from orchestrator.core.states import JobState as S
from orchestrator.core.states import Reason
from orchestrator.examination import rejected_of
from orchestrator.provider.answers import well_formed_id
from orchestrator.store import costs
from orchestrator.store.costs import Totals
from orchestrator.worker import AWAY_WAITS_S, Worker
from outbox.database import Database
from outbox.errors import StoreUnavailable
from tests.acceptance.conftest import Night
from tests.acceptance.shift import HOUR_MS, Act, Send, Shift, edited, half

PRICED = {"provider": {"prices": {"inspected": "2026-11-01", "input": 1.0, "output": 4.0, "search": 0.01}}}
CEILING_MICRO = 3_000_000
"""Of one process, in the shipped product files."""

REFUSED = {"error": {"message": "no such key", "type": "invalid_request_error", "code": "invalid_api_key"}}


def worker_that_waits(shift: Shift, waited: list[float]) -> Worker:
    """The shift's worker, whose waits are noted instead of slept."""
    house = shift.house
    return Worker(
        house.db,
        house.provider,
        house.editorial,
        name="w1",
        timeout_s=shift.timeout_s,
        chance=half,
        sleep_s=waited.append,
    )


def the_store_goes_away(db: Database, times: int) -> Act:
    """An act of the wire: the provider answers, and the next `times` commits of the store fail."""

    def act(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        response.read()
        left = [StoreUnavailable("the disk is full") for _ in range(times)]

        def commit(_conn: Connection) -> None:
            if left:
                raise left.pop()

        event.listen(db.writer, "commit", commit)
        return response

    return act


def test_a_create_that_was_answered_while_the_store_was_away_is_written_down_when_it_is_back(
    night: Night, store: Database
) -> None:
    shift, waited = night(store), list[float]()
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)
    shift.wire.meet("POST", the_store_goes_away(shift.house.db, 3))
    claim = shift.claim()
    assert claim is not None
    job = worker_that_waits(shift, waited).step(claim)
    assert job is not None
    assert (job.state, bool(job.response_id)) == (S.ACCEPTED, True)
    assert waited == list(AWAY_WAITS_S[:3])
    assert len(shift.creates()) == 1


def test_a_response_id_that_could_not_be_stored_is_named_by_the_error(night: Night, sqlite: Database) -> None:
    shift, waited = night(sqlite), list[float]()
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)
    shift.wire.meet("POST", the_store_goes_away(shift.house.db, len(AWAY_WAITS_S) + 1))
    claim = shift.claim()
    assert claim is not None
    with pytest.raises(StoreUnavailable, match=r"response resp_\w+ is not written down"):
        worker_that_waits(shift, waited).step(claim)
    assert waited == list(AWAY_WAITS_S)


def renamed(response_id: str) -> Act:
    """An act of the wire: the provider's answer carries this id."""

    def act(request: httpx.Request, send: Send) -> httpx.Response:
        body = json.loads(send(request).read())
        return httpx.Response(200, json={**body, "id": response_id})

    return act


def test_the_longest_response_id_that_is_taken_can_be_stored(night: Night, store: Database) -> None:
    shift, longest = night(store), "r" * 512
    assert well_formed_id(longest)
    assert not well_formed_id(longest + "r")
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)
    shift.wire.meet("POST", renamed(longest))
    shift.step()
    assert (shift.job().state, shift.job().response_id) == (S.ACCEPTED, longest)


def test_a_stale_worker_keeps_the_longest_response_id_too(night: Night, store: Database) -> None:
    shift, longest = night(store), "r" * 512
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)
    first = shift.claim()
    assert first is not None

    def stall(request: httpx.Request, send: Send) -> httpx.Response:
        shift.advance(HOUR_MS)
        shift.step("w2")
        return renamed(longest)(request, send)

    shift.wire.meet("POST", stall)
    assert shift.worker("w1").step(first) is None
    [(kept,)] = shift.rows("SELECT payload FROM inbox_event WHERE source = 'late-evidence'")
    assert json.loads(kept)["response_id"] == longest


def test_what_was_accepted_is_never_told_as_refused(night: Night, sqlite: Database) -> None:
    shift = night(sqlite)
    process = shift.plan()
    shift.until(S.READY_TO_COMPOSE)
    shift.step()
    assert shift.job().state is S.NO_JOB
    with shift.house.db.read() as conn:
        assert rejected_of(conn, shift.house.editorial, process.id) == ()


def test_a_job_that_is_released_after_its_reservation_was_given_back_takes_it_again_before_it_is_sent(
    night: Night, sqlite: Database
) -> None:
    shift = night(sqlite, settings=PRICED)
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)
    reserved = money(shift)
    shift.wire.meet("POST", lambda _request, _send: httpx.Response(401, json=REFUSED))
    refused = shift.until(S.QUARANTINED)
    assert (refused.quarantine_reason, money(shift).reserved_micro) == (Reason.CREDENTIALS_REJECTED, 0)
    with shift.house.db.write() as conn:
        shift.recorder.record(conn, refused, Released())
    shift.until(S.ACCEPTED)
    assert money(shift) == reserved
    assert reserved.reserved_micro > 0


def test_a_released_job_whose_reservation_does_not_fit_any_more_is_not_sent(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, settings=PRICED)
    process = shift.plan()
    shift.wire.meet("POST", lambda _request, _send: httpx.Response(401, json=REFUSED))
    refused = shift.until(S.QUARANTINED)
    with shift.house.db.write() as conn:
        costs.spend(conn, refused.id, spent_micro=CEILING_MICRO)
        shift.recorder.record(conn, refused, Released())
    stopped = shift.until(S.QUARANTINED)
    assert stopped.quarantine_reason is Reason.COST_CEILING
    assert shift.rows("SELECT sum(amount_micro) FROM cost_entry WHERE process_id = :id", id=process.id) == [
        (CEILING_MICRO,)
    ]
    assert shift.creates() == []


def test_an_unknown_create_that_is_given_up_keeps_its_reservation(night: Night, sqlite: Database) -> None:
    shift = night(sqlite, settings=PRICED)
    shift.plan()

    def cut(request: httpx.Request, send: Send) -> httpx.Response:
        send(request).read()
        raise httpx.ReadError("cut")

    shift.wire.meet("POST", cut)
    unknown = shift.until(S.QUARANTINED)
    reserved = money(shift)
    with shift.house.db.write() as conn:
        shift.recorder.record(conn, unknown, Abandoned())
    assert money(shift) == reserved
    assert reserved.reserved_micro > 0


@pytest.mark.parametrize(
    ("code", "reason"),
    [("insufficient_quota", Reason.QUOTA_EXHAUSTED), ("invalid_prompt", Reason.PROVIDER_REFUSED)],
)
def test_what_fails_at_once_for_its_prompt_or_the_account_is_not_bought_again(
    night: Night, sqlite: Database, code: str, reason: Reason
) -> None:
    shift = night(sqlite)
    shift.plan()
    shift.until(S.CREATE_ELIGIBLE)

    def fail(request: httpx.Request, send: Send) -> httpx.Response:
        failed = {"status": "failed", "error": {"code": code, "message": "no"}, "output": []}
        return httpx.Response(200, json={**json.loads(send(request).read()), **failed})

    shift.wire.meet("POST", fail)
    stopped = shift.until(S.QUARANTINED)
    assert stopped.quarantine_reason is reason
    assert len(shift.jobs()) == len(shift.creates()) == 1


def test_a_limit_that_was_raised_after_a_cut_answer_stays_raised_when_the_next_one_gets_lost(
    night: Night, sqlite: Database
) -> None:
    shift = night(sqlite)
    shift.plan()
    shift.until(S.ACCEPTED, stage=JobStage.COMPOSITION)
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    shift.wire.always["GET"] = edited(lambda body: body.update(cut))
    first = shift.until(S.VALIDATION_FAILED_RETAINED, stage=JobStage.COMPOSITION)
    gone = httpx.Response(404, json={"error": {"message": "gone", "code": "not_found"}})
    shift.wire.always["GET"] = lambda _request, _send: gone
    limits = [first.output_ceiling_tokens]
    for generation in (1, 2):
        while shift.job().generation < generation:
            assert shift.step() or shift.wait()
        limits.append(shift.until(S.ACCEPTED, stage=JobStage.COMPOSITION).output_ceiling_tokens)
    assert limits == [first.output_ceiling_tokens, *[2 * first.output_ceiling_tokens] * 2]


@pytest.mark.parametrize("answer", ["gone", "useless"])
def test_a_job_whose_cancel_was_ordered_is_never_bought_again_by_itself(
    night: Night, sqlite: Database, answer: str
) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    with shift.house.db.write() as conn:
        shift.recorder.record(conn, job, CancelOrdered())
    if answer == "gone":
        gone = httpx.Response(404, json={"error": {"message": "gone", "code": "not_found"}})
        shift.wire.always["GET"] = lambda _request, _send: gone
    else:
        shift.wire.always["GET"] = edited(lambda body: body.update(output=[]))
    shift.wire.meet("POST", lambda _request, _send: httpx.Response(503))
    stopped = shift.until(S.QUARANTINED)
    assert (stopped.id, stopped.quarantine_reason) == (job.id, Reason.OPERATOR)
    assert len(shift.creates()) == 1


def test_an_answer_to_a_cancel_that_is_no_response_does_not_stand_for_the_result(
    night: Night, sqlite: Database
) -> None:
    shift = night(sqlite)
    shift.plan()
    job = shift.until(S.ACCEPTED)
    with shift.house.db.write() as conn:
        shift.recorder.record(conn, job, CancelOrdered())
    shift.wire.meet("POST", lambda _request, _send: httpx.Response(200, json={"ok": True}))
    while not shift.fresh(job).cancel_calls:
        assert shift.step() or shift.wait()
    after = shift.fresh(job)
    assert (after.state, after.payload_digest, after.cancel_calls) == (S.ACCEPTED, None, 1)


def money(shift: Shift) -> Totals:
    """What is reserved and spent for the current job."""
    job = shift.job()
    with shift.house.db.read() as conn:
        return costs.totals(conn, job_id=job.id)
