"""`python -m orchestrator.emulator`: the provider emulator without the rest of Dateline.

The flags are those of `dateline emulator`, and `--echo` for a newsroom that only repeats what it was asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from orchestrator.emulator.answers import EchoNewsroom, Newsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.emulator.script import NO_SCRIPT
from orchestrator.emulator.script_file import read_script
from orchestrator.emulator.standalone import serve
from orchestrator.errors import DatelineError
from orchestrator.shipped import shipped


def main(arguments: Sequence[str]) -> int:
    """Run the emulator; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        serve(_config(options), _newsroom(echo=options.echo), say=_say)
    except DatelineError as error:
        sys.stderr.write(f"dateline: {error}{' ' + error.hint if error.hint else ''}\n")
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m orchestrator.emulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--script", type=Path, help="a provider script (JSON)")
    parser.add_argument("--log", type=Path, help="one JSON line per request")
    parser.add_argument("--journal", type=Path, help="folder that remembers what was accepted")
    parser.add_argument("--webhook-url", default="")
    parser.add_argument("--webhook-secret", default="")
    parser.add_argument("--speed", type=float, default=1.0, help="how fast virtual time runs")
    parser.add_argument("--echo", action="store_true", help="answer with an echo of the request")
    return parser


def _config(options: argparse.Namespace) -> EmulatorConfig:
    return EmulatorConfig(
        host=options.host,
        port=options.port,
        journal_dir=options.journal,
        script=read_script(options.script) if options.script else NO_SCRIPT,
        log_path=options.log,
        webhook_url=options.webhook_url,
        webhook_secret=options.webhook_secret,
        speed=options.speed,
    )


def _newsroom(*, echo: bool) -> Newsroom:
    if echo:
        return EchoNewsroom()
    return load_newsroom(shipped("fixtures") / "newsroom")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
