"""What the provider refuses in a create request."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.emulator.api_error import ApiError
from orchestrator.emulator.request_check import check_count, check_create
from tests.orchestrator.emulator.conftest import create_body


def strict(schema: dict[str, Any], /, **changes: Any) -> dict[str, Any]:
    form = {"type": "json_schema", "name": "answer", "strict": True, "schema": schema} | changes
    return {"text": {"format": {k: v for k, v in form.items() if v is not ...}}}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


NODE = {"$defs": {"n": closed(kids={"type": "array", "items": {"$ref": "#/$defs/n"}})}}

ACCEPTED: list[dict[str, Any]] = [
    {},
    {"input": "plain text"},
    {"store": False},
    {"metadata": {f"k{n}": "v" * 512 for n in range(16)}},
    {"tools": [{"type": "web_search", "filters": {"allowed_domains": ["a.example"]}}]},
    {"tools": [{"type": "function", "name": "f", "parameters": {}}]},
    {"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "web_search"}]}},
    {"reasoning": {"effort": "low"}, "temperature": 0, "top_p": 1, "service_tier": "flex"},
    strict(closed(a={"anyOf": [{"type": "string"}, {"type": "null"}]}, b={"enum": ["x"]})),
    strict(closed(root={"$ref": "#/$defs/n"}) | NODE),
    strict({"type": "object", "properties": {"free": {}}}, strict=False),
]


@pytest.mark.parametrize("changes", ACCEPTED)
def test_good_requests_pass(changes: dict[str, Any]) -> None:
    check_create(create_body(**changes))


REFUSED: list[tuple[dict[str, Any], str | None, str | None]] = [
    ({"model": ...}, "model", "missing_required_parameter"),
    ({"input": ...}, "input", "missing_required_parameter"),
    ({"response_format": {}}, "response_format", "unknown_parameter"),
    ({"background": "yes"}, "background", "invalid_type"),
    ({"max_output_tokens": True}, "max_output_tokens", "invalid_type"),
    ({"max_output_tokens": 15}, "max_output_tokens", "integer_below_min_value"),
    ({"max_tool_calls": 0}, "max_tool_calls", "integer_below_min_value"),
    ({"temperature": 2.5}, "temperature", "decimal_above_max_value"),
    ({"truncation": "some"}, "truncation", "invalid_value"),
    ({"stream": True}, "stream", "unsupported_value"),
    ({"input": [{"role": "robot", "content": "x"}]}, "input[0].role", "invalid_value"),
    ({"input": [{"role": "user"}]}, "input[0].content", "invalid_type"),
    ({"metadata": {f"k{n}": "" for n in range(17)}}, "metadata", "object_above_max_properties"),
    ({"metadata": {"k" * 65: ""}}, "metadata", "propertyname_above_max_length"),
    ({"metadata": {"k": "v" * 513}}, "metadata.k", "string_above_max_length"),
    ({"metadata": {"k": 1}}, "metadata.k", "invalid_type"),
    ({"safety_identifier": "s" * 65}, "safety_identifier", "string_above_max_length"),
    ({"include": ["everything"]}, "include[0]", "invalid_value"),
    ({"tools": [{"name": "x"}]}, "tools[0].type", "missing_required_parameter"),
    ({"tools": [{"type": "web_search", "depth": 3}]}, "tools[0].depth", "unknown_parameter"),
    (
        {"tools": [{"type": "web_search", "filters": {"excluded_domains": []}}]},
        "tools[0].filters.excluded_domains",
        "unknown_parameter",
    ),
    (
        {"tools": [{"type": "web_search", "filters": {"allowed_domains": ["https://a.example"]}}]},
        "tools[0].filters.allowed_domains",
        "invalid_value",
    ),
    (
        {"tools": [{"type": "web_search", "filters": {"allowed_domains": ["a.example"] * 101}}]},
        "tools[0].filters.allowed_domains",
        "array_above_max_length",
    ),
    ({"tool_choice": "force"}, "tool_choice", "invalid_value"),
    ({"tool_choice": {"type": "web_search"}}, "tool_choice.type", "invalid_value"),
    ({"reasoning": {"effort": "huge"}}, "reasoning.effort", "invalid_value"),
    ({"text": {"format": {"type": "json_object"}}}, None, None),
    ({"text": {"format": {"type": "yaml"}}}, "text.format.type", "invalid_value"),
    (strict(closed(), name=...), "text.format.name", "missing_required_parameter"),
    (strict(closed(), schema=...), "text.format.schema", "missing_required_parameter"),
    (strict(closed(), name="two words"), "text.format.name", "invalid_value"),
    (strict(closed(), json_schema={}), "text.format.json_schema", "unknown_parameter"),
    ({"previous_response_id": "a", "conversation": "b"}, "conversation", "mutually_exclusive_parameters"),
]


@pytest.mark.parametrize(("changes", "param", "code"), REFUSED)
def test_bad_requests_are_refused_with_parameter_and_code(
    changes: dict[str, Any], param: str | None, code: str | None
) -> None:
    with pytest.raises(ApiError) as refused:
        check_create(create_body(**changes))
    error = refused.value.envelope()["error"]
    assert (refused.value.status, error["param"], error["code"]) == (400, param, code)


BAD_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"type": "array", "items": {"type": "string"}}, 'type: "object"'),
    ({"type": "object", "properties": {}}, "'additionalProperties' is required"),
    (closed(a={"type": "string"}) | {"required": []}, "Missing 'a'"),
    (closed() | {"required": ["ghost"]}, "Extra required key 'ghost'"),
    (closed(a={"type": "array"}), "array schema missing items"),
    (closed(a={"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
    (closed(a={"type": "string", "default": "x"}), "'default' is not permitted"),
    (closed(a={"description": "anything"}), "must have a 'type' key"),
    (closed(a={"$ref": "#/$defs/none"}), "reference can only point"),
    (closed(a={"$ref": "#/$defs/n", "description": "d"}) | NODE, "$ref cannot have keywords"),
    (closed(a={"type": "object", "properties": {}}), "In context=('properties', 'a')"),
]


@pytest.mark.parametrize(("schema", "words"), BAD_SCHEMAS)
def test_a_schema_that_strict_mode_refuses_is_refused(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_create(create_body(**strict(schema)))
    assert refused.value.code == "invalid_json_schema"
    assert words in refused.value.message
    check_create(create_body(**strict(schema, strict=False)))


def test_nesting_is_limited_to_ten_levels() -> None:
    schema = closed()
    for _ in range(11):
        schema = closed(inner=schema)
    with pytest.raises(ApiError, match="levels of nesting"):
        check_create(create_body(**strict(schema)))


def test_counting_tokens_takes_no_output_parameters() -> None:
    check_count({"model": "m", "input": "x"})
    with pytest.raises(ApiError, match="Unknown parameter: 'max_output_tokens'"):
        check_count({"model": "m", "input": "x", "max_output_tokens": 20})
