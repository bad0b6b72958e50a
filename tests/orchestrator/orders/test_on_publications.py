"""Orders on a publication: approved and dated by the decision, held, given up with its actor, bought again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.core.instants import rfc3339
from orchestrator.core.records import Overlay, ProcessStage
from orchestrator.core.states import JobState, Reason
from orchestrator.correspondence import WEBHOOKS
from orchestrator.desk.obligations import Ending, obligation
from orchestrator.errors import NotFound, RefusedByState
from orchestrator.store import costs, editions, events
from orchestrator.store.codes import EditionStatus
from orchestrator.worker import LATE_EVIDENCE
from outbox import inbox
from outbox import store as ledger
from outbox.message import InboxStatus, Provenance
from tests.orchestrator.orders.newsroom import MINUTE_MS, Newsroom, newsroom

S = JobState
CUT = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}, {"result": "ok"}]}
BY_PERSON = ('approval = "auto"', 'approval = "person"')
HOUR_MS = 60 * MINUTE_MS


def tell(room: Newsroom, response_id: str, *, source: str = WEBHOOKS, event_id: str = "wh_1") -> None:
    """A webhook about this response, as the desk's hooks would store it."""
    with room.house.db.write() as conn:
        inbox.append(
            conn,
            source=source,
            event_id=event_id,
            kind="response.completed",
            payload=json.dumps({"type": "response.completed", "data": {"id": response_id}}).encode(),
            source_time_ms=None,
            provenance=Provenance(origin="test"),
        )


def response_of(room: Newsroom) -> str:
    assert room.house.emulator is not None
    return str(next(iter(room.house.emulator.log))["response_id"])


def test_what_a_person_approves_is_dated_and_signed_by_the_decision_and_held_until_then(tmp_path: Path) -> None:
    with newsroom(tmp_path, change=BY_PERSON) as room:
        process = room.plan()
        job = room.until(S.SAVED_NOT_PUBLIC, moves=20)
        with pytest.raises(RefusedByState, match="no saved edition"):
            room.give("hold", room.jobs()[0].id)  # its research: that holds nothing back
        assert "held" in room.done("hold", process.id)
        room.forward(2 * HOUR_MS)
        room.sweep()
        assert room.process().stage is ProcessStage.READY_FOR_EDITORIAL
        assert "published" in room.done("approve", process.id)
        with room.house.db.read() as conn:
            out = editions.of_process(conn, process.id)
        decided = rfc3339(out[0].published_ms or 0)
        assert {e.edition().published_at for e in out} == {decided}
        assert {e.trail().made.approved_by for e in out} == {"night-desk"}
        assert {(e.status, e.approved_by) for e in out} == {(EditionStatus.PUBLISHED, "night-desk")}
        assert room.process().published_ms == out[0].published_ms
        assert "before" in room.done("approve", process.id)
        with room.house.db.read() as conn:
            last = ledger.listing(conn)[-1]
        assert room.done("waive", str(last.id)) == f"act {last.id} is waived"
        room.sweep()
        assert room.job(job.id).state is S.DELETED
        with pytest.raises(RefusedByState, match="cannot become waived"):
            room.give("waive", str(last.id))
        with pytest.raises(NotFound):
            room.give("waive", "9999")


def test_declined_editions_are_never_published_and_the_date_ends_with_the_actor(tmp_path: Path) -> None:
    with newsroom(tmp_path, change=BY_PERSON) as room:
        process = room.plan()
        room.until(S.SAVED_NOT_PUBLIC, moves=20)
        room.done("abandon", process.id)
        room.sweep()
        with room.house.db.read() as conn:
            found = obligation(conn, room.process())
            assert not [e for e in editions.of_process(conn, process.id) if e.published_ms is not None]
        assert (found.ending, found.reason, found.by) == (Ending.ABANDONED, "TEST", "night-desk")
        assert room.job().state is S.DELETED
        with pytest.raises(RefusedByState):
            room.give("approve", process.id)


