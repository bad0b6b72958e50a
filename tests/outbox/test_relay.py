"""The relay carries each decision out once, whatever dies, meets or raises on the way."""

from dataclasses import replace

import pytest

from outbox import store
from outbox.errors import StaleFence, StoreUnavailable
from outbox.message import EffectReason, EffectStatus, Intent
from outbox.outcome import Confirmed, NotYet, Rejected, Retryable, Unknown
from tests.outbox.newsroom import (
    DAY,
    EN,
    ES,
    PUBLICATION,
    Trail,
    World,
    decided,
    effects,
    later,
    planned,
    publish,
    relay_of,
    run,
    statuses,
    the,
)

S, I = EffectStatus, Intent  # noqa: E741


def relay_with(db, handlers, **more):
    return replace(relay_of(db, World()), handlers=handlers, **more)


def test_a_publication_is_carried_out_in_order_both_languages_at_once(db):
    publish(db, EN, ES)
    world = World()
    assert run(relay_of(db, world)) == 10
    assert world.done == [(intent, entity, 1) for intent in PUBLICATION for entity in (EN, ES)]
    assert [[one.entity for one in call] for call in world.calls] == [[EN, ES]] * 5
    assert set(statuses(db).values()) == set(statuses(db, ES).values()) == {S.CONFIRMED}
    assert the(db, I.COMMIT).reference == f"ref-{the(db, I.COMMIT).id}"


def test_an_idle_step_handles_nothing_and_writes_nothing(db):
    publish(db, EN)
    world, trail = World(), Trail()
    relay = relay_of(db, world, audit=trail)
    run(relay)
    before, lines = effects(db), len(trail.lines)
    assert relay.step() == 0
    assert effects(db) == before
    assert len(trail.lines) == lines


def test_every_transition_leaves_a_line_in_its_own_transaction(db):
    with db.write() as conn:
        store.record(conn, decided(), planned([I.COMMIT]))
    world, trail = World(), Trail()
    run(relay_of(db, world, audit=trail))
    assert trail.told() == [(I.COMMIT, "CLAIMED", S.IN_FLIGHT), (I.COMMIT, "CONFIRMED", S.CONFIRMED)]
    assert [(line.from_status, line.fence, line.actor) for line in trail.lines] == [
        (S.PENDING, 1, "relay-1"),
        (S.IN_FLIGHT, 2, "relay-1"),
    ]


def test_an_audit_trail_that_fails_rolls_the_transition_back(db):
    publish(db, EN)

    def broken(_conn, _line):
        raise StoreUnavailable("the disk is full")

    with pytest.raises(StoreUnavailable):
        relay_of(db, World(), audit=broken).step()
    assert the(db, I.COMMIT).status is S.PENDING


def test_an_outcome_that_could_not_be_written_is_written_whole_at_the_next_try(db):
    """A fence that the host's audit meets is not the effect's fence: nothing of the transaction may stay."""
    publish(db, EN)
    world, busy = World(), [StoreUnavailable("deadlock"), StaleFence("the host's process moved")]

    def trail(_conn, line):
        if line.code == "CONFIRMED" and busy:
            raise busy.pop()

    assert relay_of(db, world, audit=trail).step() == 1
    assert (the(db, I.COMMIT).status, len(world.calls)) == (S.CONFIRMED, 1)
    assert (the(db, I.COMMIT).version, the(db, I.RENDER).next_due_ms is None) == (2, False)


def test_an_outcome_that_can_never_be_written_is_left_in_flight_for_the_next_relay(db):
    publish(db, EN)

    def trail(_conn, line):
        if line.code == "CONFIRMED":
            raise StoreUnavailable("the disk is full")

    with pytest.raises(StoreUnavailable):
        relay_of(db, World(), audit=trail).step()
    assert the(db, I.COMMIT).status is S.IN_FLIGHT


def test_in_flight_is_committed_before_the_handler_acts_and_no_transaction_is_open(db):
    publish(db, EN)
    seen = []

    def handler(batch):
        with db.write() as conn:
            seen.append(store.get(conn, batch[0].id).status)
        return {one.id: Confirmed() for one in batch}

    relay_with(db, {I.COMMIT: handler}).step()
    assert seen == [S.IN_FLIGHT]


def test_intents_without_a_handler_are_left_for_another_relay(db):
    publish(db, EN)
    relay = relay_of(db, World())
    assert replace(relay, handlers={I.PUSH: relay.handlers[I.PUSH]}).step() == 0
    assert relay.step() == 1


def test_a_paused_loop_claims_nothing(db):
    publish(db, EN)
    assert replace(relay_of(db, World()), admits=lambda _conn: False).step() == 0
    assert the(db, I.COMMIT).version == 0


# --- outcomes


def test_an_unknown_outcome_is_looked_at_before_anything_is_repeated(db):
    publish(db, EN)
    looked, pushed = [], []

    def push(one):
        if one.in_doubt:
            looked.append(one.attempts)
            return Confirmed("the remote has it")
        pushed.append(one.attempts)
        return Unknown("the answer was lost")

    world = World(answers={I.PUSH: push})
    relay = relay_of(db, world)
    run(relay)
    assert (the(db, I.PUSH).status, the(db, I.PUSH).owner) == (S.UNKNOWN_OUTCOME, "recovery of daily-brief")
    later(db, 10_000)
    run(relay)
    assert (pushed, looked) == ([0], [1])
    assert the(db, I.PUSH).status is S.CONFIRMED
    assert len([act for act in world.done if act[0] is I.ANNOUNCE]) == 1


