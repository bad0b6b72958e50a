"""The mutation bench and the cost of validation: `python -m tests.bench.evidence` (`make bench-evidence`).

Every valid edition pair of the synthetic newsroom is composed by the real path, judged clean (a refusal there is
a false alarm), then corrupted in every named way, one at a time, and judged again (an acceptance there is a
miss). Then one edition pair's validation is timed against parsing its JSON, in one run, and against its size.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from orchestrator.contracts.package import EvidencePackage
from orchestrator.core.records import JobStage
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.evidence import parity
from tests.bench.corruptions import EXCUSED, KINDS
from tests.orchestrator.evidence.newsroom_desk import PRODUCTS, ROOT, Desk, product

FIRST = date(2026, 11, 28)
DAYS = 105
ROUNDS = 9
Json = dict[str, Any]


@dataclass(frozen=True)
class Composed:
    """One edition pair as the newsroom wrote it, and what it is judged against."""

    desk: Desk
    package: EvidencePackage
    answer: Json

    def failures(self, answer: Json) -> tuple[str, ...]:
        """What validation finds in a composition."""
        body = self.desk.body(answer, [])
        report = self.desk.judge(JobStage.COMPOSITION, body, package=self.package).report
        return tuple(f"{failure.code.value} {failure.detail_class}" for failure in report.failures)


@dataclass
class Tally:
    """What became of one kind."""

    tried: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: dict[str, str] = field(default_factory=dict)


def composed(days: int) -> Iterator[Composed]:
    """Every edition pair of so many days, both products."""
    newsroom = load_newsroom(Path(ROOT) / "fixtures" / "newsroom")
    for slug in PRODUCTS:
        policy = product(slug)
        for offset in range(days):
            desk = Desk(newsroom, policy, (FIRST + timedelta(days=offset)).isoformat())
            package = desk.package()
            yield Composed(desk, package, desk.composition(package))


def corrupted(pair: Composed, kind: str, turn: int) -> Json | None:
    """The composition with one event corrupted, beginning at the event whose turn it is; None when none fits."""
    events = pair.answer["events"]
    for step in range(len(events)):
        at = (turn + step) % len(events)
        event = copy.deepcopy(events[at])
        if KINDS[kind](event):
            return {**pair.answer, "events": [*events[:at], event, *events[at + 1 :]]}
    return None


def measure(days: int) -> tuple[Tally, int, Counter[str]]:
    """Judge every pair clean and corrupted: the tally, pairs judged, false alarms by code."""
    tally, pairs, alarms = Tally(), 0, Counter[str]()
    for pair in composed(days):
        pairs += 1
        clean = pair.failures(pair.answer)
        if clean:
            alarms[clean[0]] += 1
            continue
        for turn, kind in enumerate(KINDS, pairs):
            answer = corrupted(pair, kind, turn)
            if answer is None:
                continue
            tally.tried[kind] += 1
            if pair.failures(answer):
                tally.found[kind] += 1
            else:
                tally.missed.setdefault(kind, _difference(pair.answer, answer))
    return tally, pairs, alarms


def _difference(before: Json, after: Json) -> str:
    for one, other in zip(before["events"], after["events"], strict=True):
        if one != other:
            for side in ("english", "spanish"):
                texts = [other[side]["headline"], *(sentence["text"] for sentence in other[side]["sentences"])]
                old = [one[side]["headline"], *(sentence["text"] for sentence in one[side]["sentences"])]
                changed = [text for text, was in zip(texts, old, strict=False) if text != was]
                if changed:
                    return changed[0]
    return ""


def show(tally: Tally, pairs: int, alarms: Counter[str]) -> bool:
    """Print the table; whether the aims of the evidence work are met."""
    print("excused before measuring:")
    for name, why in EXCUSED.items():
        print(f"  {name}: {why}")
    print(f"\n{'kind':<42}{'tried':>7}{'found':>7}{'rate':>9}")
    for kind in KINDS:
        tried, found = tally.tried[kind], tally.found[kind]
        rate = f"{100 * found / tried:8.2f}%" if tried else "       –"
        print(f"{kind:<42}{tried:>7}{found:>7}{rate:>9}")
        if kind in tally.missed:
            print(f"    missed: {tally.missed[kind][:150]}")
    tried, found = tally.tried.total(), tally.found.total()
    judged = [kind for kind in KINDS if tally.tried[kind]]
    low = [kind for kind in judged if tally.found[kind] < 0.95 * tally.tried[kind]]
    print(
        f"\nkinds judged {len(judged)}   corruptions {tried}   found {found}   "
        f"rate {100 * found / tried:.2f}%   aim 99%"
    )
    print(f"kinds under 95%: {len(low)}   aim 0   {', '.join(low)}")
    print(f"edition pairs {pairs}   false alarms {alarms.total()} ({100 * alarms.total() / pairs:.2f}%)   aim 0.5%")
    for code, count in alarms.items():
        print(f"  {count:>5}  {code}")
    return found >= 0.99 * tried and not low and alarms.total() <= 0.005 * pairs


def cost(days: int) -> None:
    """Validation beside json.loads of the same bytes, fresh texts each time; and its growth with size."""
    pairs = list(composed(days))
    ratios, per_event = [], {}
    for pair in pairs * ROUNDS:
        body = pair.desk.body(pair.answer, [])
        parity.forget()
        judged = _seconds(lambda: pair.desk.judge(JobStage.COMPOSITION, body, package=pair.package))  # noqa: B023
        ratios.append(judged / _seconds(lambda: _parsed(body)))  # noqa: B023
        size = len(pair.answer["events"])
        for count in (2, size):
            part = _part(pair, count)
            part_body = pair.desk.body(part.answer, [])
            parity.forget()
            took = _seconds(lambda: part.desk.judge(JobStage.COMPOSITION, part_body, package=part.package))  # noqa: B023
            per_event.setdefault("part" if count == 2 else "whole", []).append(took / count)
    growth = median(per_event["whole"]) / median(per_event["part"])
    print("validation of one edition pair, against json.loads of its bytes and of the answer in them")
    print(f"  ratio           {median(ratios):8.1f}   aim 30 or less")
    print(f"  per event, whole edition over two events {growth:8.2f}   aim 1 (proportional to size)")


def _parsed(body: bytes) -> None:
    for item in json.loads(body)["output"]:
        json.loads(item["content"][0]["text"])


def _part(pair: Composed, count: int) -> Composed:
    package = pair.package.model_copy(update={"events": pair.package.events[:count]})
    return Composed(pair.desk, package, {**pair.answer, "events": pair.answer["events"][:count]})


def _seconds(step: Any) -> float:
    began = process_time()
    step()
    return process_time() - began


def main(days: int = DAYS) -> int:
    """Run both; exit code 1 when an aim is missed."""
    met = show(*measure(days))
    cost(4)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DAYS))
