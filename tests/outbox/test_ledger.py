"""The ledger's own guards: what the database refuses, whatever the code does."""

import pytest
from sqlalchemy import insert, update

from outbox import store
from outbox.errors import ConstraintRefused, NoSuchEffect
from outbox.ledger import Pen, locked
from outbox.message import EffectReason, EffectStatus, Evidence, InboxStatus, Intent, Mode
from outbox.schema import effect, inbox_event
from tests.outbox.newsroom import EN, decided, effects, now, planned, publish, the

ROW = {
    "event_key": f"{EN}@1/live",
    "entity": EN,
    "revision": 9,
    "version": 0,
    "batch_key": "b",
    "idempotency_key": "i",
    "attempts": 0,
    "hops": 0,
    "priority": 0,
    "created_ms": 0,
    "updated_ms": 0,
    "intent": "COMMIT",
    "mode": "LIVE",
    "status": "PENDING",
}


def accepts(db, **values):
    """Whether the database takes such a row; what it took is rolled back."""
    try:
        with db.write() as conn:
            conn.execute(insert(effect), ROW | values)
            conn.rollback()
    except ConstraintRefused:
        return False
    return True


@pytest.mark.parametrize("status", EffectStatus)
def test_i16_the_database_refuses_a_dead_letter_or_an_unknown_outcome_without_owner_or_date(db, status):
    publish(db, EN)
    needs_owner = status in {EffectStatus.DEAD_LETTERED, EffectStatus.UNKNOWN_OUTCOME}
    assert accepts(db, status=status.value) == (not needs_owner)
    assert accepts(db, status=status.value, owner="recovery") == (not needs_owner)
    assert accepts(db, status=status.value, owner="recovery", owner_deadline_ms=1)


@pytest.mark.parametrize("mode", Mode)
def test_i14_the_database_refuses_an_announcement_that_is_not_live(db, mode):
    publish(db, EN)
    assert accepts(db, intent="ANNOUNCE", mode=mode.value) == (mode is Mode.LIVE)
    assert accepts(db, intent="PUSH", mode=mode.value) == (mode in {Mode.LIVE, Mode.REPAIR})
    assert accepts(db, intent="RENDER", mode=mode.value)


@pytest.mark.parametrize(
    ("column", "codes"),
    [("intent", Intent), ("mode", Mode), ("evidence", Evidence), ("reason", EffectReason)],
)
def test_every_code_is_accepted_and_no_other(db, column, codes):
    publish(db, EN)
    live = {"mode": "LIVE"} if column != "mode" else {}
    assert all(accepts(db, **live, **{column: code.value}) for code in codes)
    assert not accepts(db, **live, **{column: "SOMETHING"})
    assert not accepts(db, status="SOMETHING")


def test_the_database_refuses_a_second_row_for_the_same_operation(db):
    publish(db, EN)
    assert not accepts(db, revision=1)
    assert accepts(db, revision=1, mode="REPAIR")


def test_the_database_refuses_a_due_time_on_what_is_settled_and_a_lease_on_what_is_not_in_flight(db):
    publish(db, EN)
    assert not accepts(db, status="CONFIRMED", next_due_ms=1)
    assert not accepts(db, status="PENDING", next_due_ms=1, lease_owner="relay-1")
    assert accepts(db, status="IN_FLIGHT", next_due_ms=1, lease_owner="relay-1")


def test_the_database_refuses_an_effect_without_its_event(db):
    publish(db, EN)
    assert not accepts(db, event_key="nothing")


def test_a_quarantined_message_needs_an_owner(db):
    row = {"source": "s", "event_id": "e", "kind": "k", "origin": "o", "hops": 0, "payload": b"", "received_ms": 0}
    with pytest.raises(ConstraintRefused), db.write() as conn:
        conn.execute(insert(inbox_event), row | {"status": InboxStatus.QUARANTINED.value})


def test_an_event_and_its_payload_come_back_as_they_were(db):
    event = decided()
    with db.write() as conn:
        assert store.record(conn, event, planned())
    with db.read() as conn:
        assert store.event(conn, event.key) == event


def test_a_new_effect_comes_back_as_it_was_planned(db):
    with db.write() as conn:
        store.record(conn, decided(), planned(deadline_ms=77))
    [commit, *others] = effects(db)
    assert (commit.intent, commit.status, commit.version, commit.attempts) == (
        Intent.COMMIT,
        EffectStatus.PENDING,
        0,
        0,
    )
    assert (commit.deadline_ms, commit.idempotency_key) == (77, f"{EN}@1:commit:live")
    assert commit.next_due_ms is not None
    assert [other.next_due_ms for other in others] == [None] * 4


def test_a_write_names_what_differs_and_raises_the_version(db):
    publish(db, EN)
    at = now(db)
    with db.write() as conn:
        pen = Pen(conn, at, "someone", None)
        old = locked(conn, the(db, Intent.COMMIT).id)
        conn.execute(update(effect).where(effect.c.id == old.id).values(priority=5))
        pen.write(old, old)
    fresh = the(db, Intent.COMMIT)
    assert (fresh.version, fresh.priority, fresh.updated_ms) == (1, 5, at)


def test_what_is_not_there_is_said_to_be_missing(db):
    with db.read() as conn:
        with pytest.raises(NoSuchEffect, match="no effect 4711"):
            store.get(conn, 4711)
        with pytest.raises(NoSuchEffect, match="no event nothing"):
            store.event(conn, "nothing")
