"""The wait that a provider's answer asks for, in ms from its arrival.

A `retry-after` date is compared with the answer's own `date`: both come from one clock, so that a difference
between the provider's clock and ours cannot stretch or void the wait. Without `date` the host's clock serves.
How long a hint is honoured is the machine's business; here it is only reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from orchestrator import entropy
from orchestrator.core.delays import hint_ms


def hint_of(headers: Mapping[str, str]) -> int | None:
    """The hint in ms, or None when the headers hold none (completed tables §4, "hint")."""
    answered = _answered(headers.get("date")) or entropy.utc_now()
    return hint_ms(headers, round(answered.timestamp() * 1000))


def _answered(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return found.replace(tzinfo=found.tzinfo or UTC)
