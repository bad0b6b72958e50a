"""A list as a person or a machine gets it: cut to a screen, with the way to the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from orchestrator.cli.house import Session
from orchestrator.cli.options import rows
from orchestrator.cli.output import Cell
from orchestrator.desk.shapes import Json

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)  # slots would forbid the type argument that typing notes down
class Listing(Generic[R]):
    """How one kind of row is shown: to a machine by `shape`, to a person by `cells`, and what to say of none."""

    heads: Sequence[str]
    nothing: str
    shape: Callable[[R], Json]
    cells: Callable[[R], Sequence[Cell]]


def answer(here: Session, found: Sequence[R], listing: Listing[R], *, limit: int | None, as_json: bool) -> None:
    """Print the rows, and where one more was found than fits, how to see the rest."""
    most = rows(limit, as_json=as_json)
    if as_json:
        here.out.json([listing.shape(row) for row in found[:most]])
    elif found:
        here.out.table(listing.heads, [listing.cells(row) for row in found[:most]])
    else:
        here.out.line(f"{listing.nothing}.")
    if most is not None and len(found) > most and not as_json:
        here.out.line(f"… and more: --limit {most * 5}", "dim")
