"""What a process that died leaves to the next one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from orchestrator.emulator.answers import EchoNewsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.emulator.journal import JOURNAL_NAME, Journal, JournalInUse
from orchestrator.emulator.ledger import Ledger
from orchestrator.emulator.script import Operation
from orchestrator.errors import ConfigurationError
from tests.orchestrator.emulator.conftest import JOB, Clock, Start


def test_a_new_process_knows_responses_positions_and_deletions(start: Start, clock: Clock, tmp_path: Path) -> None:
    rule: dict[str, Any] = {
        "create": [{"result": "ok", "times": 2}, {"result": "cut_after_accept"}, {"result": "ok"}],
        "retrieve": [{"status": "queued", "times": 2}, {"result": "not_found_for", "s": 60}],
        "delete": [{"result": "http", "status": 503}, {"result": "ok"}],
    }
    first = start(rule, journal_dir=tmp_path)
    kept, deleted = first.created(), first.created()
    assert [first.delete(deleted).status_code for _ in range(2)] == [503, 200]
    assert [first.get(kept).status_code for _ in range(3)] == [200, 200, 404]
    first.emulator.stop()

    second = start(rule, journal_dir=tmp_path)
    assert second.get(deleted).status_code == 404
    assert second.get(kept).status_code == 404
    clock.forward(61)
    assert second.get(kept).json()["status"] == "completed"
    with pytest.raises(httpx.RemoteProtocolError):
        second.create()
    assert second.create().status_code == 200
    assert second.delete(kept).status_code == 503


def test_a_changed_rule_starts_at_its_first_step(start: Start, tmp_path: Path) -> None:
    first = start({"create": [{"result": "http", "status": 503}, {"result": "ok"}]}, journal_dir=tmp_path)
    assert [first.create().status_code for _ in range(2)] == [503, 200]
    first.emulator.stop()
    second = start({"create": [{"result": "http", "status": 500}, {"result": "ok"}]}, journal_dir=tmp_path)
    assert second.create().status_code == 500


def test_new_ids_do_not_repeat_after_a_restart(start: Start, tmp_path: Path) -> None:
    first = start(journal_dir=tmp_path)
    made = first.created()
    first.emulator.stop()
    assert start(journal_dir=tmp_path).created() != made


def test_a_line_cut_by_a_kill_is_dropped_and_overwritten(start: Start, tmp_path: Path) -> None:
    first = start(journal_dir=tmp_path)
    made = first.created()
    first.emulator.stop()
    with (tmp_path / JOURNAL_NAME).open("ab") as file:
        file.write(b'{"t":"accepted","id":"resp_ha')
    second = start(journal_dir=tmp_path)
    assert second.get(made).status_code == 200
    second.created()
    second.emulator.stop()
    assert all(json.loads(line) for line in (tmp_path / JOURNAL_NAME).read_bytes().splitlines())


def test_a_damaged_line_is_refused_with_its_number(start: Start, tmp_path: Path) -> None:
    start(journal_dir=tmp_path).emulator.stop()
    (tmp_path / JOURNAL_NAME).write_text('{"t":"clock","offset_ms":0}\nnot a record\n')
    with pytest.raises(ConfigurationError, match="line 2 is not a record"):
        start(journal_dir=tmp_path)


def test_a_journal_in_use_names_the_address_of_its_emulator(start: Start, tmp_path: Path) -> None:
    first = start(journal_dir=tmp_path)
    with pytest.raises(JournalInUse) as refused:
        start(journal_dir=tmp_path)
    assert refused.value.base_url == first.emulator.base_url


def test_a_folder_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write its journal"):
        Emulator(EmulatorConfig(journal_dir=tmp_path / "file" / "below"), EchoNewsroom()).start()


def test_fifty_thousand_records_are_replayed(tmp_path: Path) -> None:
    request = {"model": "m", "input": "x" * 500, "background": True, "metadata": dict(JOB)}
    with (tmp_path / JOURNAL_NAME).open("w") as file:
        for number in range(10_000):
            made = f"resp_{number:048x}"
            for record in (
                {"t": "accepted", "id": made, "at": number, "target": "a", "request": request},
                {"t": "look", "op": "retrieve", "target": made, "rule": None, "list": made},
                {"t": "shown", "id": made, "at": number},
                {"t": "look", "op": "retrieve", "target": made, "rule": None, "list": made},
                {"t": "gone", "id": made, "how": "deleted"},
            ):
                file.write(json.dumps(record) + "\n")
    journal = Journal(tmp_path)
    ledger = Ledger(journal)
    journal.close()
    assert (len(ledger.responses), ledger.records) == (10_000, 50_000)
    assert ledger.calls(Operation.RETRIEVE, f"resp_{7:048x}") == 2
