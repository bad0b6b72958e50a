"""Looking at a response: its natural life, and every scripted result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from orchestrator.emulator.answers import Answer, Citation, Search
from orchestrator.emulator.config import DAY_MS
from tests.orchestrator.emulator.conftest import Client, Clock, Start


class PlainNewsroom:
    """Says one thing, with two searches and a citation."""

    def answer(self, request: Any) -> Answer:
        text = json.dumps({"claim": "Rates rose by 2% on Monday, the bank said.", "key": "rates"})
        return Answer(
            output_text=text,
            searches=(Search("rates", ("https://a.example/1",)), Search("bank", ("https://b.example/2",))),
            citations=(Citation("https://a.example/1", "A", 0, 10),),
            input_tokens=11,
            output_tokens=20,
        )


def items(view: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [item for item in view["output"] if item["type"] == kind]


def text_of(view: dict[str, Any]) -> str:
    text: str = items(view, "message")[-1]["content"][0]["text"]
    return text


def test_a_response_is_queued_then_in_progress_then_completed_in_virtual_time(start: Start, clock: Clock) -> None:
    client = start(queue_ms=5_000, work_ms=10_000)
    made = client.created()
    seen = []
    for _ in range(4):
        seen.append(client.get(made).json()["status"])
        clock.forward(5)
    assert seen == ["queued", "in_progress", "in_progress", "completed"]


def test_a_completed_response_never_changes_again(start: Start, clock: Clock) -> None:
    client = start()
    made = client.created()
    clock.forward(60)
    first = client.get(made).json()
    clock.forward(3600)
    assert client.get(made).json() == first
    assert first["completed_at"] - first["created_at"] == 1


def test_searches_and_sources_are_shown_as_asked_for(start: Start, clock: Clock) -> None:
    client = start(newsroom=PlainNewsroom())
    full, without, limited, toolless = (
        client.created(),
        client.created(include=...),
        client.created(max_tool_calls=1),
        client.created(tools=...),
    )
    clock.forward(2)
    shown = client.get(full).json()
    assert [item["action"]["sources"] for item in items(shown, "web_search_call")] == [
        [{"type": "url", "url": "https://a.example/1"}],
        [{"type": "url", "url": "https://b.example/2"}],
    ]
    assert items(shown, "message")[0]["content"][0]["annotations"][0]["type"] == "url_citation"
    assert all("sources" not in s["action"] for s in items(client.get(without).json(), "web_search_call"))
    assert len(items(client.get(limited).json(), "web_search_call")) == 1
    assert items(client.get(toolless).json(), "web_search_call") == []


def test_under_a_json_schema_there_are_no_annotations(start: Start, clock: Clock) -> None:
    client = start(newsroom=PlainNewsroom())
    schema = {
        "type": "object",
        "properties": {"claim": {"type": "string"}},
        "required": ["claim"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "name": "a", "strict": True, "schema": schema}
    made = client.created(text={"format": form})
    clock.forward(2)
    shown = client.get(made).json()
    assert items(shown, "message")[0]["content"][0]["annotations"] == []
    assert shown["text"]["format"] == form


def test_an_answer_longer_than_the_output_limit_is_incomplete_and_cut(start: Start, clock: Clock) -> None:
    client = start(newsroom=PlainNewsroom())
    made = client.created(max_output_tokens=16)
    clock.forward(2)
    shown = client.get(made).json()
    assert (shown["status"], shown["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert shown["usage"]["output_tokens"] == 16
    with pytest.raises(json.JSONDecodeError):
        json.loads(text_of(shown))


def test_a_list_of_statuses_is_shown_look_by_look(start: Start) -> None:
    client = start(
        {"retrieve": [{"status": "queued", "times": 2}, {"status": "in_progress"}, {"status": "completed"}]}
    )
    one, two = client.created(), client.created(input="another")
    assert client.statuses(one, 5) == ["queued", "queued", "in_progress", "completed", "completed"]
    assert client.statuses(two, 2) == ["queued", "queued"]


def test_ends_other_than_completion(start: Start) -> None:
    client = start(
        {
            "retrieve": [
                {"status": "incomplete", "reason": "content_filter"},
                {"status": "incomplete"},
                {"status": "failed", "code": "insufficient_quota"},
                {"status": "failed"},
                {"status": "cancelled"},
                {"result": "empty_output"},
                {"result": "reasoning_only"},
                {"result": "refusal"},
            ]
        },
        newsroom=PlainNewsroom(),
    )
    made = client.created()
    filtered, cut, quota, failed, cancelled, empty, thought, refused = (client.get(made).json() for _ in range(8))
    assert (filtered["status"], filtered["output"]) == ("incomplete", [])
    assert items(cut, "message")[0]["status"] == "incomplete"
    assert (quota["status"], quota["error"]["code"]) == ("failed", "insufficient_quota")
    assert failed["error"]["code"] == "server_error"
    assert (cancelled["status"], cancelled["usage"]) == ("cancelled", None)
    assert (empty["status"], empty["output"]) == ("completed", [])
    assert [item["type"] for item in thought["output"]] == ["reasoning"]
    assert items(refused, "message")[0]["content"][0]["type"] == "refusal"


def test_faults_on_the_way(start: Start) -> None:
    client = start(
        {
            "retrieve": [
                {"result": "http", "status": 503, "headers": {"retry-after": "2"}},
                {"result": "not_found"},
                {"result": "truncated_json"},
                {"result": "wrong_id"},
                {"result": "cut"},
                {"result": "slow", "delay_s": 0.1},
                {"status": "completed"},
                {"result": "must_not_be_called"},
            ]
        }
    )
    made = client.created()
    overloaded = client.get(made)
    assert (overloaded.status_code, overloaded.headers["retry-after"]) == (503, "2")
    missing = client.get(made)
    assert missing.status_code == 404
    assert missing.json()["error"]["message"] == f"Response with id '{made}' not found."
    truncated = client.get(made)
    assert truncated.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        truncated.json()
    stranger = client.get(made).json()
    assert (stranger["id"] == made, stranger["object"]) == (False, "response")
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(made)
    assert client.get(made).json()["status"] == "in_progress"
    assert client.get(made).json()["status"] == "completed"
    assert client.get(made).status_code == 500
    assert len(client.emulator.violations) == 1


def test_an_expired_response_stays_expired(start: Start) -> None:
    client = start({"retrieve": [{"status": "queued"}, {"result": "expired"}, {"status": "completed"}]})
    made = client.created()
    assert [client.get(made).status_code for _ in range(4)] == [200, 404, 404, 404]


def test_a_window_of_404_after_completion_passes_in_virtual_time(start: Start, clock: Clock) -> None:
    client = start({"retrieve": [{"status": "queued"}, {"result": "not_found_for", "s": 33}]})
    made = client.created()
    seen = []
    for _ in range(5):
        seen.append(client.get(made).status_code)
        clock.forward(16)
    assert seen == [200, 404, 404, 404, 200]
    assert client.get(made).json()["status"] == "completed"


def test_retention_ends_after_ten_minutes_unstored_and_thirty_days_stored(start: Start, clock: Clock) -> None:
    client = start()
    stored, unstored, foreground = (
        client.created(),
        client.created(store=False),
        client.created(store=False, background=False),
    )
    assert client.get(foreground).status_code == 404
    clock.forward(599)
    assert [client.get(one).status_code for one in (stored, unstored)] == [200, 200]
    clock.forward(3)
    assert [client.get(one).status_code for one in (stored, unstored)] == [200, 404]
    clock.forward(30 * DAY_MS / 1000)
    assert client.get(stored).status_code == 404


def test_wire_quirks_leave_the_answer_readable(start: Start) -> None:
    quirks = ["missing_action", "citation_markers", "foreign_source", "several_messages", "unknown_item"]
    client = start({"retrieve": [{"result": one} for one in quirks]}, newsroom=PlainNewsroom())
    made = client.created()
    actionless, marked, foreign, several, unknown = (client.get(made).json() for _ in quirks)
    assert [("action" in one) for one in items(actionless, "web_search_call")] == [True, True, False]
    claim = json.loads(text_of(marked))
    assert claim["claim"].endswith("\ue200cite\ue202turn1search0\ue201")
    assert claim["key"] == "rates"
    sources = items(foreign, "web_search_call")[-1]["action"]["sources"]
    assert sources[-1] == {"type": "api", "name": "oai-sports"}
    assert [one["phase"] for one in items(several, "message")] == ["commentary", "final_answer"]
    assert [one["type"] for one in unknown["output"]] == [
        "reasoning",
        "web_search_call",
        "web_search_call",
        "exploration_call",
        "message",
    ]


def test_a_payload_is_a_fixture_under_the_id_that_was_asked(start: Start, tmp_path: Path) -> None:
    recorded = {"id": "resp_other", "object": "response", "status": "completed", "output": [], "metadata": {}}
    (tmp_path / "whole.json").write_text(json.dumps(recorded))
    (tmp_path / "payloads").mkdir()
    (tmp_path / "payloads" / "text.json").write_text('{"candidates": []}')
    client = start(
        {"retrieve": [{"result": "payload", "file": "whole.json"}, {"payload": "text.json"}]},
        newsroom=PlainNewsroom(),
        folder=tmp_path,
    )
    made = client.created()
    whole = client.get(made).json()
    assert (whole["id"], whole["output"], whole["metadata"]["stage"]) == (made, [], "research_primary")
    told = client.get(made).json()
    assert text_of(told) == '{"candidates": []}'
    assert len(items(told, "web_search_call")) == 2


def test_a_foreground_create_answers_with_the_scripted_end(start: Start) -> None:
    client = start({"retrieve": [{"status": "queued"}, {"result": "refusal"}]})
    shown = client.create(background=False).json()
    assert shown["status"] == "completed"
    assert items(shown, "message")[0]["content"][0]["type"] == "refusal"


def test_unknown_ids_and_paths_are_404_with_the_envelope(start: Start) -> None:
    client: Client = start()
    assert client.get("resp_nowhere").json()["error"]["type"] == "invalid_request_error"
    assert client.http.get("/nowhere").json()["error"]["code"] == "unknown_url"
    assert client.http.get("/responses").status_code == 404
