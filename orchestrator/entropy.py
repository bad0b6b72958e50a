"""The one door to the host's clock, randomness and new identifiers.

Everything else takes these as arguments, so that a test can repeat any run. The instants that leases and
deadlines are compared with come from the database (`outbox.clock`), never from here.
"""

from __future__ import annotations

import random
import secrets
import time
import uuid
from datetime import UTC, datetime

_CHANCE = random.SystemRandom()


def new_uuid() -> str:
    """A random UUIDv4, for jobs and processes."""
    return str(uuid.uuid4())


def new_token() -> str:
    """32 hexadecimal characters nobody can guess: client request ids, worker names."""
    return secrets.token_hex(16)


def chance() -> float:
    """A number in [0, 1), for jitter."""
    return _CHANCE.random()


def monotonic_s() -> float:
    """Seconds on a clock that never goes back and, on Linux, counts suspended time too.

    A worker measures what is left of its lease with it: a machine that slept must not believe that it
    still owns the job.
    """
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boottime) if boottime is not None else time.monotonic()


def utc_now() -> datetime:
    """The host's wall clock, aware, in UTC: for log lines and the emulator without a database."""
    return datetime.now(UTC)


def sleep_s(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)
