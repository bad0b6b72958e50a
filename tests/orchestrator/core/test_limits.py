"""When a job may be replaced, given up or deleted."""

from __future__ import annotations

import pytest

from orchestrator.core import limits
from orchestrator.core.limits import HOUR_MS, MINUTE_MS, MachinePolicy, OnUnknown
from orchestrator.core.states import JobState
from tests.orchestrator.core.cases import NOW_MS, POLICY, UNKNOWN, R, S, composing, job

REPLACING = MachinePolicy(on_unknown=OnUnknown.REPLACE)


@pytest.mark.parametrize(("generation", "refusal"), [(0, None), (1, None), (2, R.GENERATIONS_EXHAUSTED)])
def test_three_generations_include_the_first(generation: int, refusal: object) -> None:
    expired = job(S.PROVIDER_EXPIRED_OR_MISSING, generation=generation)
    assert limits.replacement_refusal(expired, POLICY) == refusal


def test_composition_has_a_budget_and_a_reason_of_its_own() -> None:
    policy = MachinePolicy(generations=9, composition_generations=1)
    failed = composing(S.VALIDATION_FAILED_RETAINED)
    assert limits.replacement_refusal(failed, policy) is R.COMPOSITION_BUDGET_EXHAUSTED


def test_what_a_person_cancelled_is_not_replaced_by_policy() -> None:
    cancelled = job(S.PROVIDER_EXPIRED_OR_MISSING, no_replacement=True)
    assert limits.replacement_refusal(cancelled, POLICY) is R.OPERATOR


def test_an_unknown_create_is_held_unless_policy_says_replace() -> None:
    old = job(S.QUARANTINED, create_started_ms=NOW_MS - 24 * HOUR_MS, **UNKNOWN)
    assert not limits.ambiguity_over(old, POLICY, NOW_MS)
    assert limits.ambiguity_over(old, REPLACING, NOW_MS)
    assert not limits.ambiguity_over(old, REPLACING, NOW_MS - 1)


@pytest.mark.parametrize("changes", [{}, {**UNKNOWN, "abandoned": True}], ids=["known", "abandoned"])
def test_only_an_open_unknown_create_can_outlive_its_ambiguity(changes: dict[str, object]) -> None:
    given = job(S.QUARANTINED, create_started_ms=0, **changes)
    assert not limits.ambiguity_over(given, REPLACING, NOW_MS)


def test_never_created_settles_after_lease_timeout_and_ten_minutes() -> None:
    assert limits.settled_ms(NOW_MS, lease_ms=120_000, timeout_ms=90_000) == NOW_MS + 210_000 + 10 * MINUTE_MS


def test_a_job_is_deleted_only_from_custody_or_when_given_up() -> None:
    assert limits.may_delete(job(S.CLEANUP_PENDING))
    assert limits.may_delete(job(S.CLEANUP_PENDING, payload_digest=None, abandoned=True))
    assert not limits.may_delete(job(S.CLEANUP_PENDING, payload_digest=None))
    assert not limits.may_delete(job(S.CLEANUP_PENDING, response_id=None))


@pytest.mark.parametrize("state", [s for s in JobState if s is not S.CLEANUP_PENDING])
def test_nothing_is_deleted_in_any_other_state(state: JobState) -> None:
    assert not limits.may_delete(job(state, payload_digest="sha256:p", response_id="resp_1"))