def test_an_unknown_create_is_replaced_once_and_never_inside_its_window(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        with pytest.raises(RefusedByState, match="webhook"):
            room.give("replace", job.id)
        room.forward(16 * MINUTE_MS)
        room.done("replace", job.id, key="again")
        room.done("replace", job.id, key="again")
        assert "before" in room.done("replace", job.id)
        old, new = room.jobs()
        assert (old.superseded_by, old.slot, new.generation) == (new.id, None, 1)
        room.until(S.ACCEPTED)
        assert room.creates() == 2


def test_the_answer_of_a_job_that_was_given_up_is_kept_deleted_remotely_and_charged(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.forward(16 * MINUTE_MS)
        room.done("abandon", job.id)
        tell(room, response_of(room), source=LATE_EVIDENCE)
        room.sweep()
        kept = room.job(job.id)
        assert (kept.state, kept.abandoned, kept.response_id) == (S.QUARANTINED, True, response_of(room))
        assert kept.payload_digest is not None
        assert (kept.deleted_ms is not None, room.calls("DELETE")) == (True, 1)
        with room.house.db.read() as conn:
            told = [line.event_type for line in events.of_process(conn, job.process_id, job_id=job.id)]
            assert costs.totals(conn, job_id=job.id).reserved_micro == 0
        assert told[-2:] == ["ORPHAN_STORED", "ORPHAN_DELETED"]
        tell(room, response_of(room), event_id="wh_2")
        room.sweep()
        assert room.calls("DELETE") == 1


def test_a_signed_event_heals_an_unknown_create_and_one_for_nobody_waits_and_is_put_aside(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        tell(room, response_of(room), event_id="wh_1")
        tell(room, "resp_nobody", event_id="wh_2")
        room.sweep()
        assert room.job(job.id).response_id == response_of(room)
        assert room.creates() == 1
        assert _statuses(room) == [InboxStatus.APPLIED, InboxStatus.PENDING]
        tell(room, response_of(room), event_id="wh_3")
        room.sweep()
        room.forward(16 * MINUTE_MS)
        room.sweep()
        assert _statuses(room)[1] is InboxStatus.IGNORED


def test_nothing_is_read_while_the_loop_is_paused(tmp_path: Path) -> None:
    with newsroom(tmp_path, script=CUT) as room:
        job = room.unknown()
        room.done("pause", "")
        tell(room, response_of(room))
        room.sweep()
        assert (room.job(job.id), room.calls("GET")) == (job, 0)
        room.done("unpause", "")
        room.sweep()
        assert room.job(job.id).response_id == response_of(room)


def test_a_product_that_replaces_unknown_creates_does_so_after_a_day_and_within_its_generations(
    tmp_path: Path,
) -> None:
    script = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}]}
    with newsroom(tmp_path, script=script, provider='on_unknown = "replace"') as room:
        room.unknown()
        room.forward(23 * HOUR_MS)
        room.sweep()
        assert len(room.jobs()) == 1
        for _ in range(4):
            room.forward(25 * HOUR_MS)
            room.sweep()
        assert ([j.generation for j in room.jobs()], room.creates()) == ([0, 1, 2], 3)
        last = room.jobs()[-1]
        assert (last.state, last.quarantine_reason) == (S.QUARANTINED, Reason.CREATE_ACCEPTANCE_UNKNOWN)
        assert (last.abandoned, last.owner) == (False, "night desk")


def test_evidence_that_did_not_suffice_is_acknowledged_and_gets_one_more_round(tmp_path: Path) -> None:
    demanding = ("corroboration = 2", "corroboration = 40")
    with newsroom(tmp_path, change=demanding) as room:
        process = room.plan()
        for _ in range(12):
            room.sweep()
            room.forward(30_000)
        assert room.process().overlay is Overlay.QUARANTINED
        with room.house.db.read() as conn:
            found = obligation(conn, room.process())
        assert (found.ending, found.by) == (Ending.QUARANTINED_REQUIRES_OWNER, "night desk")
        room.done("ack", process.id)
        assert room.process().acked_ms is not None
        room.done("release", process.id)
        assert room.process().stage is ProcessStage.RESEARCH_SUPPLEMENTAL


def _statuses(room: Newsroom) -> list[InboxStatus]:
    with room.house.db.read() as conn:
        return [message.status for message in inbox.listing(conn)]
