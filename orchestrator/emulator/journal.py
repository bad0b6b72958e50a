"""The emulator's memory on disk: append-only JSON lines, one per fact.

Rules:
    - a fact is written before anybody is told; facts that were promised (`sync`) are on the disk;
    - callers that sync at the same moment share one fsync;
    - a line without its end is a write that was cut by a kill: it was never promised and is removed at the
      next start. Any other unreadable line is damage and refused;
    - one process at a time, held by a lock that dies with the process. `address` beside it names the holder.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from orchestrator.errors import ConfigurationError, Unavailable

JOURNAL_NAME = "journal.jsonl"
ADDRESS_NAME = "address"
Record = Mapping[str, Any]


class JournalInUse(Unavailable):
    """Another process is this emulator; `base_url` is where it listens ("" when it has not said so yet)."""

    def __init__(self, message: str, *, hint: str, base_url: str) -> None:
        super().__init__(message, hint=hint)
        self.base_url = base_url


class Journal:
    """Records in order. Without a folder they live in memory only."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = _open(folder) if folder is not None else None
        self._turn = threading.Lock()
        self._sync_turn = threading.Lock()
        self._written = 0
        self._synced = 0

    def read(self) -> Iterator[Record]:
        """Every record of earlier runs, oldest first; call once, before the first append.

        Raises ConfigurationError when a whole line is not a record.
        """
        if self._file is None:
            return
        self._file.seek(0)
        good = 0
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            yield self._record(line, number)
            good += len(line)
        self._file.truncate(good)
        self._file.seek(good)

    def append(self, record: Record) -> int:
        """Write one record and answer its number, to be given to `sync`. Survives a kill of the process."""
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        with self._turn:
            if self._file is not None:
                self._file.write(line)
                self._file.flush()
            self._written += 1
            return self._written

    def sync(self, number: int) -> None:
        """Return when record `number` is on the disk. Survives a power cut."""
        if self._file is None or number <= self._synced:
            return
        with self._sync_turn:
            if number <= self._synced:
                return
            with self._turn:
                written = self._written
            os.fsync(self._file.fileno())
            self._synced = written

    def announce(self, base_url: str) -> None:
        """Leave the address for a process that finds the journal in use."""
        if self._folder is not None:
            (self._folder / ADDRESS_NAME).write_text(base_url + "\n", encoding="utf-8")

    def close(self) -> None:
        """Give up the lock. The records stay."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _record(self, line: bytes, number: int) -> Record:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or "t" not in record:
            raise ConfigurationError(
                f"{self._folder}/{JOURNAL_NAME}: line {number} is not a record of the emulator.",
                hint="Move the folder away to start with an empty provider.",
            )
        return record


def _open(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / JOURNAL_NAME).open("a+b")
    except OSError as error:
        raise ConfigurationError(
            f"{folder}: the emulator cannot write its journal: {error.strerror}.",
            hint="Choose a folder that this user can write to.",
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise _in_use(folder) from error
    _sync_folder(folder)
    return file


def _in_use(folder: Path) -> JournalInUse:
    address = folder / ADDRESS_NAME
    base_url = address.read_text(encoding="utf-8").strip() if address.is_file() else ""
    return JournalInUse(
        f"{folder}: another process runs the emulator of this journal{' at ' + base_url if base_url else ''}.",
        hint="Use that one, or stop it first.",
        base_url=base_url,
    )


def _sync_folder(folder: Path) -> None:
    """Make the new file's name durable too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
