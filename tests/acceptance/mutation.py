"""Guards by name, and a copy of the program that lacks one of them.

Rules:
* the checkout is never touched: packages and tests are copied, everything else is linked;
* a guard's source stands exactly once in its file, else the mutant is refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.shift import ROOT

PACKAGES = ("orchestrator", "outbox", "publisher")
TESTS = ("__init__.py", "conftest.py", "engines.py", "acceptance", "model")
LINKS = ("site", "fixtures", "content", "dateline.toml", "pyproject.toml")
TIMEOUT_S = 100


@dataclass(frozen=True)
class Mutant:
    """One guard, and the program without it."""

    test: int
    guard: str
    file: str
    source: str
    mutated: str

    def text(self) -> str:
        """The file without the guard."""
        whole = (ROOT / self.file).read_text(encoding="utf-8")
        found = self.source.removeprefix("\n").removesuffix("\n")
        assert whole.count(found) == 1, (
            f"mutant {self.test}: {found!r} stands {whole.count(found)} times in {self.file}"
        )
        return whole.replace(found, self.mutated.removeprefix("\n").removesuffix("\n"))


def mutants() -> dict[int, Mutant]:
    """Every mutant by the number of its test."""
    rows = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))["mutant"]
    return {row["test"]: Mutant(**row) for row in rows}


def copied(folder: Path, mutant: Mutant | None) -> Path:
    """A copy of the program in `folder`, without the mutant's guard."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name)
    for name in TESTS:
        source, target = ROOT / "tests" / name, folder / "tests" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)
    for name in LINKS:
        (folder / name).symlink_to(ROOT / name)
    if mutant is not None:
        (folder / mutant.file).write_text(mutant.text(), encoding="utf-8")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, with nothing but the copy in reach."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "DATELINE_")) or "TEST_" in k}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
