"""Every row of the transition table, every pair outside it, and what each transition writes."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from orchestrator.core import observations as seen
from orchestrator.core.limits import HOUR_MS, MachinePolicy, may_delete
from orchestrator.core.machine import decide, is_harmless
from orchestrator.core.observations import Decision, Observation, ProviderStatus
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import (
    LOOKED_AT,
    PARKED_STATES,
    PENDING_REMOTE,
    SUSPENDABLE,
    TRANSITIONS,
    Event,
    JobState,
    Reason,
)
from orchestrator.errors import IllegalTransition, InvariantBroken, RefusedByState
from tests.orchestrator.core import cases
from tests.orchestrator.core.cases import (
    BODY,
    CALL,
    INVALID,
    MISSING,
    NOW_MS,
    POLICY,
    SCENARIOS,
    THROTTLED,
    UNKNOWN,
    UNREACHABLE,
    USAGE,
    VALID,
    E,
    R,
    S,
    Scenario,
    composing,
    created,
    dispatch,
    job,
    not_created,
    polled,
)


def look(given: Job, observed: Observation, *, chance: float = 0.5) -> Decision:
    return decide(given, observed, POLICY, NOW_MS, chance=chance)


def changes(decision: Decision) -> dict[str, object]:
    return dict(decision.changes)


OUTSIDE = [(state, event) for state in JobState for event in Event if (state, event) not in TRANSITIONS]

# --- the table as a whole


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.job.state}: {s.name}")
def test_a_scenario_leads_where_the_table_says(scenario: Scenario) -> None:
    decision = look(scenario.job, scenario.seen)
    assert (decision.event, decision.next_state) == (scenario.event, scenario.to)
    assert changes(decision).get("quarantine_reason") == (
        scenario.reason or (R.CORRELATION_CONFLICT if scenario.event is E.CORRELATION_FAILED else None)
    )


def test_the_scenarios_cover_each_row_of_the_table_so_that_none_can_be_removed_unnoticed() -> None:
    assert {(s.job.state, s.event) for s in SCENARIOS} == set(TRANSITIONS)


@pytest.mark.parametrize(
    "row", [(S.QUARANTINED, E.ABANDONED), (S.PROVIDER_EXPIRED_OR_MISSING, E.REPLACED)], ids=str
)
def test_the_scenarios_reach_each_target_of_a_row_that_has_two(row: tuple[JobState, Event]) -> None:
    assert {s.to for s in SCENARIOS if (s.job.state, s.event) == row} == TRANSITIONS[row].targets


def test_every_reason_of_quarantine_is_reached_by_a_scenario() -> None:
    reached = {changes(look(s.job, s.seen)).get("quarantine_reason") for s in SCENARIOS}
    assert reached - {None} == set(Reason)


@pytest.mark.parametrize(("state", "event"), OUTSIDE, ids=str)
def test_a_pair_outside_the_table_never_becomes_a_decision(state: JobState, event: Event) -> None:
    for scenario in (s for s in SCENARIOS if s.event is event):
        given = replace(scenario.job, state=state)
        try:
            decision = look(given, scenario.seen)
        except (IllegalTransition, RefusedByState):
            continue
        assert decision.event != event
        assert (state, Event(decision.event)) in TRANSITIONS


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.job.state}: {s.name}")
def test_a_decision_names_only_columns_of_the_job(scenario: Scenario) -> None:
    columns = {field.name for field in fields(Job)} - {"id", "state", "version", "lease_owner", "next_due_ms"}
    assert set(changes(look(scenario.job, scenario.seen))) <= columns


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.job.state}: {s.name}")
def test_only_parked_flying_held_and_superseded_jobs_have_no_due_time(scenario: Scenario) -> None:
    decision = look(scenario.job, scenario.seen)
    superseded = decision.next_state is S.PROVIDER_EXPIRED_OR_MISSING and decision.event == E.REPLACED
    undue = decision.next_state in PARKED_STATES or superseded or decision.event in (E.DISPATCHED, E.HELD)
    assert (decision.next_due_ms is None) == undue
    assert decision.next_due_ms is None or decision.next_due_ms >= NOW_MS


@pytest.mark.parametrize(
    "scenario", [s for s in SCENARIOS if s.event is not E.RELEASED], ids=lambda s: f"{s.job.state}: {s.name}"
)
def test_looking_never_changes_the_attempts_and_creating_never_the_polls(scenario: Scenario) -> None:
    changed = set(changes(look(scenario.job, scenario.seen)))
    if scenario.job.state in LOOKED_AT:
        assert "generation_attempts" not in changed
    if scenario.job.state in (S.CREATE_ELIGIBLE, S.CREATE_IN_FLIGHT):
        assert not changed & {"poll_count", "retrieve_count"}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: f"{s.job.state}: {s.name}")
def test_quarantine_is_recorded_when_entered_and_cleared_when_left(scenario: Scenario) -> None:
    decision = look(scenario.job, scenario.seen)
    changed = changes(decision)
    before, after = scenario.job.state, decision.next_state
    if after is S.QUARANTINED and before is not S.QUARANTINED:
        assert changed["quarantined_ms"] == NOW_MS
        expected = S.CREATE_ELIGIBLE if before is S.CREATE_IN_FLIGHT else before
        assert changed["resume_state"] == expected
        assert decision.code == changed["quarantine_reason"]
    if before is S.QUARANTINED and after not in (S.QUARANTINED, S.MANUALLY_SUSPENDED):
        gone = ("quarantine_reason", "quarantined_ms", "resume_state", "acked_ms", "owner_deadline_ms")
        assert all(changed[column] is None for column in gone)


def test_the_slot_is_let_go_exactly_where_the_table_says() -> None:
    letting_go = {s.event for s in SCENARIOS if changes(look(s.job, s.seen)).get("slot", "kept") is None}
    assert letting_go == {E.EVIDENCE_MERGED, E.SALVAGED, E.REPLACED, E.APPROVED, E.ABANDONED, E.DISCARDED}


def test_every_way_into_cleanup_orders_the_deletion_in_the_same_commit() -> None:
    entering = [s for s in SCENARIOS if s.to is S.CLEANUP_PENDING and s.job.state is not S.CLEANUP_PENDING]
    assert entering
    assert all(changes(look(s.job, s.seen))["delete_requested_ms"] == NOW_MS for s in entering)


def test_states_passed_on_the_way_are_named() -> None:
    done = polled(ProviderStatus.COMPLETED)
    assert look(job(S.QUEUED), done).through == (S.COMPLETED_NOT_RETRIEVED,)
    assert look(job(S.COMPLETED_NOT_RETRIEVED), done).through == ()


# --- creation


def test_authorising_claims_the_slot_and_starts_the_age() -> None:
    changed = changes(look(job(S.NO_JOB), cases.INTENT))
    assert (changed["slot"], changed["eligible_ms"]) == ("process-1", NOW_MS)
    assert changed["fingerprint"] == "f" * 64


def test_dispatch_counts_the_attempt_before_anything_is_sent() -> None:
    changed = changes(look(job(S.CREATE_ELIGIBLE, generation_attempts=1), dispatch()))
    assert changed == {"generation_attempts": 2, "create_started_ms": NOW_MS}


def test_a_closed_gate_costs_no_attempt_and_is_waited_for_exactly() -> None:
    decision = look(job(S.CREATE_ELIGIBLE), dispatch(gate_until_ms=NOW_MS + 7_000))
    assert (decision.changes, decision.next_due_ms) == ((), NOW_MS + 7_000)


def test_a_job_that_was_never_tried_is_not_too_old_after_a_gap() -> None:
    slept = job(S.CREATE_ELIGIBLE, eligible_ms=NOW_MS - 4 * HOUR_MS)
    assert look(slept, dispatch()).event == E.DISPATCHED


@pytest.mark.parametrize(("throttled", "attempts"), [(True, 1), (False, 2)])
def test_only_a_throttled_or_unreachable_provider_gives_the_attempt_back(throttled: bool, attempts: int) -> None:
    given = job(S.CREATE_IN_FLIGHT, generation_attempts=2)
    decision = look(given, not_created(throttled=throttled, code="ConnectError"))
    assert changes(decision).get("generation_attempts", 2) == attempts
    assert decision.attempt_outcome == "NOT_CREATED"
    assert (decision.gate_until_ms is not None) == throttled


def test_attempts_given_back_never_fall_below_zero() -> None:
    given = job(S.CREATE_IN_FLIGHT, generation_attempts=0)
    assert changes(look(given, not_created(throttled=True)))["generation_attempts"] == 0


def test_a_hint_closes_the_gate_exactly_and_the_job_waits_at_least_as_long() -> None:
    decision = look(job(S.CREATE_IN_FLIGHT), not_created(throttled=True, hint_ms=45_000), chance=0.0)
    assert (decision.gate_until_ms, decision.next_due_ms) == (NOW_MS + 45_000, NOW_MS + 45_000)


def test_without_a_hint_the_backoff_doubles_with_every_refusal_in_a_row() -> None:
    waits = [
        (look(job(S.CREATE_IN_FLIGHT, throttle_count=n), not_created(throttled=True)).next_due_ms or 0) - NOW_MS
        for n in range(9)
    ]
    assert waits == [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]


def test_a_throttled_create_gives_up_at_the_deadline_it_was_meant_for() -> None:
    late = job(S.CREATE_IN_FLIGHT, deadline_ms=NOW_MS)
    assert look(late, not_created(throttled=True)).event == E.THROTTLED_TOO_LONG
    before = job(S.CREATE_IN_FLIGHT, deadline_ms=NOW_MS + 60_000)
    assert look(before, not_created(throttled=True)).event == E.NOT_CREATED_RETRYABLE
    assert look(before, not_created(throttled=True, hint_ms=61_000)).event == E.THROTTLED_TOO_LONG


def test_a_create_that_began_after_its_deadline_is_throttled_like_any_other() -> None:
    backfill = job(S.CREATE_IN_FLIGHT, deadline_ms=NOW_MS - HOUR_MS)
    decision = look(backfill, not_created(throttled=True, hint_ms=5_000))
    assert decision.event == E.NOT_CREATED_RETRYABLE


def test_one_answer_never_closes_the_gate_for_longer_than_the_cap() -> None:
    decision = look(job(S.CREATE_IN_FLIGHT), not_created(throttled=True, hint_ms=10**12))
    assert decision.gate_until_ms == NOW_MS + POLICY.hint_cap_ms


def test_an_accepted_create_keeps_id_and_correlation_and_waits_for_the_first_look() -> None:
    decision = look(job(S.CREATE_IN_FLIGHT, throttle_count=3), created(ProviderStatus.QUEUED))
    changed = changes(decision)
    assert (changed["response_id"], changed["x_request_id"]) == ("resp_1", "req_1")
    assert (changed["accepted_ms"], changed["throttle_count"]) == (NOW_MS, 0)
    assert (decision.attempt_outcome, decision.next_due_ms) == ("CREATED", NOW_MS + 20_000)


def test_a_synchronous_answer_is_stored_with_its_id_in_one_commit() -> None:
    decision = look(job(S.CREATE_IN_FLIGHT), created(ProviderStatus.FAILED, BODY))
    assert (decision.payload, decision.usage) == (BODY, USAGE)
    assert decision.through == (S.ACCEPTED, S.COMPLETED_NOT_RETRIEVED)


def test_a_terminal_status_without_its_body_is_looked_at_like_any_other() -> None:
    assert look(job(S.CREATE_IN_FLIGHT), created(ProviderStatus.COMPLETED)).next_state is S.ACCEPTED


# --- looking


@pytest.mark.parametrize("state", PENDING_REMOTE)
@pytest.mark.parametrize(
    "observed", [polled(ProviderStatus.QUEUED), MISSING, UNREACHABLE, THROTTLED, polled(ProviderStatus.COMPLETED)]
)
def test_each_get_at_work_is_one_poll(state: JobState, observed: Observation) -> None:
    changed = changes(look(job(state, poll_count=4), observed))
    assert (changed["poll_count"], changed["last_poll_ms"]) == (5, NOW_MS)
    assert "retrieve_count" not in changed


@pytest.mark.parametrize("observed", [MISSING, UNREACHABLE, THROTTLED, polled(ProviderStatus.IN_PROGRESS)])
def test_each_get_after_the_end_is_one_retrieval(observed: Observation) -> None:
    changed = changes(look(job(S.COMPLETED_NOT_RETRIEVED, retrieve_count=4), observed))
    assert changed["retrieve_count"] == 5
    assert "poll_count" not in changed


def test_a_closed_gate_counts_no_poll() -> None:
    assert look(job(S.QUEUED), seen.GateFound(until_ms=NOW_MS + 5)).changes == ()


def test_an_answer_in_hand_wins_over_a_used_up_budget() -> None:
    last = job(S.IN_PROGRESS, poll_count=29, eligible_ms=NOW_MS - 9 * HOUR_MS)
    assert look(last, polled(ProviderStatus.COMPLETED)).event == E.POLLED_TERMINAL


@pytest.mark.parametrize("status", [ProviderStatus.COMPLETED, ProviderStatus.FAILED, ProviderStatus.CANCELLED])
def test_whatever_it_ended_as_is_kept(status: ProviderStatus) -> None:
    decision = look(job(S.IN_PROGRESS), polled(status))
    assert (decision.payload, decision.usage) == (BODY, USAGE)
    assert changes(decision)["terminal_seen_ms"] == NOW_MS


def test_a_cancel_that_was_ordered_is_not_replaced() -> None:
    cancelled = polled(ProviderStatus.CANCELLED)
    assert "no_replacement" not in changes(look(job(S.QUEUED), cancelled))
    ordered = job(S.QUEUED, cancel_requested_ms=NOW_MS - 1)
    assert changes(look(ordered, cancelled))["no_replacement"] is True


def test_a_completion_that_won_the_race_against_a_cancel_is_harvested() -> None:
    ordered = job(S.IN_PROGRESS, cancel_requested_ms=NOW_MS - 1)
    assert look(ordered, polled(ProviderStatus.COMPLETED)).next_state is S.RETRIEVED_NOT_VALIDATED


def test_a_404_counts_for_good_only_after_three_times_and_two_minutes() -> None:
    early = job(S.QUEUED, missing_count=5, missing_since_ms=NOW_MS - 119_999)
    seldom = job(S.QUEUED, missing_count=1, missing_since_ms=NOW_MS - HOUR_MS)
    assert look(early, MISSING).event == look(seldom, MISSING).event == E.MISSING_IN_GRACE
    both = job(S.QUEUED, missing_count=2, missing_since_ms=NOW_MS - 120_000)
    assert look(both, MISSING).event == E.MISSING_FOR_GOOD


def test_an_answer_after_a_404_ends_the_grace() -> None:
    missed = job(S.QUEUED, missing_count=2, missing_since_ms=NOW_MS - 5)
    changed = changes(look(missed, polled(ProviderStatus.QUEUED)))
    assert (changed["missing_count"], changed["missing_since_ms"]) == (0, None)


def test_a_404_names_whether_the_end_had_been_seen() -> None:
    gone = {"missing_count": 2, "missing_since_ms": NOW_MS - 130_000}
    assert look(job(S.QUEUED, **gone), MISSING).code == "NOT_FOUND"
    assert look(job(S.COMPLETED_NOT_RETRIEVED, **gone), MISSING).code == "EXPIRED_BEFORE_RETRIEVAL"


def test_after_a_gap_one_look_is_made_before_the_age_is_judged() -> None:
    slept = job(S.IN_PROGRESS, eligible_ms=NOW_MS - 4 * HOUR_MS, last_poll_ms=NOW_MS - 4 * HOUR_MS + 1)
    assert look(slept, UNREACHABLE).event == E.LOOK_TROUBLED
    assert look(slept, MISSING).event == E.MISSING_IN_GRACE
    assert look(slept, polled(ProviderStatus.IN_PROGRESS)).event == E.AGED_OUT


def test_a_429_closes_the_gate_and_an_error_of_one_response_does_not() -> None:
    assert look(job(S.QUEUED), replace(THROTTLED, hint_ms=9_000)).gate_until_ms == NOW_MS + 9_000
    assert look(job(S.QUEUED), THROTTLED).gate_until_ms == NOW_MS + 2_000
    assert look(job(S.QUEUED), UNREACHABLE).gate_until_ms is None


def test_the_next_look_never_comes_before_the_hint() -> None:
    decision = look(job(S.QUEUED), replace(UNREACHABLE, hint_ms=600_000), chance=0.0)
    assert decision.next_due_ms == NOW_MS + 600_000


def test_a_hint_past_a_missed_deadline_is_still_honoured() -> None:
    late = job(S.QUEUED, deadline_ms=NOW_MS - 1)
    assert look(late, replace(THROTTLED, hint_ms=5_000)).event == E.LOOK_TROUBLED
    meant = job(S.QUEUED, deadline_ms=NOW_MS + 4_000)
    assert look(meant, replace(THROTTLED, hint_ms=5_000)).event == E.THROTTLED_TOO_LONG


def test_a_provider_code_is_stored_only_when_it_is_short_and_plain() -> None:
    assert look(job(S.QUEUED), polled(ProviderStatus.FAILED, "server_error")).code == "server_error"
    assert look(job(S.QUEUED), polled(ProviderStatus.FAILED, "<b>no</b> " * 9)).code == "other"


# --- webhooks


@pytest.mark.parametrize("state", [s for s in JobState if s not in PENDING_REMOTE and s is not S.QUARANTINED])
def test_a_webhook_in_any_other_state_is_harmless(state: JobState) -> None:
    event = seen.WebhookSeen(status=ProviderStatus.COMPLETED)
    assert is_harmless(job(state), event)
    with pytest.raises(IllegalTransition):
        look(job(state), event)


def test_a_webhook_that_says_nothing_new_is_harmless() -> None:
    assert is_harmless(job(S.QUEUED), seen.WebhookSeen(status=ProviderStatus.IN_PROGRESS))
    assert not is_harmless(job(S.QUEUED), seen.WebhookSeen(status=ProviderStatus.FAILED))
    assert is_harmless(job(S.ACCEPTED), seen.Linked(response_id="resp_1"))
    assert not is_harmless(job(S.QUARANTINED, **UNKNOWN), seen.Linked(response_id="resp_1"))
    assert not is_harmless(job(S.QUEUED), MISSING)


@pytest.mark.parametrize(
    "unwanted",
    [
        {"quarantine_reason": R.CONFIGURATION_DRIFT},
        {"quarantine_reason": R.COST_CEILING},
        {"payload_digest": "sha256:p"},
        {"abandoned": True},
        UNKNOWN,
    ],
    ids=["drift", "cost", "in custody", "abandoned", "no id"],
)
def test_a_quarantined_job_is_harvested_only_while_its_answer_is_wanted(unwanted: dict[str, object]) -> None:
    given = job(S.QUARANTINED, **unwanted)
    assert is_harmless(given, seen.WebhookSeen(status=ProviderStatus.COMPLETED))
    with pytest.raises(RefusedByState):
        look(given, seen.Harvested())


def test_a_harvested_job_gets_a_fresh_retrieval_budget() -> None:
    spent = job(S.QUARANTINED, quarantine_reason=R.RETRIEVAL_BUDGET_EXHAUSTED, retrieve_count=10)
    changed = changes(look(spent, seen.Harvested()))
    assert (changed["retrieve_count"], changed["eligible_ms"]) == (0, NOW_MS)


# --- custody


def test_a_payload_that_is_not_stored_cannot_be_valid() -> None:
    with pytest.raises(InvariantBroken, match="I6"):
        look(job(S.RETRIEVED_NOT_VALIDATED, payload_digest=None), VALID)


@pytest.mark.parametrize("observed", [VALID, INVALID])
def test_validation_is_counted_and_its_report_kept(observed: seen.Validated) -> None:
    changed = changes(look(job(S.RETRIEVED_NOT_VALIDATED), observed))
    assert changed == {"validate_count": 1, "report_digest": "sha256:v"}


@pytest.mark.parametrize(
    ("given", "observed"),
    [
        (composing(S.READY_TO_COMPOSE), seen.EvidenceMerged(result_commit_key="k")),
        (job(S.READY_TO_COMPOSE), seen.EditionsBuilt()),
        (composing(S.VALIDATION_FAILED_RETAINED), seen.Salvaged(result_commit_key="k")),
        (
            job(S.VALIDATION_FAILED_RETAINED, stage=JobStage.RESEARCH_SUPPLEMENTAL),
            seen.Salvaged(result_commit_key="k"),
        ),
    ],
)
def test_a_step_of_another_stage_is_illegal(given: Job, observed: Observation) -> None:
    with pytest.raises(IllegalTransition):
        look(given, observed)


def test_a_job_without_a_remote_id_is_superseded_where_it_stands() -> None:
    decision = look(job(S.PROVIDER_EXPIRED_OR_MISSING, response_id=None), seen.Replaced(successor="job-2"))
    assert (decision.next_state, decision.next_due_ms) == (S.PROVIDER_EXPIRED_OR_MISSING, None)
    assert changes(decision) == {"slot": None, "superseded_by": "job-2"}


def test_deleting_is_retried_for_ever_with_a_backoff_to_one_hour() -> None:
    decision = look(job(S.CLEANUP_PENDING, delete_count=500), UNREACHABLE)
    assert (decision.next_state, decision.next_due_ms) == (S.CLEANUP_PENDING, NOW_MS + HOUR_MS)
    assert changes(decision)["delete_count"] == 501


# --- recovery


def test_a_linked_job_is_looked_at_at_once_and_its_attempt_counts_as_created() -> None:
    decision = look(job(S.QUARANTINED, **UNKNOWN), seen.Linked(response_id="resp_9"))
    assert (decision.next_due_ms, decision.attempt_outcome) == (NOW_MS, "CREATED")
    changed = changes(decision)
    assert (changed["response_id"], changed["generation_attempts"]) == ("resp_9", 1)


def test_a_wrong_id_does_not_close_the_way_for_the_right_one() -> None:
    unknown = job(S.QUARANTINED, **UNKNOWN)
    failed = look(unknown, seen.CorrelationFailed())
    conflicted = replace(unknown, **changes(failed))  # type: ignore[arg-type]
    assert conflicted.quarantine_reason is R.CORRELATION_CONFLICT
    assert look(conflicted, seen.Linked(response_id="resp_9")).next_state is S.ACCEPTED


@pytest.mark.parametrize(
    "observed",
    [
        seen.Linked(response_id="resp_9"),
        seen.CorrelationFailed(),
        seen.ConfirmedNotCreated(settled_ms=0),
    ],
)
def test_what_concerns_unknown_creates_is_refused_for_a_known_one(observed: Observation) -> None:
    with pytest.raises(RefusedByState):
        look(job(S.QUARANTINED), observed)


def test_never_created_is_believed_only_after_the_call_is_surely_over() -> None:
    unknown = job(S.QUARANTINED, **UNKNOWN)
    with pytest.raises(RefusedByState) as refused:
        look(unknown, seen.ConfirmedNotCreated(settled_ms=NOW_MS + 1_500))
    assert "2 s" in refused.value.hint
    decision = look(unknown, seen.ConfirmedNotCreated(settled_ms=NOW_MS))
    assert (decision.attempt_outcome, decision.next_due_ms) == ("NOT_CREATED", NOW_MS)


def test_an_unknown_create_is_never_released() -> None:
    with pytest.raises(RefusedByState):
        look(job(S.QUARANTINED, **UNKNOWN), seen.Released())


def test_drift_is_released_only_under_the_recorded_contract() -> None:
    drifted = job(S.QUARANTINED, quarantine_reason=R.CONFIGURATION_DRIFT, resume_state=S.READY_TO_COMPOSE)
    with pytest.raises(RefusedByState, match="contract"):
        look(drifted, seen.Released())
    released = look(drifted, seen.Released(under_recorded_contract=True))
    assert released.next_state is S.READY_TO_COMPOSE


def test_a_release_under_the_recorded_contract_is_remembered() -> None:
    drifted = job(S.QUARANTINED, quarantine_reason=R.CONFIGURATION_DRIFT, resume_state=S.READY_TO_COMPOSE)
    assert changes(look(drifted, seen.Released(under_recorded_contract=True)))["drift_waived"] is True
    assert "drift_waived" not in changes(look(job(S.QUARANTINED), seen.Released()))


def test_a_job_without_room_for_its_reservation_can_be_released_to_be_authorised_again() -> None:
    refused = job(S.QUARANTINED, quarantine_reason=R.COST_CEILING, resume_state=S.NO_JOB, eligible_ms=None)
    released = look(refused, seen.Released())
    assert (released.next_state, released.next_due_ms) == (S.NO_JOB, NOW_MS)


def test_an_open_job_is_released_only_where_a_counter_is_near_its_cap() -> None:
    with pytest.raises(RefusedByState, match="near its cap"):
        look(job(S.QUEUED, poll_count=3), seen.Released())
    assert changes(look(job(S.QUEUED, poll_count=20), seen.Released()))["poll_count"] == 0


def test_an_answer_without_a_known_id_cannot_be_discarded() -> None:
    with pytest.raises(RefusedByState):
        look(job(S.QUARANTINED, **UNKNOWN), seen.DiscardOrdered())


def test_a_discarded_job_is_deleted_without_custody_and_never_commits() -> None:
    given = job(S.IN_PROGRESS)
    decision = look(given, seen.DiscardOrdered())
    row = replace(given, state=decision.next_state, **changes(decision))  # type: ignore[arg-type]
    assert (row.slot, row.abandoned, row.discard_ordered_ms) == (None, True, NOW_MS)
    assert may_delete(row)


def test_a_release_resets_the_counters_and_the_age() -> None:
    spent = job(S.QUARANTINED, poll_count=30, generation_attempts=2, eligible_ms=NOW_MS - 9 * HOUR_MS)
    changed = changes(look(spent, seen.Released()))
    assert (changed["poll_count"], changed["generation_attempts"]) == (0, 0)
    assert changed["eligible_ms"] == NOW_MS


@pytest.mark.parametrize(
    "observed",
    [
        seen.Released(),
        seen.Abandoned(),
        seen.SuspendOrdered(),
        seen.PayloadSupplied(payload_digest="sha256:s"),
        seen.Linked(response_id="resp_9"),
        seen.ConfirmedNotCreated(settled_ms=0),
        seen.Harvested(),
    ],
)
def test_an_abandoned_job_never_comes_back(observed: Observation) -> None:
    with pytest.raises(RefusedByState):
        look(job(S.QUARANTINED, abandoned=True, **UNKNOWN), observed)


def test_a_payload_cannot_answer_a_contract_that_was_never_made() -> None:
    before = job(
        S.QUARANTINED,
        quarantine_reason=R.COST_CEILING,
        resume_state=S.NO_JOB,
        contract_digest=None,
        response_id=None,
    )
    with pytest.raises(RefusedByState):
        look(before, seen.PayloadSupplied(payload_digest="sha256:s"))


@pytest.mark.parametrize("state", SUSPENDABLE)
def test_a_suspended_job_resumes_exactly_where_it_was(state: JobState) -> None:
    given = job(state)
    suspended = look(given, seen.SuspendOrdered())
    assert suspended.next_due_ms is None
    row = replace(given, state=suspended.next_state, **changes(suspended))  # type: ignore[arg-type]
    resumed = look(row, seen.ResumeOrdered())
    back = replace(row, state=resumed.next_state, **changes(resumed))  # type: ignore[arg-type]
    assert back == given


def test_a_suspension_without_a_state_to_resume_is_a_broken_row() -> None:
    with pytest.raises(InvariantBroken):
        look(job(S.MANUALLY_SUSPENDED, resume_state=None), seen.ResumeOrdered())


def test_a_create_in_flight_cannot_be_suspended() -> None:
    with pytest.raises(IllegalTransition):
        look(job(S.CREATE_IN_FLIGHT), seen.SuspendOrdered())


def test_a_cancel_is_settled_by_a_look_at_once() -> None:
    decision = look(job(S.QUEUED), seen.CancelOrdered())
    assert changes(decision) == {"cancel_requested_ms": NOW_MS, "cancel_calls": 0}
    assert decision.next_due_ms == NOW_MS


def test_a_policy_of_its_own_moves_the_limits() -> None:
    tight = MachinePolicy(polls=2, generation_attempts=1)
    second = decide(job(S.QUEUED, poll_count=1), polled(ProviderStatus.QUEUED), tight, NOW_MS)
    assert second.event == E.POLLS_EXHAUSTED
    spent = decide(job(S.CREATE_ELIGIBLE, generation_attempts=1), dispatch(), tight, NOW_MS)
    assert spent.code == R.GENERATION_BUDGET_EXHAUSTED


def test_wire_facts_never_decide() -> None:
    other = replace(CALL, http_status=503, error_class="Odd", elapsed_ms=9)
    one, two = (look(job(S.QUEUED), seen.Missing(call=call)) for call in (CALL, other))
    assert one == two
