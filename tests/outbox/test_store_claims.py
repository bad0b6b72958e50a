"""Claiming and settling: leases, fences, doubts, and what a person may order."""

from dataclasses import replace

import pytest

from outbox import store
from outbox.errors import IllegalChange, StaleFence
from outbox.message import EffectStatus, Intent, Planned
from outbox.outcome import Confirmed, NotYet, Rejected, Retryable, Unknown
from tests.outbox.newsroom import (
    EN,
    ES,
    LEASE_MS,
    Trail,
    decided,
    later,
    now,
    planned,
    publish,
    the,
)

S, I = EffectStatus, Intent  # noqa: E741
REVISED = "edition.corrected"


def claim(db, intent, *, owner="relay-1", limit=16, audit=None):
    with db.write() as conn:
        return store.claim(conn, intent, owner=owner, lease_ms=LEASE_MS, limit=limit, audit=audit)


def settle(db, held, outcome, *, chance=0.5, audit=None):
    with db.write() as conn:
        return store.settle(conn, held, outcome, chance=chance, owner_role="recovery", actor="relay-1", audit=audit)


def carry_out(db, *intents, outcome=None):
    for intent in intents:
        for held in claim(db, intent):
            settle(db, held, outcome or Confirmed(f"{intent.lower()}-ref"))


def test_both_languages_of_a_publication_are_claimed_together(db):
    publish(db, EN, ES)
    held = claim(db, I.COMMIT, limit=1)
    assert [one.entity for one in held] == [EN, ES]
    assert {one.status for one in held} == {S.IN_FLIGHT}
    assert claim(db, I.COMMIT, owner="relay-2") == []


def test_a_limit_counts_batches_and_the_most_urgent_goes_first(db):
    deadlines = {"2026-11-28": None, "2026-11-29": 2_000, "2026-11-30": 1_000}
    for day, deadline_ms in deadlines.items():
        for lang in ("en", "es"):
            with db.write() as conn:
                event = decided(f"daily-brief/{day}/{lang}")
                store.record(conn, event, planned([I.COMMIT], batch=day, deadline_ms=deadline_ms))
    with db.write() as conn:
        backfill = decided("daily-brief/2025-01-01/en")
        store.record(conn, backfill, [Planned(intent=I.COMMIT, batch_key="b", priority=9, deadline_ms=1)])
    claimed = [[one.entity.split("/")[1] for one in claim(db, I.COMMIT, limit=1)] for _ in range(4)]
    assert claimed == [["2026-11-30"] * 2, ["2026-11-29"] * 2, ["2026-11-28"] * 2, ["2025-01-01"]]


def test_only_what_is_due_is_claimed_and_only_of_the_intent_asked_for(db):
    publish(db, EN)
    assert claim(db, I.RENDER) == []
    carry_out(db, I.COMMIT, outcome=NotYet(30_000, "repository is busy"))
    assert claim(db, I.COMMIT) == []
    later(db, 30_001)
    assert len(claim(db, I.COMMIT)) == 1


def test_due_intents_and_the_next_due_time_say_what_there_is_to_do(db):
    with db.read() as conn:
        assert store.due_intents(conn, lease_ms=LEASE_MS) == set()
        assert store.next_due_ms(conn) is None
    publish(db, EN)
    with db.read() as conn:
        assert store.due_intents(conn, lease_ms=LEASE_MS) == {I.COMMIT}
    [held] = claim(db, I.COMMIT)
    with db.read() as conn:
        assert store.due_intents(conn, lease_ms=LEASE_MS) == set()
        assert store.next_due_ms(conn) == held.next_due_ms


def test_a_lease_given_before_the_clock_was_set_back_is_claimable(db):
    publish(db, EN)
    claim(db, I.COMMIT)
    later(db, -3_600_000)
    with db.read() as conn:
        assert store.due_intents(conn, lease_ms=LEASE_MS) == {I.COMMIT}
    [held] = claim(db, I.COMMIT, owner="relay-2")
    assert held.in_doubt


# --- settling


