"""The emulator as a process of its own: what `dateline emulator` and `python -m orchestrator.emulator` run.

Prints one line, `listening on http://…/v1`, when it accepts connections; ends on SIGTERM or SIGINT. Its clock is
the host's plus an offset that `POST /emulator/clock` moves and the journal keeps.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

from orchestrator.emulator.answers import Newsroom
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(config: EmulatorConfig, newsroom: Newsroom, *, say: Callable[[str], None]) -> None:
    """Run until a signal asks to stop. Call from the main thread. Raises what `Emulator.start` raises."""
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    before = {number: signal.signal(number, ask) for number in SIGNALS}
    try:
        with Emulator(config, newsroom) as emulator:
            say(f"listening on {emulator.base_url}")
            asked.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
