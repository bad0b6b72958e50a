"""Orders on one execution: suspended, cancelled, linked, supplied, released, under its fence and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.records import Overlay
from orchestrator.core.states import JobState, Reason
from orchestrator.errors import RefusedByState
from orchestrator.orders.scene import NotYet
from orchestrator.store import documents, events, jobs
from orchestrator.store.codes import ActorType, CommandStatus, DocumentKind
from outbox.clock import read_now_ms
from tests.orchestrator.orders.newsroom import MINUTE_MS, newsroom

S = JobState
CUT = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}, {"result": "ok"}]}
WORKING = {"match": {"stage": "research_primary"}, "retrieve": [{"status": "in_progress"}]}


def test_a_suspension_never_bumps_a_leased_job_and_is_taken_at_its_next_claim(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=WORKING) as room:
        room.plan()
        accepted = room.until(S.ACCEPTED)
        room.forward(MINUTE_MS)
        with room.house.db.write() as conn:
            [leased] = jobs.claim(conn, owner="elsewhere", lease_ms=120_000, limit=1).jobs
        command = room.place("suspend", accepted.id)
        with pytest.raises(NotYet):
            room.house.orders.carry_out(command)
        assert room.house.orders.step() == 0
        assert room.job(leased.id) == leased
        with room.house.db.write() as conn:
            jobs.release_lease(conn, leased)
        looks = room.calls("GET")
        assert room.loop.step_job("w0")
        assert room.job(leased.id).state is S.MANUALLY_SUSPENDED
        assert room.calls("GET") == looks
        assert room.command(command).status is CommandStatus.DONE
        room.forward(10 * MINUTE_MS)
        room.sweep()
        assert room.job(leased.id).state is S.MANUALLY_SUSPENDED
        assert room.done("resume", leased.id).endswith("ACCEPTED now")


def test_an_ordered_cancel_is_carried_out_and_never_bought_again_by_itself(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=WORKING) as room:
        room.plan()
        job = room.until(S.ACCEPTED, S.IN_PROGRESS)
        room.done("cancel", job.id)
        assert "before" in room.done("cancel", job.id)
        stopped = room.until(S.QUARANTINED)
        assert (stopped.id, stopped.quarantine_reason) == (job.id, Reason.OPERATOR)
        assert (room.calls("POST", "/cancel"), room.creates()) == (1, 1)
        room.done("replace", job.id)
        room.until(S.IN_PROGRESS)
        assert (room.creates(), [j.generation for j in room.jobs()]) == (2, [0, 1])


def test_a_cancel_that_a_completion_overtook_harvests_the_result(tmp_path: Path) -> None:
    script = {
        **WORKING,
        "retrieve": [{"status": "in_progress", "times": 1}],
        "cancel": [{"result": "completes_first"}],
    }
    with newsroom(tmp_path, script=script) as room:
        room.plan()
        job = room.until(S.IN_PROGRESS)
        room.done("cancel", job.id)
        for _ in range(4):
            room.sweep()
            room.forward(30_000)
        assert room.job(job.id).result_commit_key is not None
        assert room.creates() == 2  # the composition follows


def test_a_cancel_without_an_answer_is_sent_three_times_and_then_the_state_is_read(tmp_path: Path) -> None:
    with newsroom(tmp_path, script={**WORKING, "cancel": [{"result": "http", "status": 500}]}) as room:
        room.plan()
        job = room.until(S.IN_PROGRESS)
        looks = room.calls("GET")
        room.done("cancel", job.id)
        for _ in range(6):
            room.sweep()
            room.forward(2 * MINUTE_MS)
        assert room.calls("POST", "/cancel") == 3
        assert room.calls("GET") > looks
        assert room.job(job.id).cancel_calls == 3


def test_an_unknown_create_is_linked_once_to_the_response_that_carries_its_metadata(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        assert room.house.emulator is not None
        [found] = list(room.house.emulator.log)[:1]
        with pytest.raises(RefusedByState, match="knows no response"):
            room.give("link-response", job.id, response_id="resp_nobody")
        assert room.job(job.id).quarantine_reason is Reason.CREATE_ACCEPTANCE_UNKNOWN
        response = str(found["response_id"])
        assert room.done("link-response", job.id, response_id=response, key="once").endswith("ACCEPTED now")
        repeated = room.give("link-response", job.id, response_id=response, key="once")
        assert (repeated.status, room.creates()) == (CommandStatus.DONE, 1)
        assert "before" in room.done("link-response", job.id, response_id=response)


def test_never_created_is_believed_only_after_lease_timeout_and_ten_minutes(tmp_path: Path) -> None:
    script = {
        "match": {"stage": "research_primary"},
        "create": [{"result": "http", "status": 500}, {"result": "ok"}],
    }
    with newsroom(tmp_path, script=script) as room:
        job = room.unknown()
        with pytest.raises(RefusedByState, match="too early"):
            room.give("confirm-not-created", job.id)
        room.forward(14 * MINUTE_MS)
        assert room.done("confirm-not-created", job.id).endswith("CREATE_ELIGIBLE now")
        room.sweep()
        assert (room.job(job.id).state, room.creates()) == (S.ACCEPTED, 2)


def test_a_supplied_payload_is_judged_like_any_other_and_nothing_is_bought_for_it(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        assert room.house.emulator is not None
        response = str(next(iter(room.house.emulator.log))["response_id"])
        room.forward(5_000)
        seen = room.house.provider.retrieve(response, include=("web_search_call.action.sources",))
        with room.house.db.write() as conn:
            digest = documents.put(conn, DocumentKind.PAYLOAD, seen.body)  # type: ignore[union-attr]
        room.done("supply-payload", job.id, payload_digest=digest)
        room.sweep()
        assert room.job(job.id).result_commit_key is not None
        with room.house.db.read() as conn:
            lines = events.of_process(conn, room.process().id, job_id=job.id)
        assert [line.actor for line in lines if line.event_type == "PAYLOAD_SUPPLIED"] == ["night-desk"]


def test_a_drifted_job_is_finished_under_its_recorded_contract_only_when_a_person_says_so(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        room.plan()
        job = room.until(S.ACCEPTED)
    with newsroom(tmp_path, change=("Plain, exact and calm.", "Loud.")) as room:
        assert room.until(S.QUARANTINED).quarantine_reason is Reason.CONFIGURATION_DRIFT
        with pytest.raises(RefusedByState, match="contract"):
            room.give("release", job.id)
        room.done("release", job.id, under_recorded_contract=True)
        room.sweep()
        assert room.job(job.id).result_commit_key is not None


def test_a_look_that_an_operator_orders_harvests_what_is_complete(tmp_path: Path) -> None:
    script = {**WORKING, "retrieve": [{"status": "in_progress", "times": 2}, {"status": "completed"}]}
    with newsroom(tmp_path, script=script, change=("[budgets]", "[budgets]\npolls = 2")) as room:
        room.plan()
        job = room.until(S.QUARANTINED)
        assert job.quarantine_reason is Reason.POLL_BUDGET_EXHAUSTED
        assert "COMPLETED_NOT_RETRIEVED" in room.done("reconcile", job.id)
        room.sweep()
        assert (room.job(job.id).result_commit_key is not None, room.creates()) == (True, 2)


def test_a_look_at_an_open_job_only_comes_earlier(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=WORKING) as room:
        room.plan()
        job = room.until(S.ACCEPTED)
        assert "looked at next" in room.done("reconcile", job.id)
        with room.house.db.read() as conn:
            assert (room.job(job.id).next_due_ms or 0) <= read_now_ms(conn)


def test_a_discarded_answer_is_deleted_without_custody_and_its_publication_waits_for_its_owner(
    tmp_path: Path,
) -> None:
    with newsroom(tmp_path, script=WORKING) as room:
        room.plan()
        job = room.until(S.ACCEPTED)
        room.done("discard-remote", job.id)
        room.sweep()
        dropped = room.job(job.id)
        assert (dropped.state, dropped.payload_digest, room.calls("DELETE")) == (S.DELETED, None, 1)
        assert (room.process().overlay, room.process().owner) == (Overlay.QUARANTINED, "night desk")
        room.done("replace", job.id)
        room.sweep()
        assert (room.process().overlay, room.creates()) == (Overlay.NONE, 2)


def test_what_the_state_refuses_is_recorded_and_changes_nothing(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        room.plan()
        job = room.until(S.ACCEPTED)
        command = room.place("confirm-not-created", job.id)
        with pytest.raises(RefusedByState, match="outcome is known"):
            room.house.orders.carry_out(command)
        assert room.job(job.id) == job
        assert room.command(command).status is CommandStatus.REFUSED
        with room.house.db.read() as conn:
            last = events.since(conn)[-1]
        assert (last.event_type, last.actor_type) == ("ORDER_CONFIRM_NOT_CREATED", ActorType.OPERATOR)
        assert (last.actor, last.diagnostic_code) == ("night-desk", "REFUSED TEST")
