"""The contract: what is in its fingerprint, what is not, and what counts as drift."""

from __future__ import annotations

import pytest

from orchestrator.contracts.contract import (
    OperationContract,
    Running,
    SearchTool,
    Versioned,
    contract_bytes,
    contract_for,
    drift,
    fingerprint,
    read_contract,
    remade,
)
from orchestrator.contracts.prompts import instructions
from orchestrator.contracts.request import build_request, metadata_of
from orchestrator.core.records import JobStage
from orchestrator.evidence.report import VALIDATOR
from tests.orchestrator.evidence import samples

CONTRACT = samples.contract(JobStage.RESEARCH_PRIMARY)
CHANGES: dict[str, object] = {
    "product": "revolution-watch",
    "target_date": "2026-12-01",
    "locale_set": ("en",),
    "process_revision": 2,
    "stage": JobStage.RESEARCH_SUPPLEMENTAL,
    "contract_version": "primary-research-2027-01",
    "answer_schema": Versioned(version="primary-research-2026-08", digest="sha256:0"),
    "prompt": Versioned(version="research-primary-prompt-2", digest="sha256:0"),
    "validator": Versioned(version="v2", digest="sha256:0"),
    "model": "synthetic-2",
    "reasoning_effort": "high",
    "evidence_digest": "sha256:1",
    "tools": (SearchTool(allowed_domains=("ex.test",)),),
    "max_tool_calls": 41,
    "input_ceiling_tokens": 1,
    "output_ceiling_tokens": 1,
    "policy_digest": "sha256:2",
    "cost_ceiling_micro": 1,
}


def test_the_fingerprint_has_exactly_the_documented_inputs() -> None:
    assert set(OperationContract.model_fields) == set(CHANGES)


@pytest.mark.parametrize("field", CHANGES)
def test_every_input_changes_the_fingerprint_and_is_named_as_drift(field: str) -> None:
    other = CONTRACT.model_copy(update={field: CHANGES[field]})
    assert fingerprint(other) != fingerprint(CONTRACT)
    assert drift(CONTRACT, other) == (field,)


def test_generation_metadata_feedback_and_raised_limits_are_in_the_request_only() -> None:
    def request(generation: int, feedback: tuple[str, ...], limit: int) -> bytes:
        return build_request(
            CONTRACT,
            instructions=instructions(CONTRACT.stage, samples.policy(), feedback),
            input_text=b"{}",
            metadata=metadata_of(CONTRACT, process_suffix=samples.SUFFIX, generation=generation),
            output_limit=limit,
        )

    requests = {request(0, (), 100), request(1, (), 100), request(0, ("WRONG_COUNT",), 100), request(0, (), 200)}
    assert len(requests) == 4


def test_a_stored_contract_is_read_back_with_the_same_fingerprint() -> None:
    again = read_contract(contract_bytes(CONTRACT))
    assert again == CONTRACT
    assert fingerprint(again) == fingerprint(CONTRACT)
    assert len(fingerprint(CONTRACT)) == 64


def test_sets_have_no_order() -> None:
    def with_domains(*domains: str) -> OperationContract:
        return samples.contract(JobStage.RESEARCH_PRIMARY, samples.policy(allowed_domains=list(domains)))

    assert fingerprint(with_domains("a.test", "b.test")) == fingerprint(with_domains("b.test", "a.test"))
    assert fingerprint(with_domains("a.test")) != fingerprint(with_domains("b.test"))


def test_a_recorded_contract_drifts_with_the_configuration_and_not_with_the_day() -> None:
    running = Running(policy=samples.policy(), model="synthetic-1", validator=VALIDATOR)
    recorded = contract_for(
        JobStage.COMPOSITION, running, target_date="2026-01-02", process_revision=7, evidence_digest="sha256:9"
    )
    assert drift(recorded, remade(recorded, running)) == ()
    other = Running(policy=samples.policy(corroboration=3), model="synthetic-2", validator=VALIDATOR)
    assert drift(recorded, remade(recorded, other)) == ("model", "policy_digest")


def test_composition_has_no_tools_and_no_calls() -> None:
    composition = samples.contract(JobStage.COMPOSITION)
    assert (composition.tools, composition.max_tool_calls) == ((), 0)
