"""The official client with strict validation of responses is the emulator's conformance gate."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.orchestrator.emulator.conftest import JOB, SECRET, Client, Clock, Receiver, Start


def strict(client: Client) -> OpenAI:
    return OpenAI(
        api_key="test",
        base_url=client.emulator.base_url,
        webhook_secret=SECRET,
        max_retries=0,
        _strict_response_validation=True,
    )


def test_it_creates_polls_reads_cancels_deletes_and_verifies_a_webhook(
    start: Start, clock: Clock, receiver: Receiver
) -> None:
    raw = start(webhook_url=receiver.url, webhook_secret=SECRET)
    with strict(raw) as client:
        first = client.responses.create(
            model="synthetic-1",
            input="What happened?",
            background=True,
            tools=[{"type": "web_search"}],
            include=["web_search_call.action.sources"],
            metadata=dict(JOB),
        )
        assert (first.status, first.output) == ("queued", [])
        assert client.responses.retrieve(first.id).status == "in_progress"
        clock.forward(2)
        done = client.responses.retrieve(first.id, include=["web_search_call.action.sources"])
        assert (done.status, done.output_text) == ("completed", "echo: What happened?")
        assert done.metadata == dict(JOB)

        other = client.responses.create(model="synthetic-1", input="Never mind", background=True)
        assert client.responses.cancel(other.id).status == "cancelled"
        assert client.responses.cancel(other.id).status == "cancelled"

        received = receiver.wait(2)
        events: list[Any] = [client.webhooks.unwrap(body.decode(), headers) for headers, body in received]
        assert {(e.type, e.data.id) for e in events} == {
            ("response.completed", first.id),
            ("response.cancelled", other.id),
        }

        for response_id in (first.id, other.id):
            client.responses.delete(response_id)
            with pytest.raises(openai.NotFoundError) as missing:
                client.responses.retrieve(response_id)
            assert missing.value.type == "invalid_request_error"


def test_it_reads_foreground_answers_pages_of_input_and_token_counts(start: Start) -> None:
    with strict(start()) as client:
        answer = client.responses.create(model="synthetic-1", input="At once?")
        assert (answer.status, answer.output_text) == ("completed", "echo: At once?")
        assert answer.usage is not None
        assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens

        talk: Any = [{"role": "user", "content": f"part {n}"} for n in range(5)]
        many = client.responses.create(model="synthetic-1", input=talk)
        pages: Any = client.responses.input_items.list(many.id, limit=2, order="asc")
        texts = [item.content[0].text for item in pages]
        assert texts == [f"part {n}" for n in range(5)]
        assert client.responses.input_tokens.count(model="m", input="abcdefgh").input_tokens == 2


def test_it_sees_scripted_endings_as_the_typed_objects_they_are(start: Start) -> None:
    endings: list[dict[str, Any]] = [
        {"status": "incomplete", "reason": "content_filter"},
        {"status": "incomplete"},
        {"status": "failed", "code": "server_error"},
        {"result": "empty_output"},
        {"result": "reasoning_only"},
        {"result": "refusal"},
        {"result": "citation_markers"},
        {"result": "several_messages"},
    ]
    raw = start({"retrieve": endings})
    with strict(raw) as client:
        made = client.responses.create(model="m", input="x" * 400, background=True)
        seen = [client.responses.retrieve(made.id) for _ in endings]
    assert [one.status for one in seen[:3]] == ["incomplete", "incomplete", "failed"]
    assert seen[0].incomplete_details is not None
    assert seen[0].incomplete_details.reason == "content_filter"
    assert seen[2].error is not None
    assert seen[2].error.code == "server_error"
    assert [one.output_text for one in seen[3:6]] == ["", "", ""]
    assert "\ue200cite\ue202turn1search0\ue201" in seen[6].output_text
    assert len(seen[7].output) == 3


def test_its_errors_are_the_typed_ones(start: Start) -> None:
    raw = start(
        {
            "create": [
                {
                    "result": "http",
                    "status": 429,
                    "code": "insufficient_quota",
                    "headers": {"x-should-retry": "false"},
                },
                {"result": "http", "status": 500},
                {"result": "ok"},
            ]
        }
    )
    with strict(raw) as client:
        with pytest.raises(openai.RateLimitError) as quota:
            client.responses.create(model="m", input="x")
        assert (quota.value.code, quota.value.type) == ("insufficient_quota", "insufficient_quota")
        with pytest.raises(openai.InternalServerError):
            client.responses.create(model="m", input="x")
        with pytest.raises(openai.BadRequestError) as refused:
            client.responses.create(model="m", input="x", max_output_tokens=3)
        assert (refused.value.param, refused.value.code) == ("max_output_tokens", "integer_below_min_value")


def test_without_a_key_nothing_is_answered_but_401(start: Start) -> None:
    raw = start()
    answer = httpx.get(raw.emulator.base_url + "/responses/resp_1", trust_env=False)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")
    with_azure_header = httpx.get(
        raw.emulator.base_url + "/responses/resp_1", headers={"api-key": "k"}, trust_env=False
    )
    assert with_azure_header.status_code == 404
