"""Every answer of the emulator has the public API's shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.orchestrator.emulator.conftest import Clock, Start, create_body

Conforms = Callable[[Any, str], None]

SHAPES = [
    {"status": "queued"},
    {"status": "in_progress"},
    {"status": "completed"},
    {"status": "incomplete", "reason": "max_output_tokens"},
    {"status": "incomplete", "reason": "content_filter"},
    {"status": "failed", "code": "server_error"},
    {"status": "failed", "code": "invalid_prompt"},
    {"status": "cancelled"},
    {"result": "empty_output"},
    {"result": "reasoning_only"},
    {"result": "refusal"},
    {"result": "wrong_id"},
    {"result": "missing_action"},
    {"result": "missing_action", "all": True},
    {"result": "citation_markers"},
    {"result": "foreign_source"},
    {"result": "several_messages"},
]


@pytest.mark.parametrize("step", SHAPES, ids=lambda step: "-".join(map(str, step.values())))
def test_what_a_look_shows_is_a_response_object(start: Start, conforms: Conforms, step: Any) -> None:
    client = start({"retrieve": [step]})
    conforms(client.get(client.created()).json(), "Response")


def test_creates_cancels_deletes_and_pages_have_their_shapes(
    start: Start, clock: Clock, conforms: Conforms
) -> None:
    client = start()
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    body = create_body(
        text={"format": {"type": "json_schema", "name": "n", "strict": True, "schema": schema}},
        tools=[{"type": "web_search", "filters": {"allowed_domains": ["wire.example"]}}],
        tool_choice="required",
        max_tool_calls=8,
        instructions="Be brief.",
    )
    conforms(body, "CreateResponse")
    created = client.http.post("/responses", json=body).json()
    conforms(created, "Response")
    conforms(client.create(background=False).json(), "Response")
    conforms(client.http.get(f"/responses/{created['id']}/input_items").json(), "ResponseItemList")
    counted = client.http.post("/responses/input_tokens", json={"model": "m", "input": "x"}).json()
    conforms(counted, "TokenCountsResource")
    conforms(client.cancel(created["id"]).json(), "Response")
    conforms(client.delete(created["id"]).json(), "DeleteResponse")


def test_refusals_are_error_envelopes(start: Start, conforms: Conforms) -> None:
    client = start({"match": {"call": 2}, "create": [{"result": "http", "status": 429}]})
    made = client.created()
    refusals = [
        client.create(),
        client.create(max_output_tokens=1),
        client.create(nonsense=1),
        client.get("resp_none"),
        client.http.post("/responses", content=b"{"),
        client.http.patch(f"/responses/{made}"),
    ]
    assert [one.status_code for one in refusals] == [429, 400, 400, 404, 400, 404]
    for one in refusals:
        conforms(one.json(), "ErrorResponse")
