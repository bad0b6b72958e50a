"""The immutable contract of one provider operation, and its fingerprint.

The fingerprint says *what was bought*: exactly the inputs of completed tables §2. How often, when, by whom and
with which retry help it was asked is not in it: generation, metadata, worker, times, feedback and raised
limits belong to the request (`contracts.request`), which has a digest of its own.

`drift` compares a recorded contract with the one the running configuration would make today (`remade`).
Source: durable orchestration §8.2; Daily Brief workflow, "Request fingerprint".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, field_validator

from orchestrator.contracts.composition import COMPOSITION_CONTRACT, CompositionAnswer
from orchestrator.contracts.models import ContractModel, IsoDate
from orchestrator.contracts.prompts import prompt_for
from orchestrator.contracts.scout import SCOUT_CONTRACT, ScoutAnswer
from orchestrator.contracts.strict_schema import strict_schema
from orchestrator.contracts.supplement import SUPPLEMENT_CONTRACT, SupplementAnswer
from orchestrator.core import canonical
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import JobStage

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


@dataclass(frozen=True, slots=True)
class StageContract:
    """What a stage asks for: the contract's name, the model of its answer, whether it may search."""

    version: str
    answer: type[BaseModel]
    searches: bool


STAGES: Mapping[JobStage, StageContract] = MappingProxyType(
    {
        JobStage.RESEARCH_PRIMARY: StageContract(SCOUT_CONTRACT, ScoutAnswer, searches=True),
        JobStage.RESEARCH_SUPPLEMENTAL: StageContract(SUPPLEMENT_CONTRACT, SupplementAnswer, searches=True),
        JobStage.COMPOSITION: StageContract(COMPOSITION_CONTRACT, CompositionAnswer, searches=False),
    }
)


class Versioned(ContractModel):
    """A part of the contract by name and content: an edit without a new version is drift all the same."""

    version: str
    digest: str


class SearchTool(ContractModel):
    """The only tool that any stage may have."""

    type: Literal["web_search"] = "web_search"
    search_context_size: Literal["low", "medium", "high"] = "medium"
    allowed_domains: tuple[str, ...] = ()

    @field_validator("allowed_domains")
    @classmethod
    def _as_a_set(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(value)))


class OperationContract(ContractModel):
    """Everything that decides what an operation may return. Money in millionths, ceilings in tokens."""

    product: str
    target_date: IsoDate
    locale_set: tuple[str, ...]
    process_revision: int
    stage: JobStage
    contract_version: str
    answer_schema: Versioned
    prompt: Versioned
    validator: Versioned
    model: str
    reasoning_effort: ReasoningEffort | None
    evidence_digest: str | None
    tools: tuple[SearchTool, ...]
    max_tool_calls: int
    input_ceiling_tokens: int
    output_ceiling_tokens: int
    policy_digest: str
    cost_ceiling_micro: int | None

    @field_validator("locale_set")
    @classmethod
    def _as_a_set(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(value)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The configuration that an operation would be bought under now."""

    policy: ProductPolicy
    model: str
    validator: Versioned
    reasoning_effort: ReasoningEffort | None = None


def contract_for(
    stage: JobStage,
    running: Running,
    *,
    target_date: str,
    process_revision: int,
    evidence_digest: str | None,
) -> OperationContract:
    """What the running configuration would buy. `evidence_digest` names what the stage builds on: the
    frozen package for composition, the accepted evidence for a supplement, None for primary research."""
    policy, budgets = running.policy, running.policy.budgets
    searches = STAGES[stage].searches
    return OperationContract(
        product=policy.slug,
        target_date=target_date,
        locale_set=policy.languages,
        process_revision=process_revision,
        stage=stage,
        contract_version=STAGES[stage].version,
        answer_schema=schema_of(stage),
        prompt=prompt_of(stage),
        validator=running.validator,
        model=running.model,
        reasoning_effort=running.reasoning_effort,
        evidence_digest=evidence_digest,
        tools=(SearchTool(allowed_domains=policy.scout.allowed_domains),) if searches else (),
        max_tool_calls=budgets.max_tool_calls if searches else 0,
        input_ceiling_tokens=budgets.input_tokens,
        output_ceiling_tokens=budgets.output_ceiling_tokens,
        policy_digest=policy.policy_digest,
        cost_ceiling_micro=budgets.cost_per_process_micro,
    )


def remade(recorded: OperationContract, running: Running) -> OperationContract:
    """The contract that the running configuration would make for what was recorded."""
    return contract_for(
        recorded.stage,
        running,
        target_date=recorded.target_date,
        process_revision=recorded.process_revision,
        evidence_digest=recorded.evidence_digest,
    )


def contract_bytes(contract: OperationContract) -> bytes:
    """Canonical JSON: what is stored as the `contract` document."""
    return canonical.canonical_bytes(contract.model_dump(mode="json"))


def read_contract(stored: bytes) -> OperationContract:
    """The contract that `contract_bytes` wrote."""
    return OperationContract.model_validate_json(stored)


def fingerprint(contract: OperationContract) -> str:
    """64 hexadecimal characters: the same for the same purchase, whatever the attempt."""
    return canonical.fingerprint(contract.model_dump(mode="json"))


def drift(recorded: OperationContract, current: OperationContract) -> tuple[str, ...]:
    """Names of the inputs that differ, in order; empty when the recorded contract still holds."""
    before, after = recorded.model_dump(mode="json"), current.model_dump(mode="json")
    return tuple(name for name in sorted(before) if before[name] != after[name])


def schema_of(stage: JobStage) -> Versioned:
    """The strict schema of the stage's answer, by contract version and digest."""
    contract = STAGES[stage]
    return Versioned(version=contract.version, digest=canonical.digest(strict_schema(contract.answer)))


def prompt_of(stage: JobStage) -> Versioned:
    """The stage's prompt template, by version and digest."""
    prompt = prompt_for(stage)
    return Versioned(version=prompt.version, digest=prompt.digest)
