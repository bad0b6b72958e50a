"""The order of arrival never decides; the revision does."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from outbox.message import EntityChange
from outbox.reducer import EntityState, Verdict, reduce

O_1042 = json.loads((Path(__file__).parents[2] / "fixtures/orders/o-1042.json").read_text())


def run_through(events):
    """The dossier's reducer: memory of deliveries, of changes and of the newest state."""
    delivered, applied, current, verdicts = set(), set(), None, []
    for event in events:
        change = EntityChange(
            entity=event["order_id"],
            revision=event["revision"],
            state=event["state"],
            intent=event["intent"],
        )
        verdict = reduce(
            change,
            current,
            delivered_before=event["event_id"] in delivered,
            applied_before=change in applied,
        )
        delivered.add(event["event_id"])
        if verdict in {Verdict.APPLIED, Verdict.BUSINESS_DUPLICATE}:
            applied.add(change)
        if verdict is Verdict.APPLIED:
            current = EntityState(entity=change.entity, revision=change.revision, state=change.state)
        verdicts.append(verdict)
    return verdicts, current


def test_order_o_1042_gets_the_verdicts_of_the_dossier():
    verdicts, current = run_through(O_1042["events"])
    assert verdicts == O_1042["expected"]
    final = O_1042["final"]
    assert current == EntityState(entity=final["order_id"], revision=final["revision"], state=final["state"])


def test_order_o_1042_ends_the_same_in_any_order_of_arrival():
    peaceful = [e for e in O_1042["events"] if e["event_id"] != "evt-conflict-r3"]
    ends = {run_through(order)[1] for order in permutations(peaceful)}
    assert ends == {EntityState(entity="O-1042", revision=3, state="CANCELED")}


def test_replaying_the_whole_history_applies_nothing_again():
    events = sorted(O_1042["events"][:2], key=lambda e: e["revision"])
    again = [event | {"event_id": event["event_id"] + "-replayed"} for event in events]
    verdicts, current = run_through(events + again)
    assert verdicts == ["applied", "applied", "business_duplicate", "business_duplicate"]
    assert current is not None
    assert current.revision == 3


@pytest.mark.parametrize(
    ("revision", "state", "verdict"),
    [
        (3, "UPDATED", Verdict.APPLIED),
        (2, "UPDATED", Verdict.BUSINESS_DUPLICATE),
        (2, "CANCELED", Verdict.CONFLICT),
        (1, "UPDATED", Verdict.STALE),
    ],
)
def test_a_new_message_is_judged_by_its_revision(revision, state, verdict):
    current = EntityState(entity="O-1042", revision=2, state="UPDATED")
    change = EntityChange(entity="O-1042", revision=revision, state=state, intent="set_order_state")
    assert reduce(change, current, delivered_before=False, applied_before=False) is verdict


def test_a_delivery_that_is_known_is_a_duplicate_whatever_it_says():
    change = EntityChange(entity="O-1042", revision=99, state="CREATED", intent="set_order_state")
    assert reduce(change, None, delivered_before=True, applied_before=False) is Verdict.TRANSPORT_DUPLICATE
