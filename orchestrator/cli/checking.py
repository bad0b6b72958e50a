"""`doctor`: whether this workspace can do its work."""

from __future__ import annotations

from dataclasses import asdict

import typer
from rich.text import Text

from orchestrator import entropy
from orchestrator.cli.house import FINDING, session
from orchestrator.cli.options import Json
from orchestrator.desk.doctor import examine


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog="Example: dateline doctor --json")(doctor)


def doctor(ctx: typer.Context, as_json: Json = False) -> None:
    """Check whether this workspace can do its work.

    Configuration, products, store, repository, git, key, clock, disk and port; exit 1 on a finding.
    """
    here = session(ctx)
    checks = examine(here.config, entropy.utc_now())
    findings = [check for check in checks if not check.ok]
    if as_json:
        here.out.json([asdict(check) for check in checks])
    else:
        for check in findings:
            here.out.line(Text.assemble(("! ", "bold red"), f"{check.check}: {check.what}"))
            here.out.line(f"  {check.next}")
        here.out.sections((check.check, (check.what,)) for check in checks if check.ok)
        summary = f"{len(findings)} of {len(checks)} checks found something" if findings else "Ready"
        here.out.line(f"{summary}." if findings else f"{summary}: {len(checks)} checks passed.")
    if findings:
        raise typer.Exit(FINDING)
