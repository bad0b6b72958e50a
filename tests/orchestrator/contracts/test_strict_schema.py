"""The provider's strict schema: within the rules of strict mode, and the same judge as the models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from orchestrator.contracts.contract import STAGES
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.strict_schema import strict_schema
from orchestrator.core.records import JobStage
from tests.orchestrator.evidence import samples

ALLOWED = {"$defs", "$ref", "type", "properties", "required", "additionalProperties", "items", "enum", "pattern"}
MAX_PROPERTIES, MAX_DEPTH = 5_000, 10


def schemas(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema, names of fields left out."""
    yield node
    for group in ("properties", "$defs"):
        for inner in node.get(group, {}).values():
            yield from schemas(inner)
    if "items" in node:
        yield from schemas(node["items"])


def depth(node: dict[str, Any], root: dict[str, Any]) -> int:
    """Levels of nesting, references followed."""
    if "$ref" in node:
        return depth(root["$defs"][node["$ref"].rpartition("/")[2]], root)
    inner = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    return 1 + max((depth(one, root) for one in inner), default=0)


@pytest.mark.parametrize("stage", JobStage)
def test_a_schema_keeps_to_the_rules_of_strict_mode(stage: JobStage) -> None:
    root = strict_schema(STAGES[stage].answer)
    Draft202012Validator.check_schema(root)
    everything = list(schemas(root))
    for schema in everything:
        assert set(schema) <= ALLOWED
        assert "$ref" not in schema or set(schema) == {"$ref"}
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
    assert sum(len(schema.get("properties", {})) for schema in everything) < MAX_PROPERTIES
    assert depth(root, root) <= MAX_DEPTH


def test_fields_that_are_called_like_keywords_stay() -> None:
    schema = strict_schema(STAGES[JobStage.RESEARCH_PRIMARY].answer)
    assert "title" in schema["$defs"]["ScoutSource"]["properties"]


def test_valid_answers_pass_and_an_added_field_does_not() -> None:
    answers = {
        JobStage.RESEARCH_PRIMARY: samples.scout_answer(),
        JobStage.RESEARCH_SUPPLEMENTAL: samples.supplement_answer(new_candidates=[samples.candidate(1)]),
        JobStage.COMPOSITION: samples.composition_answer(samples.package()),
    }
    for stage, answer in answers.items():
        validator = Draft202012Validator(strict_schema(STAGES[stage].answer))
        assert list(validator.iter_errors(answer)) == []
        assert list(validator.iter_errors(answer | {"summary": "x"})) != []
        del answer["contract_version"]
        assert list(validator.iter_errors(answer)) != []


def test_the_package_has_a_strict_schema_too() -> None:
    package = samples.package().model_dump(mode="json")
    assert Draft202012Validator(strict_schema(EvidencePackage)).is_valid(package)
