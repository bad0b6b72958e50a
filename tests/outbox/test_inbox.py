"""What was heard is kept once, judged once, and never lost."""

import json
from pathlib import Path
from threading import Barrier, Thread

import pytest

from outbox import entities, inbox
from outbox.errors import BadMessage, ConstraintRefused, IllegalChange, StaleFence, StoreUnavailable
from outbox.message import EntityChange, InboxStatus, Provenance
from outbox.reducer import Verdict
from tests.outbox.newsroom import later, now

O_1042 = json.loads((Path(__file__).parents[2] / "fixtures/orders/o-1042.json").read_text())
FROM_PROVIDER = Provenance(origin="provider", causation="resp_1", root="resp_1", hops=1)


def hear(db, event_id, *, source="provider", payload=b"{}", change=None, source_time_ms=None):
    with db.write() as conn:
        return inbox.append(
            conn,
            source=source,
            event_id=event_id,
            kind="response.completed",
            payload=payload,
            source_time_ms=source_time_ms,
            provenance=FROM_PROVIDER,
            change=change,
        )


def heard(db, *statuses):
    with db.read() as conn:
        return inbox.listing(conn, statuses=statuses)


def test_a_message_comes_back_byte_by_byte_as_it_arrived(db):
    raw = b'{"type": "response.completed","data":{"id":"resp_\xc3\xb1","n":1.0}}\x00\xff'
    before = now(db)
    assert hear(db, "wh_1", payload=raw, source_time_ms=5)
    [message] = heard(db)
    assert (message.payload, message.source_time_ms, message.provenance) == (raw, 5, FROM_PROVIDER)
    assert (message.status, message.change) == (InboxStatus.PENDING, None)
    assert message.received_ms >= before


def test_a_repeated_delivery_is_known_and_another_source_is_not(db):
    assert hear(db, "wh_1")
    assert not hear(db, "wh_1", payload=b"other bytes")
    assert hear(db, "wh_1", source="another")
    assert [message.payload for message in heard(db)] == [b"{}", b"{}"]


def test_deliveries_of_one_message_that_meet_are_stored_once(db):
    start, answers = Barrier(4), []

    def deliver():
        start.wait()
        answers.append(hear(db, "wh_1"))

    threads = [Thread(target=deliver) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False, False, False, True]
    assert len(heard(db)) == 1


@pytest.mark.parametrize("event_id", ["", "x" * 191])
def test_an_id_that_cannot_be_held_is_refused(db, event_id):
    with pytest.raises(BadMessage):
        hear(db, event_id)


def test_messages_wait_in_the_order_of_their_arrival(db):
    for name in ("b", "a", "c"):
        hear(db, name)
    with db.read() as conn:
        assert [message.event_id for message in inbox.pending(conn, 2)] == ["b", "a"]


def test_a_message_is_marked_once(db):
    hear(db, "wh_1")
    [message] = heard(db)
    with db.write() as conn:
        assert inbox.mark(conn, message.id, InboxStatus.IGNORED, "unknown response id")
        assert not inbox.mark(conn, message.id, InboxStatus.APPLIED)
    [marked] = heard(db, InboxStatus.IGNORED)
    assert marked.note == "unknown response id"
    assert marked.processed_ms is not None
    assert heard(db, InboxStatus.PENDING) == []


def test_a_quarantined_message_waits_for_its_owner_until_it_is_acknowledged(db):
    hear(db, "wh_1")
    [message] = heard(db)
    with pytest.raises(ConstraintRefused), db.write() as conn:
        inbox.mark(conn, message.id, InboxStatus.QUARANTINED)
    with db.write() as conn:
        assert inbox.mark(conn, message.id, InboxStatus.QUARANTINED, owner="recovery")
        assert inbox.acknowledge(conn, message.id)
        assert not inbox.acknowledge(conn, message.id)
    [held] = heard(db, InboxStatus.QUARANTINED)
    assert held.owner == "recovery"
    assert held.owner_deadline_ms is not None


def test_a_message_that_names_no_entity_is_not_for_the_reducer(db):
    hear(db, "wh_1")
    [message] = heard(db)
    with pytest.raises(IllegalChange), db.write() as conn:
        inbox.apply(conn, message, owner="recovery")


# --- the reducer behind the inbox


def change_of(event):
    return EntityChange(
        entity=event["order_id"], revision=event["revision"], state=event["state"], intent=event["intent"]
    )


def deliver(db, event):
    """Store first, judge afterwards, as the loop does; a repeated delivery is never judged again."""
    if not hear(db, event["event_id"], source=O_1042["source"], change=change_of(event)):
        return Verdict.TRANSPORT_DUPLICATE
    with db.write() as conn:
        [message] = inbox.pending(conn, 10)
        return inbox.apply(conn, message, owner="order operations")


def test_order_o_1042_gets_the_verdicts_of_the_dossier_from_the_database_too(db):
    assert [deliver(db, event) for event in O_1042["events"]] == O_1042["expected"]
    final = O_1042["final"]
    with db.read() as conn:
        state = entities.current(conn, final["order_id"])
    assert state is not None
    assert (state.revision, state.state) == (final["revision"], final["state"])
    assert [message.status for message in heard(db)] == ["APPLIED", "STALE", "DUPLICATE", "STALE", "QUARANTINED"]


def test_a_replayed_history_changes_nothing(db):
    for event in reversed(O_1042["events"][:2]):
        assert deliver(db, event) is Verdict.APPLIED
    again = [event | {"event_id": event["event_id"] + "-replayed"} for event in O_1042["events"][:2]]
    assert [deliver(db, event) for event in again] == [Verdict.BUSINESS_DUPLICATE] * 2


def test_a_message_is_judged_once(db):
    event = O_1042["events"][0]
    hear(db, event["event_id"], change=change_of(event))
    [message] = heard(db)
    with db.write() as conn:
        inbox.apply(conn, message, owner="order operations")
    with pytest.raises(StaleFence), db.write() as conn:
        inbox.apply(conn, message, owner="order operations")


def test_two_writers_at_one_entity_leave_the_newest_revision(db):
    later(db, 0)
    start = Barrier(3)

    def move(revision):
        start.wait()
        change = EntityChange(entity="O-1", revision=revision, state=f"s{revision}", intent="i")
        while True:
            try:
                with db.write() as conn:
                    entities.advance(conn, change, cause=f"evt-{revision}", applied_before=False)
                return
            except (ConstraintRefused, StoreUnavailable, StaleFence):
                continue

    threads = [Thread(target=move, args=(revision,)) for revision in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as conn:
        state = entities.current(conn, "O-1")
    assert state is not None
    assert (state.revision, state.state) == (3, "s3")
