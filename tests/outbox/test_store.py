"""Decisions become effects once; newer decisions supersede; what waits is woken by what it waited for."""

import pytest

from outbox import entities, store
from outbox.errors import RevisionConflict
from outbox.message import EffectStatus, Intent, Mode
from outbox.outcome import Confirmed, NotYet, Rejected, Retryable, Unknown
from tests.outbox.newsroom import (
    DAY,
    EN,
    ES,
    LEASE_MS,
    PUBLICATION,
    WITHDRAWAL,
    Trail,
    decided,
    effects,
    later,
    planned,
    publish,
    statuses,
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


# --- deciding


def test_a_decision_is_recorded_once(db):
    with db.write() as conn:
        assert store.record(conn, decided(), planned())
    with db.write() as conn:
        assert not store.record(conn, decided(), planned())
    assert len(effects(db)) == 5


def test_a_rolled_back_decision_leaves_nothing(db):
    with db.write() as conn:
        store.record(conn, decided(), planned())
        conn.rollback()
    assert effects(db) == []
    with db.read() as conn:
        assert entities.current(conn, EN) is None


def test_another_message_about_the_same_change_plans_nothing(db):
    publish(db, EN)
    with db.write() as conn:
        assert not store.record(conn, decided(key="another-key"), planned())
    assert len(effects(db)) == 5


def test_an_older_or_contradicting_decision_is_refused_whole(db):
    publish(db, EN)
    publish(db, EN, revision=3, kind=REVISED)
    before = effects(db)
    for event in (decided(revision=2, kind=REVISED), decided(revision=3, kind="edition.withdrawn", key="k")):
        with pytest.raises(RevisionConflict), db.write() as conn:
            store.record(conn, event, planned(WITHDRAWAL))
    assert effects(db) == before


def test_an_event_without_a_commit_or_withdrawal_is_no_change_of_its_entity(db):
    with db.write() as conn:
        assert store.record(conn, decided(kind="incident.opened", key="incident-1"), planned([I.ALERT]))
    publish(db, EN)
    with db.read() as conn:
        state = entities.current(conn, EN)
    assert state is not None
    assert (state.revision, state.state) == (1, "edition.published")


def test_acts_that_the_mode_may_not_do_are_never_planned(db):
    for mode in (Mode.REPLAY, Mode.REPAIR, Mode.SHADOW):
        with db.write() as conn:
            assert store.record(conn, decided(mode=mode), planned())
    assert {one.mode for one in effects(db) if one.intent is I.PUSH} == {Mode.REPAIR}
    assert not [one for one in effects(db) if one.intent is I.ANNOUNCE]
    with db.read() as conn:
        assert entities.current(conn, EN) is None


def test_the_same_act_is_planned_once_per_mode_whatever_asks_for_it(db):
    with db.write() as conn:
        assert store.record(conn, decided(mode=Mode.REPAIR), planned([I.RENDER]))
        assert store.record(conn, decided(mode=Mode.REPAIR, key="second"), planned([I.RENDER, I.PUSH]))
    rows = effects(db)
    assert [one.intent for one in rows] == [I.RENDER, I.PUSH]
    assert rows[1].next_due_ms is None


# --- superseding


def test_a_newer_revision_supersedes_what_the_older_one_still_had_to_tell(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, I.RENDER)
    trail = Trail()
    publish(db, EN, revision=2, kind=REVISED, audit=trail)
    assert statuses(db) == {
        I.COMMIT: S.CONFIRMED,
        I.RENDER: S.CONFIRMED,
        I.PUSH: S.SUPERSEDED,
        I.VERIFY: S.SUPERSEDED,
        I.ANNOUNCE: S.SUPERSEDED,
    }
    assert the(db, I.PUSH).note == "superseded by revision 2"
    assert {line.code for line in trail.lines} == {"SUPERSEDED"}
    assert len(trail.lines) == 3


def test_a_withdrawal_supersedes_and_the_other_language_is_left_alone(db):
    publish(db, EN, ES)
    publish(db, EN, revision=2, kind="edition.withdrawn", intents=WITHDRAWAL)
    assert statuses(db)[I.ANNOUNCE] is S.SUPERSEDED
    assert set(statuses(db, ES).values()) == {S.PENDING}


def test_what_is_confirmed_stays_and_what_is_dead_no_longer_waits_for_its_owner(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, I.RENDER, I.VERIFY)
    carry_out(db, I.PUSH, outcome=Rejected("diverged"))
    publish(db, EN, revision=2, kind=REVISED)
    found = statuses(db)
    assert (found[I.VERIFY], found[I.PUSH], found[I.ANNOUNCE]) == (S.CONFIRMED, S.SUPERSEDED, S.SUPERSEDED)


def test_a_rehearsal_supersedes_nothing_that_is_live(db):
    publish(db, EN)
    with db.write() as conn:
        store.record(conn, decided(revision=2, mode=Mode.SHADOW), planned())
    assert set(statuses(db).values()) == {S.PENDING}


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Confirmed("ref"), S.CONFIRMED),
        (Retryable("e"), S.SUPERSEDED),
        (Unknown("e"), S.SUPERSEDED),
        (NotYet(1, "w"), S.SUPERSEDED),
    ],
)
def test_what_was_in_flight_when_a_newer_decision_came_is_not_repeated(db, outcome, status):
    publish(db, EN)
    carry_out(db, I.COMMIT, I.RENDER)
    [held] = claim(db, I.PUSH)
    publish(db, EN, revision=2, kind=REVISED)
    assert the(db, I.PUSH).status is S.IN_FLIGHT
    assert settle(db, held, outcome).status is status


