"""How an emulator is set up. Everything has a default; nothing is read from the environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.emulator.clock import NowMs
from orchestrator.emulator.script import NO_SCRIPT, Script

DAY_MS: Final = 86_400_000
STORED_MS: Final = 30 * DAY_MS  # wire notes 5.2: store true keeps a response at least 30 days
UNSTORED_MS: Final = 600_000  # the same: background with store false, about 10 minutes after the end


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorConfig:
    """One emulator. All durations are virtual; `speed` makes an own clock and scripted waits run faster."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any free one
    journal_dir: Path | None = None  # None: memory only
    script: Script = NO_SCRIPT
    log_path: Path | None = None
    webhook_url: str = ""
    webhook_secret: str = ""
    speed: float = 1.0
    clock: NowMs | None = None  # None: an own clock
    queue_ms: int = 0  # acceptance to in_progress
    work_ms: int = 1_000  # in_progress to completed
    stored_ms: int = STORED_MS
    unstored_ms: int = UNSTORED_MS
    connections: int = 512  # at most so many threads
