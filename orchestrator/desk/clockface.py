"""Instants and spans as a person reads them: in the operator's zone, the offset always shown.

`zone` None is the zone of this machine. Instants are epoch ms, spans are ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

NOTHING = "—"


@dataclass(frozen=True, slots=True)
class Clockface:
    """Reads instants relative to `now_ms`."""

    now_ms: int
    zone: tzinfo | None = None

    def full(self, at_ms: int | None) -> str:
        """`2026-11-30 06:02:00 +01:00`."""
        return NOTHING if at_ms is None else _with_offset(self._local(at_ms), "%Y-%m-%d %H:%M:%S")

    def brief(self, at_ms: int | None) -> str:
        """`06:02 +01:00` on the same day, `2026-11-29 06:02 +01:00` on another."""
        if at_ms is None:
            return NOTHING
        at = self._local(at_ms)
        same_day = at.date() == self._local(self.now_ms).date()
        return _with_offset(at, "%H:%M" if same_day else "%Y-%m-%d %H:%M")

    def second(self, at_ms: int) -> str:
        """`05:51:58` on the same day, with the date before it on another; where the offset stands nearby."""
        at = self._local(at_ms)
        same_day = at.date() == self._local(self.now_ms).date()
        return f"{at:%H:%M:%S}" if same_day else f"{at:%Y-%m-%d %H:%M:%S}"

    def offset(self) -> str:
        """`+01:00`, the zone's offset now."""
        return _offset(self._local(self.now_ms))

    def until(self, at_ms: int | None) -> str:
        """`in 41 s`, `now` for what is due."""
        if at_ms is None:
            return NOTHING
        return "now" if at_ms <= self.now_ms else f"in {span(at_ms - self.now_ms)}"

    def since(self, at_ms: int) -> str:
        """How long ago, as a span."""
        return span(max(0, self.now_ms - at_ms))

    def _local(self, at_ms: int) -> datetime:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(self.zone)


def _with_offset(at: datetime, layout: str) -> str:
    return f"{at:{layout}} {_offset(at)}"


def _offset(at: datetime) -> str:
    return at.isoformat(timespec="seconds")[-6:]


def span(of_ms: int) -> str:
    """`12 s`, `41 min`, `2 h 05 min`, `3 d 4 h`: two units at most."""
    if of_ms < MINUTE_MS:
        return f"{max(of_ms, 0) // SECOND_MS} s"
    if of_ms < HOUR_MS:
        return f"{of_ms // MINUTE_MS} min"
    if of_ms < DAY_MS:
        return f"{of_ms // HOUR_MS} h {of_ms % HOUR_MS // MINUTE_MS:02} min"
    return f"{of_ms // DAY_MS} d {of_ms % DAY_MS // HOUR_MS} h"
