"""`dateline`: the application that every command registers with.

A module of commands has a function `register(app)` and a row in `MODULES`. Only the modules of the commands that
are asked for are imported: a status at three in the morning does not wait for the parts that print nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version as installed_version
from io import TextIOWrapper
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from orchestrator.cli.house import USAGE, House, Session

MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "running": ("demo", "run", "tick", "plan"),
        "reading": ("status", "processes", "jobs", "effects", "inbox", "editions", "events", "timeline"),
        "explaining": ("explain", "show"),
        "operating": ("verify",),
        "ordering": (
            *("pause", "unpause", "backfill", "ack", "reconcile", "link-response", "supply-payload"),
            *("confirm-not-created", "release", "suspend", "resume", "cancel", "discard-remote"),
            *("abandon", "replace", "approve", "hold", "waive"),
        ),
        "serving": ("serve", "emulator", "clock"),
        "making": ("init", "render", "rebuild"),
        "judging": ("parity", "check-payload", "revalidate"),
        "checking": ("doctor",),
    }
)
"""Modules of this package and their commands, in the order in which `--help` lists them."""

COMMANDS = tuple(name for names in MODULES.values() for name in names)

HELP = "A newsroom's night shift: every edition published once, from evidence, and done when readers see it."


def _version(wanted: bool) -> None:  # the framework's signature
    if wanted:
        typer.echo(f"dateline {installed_version('dateline')}")
        raise typer.Exit


def _start(
    ctx: typer.Context,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="The workspace's dateline.toml (default: here).")
    ] = None,
    version: Annotated[  # noqa: ARG001  # its callback answers
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    ctx.obj = Session(config, COMMANDS)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(USAGE)


def build(wanted: Collection[str] = COMMANDS) -> typer.Typer:
    """The application with the modules of the `wanted` commands, by default with all of them."""
    made = typer.Typer(
        cls=House,
        name="dateline",
        help=HELP,
        epilog="Start with: dateline demo",
        invoke_without_command=True,
        rich_markup_mode=None,  # plain help: no boxes in a pipe
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    made.callback()(_start)
    for module, names in MODULES.items():
        if set(names) & set(wanted):
            import_module(f"orchestrator.cli.{module}").register(made)
    return made


def wanted_of(arguments: Sequence[str]) -> Collection[str]:
    """The commands that these arguments may mean; all of them where none is named, for help and mistakes."""
    return set(COMMANDS) & set(arguments) or COMMANDS


def run() -> None:
    """The command's entry point."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows ?, and goes on
    build(wanted_of(sys.argv[1:]))(prog_name="dateline")
