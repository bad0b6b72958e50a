"""What is safe and what heals: only what is true of the job, and only orders that the program has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import LOOKED_AT, JobState, Reason
from orchestrator.desk.remedies import SAFE, cancelling, deleting, remedies, safe

ORDERS = frozenset(
    {"link-response", "confirm-not-created", "replace", "release", "reconcile", "resume", "supply-payload"}
)
VALUES = {
    "id": "7F3A91",
    "reserved": "0.31",
    "settled": "06:04:58",
    "client_request_id": "req-1",
    "diagnostic": "ReadError",
}
JOB = Job(id="j", process_id="p", slot=None, state=JobState.QUARANTINED, version=1, stage=JobStage.COMPOSITION)


def quarantined(reason: Reason) -> Job:
    return replace(JOB, quarantine_reason=reason)


def test_an_unknown_creation_is_healed_by_a_webhook_or_one_of_three_orders() -> None:
    found = remedies(quarantined(Reason.CREATE_ACCEPTANCE_UNKNOWN), known=ORDERS, values=VALUES)
    assert [remedy.command for remedy in found] == [
        "", "", "link-response 7F3A91 resp_…", "confirm-not-created 7F3A91", "replace 7F3A91",
    ]  # fmt: skip
    assert found[3].words == "when it shows none (allowed from 06:04:58)"
    assert "(reserved 0.31)" in found[4].words


@pytest.mark.parametrize("reason", list(Reason))
def test_nothing_is_promised_that_the_program_cannot_do(reason: Reason) -> None:
    assert all(not r.command for r in remedies(quarantined(reason), known=(), values=VALUES))
    assert remedies(quarantined(reason), known=ORDERS, values=VALUES)


def test_a_job_that_was_given_up_or_runs_needs_no_remedy() -> None:
    given_up = replace(quarantined(Reason.OPERATOR), abandoned=True)
    assert remedies(given_up, known=ORDERS, values=VALUES) == ()
    assert remedies(replace(JOB, state=JobState.QUEUED), known=ORDERS, values=VALUES) == ()
    suspended = replace(JOB, state=JobState.MANUALLY_SUSPENDED)
    assert [r.command for r in remedies(suspended, known=ORDERS, values=VALUES)] == ["resume 7F3A91"]


def test_a_result_is_only_called_committed_where_it_was() -> None:
    deleted = replace(JOB, state=JobState.DELETED)
    assert safe(replace(deleted, result_commit_key="k")) == SAFE[JobState.DELETED]
    assert safe(deleted) == "It can never commit; what it answered is kept."


def test_cancelling_is_for_work_that_the_provider_has_and_has_not_ended() -> None:
    allowed = {state for state in JobState if cancelling(replace(JOB, state=state)).now}
    assert allowed == set(LOOKED_AT) - {JobState.COMPLETED_NOT_RETRIEVED}
    assert not cancelling(replace(JOB, state=JobState.QUEUED, cancel_requested_ms=1)).now


def test_deleting_is_for_what_is_in_custody() -> None:
    done = replace(JOB, state=JobState.CLEANUP_PENDING, response_id="resp_1")
    assert not deleting(done).now
    assert deleting(replace(done, payload_digest="sha256:x")).now
    assert deleting(replace(done, abandoned=True)).why == "a person gave it up"
    assert not deleting(replace(JOB, state=JobState.RETRIEVED_NOT_VALIDATED, payload_digest="sha256:x")).now
