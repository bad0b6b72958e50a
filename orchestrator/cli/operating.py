"""The command that checks: verify."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer

from orchestrator.assembly import editorial_of, profile_of, repository_of
from orchestrator.cli.house import FINDING, session
from orchestrator.cli.options import Json
from orchestrator.effects.survey import ALL, UNSEEN, survey
from orchestrator.errors import Unavailable
from orchestrator.store import editions
from orchestrator.store.codes import EditionStatus


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
    """Compare decisions, repository, pages and what is served."""
    here = session(ctx)
    workspace = here.workspace
    url = _address(workspace.verify.url if live is None else live)
    profile = profile_of(workspace, editorial_of(workspace))
    with here.store() as db, repository_of(workspace) as repository:
        found = survey(db, repository, profile, url=url)
        with db.read() as conn:
            compared = len(editions.listing(conn, status=EditionStatus.PUBLISHED, limit=ALL))
    if found and all(one.difference.drift == UNSEEN for one in found):
        raise Unavailable(f"{url} cannot be reached, so nothing served was compared", hint="the rest agrees")
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
        served = f"and what {url} serves agree" if url else "agree; served pages were not looked at ([verify] url)"
        here.out.line(f"{compared} published editions: decisions, repository, pages {served}.")
    if found:
        raise typer.Exit(FINDING)


def _address(url: str) -> str:
    """Errors: a usage error for what is no http address."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise typer.BadParameter(f'"{url}" is not an address; write it like https://news.example.org')
    return url
