"""Webhooks: when they come, how they are signed, how often, and that none is lost."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from orchestrator.emulator.answers import EchoNewsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.errors import ConfigurationError
from tests.orchestrator.emulator.conftest import SECRET, Clock, Receiver, Start

Received = tuple[dict[str, str], bytes]


def event_of(received: Received) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(received[1])
    return event


def verified(received: Received) -> bool:
    try:
        Webhook(SECRET).verify(received[1], received[0])
    except WebhookVerificationError:
        return False
    return True


def hooks(receiver: Receiver) -> dict[str, str]:
    return {"webhook_url": receiver.url, "webhook_secret": SECRET}


def test_the_end_is_announced_when_it_comes_not_before(
    start: Start, clock: Clock, receiver: Receiver, conforms: Any
) -> None:
    client = start(**hooks(receiver))
    made = client.created()
    client.created(background=False)
    assert receiver.got == []
    clock.forward(2)
    (first,) = receiver.wait(1)
    assert (event_of(first)["type"], event_of(first)["data"]) == ("response.completed", {"id": made})
    assert first[0]["user-agent"].startswith("OpenAI/1.0")
    assert verified(first)
    conforms(event_of(first), "WebhookResponseEvent")


def test_a_scripted_end_is_announced_when_it_is_first_seen(start: Start, receiver: Receiver) -> None:
    client = start({"retrieve": [{"status": "queued"}, {"status": "failed"}]}, **hooks(receiver))
    made = client.created()
    assert client.statuses(made, 3) == ["queued", "failed", "failed"]
    (first,) = receiver.wait(1)
    assert event_of(first)["type"] == "response.failed"


def test_scripted_webhooks_come_late_twice_and_with_the_same_id(
    start: Start, clock: Clock, receiver: Receiver
) -> None:
    rule = {"webhook": [{"after_s": 3, "event": "response.completed", "times": 2}]}
    client = start(rule, **hooks(receiver))
    made = client.created()
    clock.forward(2)
    assert client.get(made).json()["status"] == "completed"
    assert receiver.got == []
    clock.forward(1)
    one, two = receiver.wait(2)
    assert one[0]["webhook-id"] == two[0]["webhook-id"]
    assert one[1] == two[1]
    assert (verified(one), verified(two)) == (True, True)


def test_bad_and_old_signatures_and_unknown_ids(start: Start, receiver: Receiver) -> None:
    rule = {
        "retrieve": [{"status": "queued"}],
        "webhook": [
            {"signature": "bad"},
            {"signature": "old", "event": "response.failed"},
            {"response_id": "unknown", "event": "response.cancelled"},
        ],
    }
    receiver.statuses = [401, 401]
    client = start(rule, **hooks(receiver))
    made = client.created()
    by_type = {event_of(one)["type"]: one for one in receiver.wait(3)}
    assert not verified(by_type["response.completed"])
    assert not verified(by_type["response.failed"])
    assert verified(by_type["response.cancelled"])
    assert event_of(by_type["response.cancelled"])["data"]["id"] != made


def test_an_empty_list_sends_nothing(start: Start, clock: Clock, receiver: Receiver) -> None:
    client = start(
        {"match": {"product": "daily-brief"}, "webhook": []},
        **hooks(receiver),
    )
    client.created()
    loud = client.created(metadata={"product": "revolution-watch"})
    clock.forward(5)
    (only,) = receiver.wait(1)
    assert event_of(only)["data"]["id"] == loud


def test_a_cancel_replaces_the_announcement_of_completion(start: Start, clock: Clock, receiver: Receiver) -> None:
    client = start(**hooks(receiver))
    made, other = client.created(), client.created(input="else")
    client.cancel(made)
    clock.forward(5)
    events = {(event_of(one)["data"]["id"], event_of(one)["type"]) for one in receiver.wait(2)}
    assert events == {(made, "response.cancelled"), (other, "response.completed")}


def test_what_was_not_acknowledged_comes_again_with_the_same_id(
    start: Start, clock: Clock, receiver: Receiver
) -> None:
    receiver.statuses = [500, 302]
    client = start(**hooks(receiver))
    client.created()
    while len(receiver.got) < 3:
        clock.forward(1)
        threading.Event().wait(0.02)
    received = receiver.wait(3)
    assert len({one[0]["webhook-id"] for one in received}) == 1


def test_a_restarted_emulator_sends_what_was_not_acknowledged(
    start: Start, clock: Clock, receiver: Receiver, tmp_path: Any
) -> None:
    receiver.statuses = [503]
    first = start(journal_dir=tmp_path, **hooks(receiver))
    made = first.created()
    clock.forward(5)
    receiver.wait(1)
    first.emulator.stop()
    start(journal_dir=tmp_path, **hooks(receiver))
    one, two = receiver.wait(2)
    assert (event_of(two)["data"]["id"], one[0]["webhook-id"]) == (made, two[0]["webhook-id"])


def test_a_secret_that_cannot_sign_is_refused_at_the_start() -> None:
    config = EmulatorConfig(webhook_url="http://127.0.0.1:9/", webhook_secret="")
    with pytest.raises(ConfigurationError, match="webhook secret"):
        Emulator(config, EchoNewsroom()).start()
