"""A provider that misbehaves on the wire: what heals by itself, and what waits for a person."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.workspace import Workspace

DAY = "2026-11-30"


def script(folder: Path, *rules: dict[str, Any]) -> str:
    """An emulator script in a file."""
    file = folder / "script.json"
    file.write_text(json.dumps({"rules": list(rules)}))
    return str(file)


def planned(workspace: Workspace) -> None:
    """One obligation per product."""
    workspace.run("plan", "--date", DAY)


def test_a_create_cut_after_acceptance_is_quarantined_and_never_sent_again(newsroom: Workspace) -> None:
    planned(newsroom)
    rule = {
        "match": {"product": "daily-brief", "stage": "research_primary"},
        "create": [{"result": "cut_after_accept"}, {"result": "must_not_be_called"}],
    }
    newsroom.run("run", "--until-idle", "--script", script(newsroom.root, rule))

    (job,) = newsroom.json("jobs", "--state", "QUARANTINED")
    assert (job["reason"], job["generation_attempts"]) == ("CREATE_ACCEPTANCE_UNKNOWN", 1)
    creates = [
        r
        for r in newsroom.requests()
        if r["method"] == "POST" and r["metadata"] and r["metadata"]["product"] == "daily-brief"
    ]
    assert [(c["result"], c["accepted"]) for c in creates] == [("cut_after_accept", True)]
    stages = {p["product"]: p["stage_code"] for p in newsroom.json("status")["processes"]}
    assert stages == {"daily-brief": "RESEARCH_PRIMARY", "revolution-watch": "PUBLISHED"}

    story = newsroom.json("explain", job["id"])
    assert story["creation"] == "ambiguous"
    assert story["owner"]
    told = newsroom.run("explain", job["id"][:8]).stdout
    for words in (
        "QUARANTINED",
        "may exist",
        "Nothing is sent again",
        "link-response",
        "confirm-not-created",
        "night desk",
    ):
        assert words in told, told


def test_an_operator_links_the_response_that_the_providers_log_shows(newsroom: Workspace) -> None:
    planned(newsroom)
    rule = {"match": {"product": "daily-brief", "stage": "composition"}, "create": [{"result": "cut_after_accept"}]}
    newsroom.run("run", "--until-idle", "--script", script(newsroom.root, rule))
    (job,) = newsroom.json("jobs", "--state", "QUARANTINED")
    lost = [r["response_id"] for r in newsroom.requests() if r["result"] == "cut_after_accept"]
    newsroom.run("link-response", job["id"][:8], lost[0], "--reason", "PROVIDER_LOG:seen there")
    newsroom.run("run", "--until-idle")
    assert newsroom.json("jobs", "--state", "QUARANTINED") == []
    assert {p["stage_code"] for p in newsroom.json("status")["processes"]} == {"PUBLISHED"}


def test_a_throttled_create_waits_as_long_as_it_was_told_and_uses_no_attempt(newsroom: Workspace) -> None:
    planned(newsroom)
    throttled = {
        "match": {"product": "daily-brief", "stage": "research_primary"},
        "create": [
            {"result": "http", "status": 429, "code": "rate_limit_exceeded", "headers": {"retry-after-ms": "1500"}},
            {"result": "ok"},
        ],
    }
    newsroom.run("run", "--until-idle", "--script", script(newsroom.root, throttled))
    assert {p["stage_code"] for p in newsroom.json("status")["processes"]} == {"PUBLISHED"}
    assert {row[0] for row in newsroom.rows("SELECT generation_attempts FROM job")} == {1}
    outcomes = newsroom.rows(
        "SELECT outcome, started_ms, settled_ms FROM create_attempt JOIN process ON process.id = process_id"
        " WHERE product = 'daily-brief' AND create_attempt.stage = 'research_primary' ORDER BY create_attempt.id"
    )
    assert [outcome for outcome, *_ in outcomes] == ["NOT_CREATED", "CREATED"]
    assert outcomes[1][1] - outcomes[0][2] >= 1500


@pytest.fixture
def emulator(tmp_path: Path, newsroom: Workspace) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """An emulator of its own, whose address stays when it is stopped."""
    process = newsroom.start("emulator", "--journal", str(tmp_path / "journal"))
    assert process.stdout is not None
    address = re.search(r"http://\S+", process.stdout.readline())[0]  # type: ignore[index]
    yield address, process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("nowhere", ["refused", "no such name"])
def test_an_unreachable_provider_costs_no_attempt_and_heals(
    newsroom: Workspace, emulator: tuple[str, subprocess.Popen[str]], nowhere: str
) -> None:
    address, _process = emulator
    dead = "http://127.0.0.1:9/v1" if nowhere == "refused" else "http://provider.invalid/v1"
    planned(newsroom)
    key = {"DATELINE_PROVIDER__API_KEY": "any"}
    first = newsroom.start("run", DATELINE_PROVIDER__BASE_URL=dead, **key)
    try:
        _until(newsroom, "SELECT count(*) FROM create_attempt WHERE outcome = 'NOT_CREATED'")
    finally:
        first.terminate()
        first.communicate(timeout=20)
    assert {row[0] for row in newsroom.rows("SELECT state FROM job")} == {"CREATE_ELIGIBLE"}
    assert newsroom.rows("SELECT count(*) FROM job WHERE lease_owner IS NOT NULL") == [(0,)]

    newsroom.run("run", "--until-idle", DATELINE_PROVIDER__BASE_URL=address, **key)
    assert {p["stage_code"] for p in newsroom.json("status")["processes"]} == {"PUBLISHED"}
    assert max(row[0] for row in newsroom.rows("SELECT generation_attempts FROM job")) == 1


def _until(workspace: Workspace, query: str) -> None:
    """Wait until the store answers something above zero; pytest's own time limit ends a hopeless wait."""
    from orchestrator import entropy

    while workspace.rows(query) == [(0,)]:
        entropy.sleep_s(0.1)
