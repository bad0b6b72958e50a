"""The legitimate copy of the synthetic newsroom passes, day after day, and its supplements close what is open."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from orchestrator.contracts.contract import Running, contract_for
from orchestrator.contracts.prompts import instructions
from orchestrator.contracts.request import build_request, metadata_of
from orchestrator.contracts.task import PublishedStory, research_task, supplement_task, task_bytes
from orchestrator.core.policy import ProductPolicy, read_policy
from orchestrator.core.records import JobStage
from orchestrator.emulator.newsroom import SyntheticNewsroom, load_newsroom
from orchestrator.evidence.candidate import accepted_record, all_patched
from orchestrator.evidence.deficits import deficits
from orchestrator.evidence.identity import published_stories
from orchestrator.evidence.package import freeze_package, package_bytes, package_digest
from orchestrator.evidence.report import VALIDATOR
from orchestrator.evidence.validation import Subject, Validation, validate

ROOT = Path(__file__).resolve().parents[3]
FIRST = date(2026, 11, 28)
PRODUCTS = ("daily-brief", "revolution-watch")
Answer = dict[str, Any]


@pytest.fixture(scope="module")
def newsroom() -> SyntheticNewsroom:
    return load_newsroom(ROOT / "fixtures" / "newsroom")


def product(slug: str) -> ProductPolicy:
    return read_policy(tomllib.loads((ROOT / f"content/products/{slug}.toml").read_text()), place=slug)


class Desk:
    """One process: asks the newsroom, validates the answer."""

    def __init__(self, newsroom: SyntheticNewsroom, policy: ProductPolicy, day: str) -> None:
        self.newsroom, self.policy, self.day = newsroom, policy, day
        self.running = Running(policy=policy, model="synthetic", validator=VALIDATOR)

    def run(
        self,
        stage: JobStage,
        input_text: bytes,
        change: Callable[[Answer], object] = lambda answer: None,
        **known: Any,
    ) -> Validation:
        contract = contract_for(stage, self.running, target_date=self.day, process_revision=1, evidence_digest=None)
        request = build_request(
            contract,
            instructions=instructions(stage, self.policy),
            input_text=input_text,
            metadata=metadata_of(contract, process_suffix="7F3A91", generation=0),
            output_limit=12_000,
        )
        said = self.newsroom.answer(json.loads(request))
        answer = json.loads(said.output_text)
        change(answer)
        calls = [
            {
                "type": "web_search_call",
                "id": f"ws_{number}",
                "status": "completed",
                "action": {"type": "search", "sources": [{"type": "url", "url": url} for url in search.sources]},
            }
            for number, search in enumerate(said.searches)
        ]
        text = {"type": "output_text", "text": json.dumps(answer), "annotations": []}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [text]}
        body = {"id": "resp_1", "object": "response", "status": "completed", "output": [*calls, message]}
        subject = Subject(
            operation_id="op", process_suffix="7F3A91", contract=contract, policy=self.policy, **known
        )
        return validate(json.dumps(body).encode(), subject, asked_id="resp_1")

    def research(self, published: tuple[PublishedStory, ...] = (), **options: Any) -> Validation:
        task = research_task(self.policy, self.day, published)
        return self.run(JobStage.RESEARCH_PRIMARY, task_bytes(task), published=published, **options)


@pytest.mark.parametrize("slug", PRODUCTS)
def test_every_edition_of_a_week_is_researched_and_composed_without_a_failure(
    newsroom: SyntheticNewsroom, slug: str
) -> None:
    policy = product(slug)
    published: tuple[PublishedStory, ...] = ()
    for offset in range(7):
        desk = Desk(newsroom, policy, (FIRST + timedelta(days=offset)).isoformat())
        research = desk.research(published)
        assert (research.code, research.report.failures) == ("VALID", ())
        assert deficits(research.candidates, policy, target_date=desk.day) == ()
        package = freeze_package(research.candidates, policy, target_date=desk.day)
        assert len(package.events) == policy.composition.events_max
        composition = desk.run(JobStage.COMPOSITION, package_bytes(package), package=package)
        assert (composition.code, composition.report.failures) == ("VALID", ())
        published = (*published, *published_stories(package))


def test_three_invented_addresses_cost_three_candidates_and_one_supplement(newsroom: SyntheticNewsroom) -> None:
    policy = product("daily-brief")
    desk = Desk(newsroom, policy, FIRST.isoformat())

    def invent(answer: Answer) -> None:
        for number in (1, 6, 12):
            answer["candidates"][number]["sources"][0]["url"] += "-invented"

    first = desk.research(change=invent)
    assert (first.code, len(first.candidates)) == ("VALID", 11)
    before = [candidate.model_dump_json() for candidate in first.candidates]
    task = supplement_task(
        policy,
        desk.day,
        deficits=deficits(first.candidates, policy, target_date=desk.day, rejected=first.rejected),
        accepted=tuple(map(accepted_record, first.candidates)),
        rejected=first.rejected,
    )
    second = desk.run(JobStage.RESEARCH_SUPPLEMENTAL, task_bytes(task), known=first.candidates)
    assert second.code == "VALID"
    everyone = all_patched((*first.candidates, *second.candidates), second.patches)
    assert deficits(everyone, policy, target_date=desk.day, rejected=second.rejected) == ()
    assert [candidate.model_dump_json() for candidate in everyone[:11]] == before
    package = freeze_package(everyone, policy, target_date=desk.day)
    composition = desk.run(JobStage.COMPOSITION, package_bytes(package), package=package)
    assert composition.code == "VALID"
    assert package_digest(package).startswith("sha256:")
