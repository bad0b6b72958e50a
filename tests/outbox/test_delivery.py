"""Every status × every change, every outcome of every intent, and what must come first."""

from dataclasses import replace
from itertools import product

import pytest

from outbox.delivery import (
    ALLOWED,
    HOUR_MS,
    NEEDS_OWNER,
    NEXT,
    OPEN,
    REQUIRES,
    RHYTHM,
    SATISFIED,
    SUPERSEDABLE,
    Change,
    Standing,
    backoff_ms,
    hinted_ms,
    next_status,
    plan_effects,
    settled,
    waits,
)
from outbox.errors import IllegalChange
from outbox.message import Effect, EffectReason, EffectStatus, Evidence, Intent, Mode
from outbox.outcome import Confirmed, NotYet, Rejected, Retryable, Unknown

S, C, I = EffectStatus, Change, Intent  # noqa: E741
NOW = 1_796_000_000_000

LEGAL = {
    (S.PENDING, C.CLAIMED): S.IN_FLIGHT,
    (S.PENDING, C.SUPERSEDED): S.SUPERSEDED,
    (S.PENDING, C.WAIVED): S.WAIVED,
    (S.RETRYABLE, C.CLAIMED): S.IN_FLIGHT,
    (S.RETRYABLE, C.SUPERSEDED): S.SUPERSEDED,
    (S.RETRYABLE, C.WAIVED): S.WAIVED,
    (S.UNKNOWN_OUTCOME, C.CLAIMED): S.IN_FLIGHT,
    (S.UNKNOWN_OUTCOME, C.SUPERSEDED): S.SUPERSEDED,
    (S.UNKNOWN_OUTCOME, C.WAIVED): S.WAIVED,
    (S.IN_FLIGHT, C.CLAIMED): S.IN_FLIGHT,
    (S.IN_FLIGHT, C.CONFIRMED): S.CONFIRMED,
    (S.IN_FLIGHT, C.POSTPONED): S.PENDING,
    (S.IN_FLIGHT, C.FAILED): S.RETRYABLE,
    (S.IN_FLIGHT, C.LOST_SIGHT): S.UNKNOWN_OUTCOME,
    (S.IN_FLIGHT, C.REJECTED): S.DEAD_LETTERED,
    (S.IN_FLIGHT, C.GIVEN_UP): S.WAIVED,
    (S.IN_FLIGHT, C.SUPERSEDED): S.SUPERSEDED,
    (S.DEAD_LETTERED, C.WAIVED): S.WAIVED,
    (S.DEAD_LETTERED, C.RELEASED): S.RETRYABLE,
    (S.DEAD_LETTERED, C.SUPERSEDED): S.SUPERSEDED,
    (S.CONFIRMED, C.COMPENSATED): S.COMPENSATED,
}


def in_flight(intent=I.PUSH, **more):
    given = {
        "id": 1,
        "event_key": "k",
        "entity": "e",
        "revision": 1,
        "intent": intent,
        "mode": Mode.LIVE,
        "status": S.IN_FLIGHT,
        "version": 3,
        "batch_key": "b",
        "idempotency_key": "i",
    }
    return Effect(**(given | more))


def after(effect, outcome, **more):
    return settled(effect, outcome, **({"now_ms": NOW, "chance": 0.5} | more))


@pytest.mark.parametrize(("status", "change"), list(product(S, C)))
def test_every_status_meets_every_change(status, change):
    if (status, change) in LEGAL:
        assert next_status(status, change) is LEGAL[status, change]
    else:
        with pytest.raises(IllegalChange, match=status):
            next_status(status, change)


def test_the_table_holds_nothing_else():
    assert dict(NEXT) == LEGAL


def test_what_is_settled_never_opens_again_without_a_person():
    reopened = {(s, c) for (s, c), target in NEXT.items() if s not in OPEN and target in OPEN}
    assert reopened == {(S.DEAD_LETTERED, C.RELEASED)}


NOT_IN_FLIGHT = [status for status in S if status is not S.IN_FLIGHT]
OUTCOMES = [
    (Confirmed("ref"), S.CONFIRMED),
    (NotYet(5_000, "not served yet"), S.PENDING),
    (Retryable("refused"), S.RETRYABLE),
    (Unknown("cut off"), S.UNKNOWN_OUTCOME),
    (Rejected("diverged"), S.DEAD_LETTERED),
]


@pytest.mark.parametrize(("intent", "row"), list(product(I, OUTCOMES)))
def test_every_outcome_of_every_intent_has_its_status(intent, row):
    outcome, status = row
    result = after(in_flight(intent), outcome)
    assert result.status is status
    assert (result.next_due_ms is not None) == (status in OPEN)
    assert result.calls_owner == (status in NEEDS_OWNER)


@pytest.mark.parametrize(("status", "outcome"), list(product(NOT_IN_FLIGHT, [o for o, _ in OUTCOMES])))
def test_only_what_is_in_flight_can_have_an_outcome(status, outcome):
    with pytest.raises(IllegalChange):
        after(in_flight(status=status), outcome)


def test_a_confirmation_keeps_its_reference_and_evidence():
    result = after(in_flight(I.VERIFY), Confirmed("https://example.org/en/", Evidence.HTTP))
    assert (result.reference, result.evidence) == ("https://example.org/en/", Evidence.HTTP)


def test_not_yet_is_not_counted_and_comes_when_it_said():
    result = after(in_flight(attempts=4), NotYet(5_000, "no pages yet"))
    assert (result.attempts, result.next_due_ms, result.error) == (4, NOW + 5_000, "no pages yet")


