"""The instructions of each stage: templates with a version and a digest.

A template is editorial work and changes like code: whoever edits one raises its version, and the digest
makes sure that an edit without it is drift all the same. Values come from the product's policy; anything a
template names and does not get is an error, never an empty string. Retry feedback is a list of bounded
failure codes, appended by the template; it is part of the request and not of the contract.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType

from jinja2 import Environment, StrictUndefined

from orchestrator.contracts.composition import COMPOSITION_CONTRACT
from orchestrator.contracts.scout import SCOUT_CONTRACT
from orchestrator.contracts.supplement import SUPPLEMENT_CONTRACT
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import JobStage

_VERSIONS: Mapping[JobStage, str] = MappingProxyType(
    {
        JobStage.RESEARCH_PRIMARY: "research-primary-prompt-1",
        JobStage.RESEARCH_SUPPLEMENTAL: "research-supplemental-prompt-1",
        JobStage.COMPOSITION: "composition-prompt-1",
    }
)

_CONTRACTS: Mapping[JobStage, str] = MappingProxyType(
    {
        JobStage.RESEARCH_PRIMARY: SCOUT_CONTRACT,
        JobStage.RESEARCH_SUPPLEMENTAL: SUPPLEMENT_CONTRACT,
        JobStage.COMPOSITION: COMPOSITION_CONTRACT,
    }
)

# Plain text for a model, never HTML: escaping would put `&amp;` into the instructions.
_ENVIRONMENT = Environment(
    undefined=StrictUndefined,
    autoescape=False,  # noqa: S701
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One stage's template. `digest` is SHA-256 over its text, `sha256:…`."""

    stage: JobStage
    version: str
    text: str
    digest: str


def prompt_for(stage: JobStage) -> Prompt:
    """The template that ships for this stage."""
    name = f"{stage.value}.md.j2"
    text = (resources.files("orchestrator.contracts") / "templates" / name).read_text("utf-8")
    text = text.replace("\r\n", "\n")
    digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return Prompt(stage, _VERSIONS[stage], text, digest)


def instructions(stage: JobStage, policy: ProductPolicy, feedback: Sequence[str] = ()) -> str:
    """The instructions of a stage for a product. `feedback`: bounded failure codes of the last attempt."""
    return render(prompt_for(stage), _values(stage, policy), feedback)


def _values(stage: JobStage, policy: ProductPolicy) -> dict[str, object]:
    composition = policy.composition
    return {
        "product_title": policy.titles.get("en") or policy.titles[policy.languages[0]],
        "brief": policy.scout.brief,
        "candidates": policy.scout.candidates,
        "contract_version": _CONTRACTS[stage],
        "sentences_min": composition.sentences_min,
        "sentences_max": composition.sentences_max,
        "sentence_max": composition.sentence_chars_max,
        "headline_max": composition.headline_chars_max,
        "style": composition.style,
    }


def render(prompt: Prompt, values: Mapping[str, object], feedback: Sequence[str] = ()) -> str:
    """The instructions to send. Raises `jinja2.UndefinedError` for a value that the template lacks."""
    return _ENVIRONMENT.from_string(prompt.text).render(**values, feedback=list(feedback))
