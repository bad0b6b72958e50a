"""The rules of strict structured output, as far as a generated schema can break them.

Public rules (structured outputs guide): the root is an object; every object is closed and requires all of its
properties; no composition keywords but `anyOf`; references stay inside the document and stand alone; at most 10
levels of nesting and 5,000 properties. The error text is the provider's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from orchestrator.emulator.api_error import ApiError, bad_request

FORBIDDEN: Final = (
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "unevaluatedProperties",
    "propertyNames",
    "uniqueItems",
    "contains",
    "default",
)
MAX_DEPTH: Final = 10
MAX_PROPERTIES: Final = 5_000
Node = Mapping[str, Any]
Place = tuple[str, ...]


def check_strict_schema(schema: Node, name: str) -> None:
    """Refuse a schema that strict mode refuses. Raises ApiError 400 `invalid_json_schema`."""
    if schema.get("type") != "object":
        raise _invalid(name, (), f"schema must be a JSON Schema of 'type: \"object\"', got '{schema.get('type')}'.")
    properties = 0
    for place, node in _nodes(schema, ()):
        _check_node(name, place, node, root=schema)
        properties += len(node.get("properties", {}))
    if properties > MAX_PROPERTIES:
        raise _invalid(name, (), f"at most {MAX_PROPERTIES} object properties are allowed.")


def _check_node(name: str, place: Place, node: Node, *, root: Node) -> None:
    for word in FORBIDDEN:
        if word in node:
            raise _invalid(name, place, f"'{word}' is not permitted.")
    if "$ref" in node:
        _check_reference(name, place, node, root=root)
    elif not any(word in node for word in ("type", "anyOf", "enum", "const")):
        raise _invalid(name, place, "schema must have a 'type' key.")
    if node.get("type") == "object" or "properties" in node:
        _check_object(name, place, node)
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        raise _invalid(name, place, "array schema missing items.")
    if sum(1 for part in place if part in ("properties", "items")) > MAX_DEPTH:
        raise _invalid(name, place, f"at most {MAX_DEPTH} levels of nesting are allowed.")


def _check_object(name: str, place: Place, node: Node) -> None:
    if node.get("additionalProperties") is not False:
        raise _invalid(name, place, "'additionalProperties' is required to be supplied and to be false.")
    properties = node.get("properties", {})
    missing = [key for key in properties if key not in node.get("required", ())]
    if missing:
        raise _invalid(
            name,
            place,
            "'required' is required to be supplied and to be an array including every key in properties. "
            f"Missing '{missing[0]}'.",
        )
    extra = [key for key in node.get("required", ()) if key not in properties]
    if extra:
        raise _invalid(name, place, f"Extra required key '{extra[0]}' supplied.")


def _check_reference(name: str, place: Place, node: Node, *, root: Node) -> None:
    others = sorted(key for key in node if key != "$ref")
    if others:
        raise _invalid(name, place, f"$ref cannot have keywords {{{', '.join(map(repr, others))}}}.")
    reference = str(node["$ref"])
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            found = found.get(part) if isinstance(found, dict) else None
    if not reference.startswith("#") or not isinstance(found, dict):
        raise _invalid(name, place, f"reference can only point to definitions, got '{reference}'.")


def _nodes(node: Node, place: Place) -> Iterator[tuple[Place, Node]]:
    """Every schema in the schema, with its place."""
    yield place, node
    for word in ("properties", "$defs", "definitions"):
        for key, child in node.get(word, {}).items():
            if isinstance(child, dict):
                yield from _nodes(child, (*place, word, key))
    for word in ("anyOf", "prefixItems"):
        for number, child in enumerate(node.get(word, ())):
            if isinstance(child, dict):
                yield from _nodes(child, (*place, word, str(number)))
    if isinstance(node.get("items"), dict):
        yield from _nodes(node["items"], (*place, "items"))


def _invalid(name: str, place: Place, what: str) -> ApiError:
    context = "(" + ", ".join(repr(part) for part in place) + ("," if len(place) == 1 else "") + ")"
    message = f"Invalid schema for response_format '{name}': In context={context}, {what}"
    return bad_request(message, param="text.format.schema", code="invalid_json_schema")
