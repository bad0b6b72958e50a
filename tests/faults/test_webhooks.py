"""F23, F24: webhooks twice, late, out of order, badly signed and six minutes old, to the real receiver.

The receiver is a process of its own; it is killed after it has answered.
"""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection, Pipe

import httpx
import pytest
from standardwebhooks import Webhook

from orchestrator import entropy
from orchestrator.store.open import open_store
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.server import WebServer
from tests.faults import child
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import Scene
from tests.faults.test_provider import SCOUT

SECRET = "whsec_" + base64.b64encode(b"a secret of the fault tests only").decode()


def receive(url: str, told: Connection) -> None:
    """Receive webhooks until killed."""
    database = open_store(url)
    app = DeskApp(secrets=[SECRET])
    app.begin(database, silent_s=lambda: 0.0, told=lambda: None)
    with WebServer(app.asgi) as server:
        told.send(server.url)
        told.recv()


@dataclass
class Receiver:
    """Where webhooks go, and the process that takes them."""

    url: str
    pid: int

    def post(self, response_id: str, kind: str, *, event_id: str, age_s: int = 0, secret: str = SECRET) -> int:
        """Send one; the status."""
        body = json.dumps({"object": "event", "id": event_id, "type": kind, "data": {"id": response_id}})
        at = entropy.utc_now() - timedelta(seconds=age_s)
        headers = {
            "webhook-id": event_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(secret).sign(event_id, at, body),
        }
        return httpx.post(self.url + WEBHOOK_PATH, content=body, headers=headers, trust_env=False).status_code


@pytest.fixture
def received(stage: Stage) -> Iterator[tuple[Scene, Receiver]]:
    """A scene whose scout stays in progress for long, and a receiver."""
    busy = {"match": SCOUT, "retrieve": [{"status": "in_progress", "times": 3}, {"status": "completed"}]}
    scene = stage(rules=[busy])
    ours, theirs = Pipe()
    process = child.start(receive, scene.db.url.render_as_string(hide_password=False), theirs)
    yield scene, Receiver(ours.recv(), int(process.pid or 0))
    process.kill()
    child.ended(process)
    ours.close()
    theirs.close()


def the_scout(scene: Scene) -> tuple[str, str]:
    """State and response id of the first job."""
    return scene.rows("SELECT state, response_id FROM job ORDER BY created_ms, id")[0]  # type: ignore[return-value]


def test_f23_webhooks_repeated_late_reordered_old_and_forged_have_one_effect(
    received: tuple[Scene, Receiver],
) -> None:
    scene, receiver = received
    scene.shift(until=lambda: the_scout(scene)[0] == "IN_PROGRESS")
    response = the_scout(scene)[1]
    other = "whsec_" + base64.b64encode(b"somebody else's secret, not ours").decode()
    completed = "response.completed"
    assert receiver.post(response, completed, event_id="evt_forged", secret=other) == 401
    assert receiver.post(response, completed, event_id="evt_old", age_s=360) == 401
    assert scene.rows("SELECT id FROM inbox_event") == []
    assert receiver.post("resp_" + "0" * 48, completed, event_id="evt_unknown") == 200
    assert [receiver.post(response, completed, event_id="evt_1") for _ in range(2)] == [200, 200]
    assert receiver.post(response, "response.in_progress", event_id="evt_late") == 200
    assert receiver.post(response, "response.failed", event_id="evt_2") == 200
    scene.shift(operator=False)
    assert_whole(scene)
    webhook = "SELECT count(*) FROM event WHERE event_type = 'WEBHOOK_TERMINAL'"
    assert scene.one(webhook) == 1
    statuses = dict(scene.rows("SELECT event_id, status FROM inbox_event"))
    assert statuses["evt_1"] == "APPLIED"
    assert "PENDING" not in statuses.values()
    assert len(scene.creates(**SCOUT)) == 1


def test_f24_a_webhook_that_was_acknowledged_survives_the_crash_of_its_receiver(
    received: tuple[Scene, Receiver],
) -> None:
    scene, receiver = received
    scene.shift(until=lambda: the_scout(scene)[0] == "ACCEPTED")
    status = receiver.post(the_scout(scene)[1], "response.completed", event_id="evt_1")
    os.kill(receiver.pid, signal.SIGKILL)
    assert status == 200
    assert scene.rows("SELECT event_id, status FROM inbox_event") == [("evt_1", "PENDING")]
    scene.shift(operator=False)
    assert_whole(scene)


def test_a_signed_event_heals_a_create_that_was_cut_off(stage: Stage) -> None:
    cut = {"match": SCOUT, "create": [{"result": "cut_after_accept"}, {"result": "must_not_be_called"}]}
    scene = stage(rules=[cut])
    scene.shift(operator=False)
    assert the_scout(scene) == ("QUARANTINED", None)
    app = DeskApp(secrets=[SECRET])
    app.begin(scene.db, silent_s=lambda: 0.0, told=lambda: None)
    with WebServer(app.asgi) as server:
        sent = scene.creates()[0]["response_id"]
        assert Receiver(server.url, 0).post(sent, "response.completed", event_id="evt_1") == 200
    scene.shift(operator=False)
    assert_whole(scene)
    assert broken(scene) == {}
