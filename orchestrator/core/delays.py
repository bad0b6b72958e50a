"""How long to wait: between looks, after trouble, and when the provider says so.

Rules:
* pure: chance is an argument in [0, 1); 0.5 is the middle of every jitter;
* own delays jitter by ±20 %; the provider's hint is never undercut, its jitter only adds;
* a hint that cannot be read is no hint: headers are hostile input and never raise.

Source: completed tables §4 (poll spacing, hint, backoff).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from orchestrator.core.limits import MachinePolicy

JITTER = 0.2
POLL_GROWTH = 1.2  # 20 s reaches 60 s at the seventh look
MAX_DOUBLINGS = 30  # 2 s doubled so often is 68 years: enough to reach any cap
LONGEST_HINT_MS = 366 * 24 * 3_600_000  # keeps a hostile header inside a BIGINT

_BUCKETS = ("requests", "tokens", "project-tokens")
_GO_UNIT_MS = {"h": 3.6e6, "m": 6e4, "s": 1e3, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ns": 1e-6}
_GO_PART = re.compile(r"([0-9]{1,12}(?:\.[0-9]{0,12})?)(h|ms|m|s|us|µs|μs|ns)")
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,15})?")


def poll_spacing_ms(count: int, policy: MachinePolicy, *, chance: float, hint_ms: int | None = None) -> int:
    """Wait before the next look after `count` looks, in ms; never under the hint."""
    grown = policy.poll_min_ms * POLL_GROWTH ** min(count, MAX_DOUBLINGS)
    base_ms = min(policy.poll_max_ms, round(grown))
    return max(_around(base_ms, chance), hinted_ms(hint_ms, chance))


def backoff_ms(count: int, policy: MachinePolicy, *, chance: float, hint_ms: int | None = None) -> int:
    """Wait after `count` earlier failures in a row: 2, 4, 8 … 300 s ± 20 %; never under the hint."""
    own_ms = _doubled(count, policy.backoff_min_ms, policy.backoff_max_ms, chance)
    return max(own_ms, hinted_ms(hint_ms, chance))


def delete_backoff_ms(count: int, policy: MachinePolicy, *, chance: float, hint_ms: int | None = None) -> int:
    """The same for a deletion, which is retried for ever: 2, 4, 8 … 3600 s ± 20 %."""
    own_ms = _doubled(count, policy.backoff_min_ms, policy.delete_backoff_max_ms, chance)
    return max(own_ms, hinted_ms(hint_ms, chance))


def hinted_ms(hint_ms: int | None, chance: float) -> int:
    """The provider's wait with up to 20 % on top, in ms; 0 without a hint."""
    return 0 if hint_ms is None else math.ceil(hint_ms * (1 + JITTER * chance))


def _around(base_ms: int, chance: float) -> int:
    return round(base_ms * (1 - JITTER + 2 * JITTER * chance))


def _doubled(count: int, first_ms: int, cap_ms: int, chance: float) -> int:
    return _around(min(cap_ms, first_ms * 2 ** min(count, MAX_DOUBLINGS)), chance)


def hint_ms(headers: Mapping[str, str], now_epoch_ms: int) -> int | None:
    """How long the provider asks us to wait, in ms from now; None when it does not say.

    `retry-after-ms`, then `retry-after` (seconds or an HTTP date, compared with `now_epoch_ms`), then the
    longest `x-ratelimit-reset-*` among the buckets with nothing left. Never negative.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for waited in (
        _number_ms(lower.get("retry-after-ms"), unit_ms=1),
        _number_ms(lower.get("retry-after"), unit_ms=1_000),
        _until_date_ms(lower.get("retry-after"), now_epoch_ms),
        _empty_bucket_ms(lower),
    ):
        if waited is not None:
            return min(waited, LONGEST_HINT_MS)
    return None


def _number_ms(text: str | None, *, unit_ms: int) -> int | None:
    if text is None or _NUMBER.fullmatch(text) is None:
        return None
    return math.ceil(float(text) * unit_ms)


def _until_date_ms(text: str | None, now_epoch_ms: int) -> int | None:
    try:
        then = parsedate_to_datetime(text or "")
        then_ms = int(then.replace(tzinfo=then.tzinfo or UTC).timestamp() * 1_000)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return max(0, then_ms - now_epoch_ms)


def _empty_bucket_ms(lower: Mapping[str, str]) -> int | None:
    waits = [
        go_duration_ms(lower.get(f"x-ratelimit-reset-{bucket}", ""))
        for bucket in _BUCKETS
        if lower.get(f"x-ratelimit-remaining-{bucket}") == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def go_duration_ms(text: str) -> int | None:
    """A Go duration ("1s", "6m0s", "12ms", "1m30.5s") in ms, rounded up; None for anything else."""
    parts = _GO_PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return 0 if text == "0" else None
    return math.ceil(sum(float(number) * _GO_UNIT_MS[unit] for number, unit in parts))
