"""Commands that work: demo, run, tick, plan."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from orchestrator import entropy
from orchestrator.assembly import House, editorial_of, open_house, repository_of
from orchestrator.cli.attending import attended, read_address
from orchestrator.cli.house import FINDING, Session, session
from orchestrator.cli.options import Json, a_date
from orchestrator.core.instants import utc_day
from orchestrator.core.records import Process, ProcessStage
from orchestrator.daemon import Loop, Standing
from orchestrator.demo import Demo
from orchestrator.desk import demo_report
from orchestrator.errors import ConfigurationError, RefusedByState
from orchestrator.logs import configure_logs
from orchestrator.settings.workspace import Workspace
from orchestrator.store import pause
from orchestrator.store.open import open_store
from orchestrator.systemd import Systemd
from orchestrator.ticker import Ticker
from orchestrator.web.preview import preview
from orchestrator.web.server import WebServer
from outbox.clock import read_now_ms
from outbox.message import Intent
from publisher.pages_reader import PagesReader

Script = Annotated[
    Path | None, typer.Option("--script", metavar="FILE", help="An emulator script (embedded emulator only).")
]
STAGES = tuple(ProcessStage)
BAR = 10


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("demo", demo, "dateline demo --days 3"),
        ("run", run, "dateline run --until-idle"),
        ("tick", tick, "dateline tick"),
        ("plan", plan, "dateline plan --product daily-brief --date 2026-11-30"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


def demo(
    ctx: typer.Context,
    days: Annotated[int, typer.Option("--days", min=1, max=60, metavar="N", help="How many days.")] = 3,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin again: forget what was published here.")] = False,
    script: Script = None,
    as_json: Json = False,
) -> None:
    """Research, check, publish and verify three days of every product, over real sockets, in a minute."""
    here = session(ctx)
    workspace = here.workspace
    _only_with_emulator(workspace, "demo")
    if fresh:
        _forget(workspace)
    configure_logs(quiet=True)
    began_s = entropy.monotonic_s()
    with (
        _readers(workspace) as url,
        attended(workspace, host="127.0.0.1", port=0) as desk,
        open_house(workspace, verify_url=url, script=script, webhook=desk.webhook) as house,
    ):
        screen = _Screen(here, quiet=as_json)
        show = Demo(house, days=days, observe=screen.show)
        with _stopping(show.stop), screen, desk.during(house, show.loop):
            screen.begin(house, url)
            verified = show.run()
        rows = show.processes()
        with house.db.read() as conn:
            report = demo_report.read_report(conn, rows)
    seconds = entropy.monotonic_s() - began_s
    if as_json:
        here.out.json(report.json(workspace.site.base_url))
    else:
        _tell(here, rows, report, seconds)
        if show.stopped and not verified:
            here.out.line("  Stopped. Nothing is lost: `dateline demo` goes on from here.")
    if not verified:
        raise typer.Exit(FINDING)


def run(
    ctx: typer.Context,
    workers: Annotated[int | None, typer.Option("--workers", min=1, max=64, metavar="N")] = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is open that this loop can move.")
    ] = False,
    http: Annotated[
        str | None, typer.Option("--http", metavar="HOST:PORT", help="Also serve status, webhooks and metrics.")
    ] = None,
    script: Script = None,
) -> None:
    """Run the loop: plan what is due, work it off, relay it, verify it."""
    here = session(ctx)
    address = read_address(http) if http is not None else None
    configure_logs(quiet=False)
    with ExitStack() as stack:
        desk = None
        if address is not None:
            desk = stack.enter_context(attended(here.workspace, host=address[0], port=address[1]))
        webhook = desk.webhook if desk else None
        house = stack.enter_context(open_house(here.workspace, script=script, webhook=webhook))
        loop = Loop(house, workers=workers)
        if desk is not None:
            stack.enter_context(desk.during(house, loop))
            here.out.line(f"desk at {desk.url}/status")
            here.out.flush()
        stack.enter_context(_stopping(loop.stop))
        loop.run(until=_idle(house) if until_idle else _never, notifier=Systemd())


def tick(ctx: typer.Context, script: Script = None) -> None:
    """Do everything that is due, once, and exit: for cron."""
    configure_logs(quiet=False)
    with open_house(session(ctx).workspace, script=script) as house:
        loop = Loop(house, workers=1)
        with _stopping(loop.stop):
            done = loop.sweep()
        with house.db.read() as conn:
            paused = pause.read(conn)
    said = f"{done} steps"
    session(ctx).out.line(f"{said}; paused by {paused.actor}: `dateline unpause` goes on" if paused else said)


def plan(
    ctx: typer.Context,
    product: Annotated[
        str | None, typer.Option("--product", metavar="P", help="Only this product (default: every one).")
    ] = None,
    day: Annotated[str | None, typer.Option("--date", metavar="D", help="The date (default: today).")] = None,
    as_json: Json = False,
) -> None:
    """Make the obligation for a date: a process that the loop will work off."""
    here = session(ctx)
    workspace, wanted = here.workspace, a_date(day)
    editorial = editorial_of(workspace)
    products = [editorial.policy(product).slug] if product else sorted(editorial.products)
    db = open_store(workspace.store_url)
    try:
        with db.read() as conn:
            today = date.fromisoformat(wanted or utc_day(read_now_ms(conn)))
        ticker = Ticker(db, editorial, actor="operator")
        planned = [process for each in products if (process := ticker.plan(each, today)) is not None]
    finally:
        db.close()
    if as_json:
        here.out.json([{"id": p.id, "product": p.product, "target_date": p.target_date} for p in planned])
    for process in () if as_json else planned:
        here.out.line(f"{process.product} {process.target_date} planned as {process.suffix}")
    if not planned:
        raise RefusedByState(
            f"{', '.join(products)} {today}: planned before", hint=f"dateline processes --date {today} shows it"
        )


# --- parts


def _tell(here: Session, rows: Sequence[Process], report: demo_report.Report, seconds: float) -> None:
    """The table of editions, and what it came to."""
    if not here.out.interactive:
        for line in demo_lines(rows):
            here.out.line(line)
        here.out.line()
    cells = [
        (row.key.slot, row.reached.level.value, (row.reference(Intent.COMMIT) or "—")[:12])
        for row in report.editions
    ]
    here.out.table(("EDITION", "OUTCOME", "COMMIT"), cells)
    here.out.line()
    for line in report.lines(seconds, here.workspace):
        here.out.line(line)


def _only_with_emulator(workspace: Workspace, command: str) -> None:
    if not workspace.provider.is_emulator:
        raise ConfigurationError(
            f"`dateline {command}` works with the built-in emulator, and provider.base_url names a real provider",
            hint='set provider.base_url = "emulator", or use `dateline run`',
        )


def _forget(workspace: Workspace) -> None:
    """Remove what a demonstration made: the store, the emulator's journal, the repository."""
    if not workspace.store.url.startswith("sqlite:///"):
        raise ConfigurationError("--fresh removes only a SQLite store", hint="empty the database by hand")
    store = Path(workspace.store_url.removeprefix("sqlite:///"))
    for path in (store, store.with_name(f"{store.name}-wal"), store.with_name(f"{store.name}-shm")):
        path.unlink(missing_ok=True)
    for folder in (workspace.var / "emulator", workspace.repository):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _readers(workspace: Workspace) -> Iterator[str]:
    """Where readers look: `[verify] url`, or a preview of the pages branch on a free port."""
    if workspace.verify.url:
        yield workspace.verify.url
        return
    repository_of(workspace).close()
    pages = PagesReader(workspace.repository, workspace.content.pages_branch)
    try:
        with WebServer(preview(pages, base_path=workspace.site.base_path)) as server:
            yield server.url + workspace.site.base_path
    finally:
        pages.close()


@contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT ask for an end after the step in hand; a second SIGINT interrupts as usual."""

    def ask(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        stop()

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _never(_standing: Standing) -> bool:
    return False


def _idle(house: House) -> Callable[[Standing], bool]:
    """Whether nothing is open that this loop could move without something changing outside."""

    def settled(_standing: Standing) -> bool:
        with house.db.read() as conn:
            return demo_report.nothing_open(conn)

    return settled


class _Screen:
    """The demonstration's progress: one line a product, a bar and a tick a day, drawn only on a terminal."""

    def __init__(self, here: Session, *, quiet: bool) -> None:
        self._here = here
        self._quiet = quiet
        self._live = (
            Live(console=here.out.console, refresh_per_second=8) if here.out.interactive and not quiet else None
        )

    def __enter__(self) -> _Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def begin(self, house: House, url: str) -> None:
        """Say where things are."""
        if self._quiet or house.emulator is None:
            return
        out = self._here.out
        out.line(f"  emulator   {house.emulator.base_url} (journal in var/emulator)")
        out.line(f"  pages      {url}")
        out.line()

    def show(self, rows: Sequence[Process]) -> None:
        """Draw where the processes stand."""
        if self._live is not None:
            self._live.update(Text("\n".join(demo_lines(rows))))


def demo_lines(rows: Sequence[Process]) -> list[str]:
    """One line a product: date, bar, and a tick a language once readers see it."""
    products = sorted({row.product for row in rows})
    return [
        f"  {product:<18} " + "   ".join(_day(row) for row in rows if row.product == product)
        for product in products
    ]


def _day(row: Process) -> str:
    done = BAR if row.verified_ms is not None else STAGES.index(row.stage)
    ticks = " ".join(f"{lang} {'✓' if row.verified_ms is not None else '·'}" for lang in row.languages)
    return f"{row.target_date} {'━' * done}{'╌' * (BAR - done)} {ticks}"
