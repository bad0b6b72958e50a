"""What arrives late, early, twice or for nobody: linked, kept where it was paid for, else put aside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator import entropy
from orchestrator.core.observations import Observation
from orchestrator.core.states import JobState
from orchestrator.correspondence import FOREIGN
from orchestrator.provider.client import Provider
from orchestrator.store import costs, events, jobs
from orchestrator.worker import LATE_EVIDENCE, Worker, claim_of
from outbox import inbox
from outbox.message import InboxStatus
from tests.orchestrator.orders.newsroom import MINUTE_MS, Newsroom, newsroom

S = JobState
CUT = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}, {"result": "ok"}]}


class Killed(Exception):
    """Where the process dies."""


class DyingAfterCreate:
    """A provider port whose process dies when the create was answered, before anything of it is written."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def create(self, body: bytes, *, client_request_id: str) -> Observation:
        self._provider.create(body, client_request_id=client_request_id)
        raise Killed

    def retrieve(self, response_id: str, *, include: Sequence[str] = ()) -> Observation:
        raise NotImplementedError

    cancel = delete = retrieve

    def input_tokens(self, body: bytes) -> int:
        raise NotImplementedError


def test_an_event_that_overtakes_its_create_waits_for_the_end_of_that_lease_and_heals_it(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        room.plan()
        house = room.house
        with house.db.write() as conn:
            [fresh] = jobs.claim(conn, owner="w", lease_ms=120_000, limit=1).jobs
        house.supervisor.step(fresh)
        with house.db.write() as conn:
            claimed = jobs.claim(conn, owner="w", lease_ms=120_000, limit=1)
        claim = claim_of(
            claimed.jobs[0], now_ms=claimed.now_ms, gate_until_ms=None, claimed_s=entropy.monotonic_s()
        )
        dying = Worker(house.db, DyingAfterCreate(house.provider), house.editorial, name="w", timeout_s=90)
        with pytest.raises(Killed):
            dying.step(claim)
        assert room.job().state is S.CREATE_IN_FLIGHT
        room.tell(room.response())
        room.sweep()
        room.forward(4 * 60 * MINUTE_MS)
        room.sweep()
        room.sweep()
        healed = room.jobs()[0]
        assert (healed.response_id, room.creates()) == (room.response(), 2)  # the second is the composition
        assert _statuses(room) == [InboxStatus.APPLIED]


def test_events_of_other_systems_are_put_aside(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.tell(room.response(), source=f"{FOREIGN}/cms")
        room.sweep()
        assert (_statuses(room), room.job(job.id)) == ([InboxStatus.IGNORED], job)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..", "ñ", "x" * 513])
def test_an_id_that_cannot_be_asked_for_is_put_aside_and_stops_nothing(tmp_path: Path, name: str) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.tell(name, event_id="wh_1")
        room.tell(room.response(), event_id="wh_2")
        room.sweep()
        assert room.job(job.id).response_id == room.response()
        assert _statuses(room)[0] is InboxStatus.IGNORED


def test_a_signed_event_heals_an_unknown_create_and_one_for_nobody_waits_and_is_put_aside(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.tell(room.response(), event_id="wh_1")
        room.tell("resp_nobody", event_id="wh_2")
        room.sweep()
        assert room.job(job.id).response_id == room.response()
        assert room.creates() == 1
        assert _statuses(room) == [InboxStatus.APPLIED, InboxStatus.PENDING]
        room.tell(room.response(), event_id="wh_3")
        room.sweep()
        room.forward(16 * MINUTE_MS)
        room.sweep()
        assert _statuses(room)[1] is InboxStatus.IGNORED


def test_nothing_is_read_while_the_loop_is_paused(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.done("pause", "")
        room.tell(room.response())
        room.sweep()
        assert (room.job(job.id), room.calls("GET")) == (job, 0)
        room.done("unpause", "")
        room.sweep()
        assert room.job(job.id).response_id == room.response()


def test_the_answer_of_a_job_that_was_given_up_is_kept_deleted_remotely_and_charged(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.forward(16 * MINUTE_MS)
        room.done("abandon", job.id)
        room.tell(room.response(), source=LATE_EVIDENCE)
        room.sweep()
        kept = room.job(job.id)
        assert (kept.state, kept.abandoned, kept.response_id) == (S.QUARANTINED, True, room.response())
        assert kept.payload_digest is not None
        assert (kept.deleted_ms is not None, room.calls("DELETE")) == (True, 1)
        with room.house.db.read() as conn:
            told = [line.event_type for line in events.of_process(conn, job.process_id, job_id=job.id)]
            assert costs.totals(conn, job_id=job.id).reserved_micro == 0
        assert told[-2:] == ["ORPHAN_STORED", "ORPHAN_DELETED"]
        room.tell(room.response(), event_id="wh_2")
        room.sweep()
        assert room.calls("DELETE") == 1


def _statuses(room: Newsroom) -> list[InboxStatus]:
    with room.house.db.read() as conn:
        return [message.status for message in inbox.listing(conn)]
