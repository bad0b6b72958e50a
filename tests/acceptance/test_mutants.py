"""Removing a guard makes its acceptance test fail: a test that passes without its guard protects nothing.

A sample runs always; all fifty, and the unchanged copy, run with DATELINE_SOAK=1.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.acceptance.mutation import copied, mutants, run

SOAK = os.environ.get("DATELINE_SOAK") == "1"
SAMPLE = (3, 12, 24, 27, 35, 44)
MUTANTS = mutants()


def _acceptance(folder: Path, node: str) -> tuple[int, str]:
    """Run one acceptance test of the copy, or all of a file, on SQLite."""
    chosen = ("-k", "not postgresql and not mariadb")
    done = run(folder, "-m", "pytest", f"tests/acceptance/{node}", "-q", "-p", "no:cacheprovider", *chosen)
    return done.returncode, done.stdout + done.stderr


def _node_of(number: int) -> str:
    """File and function of an acceptance test."""
    for path in sorted(Path(__file__).parent.glob("test_[0-9]*.py")):
        if found := re.search(rf"^def (test_{number:02d}_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            return f"{path.name}::{found[1]}"
    raise AssertionError(f"there is no test {number}")


def test_each_of_the_fifty_names_its_guard_and_the_guard_stands_where_it_says() -> None:
    assert sorted(MUTANTS) == list(range(1, 51))
    for mutant in MUTANTS.values():
        compile(mutant.text(), mutant.file, "exec")


@pytest.mark.soak
@pytest.mark.parametrize("number", sorted(MUTANTS) if SOAK else SAMPLE)
def test_without_its_guard_the_test_fails(number: int, tmp_path: Path) -> None:
    code, told = _acceptance(copied(tmp_path, MUTANTS[number]), _node_of(number))
    assert code == 1, f"test {number} passes without its guard, or did not run at all\n{told}"
    assert " failed" in told
    assert "error" not in told.splitlines()[-1], told


if SOAK:

    @pytest.mark.soak
    @pytest.mark.parametrize("number", [1, 11, 21, 41])
    def test_the_unchanged_copy_passes(number: int, tmp_path: Path) -> None:
        code, told = _acceptance(copied(tmp_path, None), _node_of(number).partition("::")[0])
        assert code == 0, told
