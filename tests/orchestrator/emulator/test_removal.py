"""Cancel and delete: idempotence, races, refusals."""

from __future__ import annotations

import httpx
import pytest

from tests.orchestrator.emulator.conftest import Clock, Start


def test_a_cancelled_response_stays_cancelled_whatever_the_script_says(start: Start, clock: Clock) -> None:
    client = start({"retrieve": [{"status": "queued"}, {"status": "completed"}]})
    made = client.created()
    assert client.statuses(made, 1) == ["queued"]
    first = client.cancel(made).json()
    assert (first["status"], first["usage"]) == ("cancelled", None)
    clock.forward(60)
    assert client.cancel(made).json() == first
    assert client.statuses(made, 2) == ["cancelled", "cancelled"]


def test_a_cancel_can_lose_the_race_against_completion(start: Start) -> None:
    client = start({"retrieve": [{"status": "queued"}], "cancel": [{"result": "completes_first"}]})
    made = client.created()
    assert client.cancel(made).json()["status"] == "completed"
    assert client.get(made).json()["status"] == "completed"
    assert client.cancel(made).json()["status"] == "completed"


def test_a_cancel_after_the_end_changes_nothing(start: Start, clock: Clock) -> None:
    client = start()
    made = client.created()
    clock.forward(5)
    done = client.get(made).json()
    assert client.cancel(made).json() == done


def test_a_foreground_response_cannot_be_cancelled(start: Start) -> None:
    client = start()
    made = client.created(background=False)
    answer = client.cancel(made)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "Cannot cancel a synchronous response."
    assert client.cancel("resp_nowhere").status_code == 404


def test_a_refused_cancel_cancels_nothing_and_a_cut_one_does(start: Start) -> None:
    client = start({"cancel": [{"result": "http", "status": 500}, {"result": "cut"}]})
    made = client.created()
    assert client.cancel(made).status_code == 500
    assert client.get(made).json()["status"] == "in_progress"
    with pytest.raises(httpx.RemoteProtocolError):
        client.cancel(made)
    assert client.get(made).json()["status"] == "cancelled"


def test_a_deleted_response_is_gone_for_every_operation(start: Start) -> None:
    client = start()
    made = client.created()
    assert client.delete(made).json() == {"id": made, "object": "response.deleted", "deleted": True}
    after = [client.get(made), client.delete(made), client.cancel(made)]
    assert [one.status_code for one in after] == [404, 404, 404]


def test_scripted_deletes(start: Start) -> None:
    client = start(
        {"delete": [{"result": "http", "status": 503}, {"result": "cut"}]},
    )
    made = client.created()
    assert client.delete(made).status_code == 503
    assert client.get(made).status_code == 200
    with pytest.raises(httpx.RemoteProtocolError):
        client.delete(made)
    assert client.delete(made).status_code == 404


def test_a_delete_that_finds_nothing_leaves_nothing(start: Start) -> None:
    client = start({"delete": [{"result": "not_found"}]})
    made = client.created()
    assert client.delete(made).status_code == 404
    assert client.get(made).status_code == 404
