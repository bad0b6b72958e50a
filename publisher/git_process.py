"""Running git: one door, a clean environment, no prompt, bounded.

Every `GIT_*` variable of the environment is dropped (a hook's or a shell's `GIT_DIR` must not redirect a
publication), system and user configuration are not read, and locale is fixed. GitPython reads objects and refs
through its own children; `scrub_environment` makes those as clean.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

from publisher.errors import RepositoryError

TIMEOUT_S = 600  # a whole rebuild of 100,000 pages takes a tenth of it


def clean_environment(base: Mapping[str, str]) -> dict[str, str]:
    """`base` without `GIT_*`, with prompts, pagers, user and system configuration off."""
    kept = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
    }


def scrub_environment() -> None:
    """Make the process's own environment clean, for the children that GitPython starts."""
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        del os.environ[name]
    os.environ.update({k: v for k, v in clean_environment({}).items() if k.startswith("GIT_")})


class GitProcess:
    """Runs plumbing commands on one repository."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._environment = clean_environment(os.environ)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run `git --git-dir=… arguments`, answer stdout.

        Errors: `RepositoryError` with git's own words, also when it takes longer than `TIMEOUT_S`.
        """
        result = self.attempt(*arguments, stdin=stdin)
        if result.returncode != 0:
            words = result.stderr.decode(errors="replace").strip().splitlines()
            raise RepositoryError(f"git {arguments[0]}: {words[-1] if words else result.returncode}")
        return result.stdout

    def attempt(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """As `run`, but the exit status is the caller's to judge."""
        command = ["git", f"--git-dir={self.git_dir}", *arguments]
        try:
            return subprocess.run(
                command,
                input=stdin,
                capture_output=True,
                env=self._environment,
                timeout=TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise RepositoryError("git is not installed", hint="apt-get install git") from error
        except subprocess.TimeoutExpired as error:
            raise RepositoryError(f"git {arguments[0]} took longer than {TIMEOUT_S} s") from error

    def start(self, *arguments: str) -> Child:
        """Start `git --git-dir=… arguments` to talk with."""
        command = ["git", f"--git-dir={self.git_dir}", *arguments]
        return Child(arguments[0], command, self._environment)


class Child:
    """A git child that is written to and read from, line by line, and killed when it takes too long."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str]) -> None:
        self._name = name
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._stderr = cast("IO[bytes]", self._process.stderr)
        self._watchdog = threading.Timer(TIMEOUT_S, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def write(self, data: bytes) -> None:
        """Send. Errors: `RepositoryError` with git's words when the child is gone."""
        try:
            self._stdin.write(data)
        except (BrokenPipeError, ValueError) as error:
            raise self._failed() from error

    def read_line(self) -> bytes:
        """One line of the answer. Errors: as `write`."""
        try:
            self._stdin.flush()
        except BrokenPipeError as error:
            raise self._failed() from error
        line = self._stdout.readline()
        if not line:
            raise self._failed()
        return line

    def finish(self) -> None:
        """Wait for a clean end. Errors: `RepositoryError` where there is none."""
        try:
            self._stdin.close()
        except BrokenPipeError as error:
            raise self._failed() from error
        if self._process.wait() != 0:
            raise self._failed()
        self.kill()

    def kill(self) -> None:
        """End it whatever it does, and leave no pipe open. Harmless when it has ended."""
        self._watchdog.cancel()
        self._process.kill()
        self._process.wait()
        for pipe in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _failed(self) -> RepositoryError:
        """git's own last words, once it has ended."""
        self._process.kill()
        self._process.wait()
        words = self._stderr.read().decode(errors="replace").strip().splitlines()
        fatal = [line for line in words if line.startswith(("fatal:", "error:"))]
        return RepositoryError(f"git {self._name}: {(fatal or words or ['ended without a word'])[0]}")
