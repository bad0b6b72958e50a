"""Jobs on every engine: claimed, changed under their fence, audited."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import pytest

from orchestrator.core.records import Job
from orchestrator.core.states import TRANSITIONS, Event, JobState, Reason
from orchestrator.errors import NotFound
from orchestrator.store import documents, events, gate, jobs, pause
from orchestrator.store.codes import DocumentKind
from orchestrator.store.events import Line
from outbox import clock
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import ConstraintRefused, StaleFence
from tests.orchestrator.store.rows import FINGERPRINT, a_job, a_process, commit, decision, in_flight, put, uid

S = JobState


def _put(store: Database, *records: Job) -> None:
    with store.write() as conn:
        put(conn, a_process(), *records)


def _due(store: Database, number: int, *, ago_ms: int = 10, **changes: Any) -> Job:
    with store.read() as conn:
        return a_job(number, next_due_ms=read_now_ms(conn) - ago_ms, **changes)


def _claim(store: Database, owner: str = "w1", limit: int = 10) -> jobs.Claimed:
    with store.write() as conn:
        return jobs.claim(conn, owner=owner, lease_ms=60_000, limit=limit)


def _get(store: Database, number: int = 1) -> Job:
    with store.read() as conn:
        return jobs.get(conn, uid(number))


def _history(store: Database) -> list[Line]:
    with store.read() as conn:
        return events.since(conn)


def test_a_job_is_read_as_it_was_written(store: Database) -> None:
    job = a_job(
        slot=uid(1),
        state=S.QUARANTINED,
        quarantine_reason=Reason.CREATE_ACCEPTANCE_UNKNOWN,
        owner="recovery",
        owner_deadline_ms=9_999_999_999_999,
        resume_state=S.CREATE_IN_FLIGHT,
        fingerprint=FINGERPRINT,
        no_replacement=True,
    )
    _put(store, job)

    assert _get(store) == job


def test_the_most_urgent_jobs_are_claimed_first(store: Database) -> None:
    _put(
        store,
        _due(store, 1, priority=10, deadline_ms=1),
        _due(store, 2, priority=0, deadline_ms=None),
        _due(store, 3, priority=0, deadline_ms=500),
        _due(store, 4, priority=0, deadline_ms=500, ago_ms=900),
        _due(store, 5, ago_ms=-60_000),
        a_job(6),
    )

    assert [job.id for job in _claim(store).jobs] == [uid(4), uid(3), uid(2), uid(1)]


def test_a_claim_answers_the_job_as_it_stands(store: Database) -> None:
    _put(store, _due(store, 1))
    found = _claim(store, owner="w7")

    assert found.jobs == (_get(store),)
    assert found.jobs[0].lease_owner == "w7"
    assert found.jobs[0].version == 2


def test_nothing_is_claimed_while_the_loop_is_paused(store: Database) -> None:
    _put(store, _due(store, 1))
    with store.write() as conn:
        pause.set(conn, actor="ana", reason="MAINTENANCE")
    assert (_claim(store).paused, _claim(store).jobs) == (True, ())

    with store.write() as conn:
        pause.clear(conn, actor="ana", reason="DONE")
    assert len(_claim(store).jobs) == 1


def test_a_claim_tells_until_when_the_gate_is_closed(store: Database) -> None:
    assert _claim(store).gate_until_ms is None
    with store.write() as conn:
        until_ms = read_now_ms(conn) + 30_000
        gate.close(conn, until_ms)
    assert _claim(store).gate_until_ms == until_ms

    with store.write() as conn:
        clock.advance(conn, 31_000)
    assert _claim(store).gate_until_ms is None


def test_a_job_whose_worker_died_in_flight_comes_back_in_that_state(store: Database) -> None:
    with store.write() as conn:
        in_flight(conn)
    assert _claim(store).jobs == ()
    with store.write() as conn:
        clock.advance(conn, 61_000)

    assert [job.state for job in _claim(store, "w2").jobs] == [S.CREATE_IN_FLIGHT]


def test_dispatch_keeps_the_lease_to_its_end(store: Database) -> None:
    _put(store, _due(store, 1, state=S.CREATE_ELIGIBLE))
    (job,) = _claim(store).jobs
    with store.write() as conn:
        sent = commit(conn, job, decision("DISPATCHED", S.CREATE_IN_FLIGHT))

    assert (sent.lease_owner, sent.next_due_ms, sent.version) == ("w1", job.next_due_ms, 3)
    assert _get(store) == sent
    assert _claim(store, "w2").jobs == ()


def test_a_step_gives_the_lease_back_and_says_when_to_look_again(store: Database) -> None:
    _put(store, _due(store, 1, state=S.ACCEPTED))
    (job,) = _claim(store).jobs
    polled = decision("POLLED_QUEUED", S.QUEUED, changes=(("poll_count", 1),), next_due_ms=job.next_due_ms)
    with store.write() as conn:
        changed = commit(conn, job, polled)

    assert (changed.lease_owner, changed.state, changed.poll_count) == (None, S.QUEUED, 1)
    assert _get(store) == changed
    with store.read() as conn:
        assert jobs.next_due_ms(conn) == job.next_due_ms


def test_a_stale_worker_changes_nothing_and_leaves_no_audit_line(store: Database) -> None:
    _put(store, _due(store, 1, state=S.ACCEPTED))
    (mine,) = _claim(store).jobs
    with store.write() as conn:
        commit(conn, mine, decision("POLLED_QUEUED", S.QUEUED))
    before, lines = _get(store), _history(store)

    late = decision("POLLED_TERMINAL", S.RETRIEVED_NOT_VALIDATED, payload=b"{}", gate_until_ms=9_999_999_999_999)
    with pytest.raises(StaleFence), store.write() as conn:
        commit(conn, mine, late)

    assert (_get(store), _history(store)) == (before, lines)
    with store.read() as conn:
        assert gate.read(conn) is None


def test_each_state_on_the_way_has_an_audit_line(store: Database) -> None:
    job = a_job(state=S.QUEUED, fingerprint=FINGERPRINT, generation=2)
    _put(store, job)
    rule = TRANSITIONS[S.QUEUED, Event.POLLED_TERMINAL]
    terminal = decision(
        "POLLED_TERMINAL", S.RETRIEVED_NOT_VALIDATED, through=rule.through, code="completed", payload=b"{}"
    )
    with store.write() as conn:
        commit(conn, job, terminal)
    first, second = _history(store)

    assert (first.from_state, first.to_state) == ("QUEUED", "COMPLETED_NOT_RETRIEVED")
    assert (second.from_state, second.to_state) == ("COMPLETED_NOT_RETRIEVED", "RETRIEVED_NOT_VALIDATED")
    assert second == Line(
        id=first.id + 1,
        occurred_ms=1_000,
        event_type="POLLED_TERMINAL",
        process_id=uid(1),
        process_revision=0,
        job_id=uid(1),
        generation=2,
        fence=2,
        stage_code="research_primary",
        from_state="COMPLETED_NOT_RETRIEVED",
        to_state="RETRIEVED_NOT_VALIDATED",
        fingerprint_prefix="b42a1e5db42a",
        actor_type=first.actor_type,
        actor="w1",
        diagnostic_code="completed",
    )


def test_a_payload_and_its_digest_are_stored_with_the_transition(store: Database) -> None:
    _put(store, a_job(state=S.QUEUED))
    body = b'{"id": "resp_1"}' * 100_000  # larger than a 64 KiB column
    with store.write() as conn:
        changed = commit(conn, jobs.get(conn, uid(1)), decision("X", S.RETRIEVED_NOT_VALIDATED, payload=body))
    assert changed.payload_digest is not None
    with store.read() as conn:
        assert documents.get(conn, DocumentKind.PAYLOAD, changed.payload_digest) == body


def test_a_throttled_step_closes_the_gate_in_the_same_commit(store: Database) -> None:
    _put(store, a_job(state=S.QUEUED))
    with store.write() as conn:
        until_ms = read_now_ms(conn) + 5_000
        commit(conn, jobs.get(conn, uid(1)), decision("LOOK_TROUBLED", S.QUEUED, gate_until_ms=until_ms))
        assert gate.read(conn) == until_ms


def test_a_released_lease_is_due_at_once(store: Database) -> None:
    _put(store, _due(store, 1))
    (job,) = _claim(store).jobs
    with store.write() as conn:
        back = jobs.release_lease(conn, job)

    assert _get(store) == back
    assert [again.id for again in _claim(store, "w2").jobs] == [job.id]
    with pytest.raises(StaleFence), store.write() as conn:
        jobs.release_lease(conn, job)


def test_jobs_are_found_by_what_is_known_of_them(store: Database) -> None:
    _put(store, a_job(1, response_id="resp_1", client_request_id="c1"), a_job(2, state=S.DELETED), a_job(18))
    with store.read() as conn:
        assert jobs.find(conn, "00000002").id == uid(2)
        assert jobs.find(conn, uid(18).upper()).id == uid(18)
        for bad in ("0000", "ffffffff", "x'); --", "%"):
            with pytest.raises(NotFound):
                jobs.find(conn, bad)
        with pytest.raises(NotFound):
            jobs.get(conn, uid(3))
        assert [
            job.id for job in (jobs.by_response_id(conn, "resp_1"), jobs.by_client_request_id(conn, "c1")) if job
        ]
        assert jobs.by_response_id(conn, "resp_2") is None
        assert [job.id for job in jobs.listing(conn, S.DELETED)] == [uid(2)]
        assert [job.id for job in jobs.listing(conn)] == [uid(18), uid(2), uid(1)]
        assert [job.id for job in jobs.of_process(conn, uid(1))] == [uid(1), uid(2), uid(18)]
        assert jobs.counts(conn) == {S.DELETED: 1, S.NO_JOB: 2}


def test_the_current_job_holds_the_slot_or_is_the_newest(store: Database) -> None:
    _put(store, a_job(1), a_job(2, slot=uid(1)), a_job(3))
    with store.read() as conn:
        held = jobs.current(conn, uid(1))
    with store.write() as conn:
        commit(conn, jobs.get(conn, uid(2)), decision("X", S.NO_JOB, changes=(("slot", None),)))
        newest = jobs.current(conn, uid(1))

    assert (held and held.id, newest and newest.id) == (uid(2), uid(3))


def test_eight_workers_step_each_job_once(store: Database) -> None:
    _put(store, *(_due(store, number, state=S.ACCEPTED) for number in range(1, 41)))

    def work(owner: str) -> list[str]:
        stepped: list[str] = []
        idle = 0
        while idle < 10:
            found = _claim(store, owner, limit=2).jobs
            idle = 0 if found else idle + 1
            for job in found:
                with store.write() as conn:
                    commit(conn, job, decision("POLLED_QUEUED", S.QUEUED))
                stepped.append(job.id)
        return stepped

    with ThreadPoolExecutor(8) as pool:
        stepped = list(chain.from_iterable(pool.map(work, [f"w{n}" for n in range(8)])))

    assert sorted(stepped) == [uid(number) for number in range(1, 41)]
    assert len(_history(store)) == 40


def test_a_refused_commit_leaves_neither_job_nor_audit_line_nor_payload(store: Database) -> None:
    _put(store, a_job(1, result_commit_key="k"), a_job(2, state=S.QUEUED))
    with pytest.raises(ConstraintRefused), store.write() as conn:
        commit(
            conn,
            jobs.get(conn, uid(2)),
            decision("X", S.RETRIEVED_NOT_VALIDATED, payload=b"{}"),
            result_commit_key="k",
        )

    assert (_get(store, 2).state, _history(store)) == (S.QUEUED, [])
    with store.read() as conn, pytest.raises(NotFound):
        documents.get(conn, DocumentKind.PAYLOAD, documents.digest_of(b"{}"))
