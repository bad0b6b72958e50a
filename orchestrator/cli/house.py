"""What every command shares: one way out for errors, and the session with the workspace.

Rules: an expected error becomes a sentence and an exit code (1 finding, 2 usage or configuration, 3 refused by
state, 4 unavailable), never a traceback; Ctrl-C is quiet and exits 130; a reader that went away is quiet too. An
error that nobody expects keeps its traceback: it is a bug.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import typer
from sqlalchemy import Connection
from typer.core import TyperGroup

from orchestrator.cli.output import Output, tell_error
from orchestrator.desk.opening import reading
from orchestrator.errors import DatelineError
from orchestrator.settings.workspace import FILE_NAME, Workspace, load_workspace
from outbox.database import Database
from outbox.errors import OutboxError
from publisher.errors import PublisherError

FINDING, USAGE, UNAVAILABLE = 1, 2, 4
INTERRUPTED = 130
READER_GONE = 141  # as a shell reports SIGPIPE

TRY_AGAIN = "Try again in a moment; nothing was changed."

Expected = (DatelineError, OutboxError, PublisherError)


class House(TyperGroup):
    """The group of all commands, with the one way out."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run one command and exit with its code; with `standalone_mode=False` answer the code instead."""
        standalone = kwargs.get("standalone_mode", True)
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False}) or 0
        except typer.TyperException as error:
            said = error.format_message().replace("Value error, ", "")
            tell_error(said, "`dateline --help` and `dateline COMMAND --help` say what can be asked.")
            code = USAGE
        except typer.Abort:
            code = INTERRUPTED
        if standalone:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what it may raise becomes a sentence and a code."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except Expected as error:
            tell_error(str(error), error.hint or (TRY_AGAIN if error.retryable else ""))
            raise typer.Exit(exit_code_of(error)) from error
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            _forget_stdout()
            raise typer.Exit(READER_GONE) from error


def exit_code_of(error: DatelineError | OutboxError | PublisherError) -> int:
    """2, 3 or 4, as the error's tree says."""
    if isinstance(error, DatelineError):
        return error.exit_code
    return UNAVAILABLE if error.retryable else USAGE


def _forget_stdout() -> None:
    """Nobody reads any more: what is still buffered must not complain at the end of the program."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Session:
    """One run of the program: the workspace, loaded when a command first needs it, and where to print."""

    def __init__(self, config: Path | None, commands: Sequence[str] = ()) -> None:
        self.config = config or Path(FILE_NAME)
        self.commands = frozenset(commands)
        """The orders that this program knows: nothing else is suggested."""

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace. Errors: `ConfigurationError` with file, key and remedy."""
        return load_workspace(self.config)

    @cached_property
    def out(self) -> Output:
        """Standard output."""
        return Output()

    @contextmanager
    def store(self) -> Iterator[Database]:
        """The store, for `db.read()` only."""
        with reading(self.workspace.store_url) as db:
            yield db

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """One read-only view of the store."""
        with self.store() as db, db.read() as conn:
            yield conn


def session(ctx: typer.Context) -> Session:
    """The session of a command."""
    found: Session = ctx.find_object(Session) or Session(None)
    return found
