"""Instants: UTC epoch milliseconds inside, RFC 3339 with milliseconds outside."""

from __future__ import annotations

from datetime import UTC, datetime


def rfc3339(at_ms: int) -> str:
    """`2026-11-30T06:02:00.000Z`."""
    whole, milliseconds = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03}Z"


def parse_rfc3339(text: str) -> int:
    """Epoch milliseconds. Errors: ValueError for anything without an offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no offset from UTC")
    return round(moment.timestamp() * 1000)


def utc_day(at_ms: int) -> str:
    """The UTC date, `YYYY-MM-DD`: the day that a cost is booked on."""
    return rfc3339(at_ms)[:10]