def test_what_was_in_flight_and_lost_its_lease_is_superseded_when_it_is_claimed(db):
    publish(db, EN)
    carry_out(db, I.COMMIT, I.RENDER)
    claim(db, I.PUSH)
    publish(db, EN, revision=2, kind=REVISED)
    later(db, LEASE_MS + 1)
    assert claim(db, I.PUSH, owner="relay-2") == []
    assert the(db, I.PUSH).status is S.SUPERSEDED


# --- waiting and waking


def test_each_act_is_woken_by_the_confirmation_of_what_it_needs(db):
    publish(db, EN)
    for done, woken in (
        (I.COMMIT, {I.RENDER}),
        (I.RENDER, {I.PUSH, I.VERIFY}),
        (I.PUSH, {I.VERIFY}),
        (I.VERIFY, {I.ANNOUNCE}),
    ):
        carry_out(db, done)
        assert {one.intent for one in effects(db) if one.next_due_ms is not None} == woken
    carry_out(db, I.ANNOUNCE)
    assert set(statuses(db).values()) == {S.CONFIRMED}


@pytest.mark.parametrize("outcome", [Retryable("e"), Unknown("e"), NotYet(5_000, "w"), Rejected("e")])
def test_nothing_is_woken_by_anything_else(db, outcome):
    publish(db, EN)
    carry_out(db, I.COMMIT, outcome=outcome)
    assert the(db, I.RENDER).next_due_ms is None


def test_a_correction_waits_for_the_commit_of_the_revision_before_it(db):
    publish(db, EN)
    publish(db, EN, revision=2, kind=REVISED)
    assert the(db, I.COMMIT, revision=2).next_due_ms is None
    [held] = claim(db, I.COMMIT)
    assert held.revision == 1
    settle(db, held, Confirmed("c1"))
    [held] = claim(db, I.COMMIT)
    assert held.revision == 2


def test_a_correction_does_not_wait_for_a_commit_that_was_refused(db):
    publish(db, EN)
    publish(db, EN, revision=2, kind=REVISED)
    carry_out(db, I.COMMIT, outcome=Rejected("a person edited it"))
    assert the(db, I.COMMIT, revision=2).next_due_ms is not None


def test_a_withdrawal_that_arrived_compensates_the_commits_before_it(db):
    publish(db, EN)
    carry_out(db, I.COMMIT)
    publish(db, EN, revision=2, kind="edition.withdrawn", intents=WITHDRAWAL)
    trail = Trail()
    [held] = claim(db, I.WITHDRAW)
    settle(db, held, Confirmed("w"), audit=trail)
    assert the(db, I.COMMIT).status is S.COMPENSATED
    assert (I.COMMIT, "COMPENSATED", S.COMPENSATED) in trail.told()
    assert the(db, I.RENDER, revision=2).next_due_ms is not None


# --- reading


def test_the_listing_is_narrowed_by_status_entity_and_intent(db):
    publish(db, EN, ES)
    carry_out(db, I.COMMIT)
    with db.read() as conn:
        assert len(store.listing(conn)) == 2 * len(PUBLICATION)
        confirmed = store.listing(conn, statuses=[S.CONFIRMED], entity=ES)
        renders = store.listing(conn, intent=I.RENDER, limit=1)
    assert [(one.entity, one.intent) for one in confirmed] == [(ES, I.COMMIT)]
    assert [(one.entity, one.intent) for one in renders] == [(EN, I.RENDER)]


def test_the_counts_tell_what_stands_where(db):
    with db.write() as conn:
        store.record(conn, decided(), planned([I.COMMIT], deadline_ms=1))
        store.record(conn, decided(ES, kind="edition.withdrawn"), planned([I.WITHDRAW], batch=DAY))
        counts = store.counts(conn)
    assert counts.by_status == {S.PENDING: 2}
    assert (counts.past_deadline, counts.compensation_pending, counts.unacknowledged) == (1, 1, 0)
