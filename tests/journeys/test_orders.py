"""Orders as an operator gives them: the real command, with no loop, beside a loop, and refused."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.workspace import Workspace

CUT = {"create": [{"result": "cut_after_accept"}, {"result": "must_not_be_called"}]}
FAST = {"DATELINE_PROVIDER__POLL_S": "[5, 9]", "DATELINE_LOOP__TICK_S": "0.5"}


@pytest.fixture
def brief(tmp_path: Path) -> Workspace:
    """A fresh workspace with one product."""
    return Workspace.make(tmp_path / "newsroom", products=["daily-brief"], **FAST)


def write_script(workspace: Workspace, **rule: Any) -> str:
    path = workspace.root / "script.json"
    path.write_text(json.dumps({"rules": [{"match": {"stage": "research_primary"}, **rule}]}))
    return str(path)


@contextmanager
def running(workspace: Workspace, *arguments: str) -> Iterator[str]:
    """`dateline run --http`, until the context ends; the address of its desk."""
    child = workspace.start("run", "--http", "127.0.0.1:0", *arguments)
    try:
        assert child.stdout is not None
        said = next(line for line in child.stdout if line.startswith("desk at "))
        yield said.split()[-1].removesuffix("/status")
    finally:
        child.terminate()
        child.communicate(timeout=30)


def fetch(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def eventually(look: Any, wanted: Any) -> Any:
    """Look again until it is as wanted; the last look when it never is."""
    for _ in range(150):
        seen = look()
        if wanted(seen):
            return seen
        time.sleep(0.2)
    return seen


def test_a_signed_webhook_heals_a_create_whose_connection_was_cut(brief: Workspace) -> None:
    brief.run("plan")
    with running(brief, "--script", write_script(brief, **CUT)) as desk:
        reached = eventually(lambda: fetch(f"{desk}/status.json"), lambda s: set(s["jobs"]) == {"DELETED"})
    assert reached["jobs"] == {"DELETED": 2}
    [healed] = brief.rows("SELECT count(*) FROM event WHERE event_type = 'LINKED'")
    assert healed == (1,)
    research = [
        r for r in brief.requests() if r["method"] == "POST" and r["metadata"].get("stage") == "research_primary"
    ]
    assert len([r for r in research if r["path"] == "/v1/responses"]) == 1


def test_an_order_beside_a_running_loop_is_taken_by_the_loop(brief: Workspace) -> None:
    brief.run("plan")
    script = write_script(brief, retrieve=[{"status": "in_progress"}])
    with running(brief, "--script", script) as desk:
        eventually(lambda: fetch(f"{desk}/status.json")["jobs"], lambda found: not {"NO_JOB"} & set(found))
        job = brief.json("jobs")[0]["id"]
        ordered = brief.json("suspend", job, "--reason", "EDITORIAL:the story is off")
        assert (ordered["status"], ordered["actor"]) == ("DONE", brief.json("events")[-1]["actor"])
        assert fetch(f"{desk}/status.json")["jobs"] == {"MANUALLY_SUSPENDED": 1}
        assert brief.json("pause", "--reason", "MAINTENANCE")["status"] == "DONE"
        assert fetch(f"{desk}/status.json")["pause"]["reason"] == "MAINTENANCE"


def test_without_a_loop_an_order_is_taken_at_once_and_once(brief: Workspace) -> None:
    brief.run("plan")
    job = brief.json("jobs")[0]["id"]
    again = ["suspend", job[:8], "--reason", "EDITORIAL", "--key", "monday"]
    assert [brief.json(*again)["id"] for _ in range(2)] == [1, 1]
    events = [line["event_type"] for line in brief.json("events")]
    assert (events.count("SUSPENDED"), events.count("ORDER_SUSPEND")) == (1, 1)
    refused = brief.run("confirm-not-created", job, "--reason", "PROVIDER_LOG", code=3)
    assert "outcome is known" in refused.stderr
    assert brief.run("suspend", job, "--reason", "no code", code=2).stderr.startswith("dateline: ")
    assert brief.run("suspend", "ffffffff", "--reason", "X", code=2).returncode == 2


def test_only_those_who_are_named_may_give_orders(brief: Workspace) -> None:
    allowed = {"DATELINE_OPERATORS__ALLOW": '["ana"]'}
    refused = brief.run("pause", "--reason", "X", code=3, **allowed, DATELINE_ACTOR="eve")
    assert "eve may not" in refused.stderr
    brief.run("pause", "--reason", "X", **allowed, DATELINE_ACTOR="ana")
    assert brief.json("status")["pause"]["actor"] == "ana"


def test_an_abandoned_date_is_listed_with_its_reason_and_its_actor(brief: Workspace) -> None:
    brief.run("backfill", "2026-11-02", "2026-11-02", "--reason", "TEST")
    brief.run("abandon", "daily-brief/2026-11-02", "--reason", "NO_EDITION:holiday", DATELINE_ACTOR="ana")
    [row] = brief.json("processes", "--date", "2026-11-02")
    assert (row["outcome"], row["outcome_reason"], row["outcome_by"]) == ("ABANDONED", "NO_EDITION", "ana")
    assert "abandoned: no edition (ana)" in brief.run("processes").stdout
    assert brief.requests() == []


def test_an_address_that_cannot_be_had_is_told_in_a_sentence(brief: Workspace) -> None:
    assert "HOST:PORT" in brief.run("run", "--http", "nowhere", code=2).stderr
