"""A process that works a workspace and may be killed: forked from a clean one that has imported everything."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from freezegun import freeze_time

from orchestrator.assembly import House, open_house
from orchestrator.daemon import Loop
from orchestrator.logs import configure_logs
from orchestrator.settings.workspace import load_workspace
from tests.faults.boundaries import Boundaries, Moment
from tests.faults.driver import Shift

KEY = "DATELINE_PROVIDER__API_KEY"


@dataclass(frozen=True)
class Task:
    """What a child does. `report` is where it writes which moments it passed, or at which one it stopped."""

    file: Path  # dateline.toml
    report: Path
    verify_url: str = ""
    log: Path | None = None
    begins: date | None = None
    moment: Moment | None = None
    mode: str = "idle"  # or "sweep": what is due now and no more
    busy_ms: int = 0  # how long a statement waits for a lock, where not as long as in production
    host_clock_s: int = 0  # how far this process's own clock is ahead


@contextmanager
def opened(file: Path, verify_url: str, boundaries: Boundaries | None = None) -> Iterator[House]:
    """A house on its real parts; with `boundaries`, its calls and commits are watched."""
    with open_house(load_workspace(file), verify_url=verify_url) as house:
        if boundaries is None:
            yield house
            return
        boundaries.watch(house.db)
        for client in (
            house.provider._creates,
            house.provider._others,
        ):  # the sockets of the parts that are really used
            client._transport = boundaries.transport(client._transport)
        yield house


def main(task: Task) -> None:
    """Do it; the report is written at the end only, so that a killed child has none but where it was killed."""
    os.environ[KEY] = "any"
    configure_logs(quiet=True)
    boundaries = Boundaries(task.moment, task.report)
    with _host_clock(task.host_clock_s), opened(task.file, task.verify_url, boundaries) as house:
        if task.busy_ms:
            with house.db.write() as conn:
                conn.exec_driver_sql(f"PRAGMA busy_timeout = {task.busy_ms}")
        _work(task, house)
    task.report.write_text(json.dumps({"passed": boundaries.passed}))


def _work(task: Task, house: House) -> None:
    if task.mode == "sweep":
        house.ticker.begins = task.begins
        Loop(house, workers=1).sweep()
    else:
        Shift(house, log=task.log, begins=task.begins).to_idle()


def _host_clock(ahead_s: int) -> AbstractContextManager[object]:
    """This process's wall clock, ahead (or behind) by so much, and running."""
    if not ahead_s:
        return nullcontext()
    return freeze_time(datetime.now(UTC) + timedelta(seconds=ahead_s), tick=True)


def command(arguments: list[str], folder: Path, output: Path, environment: dict[str, str]) -> None:
    """`dateline …` in a folder, with what it prints in a file."""
    from orchestrator.cli.main import run

    os.environ.update({KEY: "any", **environment})
    os.chdir(folder)
    with output.open("ab", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = ["dateline", *arguments]
    run()


_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.faults.child", "orchestrator.cli.main"])


def start(act: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Run `act` in a process of its own."""
    process = _FORKS.Process(target=act, args=arguments)
    process.start()
    return process


def ended(process: BaseProcess, timeout_s: float = 60) -> int:
    """Wait for its end; the exit code, -9 for a kill."""
    process.join(timeout_s)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise AssertionError("the child did not end")
    code = process.exitcode
    process.close()
    return code