def test_not_yet_does_not_take_a_doubt_away():
    result = after(in_flight(in_doubt=True), NotYet(5_000, "remote is down"))
    assert (result.status, result.attempts) == (S.UNKNOWN_OUTCOME, 0)


def test_a_failure_that_is_proven_takes_a_doubt_away():
    assert after(in_flight(in_doubt=True), Retryable("the remote does not have it")).status is S.RETRYABLE


@pytest.mark.parametrize("outcome", [NotYet(1, "w"), Retryable("e"), Unknown("e"), Rejected("e")])
def test_what_a_newer_decision_contradicts_is_not_tried_again(outcome):
    result = after(in_flight(), outcome, superseded=True)
    assert (result.status, result.next_due_ms, result.calls_owner) == (S.SUPERSEDED, None, False)


def test_what_happened_stays_confirmed_even_when_superseded():
    assert after(in_flight(), Confirmed(), superseded=True).status is S.CONFIRMED


@pytest.mark.parametrize("reason", EffectReason)
def test_a_rejection_keeps_its_reason(reason):
    assert after(in_flight(), Rejected("no", reason)).reason is reason


# --- rhythm


def test_waits_double_from_the_first_to_the_longest():
    waits_s = [backoff_ms(I.COMMIT, n, chance=0.5) // 1000 for n in range(1, 10)]
    assert waits_s == [2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert [backoff_ms(I.VERIFY, n, chance=0.5) // 1000 for n in (1, 2, 3, 6, 60)] == [15, 30, 60, 300, 300]


@pytest.mark.parametrize("intent", I)
def test_jitter_stays_within_a_fifth_and_under_the_longest(intent):
    for attempts in (1, 2, 5, 40, 10_000):
        middle = backoff_ms(intent, attempts, chance=0.5)
        low, high = (backoff_ms(intent, attempts, chance=c) for c in (0.0, 0.999))
        assert middle * 0.79 <= low <= middle <= high <= min(middle * 1.21, RHYTHM[intent].longest_ms)


def test_a_push_goes_on_for_ever_at_an_hour_and_calls_its_owner_once_at_eight():
    effect, called = in_flight(I.PUSH), []
    for _ in range(100):
        result = after(effect, Retryable("no route to host"))
        assert result.status is S.RETRYABLE
        effect = replace(effect, attempts=result.attempts, owner="recovery" if result.calls_owner else effect.owner)
        called += [result.attempts] if result.calls_owner else []
    assert called == [8]
    assert result.next_due_ms == NOW + HOUR_MS


def test_an_announcement_is_waived_by_policy_at_its_fifth_failure():
    assert after(in_flight(I.ANNOUNCE, attempts=3), Unknown("cut off")).status is S.UNKNOWN_OUTCOME
    for outcome in (Unknown("cut off"), Retryable("503")):
        result = after(in_flight(I.ANNOUNCE, attempts=4), outcome)
        assert (result.status, result.code, result.attempts) == (S.WAIVED, "WAIVED_BY_POLICY", 5)


def test_a_verification_calls_its_owner_at_the_deadline_and_goes_on_looking():
    early = after(in_flight(I.VERIFY, attempts=30, deadline_ms=NOW), Retryable("not served"))
    late = after(in_flight(I.VERIFY, attempts=1, deadline_ms=NOW - 1), Retryable("not served"))
    assert (early.calls_owner, early.code) == (False, "FAILED")
    assert (late.calls_owner, late.code, late.status) == (True, "PAST_DEADLINE", S.RETRYABLE)


def test_a_hint_is_never_shortened():
    assert hinted_ms(7_000, chance=0.0) == 7_000
    assert 7_000 < hinted_ms(7_000, chance=0.999) <= 8_400
    assert after(in_flight(), Retryable("429", after_ms=7_000), chance=0.0).next_due_ms == NOW + 7_000


def test_a_ref_that_moved_is_tried_again_at_once():
    assert after(in_flight(I.COMMIT), Retryable("ref moved", after_ms=0)).next_due_ms == NOW


# --- what comes first


def test_an_act_waits_for_what_it_requires_where_that_was_planned():
    for intent, needed in REQUIRES.items():
        for other, status in product(I, S):
            expected = other in needed and status not in SATISFIED
            assert waits(intent, 1, [Standing(other, 1, status)]) == expected
        assert not waits(intent, 1, [])


@pytest.mark.parametrize("status", S)
def test_the_history_of_an_edition_is_written_one_revision_after_the_other(status):
    older = [Standing(I.COMMIT, 1, status)]
    assert waits(I.WITHDRAW, 2, older) == (status in OPEN)
    assert not waits(I.RENDER, 2, older)
    assert not waits(I.COMMIT, 1, [Standing(I.COMMIT, 2, status)])


def test_requirements_have_no_circle_and_follow_the_order_of_intents():
    order = list(I)
    assert all(order.index(needed) < order.index(i) for i, all_ in REQUIRES.items() for needed in all_)


@pytest.mark.parametrize("mode", Mode)
def test_only_live_events_announce_and_only_live_or_repair_push(mode):
    plan = plan_effects(mode, list(reversed(I)))
    assert (I.ANNOUNCE in plan) == (mode is Mode.LIVE)
    assert (I.PUSH in plan) == (mode in {Mode.LIVE, Mode.REPAIR})
    assert list(plan) == [intent for intent in I if intent in ALLOWED[mode]]


def test_only_what_was_asked_for_is_planned():
    assert plan_effects(Mode.LIVE, [I.RENDER, I.COMMIT]) == (I.COMMIT, I.RENDER)


def test_history_and_pages_are_never_superseded():
    assert not SUPERSEDABLE & {I.COMMIT, I.WITHDRAW, I.RENDER, I.ALERT}
