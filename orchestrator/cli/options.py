"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from orchestrator.core.instants import parse_rfc3339
from orchestrator.core.policy import parse_duration_ms

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many rows (default: 40; JSON: all).")
]
Id = Annotated[
    str, typer.Argument(metavar="ID", help="A job or process, as short as is unique, or product/date[/lang[@rev]].")
]

SCREEN = 40  # rows that a list shows unless told


def rows(limit: int | None, *, as_json: bool) -> int | None:
    """How many rows to read; None is all."""
    return limit if limit is not None or as_json else SCREEN


def a_date(text: str | None) -> str | None:
    """`YYYY-MM-DD`. Errors: a usage error that says so."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise typer.BadParameter(f'"{text}" is not a date; write it like 2026-11-30') from error


def since_ms(text: str | None, now_ms: int) -> int | None:
    """An instant, or how long ago: `2026-11-30T06:00:00Z`, `2h`. Errors: a usage error that says so."""
    if text is None:
        return None
    try:
        return now_ms - parse_duration_ms(text)
    except ValueError:
        pass
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        what = f'"{text}" is neither an instant like 2026-11-30T06:00:00Z nor a time ago like 2h'
        raise typer.BadParameter(what) from error
