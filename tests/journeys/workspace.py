"""A workspace in a temporary folder, and the real command run in it as a child process."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 110


@dataclass(frozen=True)
class Workspace:
    """A folder with `dateline.toml` and product files; commands run there with nothing of ours in reach."""

    root: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(cls, root: Path, *, products: Sequence[str] = (), **environment: str) -> Workspace:
        """A copy of the shipped workspace; `products` keeps only those."""
        (root / "content").mkdir(parents=True)
        shutil.copyfile(ROOT / "dateline.toml", root / "dateline.toml")
        shutil.copytree(ROOT / "content" / "products", root / "content" / "products")
        for file in (root / "content" / "products").glob("*.toml"):
            if products and file.stem not in products:
                file.unlink()
        return cls(root, environment)

    def command(self, *arguments: str) -> list[str]:
        """The command line of `dateline …`."""
        return [sys.executable, "-m", "orchestrator.cli", *arguments]

    def full_environment(self) -> dict[str, str]:
        """The environment without anybody's settings, plus this workspace's."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DATELINE_", "GIT_", "PYTEST_"))}
        return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "120", **self.environment}

    def run(self, *arguments: str, code: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `dateline …` to its end; `code` None accepts any exit code."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            env={**self.full_environment(), **environment},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert code is None or done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *arguments: str, code: int | None = 0) -> Any:
        """Run with `--json` and read the answer."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start `dateline …` and leave it running."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.root,
            env={**self.full_environment(), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def repository(self) -> Path:
        """The content repository."""
        return self.root / "content" / "published.git"

    def git(self, *arguments: str) -> str:
        """git on the content repository."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        done = subprocess.run(
            ["git", f"--git-dir={self.repository}", *arguments],
            capture_output=True,
            text=True,
            env={**clean, "GIT_CONFIG_GLOBAL": os.devnull},
            check=True,
        )
        return done.stdout

    def requests(self) -> list[dict[str, Any]]:
        """The emulator's log."""
        log = self.root / "var" / "emulator" / "requests.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the store, read beside the program."""
        with sqlite3.connect(f"file:{self.root / 'var' / 'dateline.db'}?mode=ro", uri=True) as db:
            return db.execute(query, values).fetchall()
