"""Running git: one door, a clean environment, no prompt, no hook, bounded.

Every `GIT_*` variable of the environment is dropped (a hook's or a shell's `GIT_DIR` must not redirect a
publication), system and user configuration are not read, hooks do not run, and the locale is fixed. GitPython
reads objects through its own children; `scrub_environment` makes those as clean.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TypeVar, cast

from publisher.errors import RepositoryError

T = TypeVar("T")

TIMEOUT_S = 600  # joining the packs of 100,000 pages takes a tenth of it


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
        "GIT_LITERAL_PATHSPECS": "1",
    }


def scrub_environment() -> None:
    """Make this process's own environment clean, for the children that GitPython starts.

    This changes `os.environ` for the whole process, once: `GIT_*` is gone afterwards, save for the names that
    `clean_environment` sets. GitPython can add to its children's environment, but not take from it.
    """
    wanted = {name: value for name, value in clean_environment({}).items() if name.startswith("GIT_")}
    for name in [n for n in os.environ if n.startswith("GIT_") and n not in wanted]:
        del os.environ[name]
    os.environ.update(wanted)


def last_words(stderr: bytes, status: int) -> str:
    """What git said on its way out: its `fatal:` or `error:` line, else its last one, else its exit status."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    if fatal or lines:
        return (fatal or lines[-1:])[0]
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


class GitProcess:
    """Runs plumbing commands on one repository. Its path is made absolute: a later `chdir` changes nothing."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir.absolute()
        self._environment = clean_environment(os.environ)
        self._command = ["git", f"--git-dir={self.git_dir}", "-c", f"core.hooksPath={os.devnull}"]

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run `git --git-dir=… arguments`, answer stdout.

        Errors: `RepositoryError` with git's own words, also when it takes longer than `TIMEOUT_S`.
        """
        result = self.attempt(*arguments, stdin=stdin)
        if result.returncode != 0:
            raise RepositoryError(f"git {arguments[0]}: {last_words(result.stderr, result.returncode)}")
        return result.stdout

    def attempt(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """As `run`, but the exit status is the caller's to judge."""
        try:
            return subprocess.run(
                [*self._command, *arguments],
                input=stdin,
                capture_output=True,
                env=self._environment,
                timeout=TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise _not_installed() from error
        except subprocess.TimeoutExpired as error:
            raise RepositoryError(f"git {arguments[0]} took longer than {TIMEOUT_S} s") from error

    def start(self, *arguments: str) -> Child:
        """Start `git --git-dir=… arguments` to talk with."""
        try:
            return Child(arguments[0], [*self._command, *arguments], self._environment)
        except FileNotFoundError as error:
            raise _not_installed() from error


def _not_installed() -> RepositoryError:
    return RepositoryError("git is not installed", hint="apt-get install git")


class Child:
    """A git child that is written to and read from, and killed when one call waits for it too long.

    A call may take `patience_s`, and is cut before it has taken twice that. What the caller does between two
    calls (rendering a hundred thousand pages) is not the child's fault and is not counted.
    """

    def __init__(
        self, name: str, command: list[str], environment: Mapping[str, str], *, patience_s: float = TIMEOUT_S
    ) -> None:
        self._name = name
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self.pid = self._process.pid
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._stderr = cast("IO[bytes]", self._process.stderr)
        self._patience_s = patience_s
        self._calls = 0
        self._waiting = self._cut = False
        self._ended = threading.Event()
        self._watchdog = threading.Thread(target=self._watch, name="git-watchdog", daemon=True)
        self._watchdog.start()

    def write(self, data: bytes) -> None:
        """Send. Errors: `RepositoryError` with git's words when the child is gone or does not listen."""
        self._bounded(lambda: self._stdin.write(data))

    def flush(self) -> None:
        """Let the child work on what was sent. Errors: as `write`."""
        self._bounded(self._stdin.flush)

    def converse(self, data: bytes) -> tuple[int, bytes]:
        """Send the last there is to say, wait for the end; answer the exit status and stderr.

        Errors: `RepositoryError` when it does not end in time.
        """
        with contextlib.suppress(BrokenPipeError):  # it ended early: its status and words say why
            self._bounded(lambda: self._stdin.write(data), judged=False)
            self._bounded(self._stdin.close, judged=False)
        status = self._bounded(self._process.wait)
        if self._cut:
            raise self._failed()
        words = self._stderr.read()
        self.kill()
        return status, words

    def read_line(self) -> bytes:
        """One line of the answer. Errors: as `write`."""
        line = self._bounded(self._flush_and_read)
        if not line:
            raise self._failed()
        return line

    def finish(self) -> None:
        """Wait for a clean end. Errors: `RepositoryError` where there is none."""
        self._bounded(self._stdin.close)
        if self._bounded(self._process.wait) != 0:
            raise self._failed()
        self.kill()

    def kill(self) -> None:
        """End it whatever it does, and leave no pipe open. Harmless when it has ended."""
        self._process.kill()
        self._process.wait()
        self._ended.set()
        self._watchdog.join()
        for pipe in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _flush_and_read(self) -> bytes:
        self._stdin.flush()
        return self._stdout.readline()

    def _bounded(self, call: Callable[[], T], *, judged: bool = True) -> T:
        self._calls += 1
        self._waiting = True
        try:
            return call()
        except (BrokenPipeError, ValueError) as error:
            if not judged:
                raise
            raise self._failed() from error
        finally:
            self._waiting = False

    def _watch(self) -> None:
        """Cut the child when a whole window has passed within one call."""
        seen = 0
        while not self._ended.wait(self._patience_s):
            if self._waiting and self._calls == seen:
                self._cut = True
                self._process.kill()
                return
            seen = self._calls

    def _failed(self) -> RepositoryError:
        """git's own last words, once it has ended."""
        self._process.kill()
        status = self._process.wait()
        words = last_words(self._stderr.read(), status)
        return RepositoryError(
            f"git {self._name}: no answer for {self._patience_s:g} s" if self._cut else f"git {self._name}: {words}"
        )
