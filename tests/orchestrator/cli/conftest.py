"""A workspace whose store holds one night, and the real application run on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli.main import build
from orchestrator.store.open import open_store
from tests.orchestrator.cli.night import write_night

PRODUCTS = Path(__file__).parents[3] / "content" / "products"
APP = build()
ENTRY = "from orchestrator.cli.main import run; run()"


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Desk:
    """A workspace, and commands on it."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "dateline.toml"

    @property
    def file(self) -> Path:
        return self.folder / "var" / "dateline.db"

    def ask(self, *arguments: str) -> Said:
        """The application in this process: its output is a pipe."""
        result = CliRunner().invoke(APP, ["--config", str(self.config), *arguments], prog_name="dateline")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """The application as a process of its own, in the workspace's folder."""
        environment = {**os.environ, "PYTHONPATH": str(PRODUCTS.parents[1]), **options.pop("env", {})}
        command = [sys.executable, "-c", ENTRY, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment, **options)


@pytest.fixture(scope="session")
def night_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("night") / "dateline.db"
    db = open_store(f"sqlite:///{file}")
    write_night(db)
    db.close()
    return file


@pytest.fixture
def desk(tmp_path: Path, night_file: Path) -> Desk:
    made = Desk(tmp_path)
    made.file.parent.mkdir()
    shutil.copy(night_file, made.file)
    made.config.write_text(f'[content]\nproducts = "{PRODUCTS}"\n')
    return made


@pytest.fixture
def fresh(tmp_path: Path) -> Desk:
    """A workspace that has never run."""
    made = Desk(tmp_path)
    made.config.write_text(f'[content]\nproducts = "{PRODUCTS}"\n')
    return made
