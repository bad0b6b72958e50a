"""The commands that judge: any two texts, any answer, any stored one; nothing is changed by them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.orchestrator.cli.conftest import Desk

B24 = [
    ("1,234.56", "1.234,56", 0),
    ("1.5%", "1,5\u00a0%", 0),
    ("1.5%", "1,5\u202f%", 0),
    ("1,500", "1.500", 0),
    ("1,500", "1500", 0),
    ("1.5", "1.500", 1),
    ("22.10", "2210", 1),
]


def texts(folder: Path, english: str, spanish: str) -> tuple[str, str]:
    one, other = folder / "en.txt", folder / "es.txt"
    one.write_text(english, encoding="utf-8")
    other.write_text(spanish, encoding="utf-8")
    return str(one), str(other)


@pytest.mark.parametrize(("english", "spanish", "code"), B24)
def test_the_table_of_figures_holds_through_the_command(
    desk: Desk, tmp_path: Path, english: str, spanish: str, code: int
) -> None:
    assert desk.ask("parity", *texts(tmp_path, english, spanish)).code == code


@pytest.mark.parametrize(
    ("english", "spanish", "wanted"),
    [
        ("The bridge was opened by the town.", "The bridge was opened by the town.", "PARITY_LANGUAGE"),
        ("The bridge was opened.", "Here is the translation: El puente fue inaugurado.", "INJECTION_MARKER"),
        ("The bridge was opened.", "```markdown El puente fue inaugurado.```", "MARKDOWN_STRUCTURE"),
        ("The bridge was opened.", "--- title: x --- El puente fue inaugurado.", "MARKDOWN_STRUCTURE"),
    ],
)
def test_what_a_translator_left_behind_is_found(
    desk: Desk, tmp_path: Path, english: str, spanish: str, wanted: str
) -> None:
    said = desk.ask("parity", *texts(tmp_path, english, spanish))
    assert (said.code, wanted in said.out) == (1, True)


def test_a_name_alone_is_no_failure(desk: Desk, tmp_path: Path) -> None:
    assert desk.ask("parity", *texts(tmp_path, "Apple Vision Pro 2", "Apple Vision Pro 2")).code == 0
    said = desk.ask("parity", *texts(tmp_path, "Vision", "Visión"), "--json")
    assert (said.code, said.json) == (0, {"verdict": "cannot_judge", "findings": []})


def test_a_finding_names_its_code_its_places_and_its_values(desk: Desk, tmp_path: Path) -> None:
    english, spanish = "It rose to 4.75% on Monday.", "Subió al 4,57 % el lunes."
    said = desk.ask("parity", *texts(tmp_path, english, spanish), "--json")
    [finding] = said.json["findings"]
    assert (finding["code"], finding["detail"]) == ("PARITY_PERCENTAGE", "DIFFERENT")
    assert english[slice(*finding["en"])] == "4.75%"
    assert spanish[slice(*finding["es"])] == "4,57 %"
    assert finding["values"] == {"en": "4.75 %", "es": "4.57 %"}
    [line] = desk.ask("parity", *texts(tmp_path, english, spanish)).out.splitlines()
    assert line.startswith("PARITY_PERCENTAGE  DIFFERENT  en 11–16  es 9–15  4.75 % | 4.57 %")


def test_many_pairs_are_answered_line_by_line_whatever_else_they_say(desk: Desk, tmp_path: Path) -> None:
    rows = [
        {"en": "It rose by 3 percent.", "es": "Subió un 3 %.", "verdict": "same"},
        {"en": "It rose by 3 percent.", "es": "Subió un 4 %.", "verdict": "differ", "kind": "number"},
        {"en": "Vision", "es": "Visión"},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    said = desk.ask("parity", "--pairs", str(file))
    answers = [json.loads(line) for line in said.out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["same", "differ", "cannot_judge"]
    assert [len(answer["findings"]) for answer in answers] == [0, 1, 0]
    assert said.code == 1


@pytest.mark.parametrize(("line", "why"), [("{", "not JSON"), ('{"en": "x"}', "no pair"), ("[]", "no pair")])
def test_a_line_that_is_no_pair_is_named(desk: Desk, tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"en": "a", "es": "b"}\n' + line)
    said = desk.ask("parity", "--pairs", str(file))
    assert said.code == 2
    assert f"pairs.jsonl:2: {why}" in said.err


def test_without_texts_the_command_says_what_it_needs(desk: Desk, tmp_path: Path) -> None:
    assert desk.ask("parity").code == 2
    assert desk.ask("parity", "--pairs", str(tmp_path / "nowhere.jsonl")).code == 2


def test_an_answer_from_elsewhere_gets_the_report_that_it_would_get(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"id": "resp_1", "object": "response", "status": "incomplete", "output": []}))
    asked = ("check-payload", str(file), "--stage", "research_primary", "--product", "daily-brief")
    said = desk.ask(*asked, "--date", "2020-12-24", "--json")
    assert said.code == 1
    assert [(failure["code"], failure["path"]) for failure in said.json["failures"]] == [
        ("INCOMPLETE", "/incomplete_details/reason")
    ]
    assert not said.json["accepted"]
    assert desk.ask(*asked, "--date", "soon").code == 2


def test_a_composition_without_its_package_cannot_be_judged(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text("{}")
    said = desk.ask(
        *("check-payload", str(file), "--stage", "composition", "--product", "daily-brief", "--date", "2031-01-01")
    )
    assert said.code == 3
    assert "--package" in said.err
