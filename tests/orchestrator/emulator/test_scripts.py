"""Reading scripts: what is wrong is named with its place and the likely word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.emulator.script import QUIRKS, VOCABULARY, Operation
from orchestrator.emulator.script_file import parse_script, read_script
from orchestrator.errors import ConfigurationError

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "fixtures" / "scripts").glob("*.json"))

WRONG: list[tuple[Any, str]] = [
    ([], "s: must be an object"),
    ({"rule": []}, 's: unknown key "rule"; did you mean "rules"?'),
    ({"rules": {}}, "s: rules: must be a list of rules"),
    ({"rules": [{"creates": []}]}, 's: rules[0]: unknown key "creates"; did you mean "create"?'),
    ({"rules": [{"match": {"stge": "x"}}]}, 's: rules[0].match: unknown field "stge"; did you mean "stage"?'),
    ({"rules": [{"match": {"call": 0}}]}, "s: rules[0].match.call: must be a call number from 1"),
    ({"rules": [{"match": {"date": [1.5]}}]}, "s: rules[0].match.date: must be a text"),
    ({"rules": [{"create": []}]}, "s: rules[0].create: must be a list with at least one step"),
    (
        {"rules": [{}, {}, {"create": [{"result": "ct_after"}]}]},
        's: rules[2].create[0]: unknown result "ct_after"; did you mean "cut_after_accept"?',
    ),
    (
        {"rules": [{"retrieve": [{"status": "complete"}]}]},
        's: rules[0].retrieve[0]: unknown result "complete"; did you mean "completed"?',
    ),
    (
        {"rules": [{"create": [{"result": "slow", "delay": 3}]}]},
        's: rules[0].create[0]: unknown key for "slow" "delay"; did you mean "delay_s"?',
    ),
    (
        {"rules": [{"create": [{"result": "slow", "delay_s": "3"}]}]},
        's: rules[0].create[0].delay_s: must be seconds, 0 or more, not "3"',
    ),
    (
        {"rules": [{"create": [{"result": "http", "status": 42}]}]},
        "s: rules[0].create[0].status: must be an HTTP status, 200 to 599, not 42",
    ),
    ({"rules": [{"retrieve": [{"result": "payload"}]}]}, 'a payload needs "file"'),
    ({"rules": [{"retrieve": [{"payload": "no.json"}]}]}, 'there is no fixture "no.json"'),
    (
        {"rules": [{"webhook": [{"signature": "badd"}]}]},
        's: rules[0].webhook[0].signature: unknown value "badd"; did you mean "bad"?',
    ),
    (
        {"rules": [{"webhook": [{"event": "response.complete"}]}]},
        's: rules[0].webhook[0].event: unknown event "response.complete"; did you mean "response.completed"?',
    ),
]


@pytest.mark.parametrize(("document", "message"), WRONG)
def test_a_wrong_script_says_where_and_what(document: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as wrong:
        parse_script(document, name="s", folder=tmp_path)
    assert message in str(wrong.value)


def test_a_file_that_is_not_json_names_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"rules": [\n  {"match": }]}')
    with pytest.raises(ConfigurationError, match=r"broken\.json:2:13: not JSON"):
        read_script(path)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_script(tmp_path / "missing.json")


def test_statuses_and_results_are_one_vocabulary() -> None:
    script = parse_script(
        {"rules": [{"retrieve": [{"status": "refusal"}, {"result": "queued"}, {"status": 503}, {}]}]}
    )
    steps = script.rules[0].steps[Operation.RETRIEVE]
    assert [step.result for step in steps] == ["refusal", "queued", "http", "completed"]


def test_every_quirk_is_a_result_of_retrieve() -> None:
    assert VOCABULARY[Operation.RETRIEVE].keys() >= QUIRKS


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_script_can_be_read(path: Path) -> None:
    assert read_script(path).rules


def test_scripts_are_shipped() -> None:
    assert len(SHIPPED) >= 5
