"""One process of the synthetic newsroom: asks it as the provider would, and validates what it says.

The request is the real one (contract, instructions, task), the answer is wrapped as a Response object.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator.contracts.contract import OperationContract, Running, contract_for
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.prompts import instructions
from orchestrator.contracts.request import build_request, metadata_of
from orchestrator.contracts.task import PublishedStory, research_task, task_bytes
from orchestrator.core.policy import ProductPolicy, read_policy
from orchestrator.core.records import JobStage
from orchestrator.emulator.newsroom import SyntheticNewsroom
from orchestrator.evidence.package import freeze_package, package_bytes
from orchestrator.evidence.report import VALIDATOR
from orchestrator.evidence.validation import Subject, Validation, validate

ROOT = Path(__file__).resolve().parents[3]
PRODUCTS = ("daily-brief", "revolution-watch")
SUFFIX = "7F3A91"
Answer = dict[str, Any]


def product(slug: str) -> ProductPolicy:
    """A shipped product's policy."""
    return read_policy(tomllib.loads((ROOT / f"content/products/{slug}.toml").read_text()), place=slug)


class Desk:
    """One process: asks the newsroom, validates the answer."""

    def __init__(self, newsroom: SyntheticNewsroom, policy: ProductPolicy, day: str) -> None:
        self.newsroom, self.policy, self.day = newsroom, policy, day
        self.running = Running(policy=policy, model="synthetic", validator=VALIDATOR)

    def contract(self, stage: JobStage) -> OperationContract:
        """The stage's contract."""
        return contract_for(stage, self.running, target_date=self.day, process_revision=1, evidence_digest=None)

    def response(self, stage: JobStage, input_text: bytes) -> Answer:
        """What the newsroom answers: the answer itself under `answer`, its searches under `calls`."""
        request = build_request(
            self.contract(stage),
            instructions=instructions(stage, self.policy),
            input_text=input_text,
            metadata=metadata_of(self.contract(stage), process_suffix=SUFFIX, generation=0),
            output_limit=12_000,
        )
        said = self.newsroom.answer(json.loads(request))
        calls = [
            {
                "type": "web_search_call",
                "id": f"ws_{number}",
                "status": "completed",
                "action": {"type": "search", "sources": [{"type": "url", "url": url} for url in search.sources]},
            }
            for number, search in enumerate(said.searches)
        ]
        return {"answer": json.loads(said.output_text), "calls": calls}

    def body(self, answer: Answer, calls: list[Answer]) -> bytes:
        """The bytes of a Response object that gives this answer."""
        text = {"type": "output_text", "text": json.dumps(answer, ensure_ascii=False), "annotations": []}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [text]}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [*calls, message]}
        return json.dumps(response, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def judge(self, stage: JobStage, body: bytes, **known: Any) -> Validation:
        """What validation makes of a Response object."""
        return validate(body, self.subject(stage, **known), asked_id="resp_1")

    def subject(self, stage: JobStage, **known: Any) -> Subject:
        """What an answer of this stage is judged against."""
        return Subject(
            operation_id="op", process_suffix=SUFFIX, contract=self.contract(stage), policy=self.policy, **known
        )

    def run(
        self,
        stage: JobStage,
        input_text: bytes,
        change: Callable[[Answer], object] = lambda answer: None,
        **known: Any,
    ) -> Validation:
        """Ask, change the answer, validate."""
        said = self.response(stage, input_text)
        change(said["answer"])
        return self.judge(stage, self.body(said["answer"], said["calls"]), **known)

    def research(self, published: tuple[PublishedStory, ...] = (), **options: Any) -> Validation:
        """The primary research of the day."""
        task = research_task(self.policy, self.day, published)
        return self.run(JobStage.RESEARCH_PRIMARY, task_bytes(task), published=published, **options)

    def package(self) -> EvidencePackage:
        """The day's frozen package."""
        return freeze_package(self.research().candidates, self.policy, target_date=self.day)

    def composition(self, package: EvidencePackage) -> Answer:
        """The day's composition, unjudged."""
        answer: Answer = self.response(JobStage.COMPOSITION, package_bytes(package))["answer"]
        return answer
