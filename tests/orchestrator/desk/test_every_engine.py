"""What the desk asks of the store is answered alike by every engine."""

from __future__ import annotations

from orchestrator.core.states import JobState
from orchestrator.desk import finding, listings, showing
from orchestrator.desk.edition_rows import edition_rows
from orchestrator.desk.explaining import Creation, Patience, explain
from orchestrator.desk.status import open_processes, read_status
from outbox.database import Database
from outbox.outcome import Level
from tests.orchestrator.cli.night import LATE, STUCK, write_night


def test_the_night_reads_the_same(store: Database) -> None:
    write_night(store)
    with store.read() as conn:
        status = read_status(conn)
        outcomes = status.outcomes
        assert (outcomes.accepted, outcomes.verified_complete, outcomes.unreconciled) == (6, 2, 2)
        assert (outcomes.past_deadline, outcomes.unknown_outcome, outcomes.missed) == (2, 1, 2)
        assert outcomes.oldest_unreconciled_s is not None
        assert status.jobs == {JobState.DELETED: 2, JobState.QUARANTINED: 1}
        assert [process.id for process in open_processes(conn, limit=5)] == [LATE]
        assert finding.short(conn, STUCK) == "7F3A91"
        assert finding.find_process(conn, "91C4D2").id == LATE
        assert {row.reached.level for row in edition_rows(conn)} == {Level.VERIFIED_COMPLETE}
        told = explain(conn, "7F3A91", Patience(lease_ms=120_000, timeout_ms=90_000))
        assert (told.creation, told.candidates) == (Creation.AMBIGUOUS, 9)
        assert len(listings.job_rows(conn)) == 3
        assert showing.evidence_of(conn, "daily-brief/2026-11-30")["events"] == []
