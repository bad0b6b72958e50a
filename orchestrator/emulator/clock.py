"""Virtual time of the emulator: its own, or that of a database it follows.

`OwnClock` is the host's wall clock, run `speed` times as fast, plus an offset that `dateline clock advance`
moves. A followed clock is any callable that answers epoch milliseconds; whoever owns it moves it.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator import entropy

NowMs = Callable[[], int]


def host_ms() -> int:
    """The host's wall clock, UTC epoch milliseconds."""
    return int(entropy.utc_now().timestamp() * 1000)


class OwnClock:
    """A clock that only goes forward by itself and can be moved."""

    def __init__(self, *, speed: float = 1.0, offset_ms: int = 0, not_before_ms: int = 0) -> None:
        self._speed = speed
        self._start_ms = host_ms()
        self._start_s = entropy.monotonic_s()
        self.offset_ms = max(offset_ms, not_before_ms - self._start_ms)

    def __call__(self) -> int:
        """Virtual now, UTC epoch milliseconds."""
        elapsed_s = entropy.monotonic_s() - self._start_s
        return self._start_ms + int(elapsed_s * 1000 * self._speed) + self.offset_ms
