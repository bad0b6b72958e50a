"""What the provider refuses in a create request, in its words (wire notes §1.1, §3, 5.8).

`check_create` raises ApiError 400 for the first thing that is wrong and returns nothing otherwise. It knows what
the public API documents for the parameters of this project; parameters that it only knows by name are
accepted as they are. Streaming is refused: this provider answers whole objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from orchestrator.emulator.api_error import ApiError, bad_request
from orchestrator.emulator.parameters import (
    COUNT_PARAMETERS,
    CREATE_PARAMETERS,
    EFFORTS,
    ENUMS,
    FORMAT_NAME,
    HOSTED_CHOICES,
    INCLUDES,
    KINDS,
    RANGES,
    SEARCH_TOOL_KEYS,
)
from orchestrator.emulator.schema_check import check_strict_schema

Request = Mapping[str, Any]


def check_create(request: Request) -> None:
    """Refuse what the provider would refuse. Raises ApiError (400)."""
    _check_names(request, CREATE_PARAMETERS)
    for check in (_check_kinds, _check_required, _check_values, _check_ranges):
        check(request)
    for name, part in PARTS.items():
        if request.get(name) is not None:
            part(request[name])
    if request.get("stream"):
        raise bad_request(
            "Unsupported value: 'stream' does not support true here.",
            param="stream",
            code="unsupported_value",
        )
    _check_json_mode(request)


def check_count(request: Request) -> None:
    """The same for POST /v1/responses/input_tokens."""
    _check_names(request, COUNT_PARAMETERS)
    _check_kinds(request)


def _check_names(request: Request, known: frozenset[str], prefix: str = "") -> None:
    for name in request:
        if name not in known:
            raise unknown_parameter(prefix + name)


def unknown_parameter(param: str) -> ApiError:
    """400 for a key that the provider does not know."""
    return bad_request(f"Unknown parameter: '{param}'.", param=param, code="unknown_parameter")


def _invalid_type(param: str, expected: str, value: object) -> ApiError:
    found = {str: "a string", bool: "a boolean", int: "an integer", float: "a decimal", list: "an array"}
    got = found.get(type(value), "an object" if isinstance(value, dict) else "null")
    message = f"Invalid type for '{param}': expected {expected}, but got {got} instead."
    return bad_request(message, param=param, code="invalid_type")


def _invalid_value(param: str, value: object, known: frozenset[str]) -> ApiError:
    listed = ", ".join(f"'{one}'" for one in sorted(known))
    message = f"Invalid value: '{value}'. Supported values are: {listed}."
    return bad_request(message, param=param, code="invalid_value")


def _check_kinds(request: Request) -> None:
    for name, (kind, expected) in KINDS.items():
        value = request.get(name)
        if value is None:
            continue
        wants_bool = kind is bool
        if not isinstance(value, kind) or (isinstance(value, bool) and not wants_bool):
            raise _invalid_type(name, expected, value)


def _check_required(request: Request) -> None:
    needed = ["model"]
    if not any(request.get(name) for name in ("prompt", "previous_response_id", "conversation")):
        needed.append("input")
    for name in needed:
        if request.get(name) in (None, "", []):
            message = f"Missing required parameter: '{name}'."
            raise bad_request(message, param=name, code="missing_required_parameter")
    if request.get("previous_response_id") and request.get("conversation"):
        message = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'."
        raise bad_request(message, param="conversation", code="mutually_exclusive_parameters")


def _check_values(request: Request) -> None:
    for name, known in ENUMS.items():
        if request.get(name) is not None and request[name] not in known:
            raise _invalid_value(name, request[name], known)


def _check_ranges(request: Request) -> None:
    for name, (low, high) in RANGES.items():
        value = request.get(name)
        if value is None or low <= value <= high:
            continue
        kind = "integer" if KINDS[name][0] is int else "decimal"
        side, bound, sign = ("below minimum", low, ">=") if value < low else ("above maximum", high, "<=")
        message = (
            f"Invalid '{name}': {kind} {side} value. Expected a value {sign} {bound:g}, but got {value} instead."
        )
        code = f"{kind}_{'below_min' if value < low else 'above_max'}_value"
        raise bad_request(message, param=name, code=code)


def _check_input(value: str | list[Any]) -> None:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        place = f"input[{number}]"
        if not isinstance(item, dict):
            raise _invalid_type(place, "an object", item)
        if item.get("type", "message") == "message":
            _check_message(item, place)


def _check_message(item: Mapping[str, Any], place: str) -> None:
    roles = frozenset({"user", "assistant", "system", "developer"})
    if item.get("role") not in roles:
        raise _invalid_value(f"{place}.role", item.get("role"), roles)
    if not isinstance(item.get("content"), str | list):
        raise _invalid_type(f"{place}.content", "one of a string or array", item.get("content"))


def _check_metadata(metadata: Mapping[str, Any]) -> None:
    if len(metadata) > 16:
        message = f"Invalid 'metadata': too many properties. Expected at most 16, but got {len(metadata)}."
        raise bad_request(message, param="metadata", code="object_above_max_properties")
    for key, value in metadata.items():
        if len(key) > 64:
            message = "Invalid 'metadata': a key is longer than 64 characters."
            raise bad_request(message, param="metadata", code="propertyname_above_max_length")
        if not isinstance(value, str):
            raise _invalid_type(f"metadata.{key}", "a string", value)
        if len(value) > 512:
            message = f"Invalid 'metadata.{key}': string too long. Expected at most 512 characters."
            raise bad_request(message, param=f"metadata.{key}", code="string_above_max_length")


def _check_safety_identifier(value: str) -> None:
    if len(value) > 64:
        message = "Invalid 'safety_identifier': string too long. Expected at most 64 characters."
        raise bad_request(message, param="safety_identifier", code="string_above_max_length")


def _check_include(values: list[Any]) -> None:
    for number, value in enumerate(values):
        if value not in INCLUDES:
            raise _invalid_value(f"include[{number}]", value, INCLUDES)


def _check_text(text: Mapping[str, Any]) -> None:
    _check_names(text, frozenset({"format", "verbosity"}), "text.")
    verbosities = frozenset({"low", "medium", "high"})
    if text.get("verbosity") is not None and text["verbosity"] not in verbosities:
        raise _invalid_value("text.verbosity", text["verbosity"], verbosities)
    if text.get("format") is not None:
        _check_format(text["format"])


def _check_format(form: Any) -> None:
    kinds = frozenset({"text", "json_object", "json_schema"})
    if not isinstance(form, dict):
        raise _invalid_type("text.format", "an object", form)
    if form.get("type") not in kinds:
        raise _invalid_value("text.format.type", form.get("type"), kinds)
    if form["type"] != "json_schema":
        return
    _check_names(form, frozenset({"type", "name", "schema", "description", "strict"}), "text.format.")
    for name in ("name", "schema"):
        if form.get(name) is None:
            message = f"Missing required parameter: 'text.format.{name}'."
            raise bad_request(message, param=f"text.format.{name}", code="missing_required_parameter")
    if not isinstance(form["name"], str) or not FORMAT_NAME.fullmatch(form["name"]):
        message = "Invalid 'text.format.name': expected a string that matches '^[a-zA-Z0-9_-]{1,64}$'."
        raise bad_request(message, param="text.format.name", code="invalid_value")
    if not isinstance(form["schema"], dict):
        raise _invalid_type("text.format.schema", "an object", form["schema"])
    if form.get("strict"):
        check_strict_schema(form["schema"], form["name"])


def _check_tools(tools: list[Any]) -> None:
    for number, tool in enumerate(tools):
        place = f"tools[{number}]"
        if not isinstance(tool, dict):
            raise _invalid_type(place, "an object", tool)
        if not isinstance(tool.get("type"), str):
            message = f"Missing required parameter: '{place}.type'."
            raise bad_request(message, param=f"{place}.type", code="missing_required_parameter")
        if tool["type"].startswith("web_search"):
            _check_search_tool(tool, place)


def _check_search_tool(tool: Mapping[str, Any], place: str) -> None:
    _check_names(tool, SEARCH_TOOL_KEYS, f"{place}.")
    sizes = frozenset({"low", "medium", "high"})
    if tool.get("search_context_size") is not None and tool["search_context_size"] not in sizes:
        raise _invalid_value(f"{place}.search_context_size", tool["search_context_size"], sizes)
    filters = tool.get("filters") or {}
    _check_names(filters, frozenset({"allowed_domains", "blocked_domains"}), f"{place}.filters.")
    for name, domains in filters.items():
        for domain in _domains(domains, f"{place}.filters.{name}"):
            if "/" in domain or ":" in domain:
                message = f"Invalid domain '{domain}': domains have no scheme, port or path."
                raise bad_request(message, param=f"{place}.filters.{name}", code="invalid_value")


def _domains(value: Any, place: str) -> list[str]:
    domains = value or []
    if not isinstance(domains, list) or not all(isinstance(one, str) for one in domains):
        raise _invalid_type(place, "an array of strings", value)
    if len(domains) > 100:
        message = f"Invalid '{place}': array too long. Expected at most 100, but got {len(domains)}."
        raise bad_request(message, param=place, code="array_above_max_length")
    return domains


def _check_tool_choice(choice: str | Mapping[str, Any]) -> None:
    words = frozenset({"none", "auto", "required"})
    if isinstance(choice, str) and choice not in words:
        raise _invalid_value("tool_choice", choice, words)
    if isinstance(choice, dict) and choice.get("type") not in HOSTED_CHOICES:
        raise _invalid_value("tool_choice.type", choice.get("type"), HOSTED_CHOICES)


def _check_reasoning(reasoning: Mapping[str, Any]) -> None:
    known = frozenset({"effort", "summary", "context", "mode", "generate_summary"})
    _check_names(reasoning, known, "reasoning.")
    if reasoning.get("effort") is not None and reasoning["effort"] not in EFFORTS:
        raise _invalid_value("reasoning.effort", reasoning["effort"], EFFORTS)


def _check_json_mode(request: Request) -> None:
    form = (request.get("text") or {}).get("format") or {}
    searching = any(str(t["type"]).startswith("web_search") for t in request.get("tools") or ())
    if form.get("type") == "json_object" and searching:
        raise bad_request("Web Search cannot be used with JSON mode.", param=None, code=None)


PARTS: Final[Mapping[str, Callable[[Any], None]]] = {
    "input": _check_input,
    "metadata": _check_metadata,
    "safety_identifier": _check_safety_identifier,
    "include": _check_include,
    "text": _check_text,
    "tools": _check_tools,
    "tool_choice": _check_tool_choice,
    "reasoning": _check_reasoning,
}
