"""The provider's strict JSON Schema, generated from a contract model.

Rules of strict mode, all kept here and nowhere else:
* every object names all its properties as required and allows no other;
* no `default`, `title` or `description` (prompts instruct, schemas constrain; a docstring is no contract);
* a `$ref` stands alone; tuples are arrays; `pattern` and `enum` stay.

The same model reads the answer back, so that what was asked for and what is accepted cannot part ways.
Source: wire reference §1.1; Structured Outputs guide, "Supported schemas".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_DROPPED = frozenset({"title", "description", "default"})


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of `model` as strict mode wants it; the same bytes for the same model."""
    return _object(model.model_json_schema(mode="validation"))


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: _part(key, value) for key, value in schema.items() if key not in _DROPPED}
    if kept.get("type") == "object":
        kept["additionalProperties"] = False
        kept["required"] = list(kept.get("properties", {}))
    return {"$ref": kept["$ref"]} if "$ref" in kept else kept


def _part(key: str, value: Any) -> Any:
    """Below `properties` and `$defs` the keys are names, not keywords: a field may be called `title`."""
    if key in ("properties", "$defs"):
        return {name: _object(schema) for name, schema in value.items()}
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list):
        return [_object(item) if isinstance(item, Mapping) else item for item in value]
    return value
