"""The POST body: what the provider accepts, what each stage carries, and the instructions that go with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError
from jsonschema import Draft202012Validator

from orchestrator.contracts.prompts import instructions, prompt_for, render
from orchestrator.contracts.request import build_request, estimated_input_tokens, metadata_of
from orchestrator.contracts.supplement import Deficit, OpenDeficit
from orchestrator.contracts.task import (
    PUBLISHED_LIMIT,
    PublishedStory,
    RejectedRecord,
    research_task,
    supplement_task,
    task_bytes,
)
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import JobStage
from orchestrator.emulator.request_check import check_create
from orchestrator.evidence.candidate import accepted_record
from orchestrator.evidence.package import package_bytes
from tests.orchestrator.evidence import samples

SCHEMA = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "openai-responses.schema.json"


def story(number: int) -> PublishedStory:
    return PublishedStory(
        product="daily-brief",
        date=f"2026-11-{1 + number % 28:02}",
        event_key=f"key-{number}",
        event_date="2026-11-01",
        headline_fact=f"Fact {number}",
        source_keys=("https://ex.test/a-b-c",),
    )


def input_text(stage: JobStage, policy: ProductPolicy) -> bytes:
    match stage:
        case JobStage.RESEARCH_PRIMARY:
            return task_bytes(research_task(policy, samples.DATE, (story(1),)))
        case JobStage.RESEARCH_SUPPLEMENTAL:
            return task_bytes(
                supplement_task(
                    policy,
                    samples.DATE,
                    deficits=(OpenDeficit(code=Deficit.CANDIDATE_SHORTFALL, subject=""),),
                    accepted=tuple(map(accepted_record, samples.judged(samples.scout_answer()).candidates[:9])),
                    rejected=(RejectedRecord(candidate="bridge-9", reasons=("SOURCE_NOT_RETRIEVED",)),),
                )
            )
        case JobStage.COMPOSITION:
            return package_bytes(samples.package())


def request(stage: JobStage, **options: Any) -> dict[str, Any]:
    policy = samples.policy(allowed_domains=["courier.example", "northmere.example"])
    contract = samples.contract(stage, policy)
    body = build_request(
        contract,
        instructions=instructions(stage, policy),
        input_text=input_text(stage, policy),
        metadata=metadata_of(contract, process_suffix=samples.SUFFIX, generation=1),
        output_limit=12_000,
        **options,
    )
    parsed: dict[str, Any] = json.loads(body)
    return parsed


@pytest.mark.skipif(
    not SCHEMA.exists(), reason="the shared folder with the provider's schema is not beside the repository"
)
@pytest.mark.parametrize("stage", JobStage)
def test_a_request_is_what_the_public_schema_describes(stage: JobStage) -> None:
    schema = json.loads(SCHEMA.read_text()) | {"$ref": "#/$defs/CreateResponse"}
    assert list(Draft202012Validator(schema).iter_errors(request(stage))) == []


def test_research_has_the_search_tool_with_its_sources_and_limits() -> None:
    body = request(JobStage.RESEARCH_PRIMARY)
    assert body["tools"] == [
        {
            "type": "web_search",
            "search_context_size": "medium",
            "filters": {"allowed_domains": ["courier.example", "northmere.example"]},
        }
    ]
    assert body["include"] == ["web_search_call.action.sources"]
    assert (body["tool_choice"], body["max_tool_calls"]) == ("auto", 40)


def test_composition_says_nothing_of_tools() -> None:
    body = request(JobStage.COMPOSITION)
    assert not {"tools", "tool_choice", "include", "max_tool_calls"} & set(body)
    assert json.loads(body["input"][0]["content"][0]["text"]) == samples.package().model_dump(mode="json")


@pytest.mark.parametrize("stage", JobStage)
def test_every_request_is_stored_strict_and_named(stage: JobStage) -> None:
    body = request(stage)
    assert (body["background"], body["store"]) == (True, True)
    assert body["text"]["format"]["strict"] is True
    assert body["text"]["format"]["name"] == body["metadata"]["contract_version"]
    assert body["max_output_tokens"] == 12_000
    assert request(stage, background=False)["background"] is False
    assert body["metadata"] == {
        "workflow": "dateline",
        "process_suffix": "7F3A91",
        "stage": stage.value,
        "revision": "1",
        "operation_generation": "1",
        "fingerprint_prefix": body["metadata"]["fingerprint_prefix"],
        "contract_version": body["text"]["format"]["name"],
        "product": "daily-brief",
        "date": "2026-11-30",
    }
    assert len(body["metadata"]["fingerprint_prefix"]) == 8


@pytest.mark.parametrize("limit", [0, 15, 24_001])
def test_an_output_limit_outside_the_contract_is_refused(limit: int) -> None:
    contract = samples.contract(JobStage.COMPOSITION)
    with pytest.raises(ValueError, match="output limit"):
        build_request(contract, instructions="x", input_text=b"{}", metadata={}, output_limit=limit)


@pytest.mark.parametrize("metadata", [{"k": "v" * 513}, {"k" * 65: "v"}, {str(n): "" for n in range(17)}])
def test_metadata_beyond_the_providers_limits_are_refused(metadata: dict[str, str]) -> None:
    contract = samples.contract(JobStage.COMPOSITION)
    with pytest.raises(ValueError, match="metadata"):
        build_request(contract, instructions="x", input_text=b"{}", metadata=metadata, output_limit=100)


def test_the_research_document_says_what_is_wanted() -> None:
    document = json.loads(request(JobStage.RESEARCH_PRIMARY)["input"][0]["content"][0]["text"])
    assert document == {
        "task": "research_primary",
        "contract_version": "primary-research-2026-08",
        "target_date": "2026-11-30",
        "product": "daily-brief",
        "candidates": 14,
        "regions": ["europe", "africa", "asia"],
        "topics": ["politics", "economy", "science"],
        "allowed_domains": ["courier.example", "northmere.example"],
        "window_days": 3,
        "freshness_days": 3,
        "corroboration": 2,
        "already_published": [{"date": "2026-11-02", "event_key": "key-1", "headline": "Fact 1"}],
    }


def test_the_supplement_is_told_what_is_open_and_nothing_of_the_evidence() -> None:
    document = json.loads(request(JobStage.RESEARCH_SUPPLEMENTAL)["input"][0]["content"][0]["text"])
    assert document["deficits"] == [{"code": "CANDIDATE_SHORTFALL", "subject": ""}]
    assert document["rejected"] == [{"candidate": "bridge-9", "reasons": ["SOURCE_NOT_RETRIEVED"]}]
    assert document["needed"] == 5
    assert set(document["accepted"][0]) == {"candidate_id", "event_key", "region", "topics", "evidence_digest"}


def test_earlier_stories_are_bounded_newest_first_and_keep_their_addresses_at_home() -> None:
    stories = tuple(story(number) for number in range(300))
    listed = research_task(samples.policy(), samples.DATE, stories).already_published
    assert len(listed) == PUBLISHED_LIMIT
    assert [one.date for one in listed] == sorted((one.date for one in listed), reverse=True)
    assert b"ex.test" not in task_bytes(research_task(samples.policy(), samples.DATE, stories))


def test_a_full_research_request_fits_the_input_ceiling_by_the_estimate() -> None:
    policy = samples.policy()
    contract = samples.contract(JobStage.RESEARCH_PRIMARY, policy)
    body = build_request(
        contract,
        instructions=instructions(contract.stage, policy),
        input_text=task_bytes(research_task(policy, samples.DATE, tuple(map(story, range(300))))),
        metadata=metadata_of(contract, process_suffix="7F3A91", generation=0),
        output_limit=100,
    )
    assert 1_000 < estimated_input_tokens(body) < contract.input_ceiling_tokens


@pytest.mark.parametrize("stage", JobStage)
def test_instructions_carry_the_policy_and_the_feedback_and_leave_nothing_open(stage: JobStage) -> None:
    first = instructions(stage, samples.policy())
    again = instructions(stage, samples.policy(), ["PARITY_NUMBER at /events/0/spanish/headline"])
    assert "Daily Brief" in first
    assert "PARITY_NUMBER" not in first
    assert "- PARITY_NUMBER at /events/0/spanish/headline" in again
    assert "{{" not in first
    assert "{%" not in first
    assert "\n\n\n" not in first


def test_a_prompt_is_known_by_version_and_digest_and_never_leaves_a_hole() -> None:
    prompt = prompt_for(JobStage.COMPOSITION)
    assert (prompt.version, prompt.digest[:7]) == ("composition-prompt-1", "sha256:")
    with pytest.raises(UndefinedError):
        render(prompt, {})


@pytest.mark.parametrize("stage", JobStage)
def test_the_emulator_accepts_every_request_as_the_provider_would(stage: JobStage) -> None:
    check_create(request(stage))
