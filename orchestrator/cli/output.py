"""Prints: lines and tables for people, JSON for machines. The only module that writes to a terminal.

Rules: colour and rules only on a terminal, and none with NO_COLOR; in a pipe plain columns that are never cut or
wrapped; control and bidirectional characters of whatever text are shown as �, so that no text can act on the
terminal; errors go to stderr as `dateline: what, why`, what to do next on the line below.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

UNLIMITED = 10_000  # columns of a pipe: nothing is wrapped
LABEL = 20  # width of the label column where every screen should look alike

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Cell = str | Text


class Output:
    """One stream. `interactive`: whether a person looks at it."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.interactive = self._stream.isatty()
        plain = not self.interactive or bool(os.environ.get("NO_COLOR"))
        self._console = Console(
            file=self._stream,
            color_system=None if plain else "auto",
            width=None if self.interactive else UNLIMITED,
            force_terminal=False if plain else None,
            highlight=False,
            markup=False,
            emoji=False,
        )

    @property
    def console(self) -> Console:
        """For what has to draw over itself while it works."""
        return self._console

    def flush(self) -> None:
        """Let a reader see at once what was written."""
        self._stream.flush()

    def json(self, value: object) -> None:
        """One JSON document."""
        self._write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")

    def raw(self, text: str) -> None:
        """Text as it is stored."""
        self._write(text if text.endswith("\n") else text + "\n")

    def line(self, text: Cell = "", style: str = "") -> None:
        """One line."""
        self._render(Text.assemble((harmless(text), style)) if isinstance(text, str) else text)

    def rule(self) -> None:
        """A rule on a terminal, an empty line elsewhere."""
        self.line("─" * 10 if self.interactive else "", "dim")

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        """Columns under their heads; without any where all heads are empty."""
        table = _grid(heads)
        for row in rows:
            table.add_row(*(_cell(cell) for cell in row))
        self._render(table)

    def sections(self, sections: Iterable[tuple[str, Sequence[str]]], width: int = LABEL) -> None:
        """Labels with their lines beside them, long lines folded below themselves."""
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(min_width=width, no_wrap=True, style="bold")
        table.add_column(overflow="fold")
        for label, lines in sections:
            for number, line in enumerate(lines):
                table.add_row(Text(label if number == 0 else ""), Text(harmless(line)))
        self._render(table)

    def _render(self, shown: RenderableType) -> None:
        with self._console.capture() as captured:
            self._console.print(shown)
        lines = captured.get().splitlines()
        self._write("".join(f"{line.rstrip()}\n" for line in lines))

    def _write(self, text: str) -> None:
        self._stream.write(text)


def harmless(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return _ACTING.sub("�", text)


def tell_error(message: str, hint: str = "") -> None:
    """What, why and what next, on stderr."""
    err = Output(sys.stderr)
    first, *more = message.splitlines() or [""]
    err.line(Text.assemble(("dateline: ", "bold red"), harmless(first)))
    for line in more:
        err.line(f"          {line}")
    if hint:
        err.line(f"          {hint}")


def _grid(heads: Sequence[str]) -> Table:
    table = Table(box=None, show_header=any(heads), pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    return table


def _cell(cell: Cell) -> Text:
    return Text(harmless(cell)) if isinstance(cell, str) else cell
