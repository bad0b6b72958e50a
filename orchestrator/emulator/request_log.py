"""The request log: one JSON line per request, also readable in process.

Keys: `at`, `method`, `path`, `client_request_id`, `x_request_id`, `response_id`, `metadata`, `rule` (number in
the script or null), `result`, `status` (null when no answer was sent), `accepted` (creates), `violation`.
A line is written before its answer leaves, so whoever has the answer finds the line.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from orchestrator.errors import ConfigurationError

KEPT: Final = 200_000  # entries in memory
Entry = Mapping[str, Any]


class RequestLog:
    """Appends to a file (or none) and keeps the newest entries."""

    def __init__(self, path: Path | None) -> None:
        self._turn = threading.Lock()
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._file = _open(path) if path is not None else None

    def append(self, entry: Entry) -> None:
        """One more request."""
        with self._turn:
            self._entries.append(entry)
            if self._file is not None:
                self._file.write(json.dumps(entry) + "\n")
                self._file.flush()

    def entries(self) -> tuple[Entry, ...]:
        """What was logged by this process, oldest first."""
        with self._turn:
            return tuple(self._entries)

    def violations(self) -> tuple[Entry, ...]:
        """The calls that should never have been made."""
        return tuple(entry for entry in self.entries() if entry["violation"])

    def close(self) -> None:
        """Close the file; entries stay readable."""
        if self._file is not None:
            self._file.close()
            self._file = None


def instant(at_ms: int) -> str:
    """RFC 3339, UTC, milliseconds."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def _open(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the emulator cannot write its log: {error.strerror}.",
            hint="Choose a file that this user can write to.",
        ) from error
