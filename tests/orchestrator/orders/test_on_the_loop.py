"""Orders on the loop: paused, acknowledged, waived, backfilled; one by one, once, and beside a loop that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.records import ProcessStage
from orchestrator.core.states import JobState
from orchestrator.desk.status import read_status
from orchestrator.errors import ConfigurationError, RefusedByState
from orchestrator.orders.placing import read_reason
from orchestrator.orders.presence import loop_runs, present
from orchestrator.store import jobs, processes
from orchestrator.store.codes import CommandStatus
from tests.orchestrator.orders.newsroom import newsroom

S = JobState
CUT = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}]}


def test_a_pause_stops_every_claim_and_nothing_spins_meanwhile(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        room.plan()
        assert "paused" in room.done("pause", "")
        assert "before" in room.done("pause", "")
        room.sweep()
        assert (room.job().state, room.creates()) == (S.NO_JOB, 0)
        standing = room.loop.standing()
        assert (standing.due, standing.next_due_ms) == (False, None)
        with room.house.db.read() as conn:
            status = read_status(conn)
        assert status.paused is not None
        assert (status.paused.actor, status.paused.reason) == ("night-desk", "TEST")
        room.done("unpause", "")
        room.sweep()
        assert room.job().state is S.ACCEPTED


def test_an_acknowledged_job_stops_counting_as_unattended(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        with room.house.db.read() as conn:
            before = read_status(conn).outcomes.quarantined_without_owner
        room.done("ack", job.id)
        assert "or has one" in room.done("ack", job.id)
        with room.house.db.read() as conn:
            after = read_status(conn).outcomes.quarantined_without_owner
        assert (before, after) == (1, 0)


def test_a_backfill_makes_past_dates_good_after_what_is_due_today(tmp_path: Path) -> None:
    with newsroom(tmp_path, change=('deadline = "2h"', 'deadline = "2d"')) as room:
        today = room.plan()
        said = room.done("backfill", "daily-brief", first="2026-11-02", last="2026-11-04", product="daily-brief")
        assert said.startswith("3 planned")
        assert room.done("backfill", "again", first="2026-11-02", last="2026-11-04", product=None) == "0 planned"
        with room.house.db.read() as conn:
            rows = processes.listing(conn)
            found = {p.target_date: jobs.of_process(conn, p.id)[0].priority for p in rows}
        assert all(found[p.target_date] > found[today.target_date] for p in rows if p.id != today.id)
        with pytest.raises(ConfigurationError, match="still to come"):
            room.give("backfill", "ahead", first="2026-11-02", last="2999-01-01", product=None)


def test_the_same_open_order_is_one_order_and_another_of_its_kind_is_told_so(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        first = room.place("link-response", job.id, response_id="resp_1")
        assert room.place("link-response", job.id, response_id="resp_1").id == first.id
        with pytest.raises(RefusedByState, match="under way"):
            room.place("link-response", job.id, response_id="resp_2")


def test_a_loop_takes_the_orders_it_finds_and_one_that_waits_stays_open(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        process = room.plan()
        suspended, early = room.place("suspend", room.job().id), room.place("approve", process.id)
        room.loop.tick()
        assert room.command(suspended).status is CommandStatus.DONE
        assert room.command(early).status is CommandStatus.REFUSED
        assert room.process().stage is ProcessStage.RESEARCH_PRIMARY


def test_a_running_loop_is_seen_until_its_process_is_gone(tmp_path: Path) -> None:
    assert not loop_runs(tmp_path)
    with present(tmp_path), present(tmp_path):
        assert loop_runs(tmp_path)
    assert not loop_runs(tmp_path)


@pytest.mark.parametrize("text", ["", "because", "a:b", "TWO WORDS", "X" * 61])
def test_a_reason_begins_with_a_code(text: str) -> None:
    with pytest.raises(ConfigurationError, match="reason code"):
        read_reason(text)


def test_a_reason_may_say_more_after_its_code() -> None:
    assert read_reason("PROVIDER_LOG: seen at 06:02") == ("PROVIDER_LOG", "seen at 06:02")
