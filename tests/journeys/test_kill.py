"""Killing the demonstration at any moment, and running it again: the same twelve editions, nothing bought twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from orchestrator import entropy
from tests.journeys.workspace import Workspace

SOAK = bool(os.environ.get("DATELINE_SOAK"))
SEEDS = range(40) if SOAK else range(3)


def kill_somewhere(workspace: Workspace, seconds: float, how: signal.Signals) -> None:
    """Start the demonstration, and end it from outside after `seconds`."""
    process = workspace.start("demo", "--days", "1")
    entropy.sleep_s(seconds)
    process.send_signal(how)
    process.communicate(timeout=60)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_any_moment_the_demo_ends_with_the_same_editions(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    workspace = Workspace.make(tmp_path / "newsroom")
    for _ in range(3):
        how = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        kill_somewhere(workspace, 1.5 + 4 * chance.random(), how)
    report = workspace.json("demo", "--days", "1")
    assert (report["accepted"], report["verified_complete"], report["bought_twice"]) == (4, 4, 0)

    creates = [r for r in workspace.requests() if r["path"] == "/v1/responses" and r["accepted"]]
    bought = Counter((c["metadata"]["fingerprint_prefix"], c["metadata"]["operation_generation"]) for c in creates)
    assert max(bought.values()) == 1
    assert workspace.git("fsck", "--strict") == ""
    commits = workspace.git("log", "--format=%(trailers:key=Edition-Key,valueonly)", "main").split()
    assert len(commits) == len(set(commits)) == 4
    assert workspace.rows("SELECT count(*) FROM job WHERE lease_owner IS NOT NULL") == [(0,)]


def test_asked_to_stop_the_loop_ends_soon_and_leaves_no_lease(newsroom: Workspace) -> None:
    newsroom.run("plan", "--date", "2026-11-30")
    process = newsroom.start("run")
    while newsroom.rows("SELECT count(*) FROM create_attempt") == [(0,)]:
        entropy.sleep_s(0.1)
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0
    assert newsroom.rows("SELECT count(*) FROM job WHERE lease_owner IS NOT NULL") == [(0,)]
    assert newsroom.rows("SELECT count(*) FROM effect WHERE lease_owner IS NOT NULL") == [(0,)]
