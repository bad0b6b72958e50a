"""The one way out: sentences, exit codes, silence where nobody listens."""

from __future__ import annotations

import os
import pty
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator.cli import main
from orchestrator.cli.output import harmless
from orchestrator.errors import ConfigurationError, InvariantBroken, NotFound, RefusedByState, Unavailable
from outbox.errors import BadMessage, StoreUnavailable, StoreUnusable
from publisher.errors import Busy, NotOurs
from tests.orchestrator.cli.conftest import ENTRY, Desk


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigurationError("x", hint="y"), 2),
        (NotFound("x", hint="y"), 2),
        (RefusedByState("x", hint="y"), 3),
        (InvariantBroken("x", hint="y"), 3),
        (Unavailable("x", hint="y"), 4),
        (StoreUnavailable("x", hint="y"), 4),
        (StoreUnusable("x", hint="y"), 2),
        (BadMessage("x", hint="y"), 2),
        (Busy("x", hint="y"), 4),
        (NotOurs("x", hint="y"), 2),
    ],
)
def test_every_expected_error_is_a_sentence_what_next_and_its_exit_code(error: Exception, code: int) -> None:
    def fail() -> None:
        raise error

    result = run(fail)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "dateline: x\n          y\n")


def test_what_waiting_can_help_says_so() -> None:
    def locked() -> None:
        raise StoreUnavailable("sqlite: database is locked")

    assert run(locked).stderr.splitlines()[1].strip() == "Try again in a moment; nothing was changed."


def test_an_interrupt_is_quiet_and_exits_130() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    result = run(interrupted)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "")


def test_a_bug_keeps_its_traceback() -> None:
    def bug() -> None:
        raise ZeroDivisionError

    assert isinstance(run(bug).exception, ZeroDivisionError)


@pytest.mark.parametrize("arguments", [["jobs", "--state", "FOO"], ["foo"], ["jobs", "--nix"], ["explain"]])
def test_a_usage_error_says_what_and_exits_2(desk: Desk, arguments: list[str]) -> None:
    said = desk.ask(*arguments)
    assert said.code == 2
    assert said.err.startswith("dateline: ")
    assert "--help" in said.err


def test_every_command_has_help_with_an_example_and_no_boxes(desk: Desk) -> None:
    commands = commands_of(desk)
    assert {"status", "jobs", "explain", "doctor"} <= {command[0] for command in commands}
    for command in commands:
        shown = desk.ask(*command, "--help").out
        assert f"Example: dateline {' '.join(command)}" in shown
        assert not set(shown) & set("╭│─╰")


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_that_of_a_usage_error(desk: Desk) -> None:
    said = desk.ask()
    assert said.code == 2
    assert said.out.startswith("Usage: dateline")


def test_the_version_is_one_line(desk: Desk) -> None:
    said = desk.ask("--version")
    assert (said.code, said.out.split()[0]) == (0, "dateline")


def test_a_missing_workspace_is_a_sentence(tmp_path: Path) -> None:
    said = Desk(tmp_path / "nowhere").ask("status")
    assert said.code == 2
    assert "dateline.toml does not exist\n" in said.err
    assert "dateline init DIR" in said.err


def test_a_store_of_a_newer_version_is_refused_and_left_alone(desk: Desk) -> None:
    with sqlite3.connect(desk.file) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0099'")
    raw.close()
    said = desk.ask("status")
    assert said.code == 2
    assert "was written by a newer version (schema 99, this program knows 1)" in said.err
    assert "nothing was changed" in said.err


def test_a_file_that_is_no_database_is_a_sentence(desk: Desk) -> None:
    desk.file.write_bytes(b"no database at all, but long enough to look at" * 40)
    said = desk.ask("status")
    assert said.code == 2
    assert said.err.startswith("dateline: sqlite: ")


def test_a_server_that_does_not_answer_exits_4(desk: Desk) -> None:
    desk.config.write_text('[store]\nurl = "postgresql+psycopg://nobody@127.0.0.1:9/none"\n')
    said = desk.ask("status")
    assert said.code == 4
    assert said.err.startswith("dateline: ")


def test_reading_does_not_wait_for_somebody_who_writes(desk: Desk) -> None:
    raw = sqlite3.connect(desk.file, isolation_level=None)
    raw.execute("BEGIN EXCLUSIVE")
    assert desk.ask("status", "--json").json["outcomes"]["accepted"] == 6
    raw.execute("ROLLBACK")
    raw.close()


def test_a_reader_that_goes_away_ends_the_command_quietly(desk: Desk) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = desk.start("events", "--json", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (141, b"")


def test_the_command_finds_the_workspace_of_the_current_folder(desk: Desk) -> None:
    child = desk.start("jobs", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")
    assert b"7F3A91" in out
    assert b"\x1b" not in out


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_and_not_with_no_color(desk: Desk, no_color: str, coloured: bool) -> None:
    ours, theirs = pty.openpty()
    environment = {"NO_COLOR": no_color, "TERM": "xterm-256color", "COLUMNS": "120"}
    child = desk.start("status", stdout=theirs, stderr=subprocess.PIPE, env=environment)
    _, err = child.communicate(timeout=60)
    shown = os.read(ours, 65_536)
    os.close(theirs)
    os.close(ours)
    assert (child.returncode, err) == (0, b"")
    assert (b"\x1b[" in shown) is coloured
    assert "──────────".encode() in shown


def test_a_stream_without_utf_8_gets_question_marks_instead_of_a_traceback(desk: Desk) -> None:
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    child = desk.start("jobs", stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")
    assert b"?" in out


def test_text_that_would_act_on_a_terminal_is_shown_harmless() -> None:
    assert harmless("a\x1b[31mb\u202ec\x07 ñ\tü") == "a�[31mb�c� ñ\tü"


def commands_of(desk: Desk, *group: str) -> list[tuple[str, ...]]:
    """Every command, as the help lists them; groups are looked into."""
    listed = desk.ask(*group, "--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    names = [(*group, line.split()[0]) for line in listed.splitlines() if line[2:3].strip()]
    inner = {name: commands_of(desk, *name) for name in names}
    return [command for name in names for command in inner[name] or [name]]


def run(command: object) -> object:
    """The application with one more command, which is run."""
    app = main.build()
    app.command("act")(command)
    return CliRunner().invoke(app, ["act"])


def test_the_table_of_modules_names_every_command_that_they_register() -> None:
    for module, names in main.MODULES.items():
        app = main.build(names)
        groups = [group.name for group in app.registered_groups]
        assert sorted([*(command.name for command in app.registered_commands), *groups]) == sorted(names), module


def test_only_what_a_command_needs_is_imported_and_everything_where_none_is_named() -> None:
    assert main.wanted_of(["--config", "x.toml", "status", "--json"]) == {"status"}
    assert set(main.wanted_of(["--help"])) == set(main.wanted_of(["nonsense"])) == set(main.COMMANDS)
    code = "import sys; from orchestrator.cli.main import build; build(['status']); print('uvicorn' in sys.modules)"
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert child.stdout == b"False\n"


def test_the_entry_point_is_importable_without_side_effects() -> None:
    command = [sys.executable, "-c", ENTRY.partition(";")[0]]
    child = subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[3])
    assert (child.returncode, child.stdout, child.stderr) == (0, b"", b"")
