"""Ids are as short as they can be, and no shorter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.records import Job, JobStage, Process, ProcessStage
from orchestrator.core.states import JobState
from orchestrator.desk import finding
from orchestrator.errors import NotFound
from orchestrator.store import jobs, processes
from outbox.database import Database

PROCESS = Process(
    id="aaaaaaaa-0000-4000-8000-000000bbbbbb",
    product="daily-brief",
    target_date="2026-11-30",
    languages=("en", "es"),
    version=1,
    revision=0,
    stage=ProcessStage.RESEARCH_PRIMARY,
)
JOB = Job(id="", process_id=PROCESS.id, slot=None, state=JobState.NO_JOB, version=1, stage=JobStage.COMPOSITION)
IDS = (
    "12345678-1000-4000-8000-000000000000",
    "12345678-2000-4000-8000-000000000000",
    "12345a00-0000-4000-8000-000000000000",
    "bbbbbb00-0000-4000-8000-000000000000",
    "f0000000-0000-4000-8000-000000000000",
)


@pytest.fixture
def store_with_jobs(sqlite: Database) -> Database:
    with sqlite.write() as conn:
        processes.insert(conn, PROCESS)
        for job_id in IDS:
            jobs.insert(conn, replace(JOB, id=job_id))
    return sqlite


def test_an_id_is_shortened_to_what_no_other_job_shares(store_with_jobs: Database) -> None:
    with store_with_jobs.read() as conn:
        assert [finding.short(conn, job_id) for job_id in IDS] == [
            "12345678-1", "12345678-2", "12345A", "BBBBBB", "F00000",
        ]  # fmt: skip
        found = [finding.find_job(conn, finding.short(conn, job_id)) for job_id in IDS if "bbbb" not in job_id]
        assert [job.id for job in found] == [job_id for job_id in IDS if "bbbb" not in job_id]


def test_a_process_is_found_by_suffix_id_and_key(store_with_jobs: Database) -> None:
    with store_with_jobs.read() as conn:
        for way in ("aaaa", PROCESS.id, "daily-brief/2026-11-30", "f00000"):
            assert finding.find_process(conn, way) == PROCESS


def test_what_can_mean_a_job_and_a_process_is_refused_with_both_names(store_with_jobs: Database) -> None:
    with store_with_jobs.read() as conn, pytest.raises(NotFound) as refused:
        finding.find(conn, "bbbbbb")
    assert str(refused.value) == f"bbbbbb can mean several: job BBBBBB, process {PROCESS.id}"


@pytest.mark.parametrize("text", ["123", "", "%%%%", "zzzz", "1234567890-1234567890-1234567890-12345", "a/b", "/"])
def test_what_is_no_id_and_no_key_is_refused(store_with_jobs: Database, text: str) -> None:
    with store_with_jobs.read() as conn, pytest.raises(NotFound):
        finding.find(conn, text)
