"""Processes and their public status on every engine."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from orchestrator.core.records import Overlay, Process, ProcessStage
from orchestrator.errors import NotFound
from orchestrator.store import events, processes, projection
from orchestrator.store.codes import ActorType
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import StaleFence
from tests.orchestrator.store.rows import a_process, put, uid


def _put(store: Database, *found: Process) -> None:
    with store.write() as conn:
        put(conn, *found)


def _move(store: Database, process: Process, **changes: Any) -> Process:
    with store.write() as conn:
        return processes.update(
            conn,
            process,
            now_ms=7,
            event_type="STAGE_ENTERED",
            actor_type=ActorType.SUPERVISOR,
            actor="s1",
            **changes,
        )


def test_a_process_is_read_as_it_was_written(store: Database) -> None:
    process = a_process(overlay=Overlay.DELAYED, reason="LATE", deadline_ms=5, backfill=True)
    _put(store, process)

    with store.read() as conn:
        assert processes.get(conn, uid(1)) == process
        assert processes.by_key(conn, "daily-brief", "2026-11-01") == process
        assert processes.by_key(conn, "daily-brief", "2026-11-02") is None
        with pytest.raises(NotFound):
            processes.get(conn, uid(2))


def test_a_change_moves_the_fence_and_leaves_an_audit_line(store: Database) -> None:
    _put(store, a_process())
    changed = _move(store, a_process(), stage=ProcessStage.RESEARCH_ASSESS, revision=1, languages=("es", "en"))

    with store.read() as conn:
        assert processes.get(conn, uid(1)) == changed
        (line,) = events.of_process(conn, uid(1))
    assert (changed.version, changed.revision, changed.languages) == (2, 1, ("es", "en"))
    assert (line.from_state, line.to_state) == ("RESEARCH_PRIMARY", "RESEARCH_ASSESS")
    assert (line.fence, line.process_revision, line.occurred_ms, line.job_id) == (2, 1, 7, None)


def test_a_stale_supervisor_changes_nothing(store: Database) -> None:
    _put(store, a_process())
    changed = _move(store, a_process(), revision=1)
    with pytest.raises(StaleFence):
        _move(store, a_process(), revision=9)

    with store.read() as conn:
        assert processes.get(conn, uid(1)) == changed
        assert len(events.since(conn)) == 1


def test_processes_are_listed_newest_date_first(store: Database) -> None:
    _put(store, a_process(1), a_process(2), a_process(3, product="revolution-watch", target_date="2026-11-02"))
    with store.read() as conn:
        assert [process.id for process in processes.listing(conn)] == [uid(2), uid(3), uid(1)]
        assert [process.id for process in processes.listing(conn, "2026-11-01")] == [uid(1)]


def test_only_what_readers_still_wait_for_is_past_its_deadline(store: Database) -> None:
    with store.read() as conn:
        now_ms = read_now_ms(conn)
    _put(
        store,
        a_process(1, deadline_ms=now_ms - 10),
        a_process(2, deadline_ms=now_ms - 20),
        a_process(3, deadline_ms=now_ms + 60_000),
        a_process(4, deadline_ms=now_ms - 10, verified_ms=now_ms),
        a_process(5, deadline_ms=now_ms - 10, overlay=Overlay.MISSED),
        a_process(6),
    )
    with store.read() as conn:
        assert [process.id for process in processes.past_deadline(conn)] == [uid(2), uid(1)]


def test_planned_dates_tell_the_schedules_own_from_ordered_ones(store: Database) -> None:
    _put(
        store,
        a_process(1, scheduled_ms=10, created_ms=11),
        a_process(2, scheduled_ms=10, created_ms=11, backfill=True),
        a_process(3, scheduled_ms=90, created_ms=11),
    )
    with store.read() as conn:
        found = processes.dates(conn, "daily-brief")
        assert processes.dates(conn, "revolution-watch").all == frozenset()

    assert found.scheduled == {date(2026, 11, 1)}
    assert found.all == {date(2026, 11, 1), date(2026, 11, 2), date(2026, 11, 3)}


def test_the_public_status_is_replaced_and_listed_newest_date_first(store: Database) -> None:
    _put(store, a_process(1), a_process(2))
    with store.write() as conn:
        projection.write(conn, uid(1), {"health_code": "OK"})
        projection.write(conn, uid(2), {"health_code": "DELAYED"})
        projection.write(conn, uid(1), {"health_code": "QUARANTINED", "deficit_codes": ["REGION_GAP"]})
    with store.read() as conn:
        assert projection.listing(conn) == [
            {"health_code": "DELAYED"},
            {"health_code": "QUARANTINED", "deficit_codes": ["REGION_GAP"]},
        ]
