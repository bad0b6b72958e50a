"""Money, attempts, orders, the gate and the pause, on every engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.core.observations import Call, Phase
from orchestrator.errors import InvariantBroken
from orchestrator.store import attempts, commands, costs, events, gate, pause
from orchestrator.store.attempts import Attempt
from orchestrator.store.codes import ActorType, AttemptOutcome, CommandStatus
from orchestrator.store.commands import Order
from orchestrator.store.costs import Totals
from outbox.clock import read_now_ms
from outbox.database import Database
from tests.orchestrator.store.rows import FINGERPRINT, a_job, a_process, in_flight, put, uid

DAY = "2026-11-30"


def _reserve(store: Database, job: int, amount: int, *, process: int = 1, day: int | None = None) -> bool:
    with store.write() as conn:
        return costs.reserve(
            conn,
            process_id=uid(process),
            job_id=uid(job),
            day=DAY,
            amount_micro=amount,
            process_ceiling=100,
            day_ceiling=day,
        )


def _totals(store: Database, **scope: str) -> Totals:
    with store.read() as conn:
        return costs.totals(conn, **scope)


@pytest.fixture
def ledger(store: Database) -> Database:
    with store.write() as conn:
        put(conn, *(a_process(number) for number in range(1, 11)))
    return store


def test_a_reservation_that_would_pass_a_ceiling_is_refused_and_not_written(ledger: Database) -> None:
    assert _reserve(ledger, 1, 60)
    assert not _reserve(ledger, 2, 41)
    assert _reserve(ledger, 2, 40)
    assert not _reserve(ledger, 3, 50, process=2, day=149)
    assert _reserve(ledger, 3, 50, process=2, day=150)

    assert _totals(ledger, process_id=uid(1)) == Totals(reserved_micro=100, spent_micro=0)
    assert _totals(ledger, day=DAY) == Totals(reserved_micro=150, spent_micro=0)


def test_settling_replaces_the_reservation_by_what_was_spent(ledger: Database) -> None:
    _reserve(ledger, 1, 60)
    with ledger.write() as conn:
        assert costs.settle(conn, uid(1), spent_micro=25)
        assert not costs.settle(conn, uid(1), spent_micro=25)

    assert _totals(ledger, job_id=uid(1)) == Totals(reserved_micro=0, spent_micro=25)
    assert _reserve(ledger, 2, 75)
    assert not _reserve(ledger, 3, 1)


def test_a_release_gives_back_what_is_reserved_and_no_more(ledger: Database) -> None:
    _reserve(ledger, 1, 60)
    with ledger.write() as conn:
        assert [costs.release(conn, uid(1)) for _ in range(2)] == [60, 0]

    assert _totals(ledger) == Totals(reserved_micro=0, spent_micro=0)


def test_spending_beyond_the_ceiling_is_charged_and_seen(ledger: Database) -> None:
    _reserve(ledger, 1, 60)
    with ledger.write() as conn:
        costs.settle(conn, uid(1), spent_micro=500)
        assert not costs.affordable(conn, process_id=uid(1), day=DAY, process_ceiling=100, day_ceiling=None)
        assert costs.affordable(conn, process_id=uid(1), day=DAY, process_ceiling=None, day_ceiling=500)
        with pytest.raises(InvariantBroken):
            costs.spend(conn, uid(9), spent_micro=1)


def test_i17_reservations_at_the_same_time_do_not_pass_a_ceiling_together(ledger: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        granted = list(pool.map(lambda n: _reserve(ledger, n, 30, process=n, day=100), range(1, 11)))

    assert granted.count(True) == 3
    assert _totals(ledger, day=DAY).reserved_micro == 90


def _open(store: Database, number: int = 1) -> None:
    with store.write() as conn:
        job = in_flight(conn, number)
        assert (
            attempts.open(
                conn, job, now_ms=3, reserved_micro=5, metadata={"stage": "x"}, contract_version="scout-1"
            )
            == 1
        )


def _attempts(store: Database) -> list[Attempt]:
    with store.read() as conn:
        return attempts.of_job(conn, uid(1))


def test_an_attempt_records_what_is_sent_before_it_is_sent(store: Database) -> None:
    _open(store)
    (attempt,) = _attempts(store)

    assert (attempt.fingerprint, attempt.generation, attempt.fence, attempt.lease_owner) == (
        FINGERPRINT,
        0,
        1,
        "w1",
    )
    assert (attempt.outcome, attempt.metadata_json, attempt.process_revision) == (None, '{"stage": "x"}', 0)


def test_an_unknown_attempt_is_settled_again_when_proof_arrives(store: Database) -> None:
    _open(store)
    call = Call(phase=Phase.WAIT, elapsed_ms=900, error_class="ReadTimeout")
    with store.write() as conn:
        assert attempts.settle(conn, uid(1), AttemptOutcome.UNKNOWN, now_ms=4, call=call)
        assert attempts.settle(conn, uid(1), AttemptOutcome.CREATED, now_ms=5, response_id="resp_1")
        assert not attempts.settle(conn, uid(1), AttemptOutcome.NOT_CREATED, now_ms=6)
    (attempt,) = _attempts(store)

    assert (attempt.outcome, attempt.response_id, attempt.settled_ms) == (AttemptOutcome.CREATED, "resp_1", 5)
    assert (attempt.phase, attempt.elapsed_ms, attempt.error_class) == ("wait", 900, "ReadTimeout")


def test_an_attempt_that_was_not_created_makes_room_for_the_next(store: Database) -> None:
    _open(store)
    with store.write() as conn:
        attempts.settle(conn, uid(1), AttemptOutcome.NOT_CREATED, now_ms=4)
        job = a_job(1, slot=uid(1), fingerprint=FINGERPRINT, request_digest="sha256:0", client_request_id="r")
        assert attempts.open(conn, job, now_ms=5, reserved_micro=5, metadata={}, contract_version="c") == 2
        with pytest.raises(InvariantBroken):
            attempts.open(conn, a_job(1), now_ms=5, reserved_micro=5, metadata={}, contract_version="c")

    assert [attempt.outcome for attempt in _attempts(store)] == [AttemptOutcome.NOT_CREATED, None]


def test_the_gate_only_ever_moves_later(store: Database) -> None:
    with store.write() as conn:
        now_ms = read_now_ms(conn)
        assert gate.read(conn) is None
        gate.close(conn, now_ms + 90_000)
        gate.close(conn, now_ms + 60_000)
        assert gate.read(conn) == now_ms + 90_000
        gate.open(conn)
        assert gate.read(conn) is None
        gate.close(conn, now_ms - 1)
        assert gate.read(conn) is None


def test_a_pause_keeps_the_name_of_who_set_it_first(store: Database) -> None:
    with store.write() as conn:
        pause.set(conn, actor="ana", reason="MAINTENANCE")
        pause.set(conn, actor="bo", reason="OTHER")
        found = pause.read(conn)
        pause.clear(conn, actor="bo", reason="DONE")
        assert pause.read(conn) is None
        pause.set(conn, actor="cy", reason="AGAIN")
        again = pause.read(conn)

    assert (found and found.actor, again and again.actor) == ("ana", "cy")


def _order(key: str, target: str = "7f3a91", verb: str = "release") -> Order:
    return Order(verb=verb, target=target, actor="ana", reason_code="R", idempotency_key=key, arguments={"n": 1})


def test_an_order_is_taken_once_while_it_is_open(store: Database) -> None:
    with store.write() as conn:
        first = commands.order(conn, _order("k1"))
        assert commands.order(conn, _order("k1")) == first
        assert commands.order(conn, _order("k2")) == first
        other = commands.order(conn, _order("k3", target="99"))
        assert commands.open_orders(conn) == [first, other]
        assert commands.finish(conn, first.id, CommandStatus.DONE, "released")
        assert not commands.finish(conn, first.id, CommandStatus.REFUSED)
        assert commands.open_orders(conn) == [other]
        repeated = commands.order(conn, _order("k1"))
        again = commands.order(conn, _order("k4"))

    assert (repeated.id, repeated.status, repeated.outcome) == (first.id, CommandStatus.DONE, "released")
    assert (again.id != first.id, again.status, again.arguments) == (True, CommandStatus.OPEN, {"n": 1})


def test_the_trail_is_followed_by_id_and_by_time(store: Database) -> None:
    entries = [
        events.Entry(
            occurred_ms=at_ms, event_type="X", actor_type=ActorType.OPERATOR, actor="ana", process_id=process
        )
        for at_ms, process in ((10, uid(1)), (20, None), (30, uid(1)))
    ]
    with store.write() as conn:
        events.append(conn, *entries)
    with store.read() as conn:
        first, second, third = events.since(conn)
        assert events.since(conn, first.id, limit=1) == [second]
        assert events.since_ms(conn, 20) == [second, third]
        assert events.of_process(conn, uid(1)) == [first, third]
        assert events.last_id(conn) == third.id