def test_a_diverged_remote_is_dead_lettered_with_its_owner_and_the_rest_goes_on(db):
    publish(db, EN)
    trail = Trail()
    world = World(answers={I.PUSH: lambda _: Rejected("the remote has other commits")})
    relay = relay_of(db, world, audit=trail)
    run(relay)
    dead = the(db, I.PUSH)
    assert (dead.status, dead.owner, dead.reason) == (
        S.DEAD_LETTERED,
        "recovery of daily-brief",
        EffectReason.REMOTE_REJECTED,
    )
    assert [line.owner for line in trail.lines if line.to_status is S.DEAD_LETTERED] == [dead.owner]
    later(db, 30 * 86_400_000)
    assert relay.step() == 0


@pytest.mark.parametrize("reason", EffectReason)
def test_every_reason_for_a_dead_letter_can_be_reached(db, reason):
    with db.write() as conn:
        hops = 6 if reason is EffectReason.HOP_BUDGET_EXHAUSTED else 5
        store.record(conn, decided(hops=hops), planned([I.COMMIT]))
    world = World(answers={I.COMMIT: lambda _: Rejected("no", reason)})
    run(relay_of(db, world))
    assert (the(db, I.COMMIT).status, the(db, I.COMMIT).reason) == (S.DEAD_LETTERED, reason)
    assert (world.calls == []) == (reason is EffectReason.HOP_BUDGET_EXHAUSTED)


def test_a_handler_that_raises_proves_nothing_and_loses_nothing(db):
    publish(db, EN)
    reported = []

    def broken(_batch):
        raise KeyError("https://user:secret@example.org")

    relay_with(
        db, {I.COMMIT: broken}, report=lambda error, batch: reported.append((type(error), len(batch)))
    ).step()
    found = the(db, I.COMMIT)
    assert (found.status, found.last_error, found.attempts) == (S.UNKNOWN_OUTCOME, "KeyError", 1)
    assert reported == [(KeyError, 1)]
    later(db, 10_000)
    assert run(relay_of(db, World())) == 5


def test_an_error_of_this_house_that_waiting_can_help_is_retryable(db):
    publish(db, EN)

    def locked(_one):
        raise StoreUnavailable("the repository is locked")

    run(relay_of(db, World(answers={I.COMMIT: locked})))
    found = the(db, I.COMMIT)
    assert (found.status, found.last_error) == (S.RETRYABLE, "StoreUnavailable: the repository is locked")


def test_an_effect_that_the_handler_did_not_answer_for_is_in_doubt(db):
    publish(db, EN)
    relay_with(db, {I.COMMIT: lambda _batch: {}}).step()
    assert the(db, I.COMMIT).status is S.UNKNOWN_OUTCOME
    assert the(db, I.COMMIT).last_error == "the handler gave no answer"


def test_a_remote_that_is_down_is_tried_for_ever_and_its_owner_called_once(db):
    publish(db, EN)
    trail = Trail()
    relay = relay_of(db, World(answers={I.PUSH: lambda _: Retryable("no route")}), audit=trail)
    run(relay)
    for _ in range(11):
        later(db, 3_600_000)
        run(relay)
    found = the(db, I.PUSH)
    assert (found.status, found.attempts, found.owner) == (S.RETRYABLE, 12, "recovery of daily-brief")
    assert [line.attempts for line in trail.lines if line.owner] == [8]


def test_a_batch_whose_acts_wait_together_stays_together(db):
    publish(db, EN, ES)
    world = World(answers={I.COMMIT: lambda _: Retryable("the repository is locked")})
    relay = relay_of(db, world)
    for _ in range(3):
        run(relay)
        later(db, 60_000)
    assert [[one.entity for one in call] for call in world.calls] == [[EN, ES]] * 3


def test_what_is_not_served_yet_is_looked_for_until_the_deadline_calls_the_owner(db):
    with db.write() as conn:
        store.record(conn, decided(), planned([I.VERIFY], deadline_ms=1))
    trail = Trail()
    relay = relay_of(db, World(answers={I.VERIFY: lambda _: NotYet(15_000, "404")}), audit=trail)
    relay.step()
    assert (trail.lines[-1].code, trail.lines[-1].owner) == ("PAST_DEADLINE", "recovery of daily-brief")
    later(db, 15_001)
    assert relay.step() == 1


def test_a_correction_that_comes_while_the_first_is_under_way_ends_with_both_in_history(db):
    publish(db, EN, ES)
    world = World()
    relay = relay_of(db, world)
    relay.step()
    publish(db, EN, ES, revision=2, kind="edition.corrected")
    run(relay)
    commits = [act[1:] for act in world.done if act[0] is I.COMMIT]
    assert commits == [(EN, 1), (ES, 1), (EN, 2), (ES, 2)]
    assert {act[2] for act in world.done if act[0] in {I.PUSH, I.VERIFY, I.ANNOUNCE}} == {2}
    assert DAY in the(db, I.COMMIT, revision=2).batch_key
