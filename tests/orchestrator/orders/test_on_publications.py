"""Orders on a publication: approved and dated by the decision, held, given up with its actor, bought again."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.instants import rfc3339
from orchestrator.core.records import Overlay, ProcessStage
from orchestrator.core.states import JobState, Reason
from orchestrator.desk.obligations import Ending, obligation
from orchestrator.errors import NotFound, RefusedByState
from orchestrator.store import editions
from orchestrator.store.codes import EditionStatus
from outbox import store as ledger
from tests.orchestrator.orders.newsroom import MINUTE_MS, newsroom

S = JobState
CUT = {"match": {"stage": "research_primary"}, "create": [{"result": "cut_after_accept"}, {"result": "ok"}]}
BY_PERSON = ('approval = "auto"', 'approval = "person"')
HOUR_MS = 60 * MINUTE_MS


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
