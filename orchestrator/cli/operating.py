"""The command that checks: verify."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.assembly import editorial_of, profile_of, repository_of
from orchestrator.cli.house import FINDING, session
from orchestrator.cli.options import Json
from orchestrator.effects.survey import survey


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (("verify", verify, "dateline verify --live https://news.example.org"),):
        app.command(name, epilog=f"Example: {example}")(command)


def verify(
    ctx: typer.Context,
    live: Annotated[
        str | None, typer.Option("--live", metavar="URL", help="Where readers look (default: [verify] url).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare what was decided with the repository, the pages and what is served."""
    here = session(ctx)
    workspace = here.workspace
    profile = profile_of(workspace, editorial_of(workspace))
    with here.store() as db, repository_of(workspace) as repository:
        found = survey(db, repository, profile, url=workspace.verify.url if live is None else live)
    if as_json:
        rows = [(f.key, f.difference) for f in found]
        here.out.json(
            [
                {"key": key, "drift": d.drift, "place": d.place, "expected": d.expected, "found": d.found}
                for key, d in rows
            ]
        )
    elif found:
        cells = [(f.key, f.difference.drift, f.difference.place, f.difference.found) for f in found]
        here.out.table(("EDITION", "DRIFT", "PLACE", "FOUND"), cells)
    else:
        here.out.line("Everything agrees.")
    if found:
        raise typer.Exit(FINDING)
