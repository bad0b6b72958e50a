"""Commands that serve: the preview, the emulator, and its clock."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import httpx
import typer

from orchestrator.cli.house import session
from orchestrator.cli.options import Json
from orchestrator.core.instants import rfc3339
from orchestrator.core.policy import parse_duration_ms
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.emulator.presence import admin_of, is_emulator_at
from orchestrator.emulator.script import NO_SCRIPT
from orchestrator.emulator.script_file import read_script
from orchestrator.emulator.standalone import serve as serve_emulator
from orchestrator.errors import RefusedByState, Unavailable
from orchestrator.settings.workspace import Workspace
from orchestrator.shipped import shipped
from orchestrator.store.open import open_store
from orchestrator.web.preview import preview
from orchestrator.web.server import WebServer
from outbox.clock import advance, offset_ms, read_now_ms
from publisher.pages_reader import PagesReader

ADMIN_TIMEOUT_S = 5.0

clock = typer.Typer(help="The emulator's virtual time, for demonstrations and tests.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("serve", epilog="Example: dateline serve --port 8000")(serve)
    app.command("emulator", epilog="Example: dateline emulator --port 4010 --log requests.jsonl")(emulator)
    clock.command("show", epilog="Example: dateline clock show")(show)
    clock.command("advance", epilog="Example: dateline clock advance 4h")(move)
    app.add_typer(clock, name="clock")


def serve(
    ctx: typer.Context,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, metavar="P", help="0: a free one.")] = 8000,
    host: Annotated[
        str, typer.Option("--host", metavar="H", help="Beyond this machine only when asked.")
    ] = "127.0.0.1",
) -> None:
    """Serve the published pages for reading, straight from the repository; it changes nothing."""
    here = session(ctx)
    workspace = here.workspace
    pages = PagesReader(workspace.repository, workspace.content.pages_branch)
    try:
        base_path = workspace.site.base_path
        with WebServer(preview(pages, base_path=base_path), host=host, port=port) as server:
            here.out.line(f"reading room at {server.url}{base_path}/  (Ctrl-C ends it)")
            here.out.flush()
            server.wait()
    finally:
        pages.close()


def emulator(
    ctx: typer.Context,
    host: Annotated[str, typer.Option("--host", metavar="H")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, metavar="P", help="0: a free one.")] = 0,
    script: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="What goes wrong, and when.")
    ] = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="FILE", help="One JSON line per request.")] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="DIR", help="Where it remembers (default: in memory only).")
    ] = None,
    webhook_url: Annotated[str, typer.Option("--webhook-url", metavar="URL")] = "",
    webhook_secret: Annotated[str, typer.Option("--webhook-secret", metavar="S")] = "",
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="How fast virtual time runs.")] = 1.0,
) -> None:
    """Run the provider emulator on its own: the public API's wire, a synthetic newsroom behind it."""
    here = session(ctx)
    config = EmulatorConfig(
        host=host,
        port=port,
        journal_dir=journal,
        script=read_script(script) if script else NO_SCRIPT,
        log_path=log,
        webhook_url=webhook_url,
        webhook_secret=webhook_secret,
        speed=speed,
    )

    def say(line: str) -> None:
        here.out.line(line)
        here.out.flush()

    serve_emulator(config, load_newsroom(shipped("fixtures") / "newsroom"), say=say)


def show(ctx: typer.Context, as_json: Json = False) -> None:
    """Say what time it is for the loop."""
    here = session(ctx)
    with here.snapshot() as conn:
        now, offset = rfc3339(read_now_ms(conn)), offset_ms(conn)
    if as_json:
        here.out.json({"now": now, "offset_ms": offset})
    else:
        here.out.line(f"{now}, {offset / 1000:+,.0f} s from the database's own clock")


def move(
    ctx: typer.Context,
    duration: Annotated[str, typer.Argument(metavar="D", help="How far: 45m, 4h, 1d.")],
    as_json: Json = False,
) -> None:
    """Move time forward for the loop and the emulator."""
    here = session(ctx)
    by_ms = _duration(duration)
    _move_emulator(here.workspace, by_ms)
    db = open_store(here.workspace.store_url)
    try:
        with db.write() as conn:
            now, offset = rfc3339(advance(conn, by_ms)), offset_ms(conn)
    finally:
        db.close()
    if as_json:
        here.out.json({"now": now, "offset_ms": offset})
    else:
        here.out.line(f"it is {now} now")


def _duration(text: str) -> int:
    try:
        return parse_duration_ms(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _move_emulator(workspace: Workspace, by_ms: int) -> None:
    """An emulator of its own moves along; the embedded one follows the database. Real providers are refused."""
    if workspace.provider.is_emulator:
        return
    if not is_emulator_at(workspace.provider.base_url):
        raise RefusedByState(
            "the clock can be moved only with the emulator, and provider.base_url names something else",
            hint="time is the database's; a real provider cannot follow it",
        )
    root = admin_of(workspace.provider.base_url)
    moved = httpx.post(
        f"{root}/emulator/clock", json={"advance_ms": by_ms}, timeout=ADMIN_TIMEOUT_S, trust_env=False
    )
    if moved.status_code != 200:
        raise Unavailable(f"the emulator at {root} did not move its clock ({moved.status_code})")
