"""Relays that die, stall or meet: each act is still done once."""

import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Barrier, Event, Lock, Thread

import pytest

from outbox import store
from outbox.errors import OutboxError, StoreUnavailable
from outbox.message import EffectStatus, Intent
from outbox.outcome import Confirmed, Rejected, Retryable
from tests.outbox.dying_relay import act_once
from tests.outbox.newsroom import (
    EN,
    ES,
    LEASE_MS,
    Trail,
    World,
    decided,
    effects,
    later,
    planned,
    publish,
    relay_of,
    run,
    the,
)

S, I = EffectStatus, Intent  # noqa: E741
ROOT = Path(__file__).parents[2]


def relay_with(db, handlers, **more):
    return replace(relay_of(db, World()), handlers=handlers, **more)


def child(db, log, when):
    """Run a relay that dies in a process of its own; answers its exit code."""
    log.touch()
    url = db.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.outbox.dying_relay", url, str(log), when]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_relay_that_dies_in_flight_is_followed_by_one_that_finishes_once(db, tmp_path, when):
    publish(db, EN, ES)
    log = tmp_path / "acts"
    assert child(db, log, when) == 137
    assert [the(db, I.COMMIT, entity).status for entity in (EN, ES)] == [S.IN_FLIGHT] * 2
    doubts = []

    def handler(batch):
        doubts.extend(one.in_doubt for one in batch)
        return act_once(log, batch)

    relay = relay_with(db, {I.COMMIT: handler})
    assert relay.step() == 0
    later(db, LEASE_MS + 1)
    assert relay.step() == 2
    assert doubts == [True, True]
    assert log.read_text().splitlines() == [f"{EN}@1:commit:live", f"{ES}@1:commit:live"]
    assert {the(db, I.COMMIT, entity).status for entity in (EN, ES)} == {S.CONFIRMED}


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("commit", range(1, 7))
def test_a_relay_that_dies_in_any_of_its_commits_is_followed_by_one_that_finishes_once(db, tmp_path, commit):
    publish(db, EN, ES, intents=[I.COMMIT, I.RENDER, I.PUSH])
    log = tmp_path / "acts"
    assert child(db, log, str(commit)) == 137
    later(db, LEASE_MS + 1)
    run(relay_with(db, dict.fromkeys(Intent, partial(act_once, log))))
    acts = log.read_text().splitlines()
    assert acts == [f"{lang}@1:{act}:live" for act in ("commit", "render", "push") for lang in (EN, ES)]
    assert {one.status for one in effects(db)} == {S.CONFIRMED}


def test_a_relay_that_stalls_past_its_lease_drops_its_outcome_and_says_so(db):
    publish(db, EN)
    trail, other = Trail(), World()

    def stall(batch):
        later(db, LEASE_MS + 1)
        relay_of(db, other, owner="relay-2").step()
        return {one.id: Rejected("I saw something else") for one in batch}

    relay_with(db, {I.COMMIT: stall}, audit=trail).step()
    assert the(db, I.COMMIT).status is S.CONFIRMED
    assert trail.told()[-1] == (I.COMMIT, "STALE_FENCE", S.CONFIRMED)
    assert other.done == [(I.COMMIT, EN, 1)]


def test_one_stale_effect_does_not_take_the_rest_of_its_batch_along(db):
    publish(db, EN, ES)

    def lose_one(batch):
        with db.write() as conn:
            conn.exec_driver_sql(f"UPDATE effect SET version = version + 1 WHERE id = {batch[0].id}")
        return {one.id: Confirmed() for one in batch}

    relay_with(db, {I.COMMIT: lose_one}).step()
    assert (the(db, I.COMMIT, EN).status, the(db, I.COMMIT, ES).status) == (S.IN_FLIGHT, S.CONFIRMED)


# --- several relays


def test_relays_at_once_handle_each_effect_once_and_never_split_a_batch(db):
    days = 12
    for day in range(days):
        for lang in ("en", "es"):
            with db.write() as conn:
                event = decided(f"daily-brief/2026-11-{day + 1:02}/{lang}")
                store.record(conn, event, planned([I.COMMIT, I.RENDER], batch=f"day-{day}"))
    start, mutex, calls = Barrier(4), Lock(), []

    def handler(batch):
        with mutex:
            calls.append([(one.intent, one.entity, one.batch_key) for one in batch])
        return {one.id: Confirmed() for one in batch}

    def work(number):
        relay = relay_with(db, dict.fromkeys(Intent, handler), owner=f"relay-{number}", batches=2)
        start.wait()
        while any(one.status is not S.CONFIRMED for one in effects(db)):
            with suppress(StoreUnavailable):  # the loop comes again
                relay.step()

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    handled = [act for call in calls for act in call]
    assert len(handled) == len(set(handled)) == days * 4
    for call in calls:
        for intent, _, batch_key in call:
            assert len([act for act in call if act[0] is intent and act[2] == batch_key]) == 2


@pytest.mark.parametrize("first", ["decision", "settling"])
def test_a_newer_decision_and_a_failed_push_that_meet_leave_nothing_to_repeat(db, first):
    """I19 under concurrency: whichever transaction is open, the other one waits and then sees it."""
    publish(db, EN, intents=[I.PUSH])
    with db.write() as conn:
        [held] = store.claim(conn, I.PUSH, owner="relay-1", lease_ms=LEASE_MS, limit=1)

    def decide(conn):
        store.record(conn, decided(revision=2, kind="edition.corrected"), planned([I.COMMIT, I.PUSH]))

    def fail(conn):
        store.settle(conn, held, Retryable("503"), chance=0.5, owner_role="recovery", actor="relay-1")

    ours, theirs = (decide, fail) if first == "decision" else (fail, decide)
    about_to, errors = Event(), []

    def second():
        about_to.set()
        try:
            with db.write() as conn:
                theirs(conn)
        except OutboxError as error:
            errors.append(error)

    other = Thread(target=second)
    with db.write() as conn:
        ours(conn)
        other.start()
        about_to.wait()
        other.join(timeout=0.2)
    other.join()
    assert errors == []
    assert the(db, I.PUSH).status is S.SUPERSEDED
