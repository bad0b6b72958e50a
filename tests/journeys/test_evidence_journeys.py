"""Paid research is kept: what a bad answer costs, through the real command against the emulator.

The emulator is given answers of the synthetic newsroom with a few things wrong; its log says what was bought.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator import entropy
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.task import research_task, task_bytes
from orchestrator.core.records import JobStage
from orchestrator.emulator.newsroom import load_newsroom
from tests.journeys.workspace import ROOT, Workspace
from tests.orchestrator.evidence.newsroom_desk import Desk, product

DAY = "2026-11-30"
BRIEF = "daily-brief"
THROTTLED = {"result": "http", "status": 429, "code": "rate_limit_exceeded", "headers": {"retry-after-ms": "700"}}
Json = dict[str, Any]


@pytest.fixture
def brief(tmp_path: Path) -> Workspace:
    """A fresh workspace with one product and one planned date."""
    workspace = Workspace.make(
        tmp_path / "newsroom",
        products=[BRIEF],
        DATELINE_PROVIDER__POLL_S="[0.2, 0.4]",
        DATELINE_LOOP__TICK_S="0.5",
    )
    workspace.run("plan", "--date", DAY)
    return workspace


def desk() -> Desk:
    """What the newsroom answers on the day."""
    return Desk(load_newsroom(ROOT / "fixtures" / "newsroom"), product(BRIEF), DAY)


def researched(change: Callable[[list[Json]], object]) -> str:
    """The day's research answer with its candidates changed."""
    task = task_bytes(research_task(product(BRIEF), DAY, ()))
    answer: Json = desk().response(JobStage.RESEARCH_PRIMARY, task)["answer"]
    change(answer["candidates"])
    return json.dumps(answer, ensure_ascii=False)


def script(workspace: Workspace, *rules: Json, **payloads: str) -> str:
    """A script and its payloads, in the workspace."""
    for name, text in payloads.items():
        (workspace.root / f"{name}.json").write_text(text)
    file = workspace.root / "script.json"
    file.write_text(json.dumps({"rules": list(rules)}))
    return str(file)


def answers(stage: str, name: str) -> Json:
    """The first answer of a stage is a payload."""
    return {
        "match": {"stage": stage, "operation_generation": "0"},
        "retrieve": [{"result": "payload", "file": f"{name}.json"}],
    }


def stops_at(stage: str) -> Json:
    """No job of a stage can be bought yet."""
    return {"match": {"stage": stage}, "create": [THROTTLED]}


@contextmanager
def running(workspace: Workspace, *arguments: str) -> Iterator[None]:
    """The loop beside the test."""
    child = workspace.start("run", *arguments)
    try:
        yield
    finally:
        child.terminate()
        child.communicate(timeout=30)


def until(workspace: Workspace, query: str) -> None:
    """Wait until the store answers a row; pytest's own time limit ends a hopeless wait."""
    while not workspace.rows(query):
        entropy.sleep_s(0.1)


def bought(workspace: Workspace) -> Counter[str]:
    """How many responses of each stage the provider accepted."""
    creates = (r for r in workspace.requests() if r["method"] == "POST" and r["path"] == "/v1/responses")
    return Counter(r["metadata"]["stage"] for r in creates if r["accepted"])


def is_published(workspace: Workspace) -> bool:
    """The process went all the way, in both languages."""
    stages = {process["stage_code"] for process in workspace.json("status")["processes"]}
    return stages == {"PUBLISHED"} and len(workspace.json("editions")) == 2


def candidates(workspace: Workspace) -> list[tuple[str, str]]:
    """Accepted candidates as they are stored, oldest first."""
    return [
        (name, content) for name, content in workspace.rows("SELECT id, content FROM candidate ORDER BY position")
    ]


def test_a_composition_with_one_bad_sentence_is_refused_and_its_retry_buys_no_research(brief: Workspace) -> None:
    with running(brief, "--script", script(brief, stops_at("composition"))):
        until(brief, "SELECT 1 FROM process WHERE evidence_digest IS NOT NULL")
    process = brief.rows("SELECT id FROM process")[0][0]
    package = EvidencePackage.model_validate_json(json.dumps(brief.json("show", process, "--evidence")))
    answer = desk().composition(package)
    sentence = next(
        one for one in answer["events"][0]["spanish"]["sentences"] if any(map(str.isdigit, one["text"]))
    )
    at = answer["events"][0]["spanish"]["sentences"].index(sentence)
    digit = next(c for c in sentence["text"] if c in "23456789")
    sentence["text"] = sentence["text"].replace(digit, str(int(digit) - 1), 1)
    bad = script(brief, answers("composition", "bad"), bad=json.dumps(answer, ensure_ascii=False))
    brief.run("run", "--until-idle", "--script", bad)

    jobs = {job["generation"]: job for job in brief.json("jobs") if job["stage"] == "composition"}
    report = brief.json("show", jobs[0]["id"], "--report")
    assert not report["accepted"]
    assert {failure["path"] for failure in report["failures"]} == {f"/events/0/spanish/sentences/{at}/text"}
    assert {failure["code"][:7] for failure in report["failures"]} == {"PARITY_"}
    assert bought(brief) == {"research_primary": 1, "composition": 2}
    assert is_published(brief)
    assert brief.json("revalidate", jobs[0]["id"], code=1) == report
    assert brief.json("revalidate", jobs[1]["id"])["accepted"]


def test_three_invented_addresses_cost_three_candidates_and_one_supplemental_round(brief: Workspace) -> None:
    def invent(found: list[Json]) -> None:
        for number in (1, 6, 12):
            found[number]["sources"][0]["url"] += "-invented"

    rules = answers("research_primary", "scout")
    with running(
        brief, "--script", script(brief, rules, stops_at("research_supplemental"), scout=researched(invent))
    ):
        until(brief, "SELECT 1 FROM job WHERE stage = 'research_supplemental'")
    kept = candidates(brief)
    assert len(kept) == 11
    [codes] = brief.rows(
        "SELECT diagnostic_code FROM event WHERE to_state = 'RESEARCH_ASSESS' ORDER BY id DESC LIMIT 1"
    )
    assert "CANDIDATE_SHORTFALL" in codes[0]

    brief.run("run", "--until-idle")
    assert candidates(brief)[:11] == kept
    assert len(candidates(brief)) == 14
    assert bought(brief) == {"research_primary": 1, "research_supplemental": 1, "composition": 1}
    assert is_published(brief)


def test_an_answer_with_twelve_candidates_is_salvaged_and_not_bought_again(brief: Workspace) -> None:
    def shorten(found: list[Json]) -> None:
        del found[12:]

    short = script(brief, answers("research_primary", "short"), short=researched(shorten))
    brief.run("run", "--until-idle", "--script", short)
    [job] = [job for job in brief.json("jobs") if job["stage"] == "research_primary"]
    report = brief.json("show", job["id"], "--report")
    assert [failure["code"] for failure in report["failures"]] == ["WRONG_COUNT"]
    assert bought(brief) == {"research_primary": 1, "research_supplemental": 1, "composition": 1}
    assert len(candidates(brief)) == 14
    assert is_published(brief)