def test_a_stale_fence_writes_nothing(db):
    publish(db, EN)
    [first] = claim(db, I.COMMIT)
    later(db, LEASE_MS + 1)
    [second] = claim(db, I.COMMIT, owner="relay-2")
    assert second.in_doubt
    with pytest.raises(StaleFence):
        settle(db, first, Confirmed("mine"))
    assert the(db, I.COMMIT) == replace(second, in_doubt=True)
    assert settle(db, second, Confirmed("theirs")).reference == "theirs"


def test_an_unknown_outcome_has_an_owner_a_date_and_comes_back_in_doubt(db):
    publish(db, EN)
    trail = Trail()
    [held] = claim(db, I.COMMIT)
    unknown = settle(db, held, Unknown("cut off"), audit=trail)
    assert (unknown.status, unknown.owner, unknown.attempts) == (S.UNKNOWN_OUTCOME, "recovery", 1)
    assert unknown.owner_deadline_ms is not None
    assert unknown.owner_deadline_ms > now(db)
    assert [(line.code, line.owner) for line in trail.lines] == [("LOST_SIGHT", "recovery")]
    later(db, 10_000)
    [again] = claim(db, I.COMMIT)
    assert again.in_doubt


def test_a_failure_that_is_proven_comes_back_without_doubt(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=Retryable("refused"))
    later(db, 10_000)
    [again] = claim(db, I.COMMIT)
    assert not again.in_doubt
    assert (again.attempts, again.last_error) == (1, "refused")


def test_a_long_error_is_kept_as_far_as_it_fits(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=Retryable("é" * 2_000))
    assert the(db, I.COMMIT).last_error == "é" * 500


# --- a person's orders


def test_a_waived_effect_names_who_answers_for_it_and_lets_the_others_go(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, I.RENDER)
    trail = Trail()
    with db.write() as conn:
        waived = store.waive(conn, the(db, I.VERIFY).id, actor="ana", reason="SEEN:by eye", audit=trail)
    assert (waived.status, waived.note) == (S.WAIVED, "ana: SEEN:by eye")
    assert the(db, I.ANNOUNCE).next_due_ms is not None
    assert [(line.actor, line.code) for line in trail.lines] == [("ana", "WAIVED")]


@pytest.mark.parametrize("in_flight", [True, False])
def test_what_is_in_flight_or_settled_cannot_be_waived(db, in_flight):
    publish(db, EN)
    [held] = claim(db, I.COMMIT)
    if not in_flight:
        settle(db, held, Confirmed())
    with pytest.raises(IllegalChange), db.write() as conn:
        store.waive(conn, held.id, actor="ana", reason="X")


def test_a_dead_letter_is_acknowledged_once_and_released_to_start_again(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=Rejected("a person edited it"))
    dead, trail = the(db, I.COMMIT), Trail()
    assert (dead.status, dead.owner, dead.next_due_ms) == (S.DEAD_LETTERED, "recovery", None)
    with db.write() as conn:
        assert store.counts(conn).unacknowledged == 1
        assert store.acknowledge(conn, dead.id, actor="ana", audit=trail)
        assert not store.acknowledge(conn, dead.id, actor="ben")
        assert store.counts(conn).unacknowledged == 0
        again = store.release(conn, dead.id, actor="ana", reason="FIXED")
    assert [(line.actor, line.code) for line in trail.lines] == [("ana", "ACKNOWLEDGED")]
    assert (again.status, again.attempts, again.owner, again.reason) == (S.RETRYABLE, 0, None, None)
    assert len(claim(db, I.COMMIT)) == 1


def test_a_dead_letter_calls_its_owner_again_although_its_unknown_outcome_was_acknowledged(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=Unknown("cut off"))
    with db.write() as conn:
        assert store.acknowledge(conn, the(db, I.COMMIT).id, actor="ana")
    later(db, 60_000)
    carry_out(db, I.COMMIT, outcome=Rejected("a person edited it"))
    with db.read() as conn:
        assert store.counts(conn).unacknowledged == 1


def test_a_dead_letter_is_not_released_after_a_newer_revision(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=Rejected("a person edited it"))
    publish(db, EN, revision=2, kind=REVISED)
    with pytest.raises(IllegalChange, match="newer revision"), db.write() as conn:
        store.release(conn, the(db, I.COMMIT).id, actor="ana", reason="FIXED")
