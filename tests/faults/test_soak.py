"""Killing the demonstration, its provider outside, at random moments, and resuming it each time.

The provider is a process of its own with a journal; now and then it is killed too, and comes back on the same port.
However often that happens, the content is that of a run nobody disturbed, and nothing was bought twice. 200 kills
with DATELINE_SOAK=1, a seeded sample in a normal run.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from orchestrator import entropy
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.shipped import shipped
from outbox.clock import read_now_ms
from outbox.database import Database
from tests.faults import child
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, bought_twice, broken, content
from tests.faults.scene import Scene, write_settings

SOAK = bool(os.environ.get("DATELINE_SOAK"))
BOTH = ("daily-brief", "revolution-watch")
RUNS, KILLS = (25, 8) if SOAK else (1, 3)


def provide(url: str, folder: Path, port: int, told: Connection) -> None:
    """Be the provider until killed; time is the store's."""
    database = Database.open(url)

    def now_ms() -> int:
        with database.read() as conn:
            return read_now_ms(conn)

    config = EmulatorConfig(port=port, journal_dir=folder, log_path=folder / "requests.jsonl", clock=now_ms)
    with Emulator(config, load_newsroom(shipped("fixtures") / "newsroom")) as emulator:
        told.send(emulator.base_url)
        signal.pause()


class Outside:
    """The provider's process, and its address, which survives it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._process: BaseProcess | None = None
        self.base_url = ""

    def start(self) -> None:
        """Start it, on the port that it had."""
        ours, theirs = Pipe()
        url = self._scene.db.url.render_as_string(hide_password=False)
        port = int(self.base_url.rsplit(":", 1)[1].split("/")[0]) if self.base_url else 0
        self._process = child.start(provide, url, self._scene.log_file.parent, port, theirs)
        self.base_url = str(ours.recv())
        ours.close()
        theirs.close()

    def kill(self) -> None:
        """End it, as power cuts do."""
        assert self._process is not None
        self._process.kill()
        child.ended(self._process)


@pytest.fixture
def outside(stage: Stage) -> Iterator[tuple[Scene, Outside]]:
    """A scene whose provider is a process of its own."""
    scene = stage(products=BOTH)
    scene.emulator.stop()
    provider = Outside(scene)
    provider.start()
    write_settings(scene.root, scene.db.url.render_as_string(hide_password=False), provider.base_url, {})
    yield scene, provider
    provider.kill()


@pytest.fixture(scope="module")
def undisturbed_content() -> dict[str, str]:
    """Filled by the first test that needs it."""
    return {}


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(RUNS))
def test_killed_at_random_moments_and_resumed_the_content_is_that_of_an_undisturbed_run(
    stage: Stage, outside: tuple[Scene, Outside], undisturbed_content: dict[str, str], seed: int
) -> None:
    if not undisturbed_content:
        undisturbed = stage(products=BOTH)
        run(undisturbed)
        undisturbed_content |= content(undisturbed)
    scene, provider = outside
    chance = random.Random(seed)
    for _ in range(KILLS):
        running = scene.start()
        entropy.sleep_s(0.1 + 1.4 * chance.random())
        if chance.random() < 0.25:
            provider.kill()
            provider.start()
        running.process.kill()
        running.ended()
        assert broken(scene) == {}
    run(scene)
    assert_whole(scene, editions=4)
    assert bought_twice(scene) == []
    assert content(scene) == undisturbed_content


def run(scene: Scene) -> None:
    """Both products of the day, to the end, whatever their time zones."""
    for _ in range(2):
        scene.work()
        scene.move(6 * 3_600_000)
    scene.work()
