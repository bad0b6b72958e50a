"""The corpus of pairs whose author has not seen the checker: what must be found, and what must be left alone."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from orchestrator.evidence.comparison import compare_strangers
from tests.orchestrator.evidence.newsroom_desk import ROOT

PAIRS = ROOT / "fixtures" / "parity" / "pairs.jsonl"


@pytest.mark.skipif(not PAIRS.exists(), reason="fixtures/parity is not here")
def test_at_least_95_of_100_differences_are_found_and_at_most_one_pair_in_100_is_refused_wrongly() -> None:
    judged: Counter[tuple[str, bool]] = Counter()
    for line in PAIRS.read_text("utf-8").splitlines():
        pair = json.loads(line)
        judged[pair["verdict"], compare_strangers(pair["en"], pair["es"]).verdict.value == "differ"] += 1
    assert judged.total() >= 200
    assert judged["differ", True] >= 0.95 * (judged["differ", True] + judged["differ", False])
    assert judged["same", True] <= 0.01 * (judged["same", True] + judged["same", False])
