"""What the emulator knows: accepted responses, script positions, webhooks to send. Facts in, state out.

Every change is a record (`record`): applied to the state and appended to the journal in one turn. Starting
again applies the same records in the same order, so a killed emulator knows what the living one knew.

    call       a create met the script: target, rule           counts creates, moves the rule's list
    accepted   a response exists: id, at, target, call, request, hooks
    look       a retrieve met the script: id, rule             the same for cancel and delete, by `op`
    skip       a window of `not_found_for` has passed: id, rule
    window     a window of `not_found_for` has begun: id, at
    ended      cancelled, or completed before the cancel: id, how, at
    shown      a look saw the response's end: id, at
    gone       deleted or expired: id, how
    hook       a webhook is planned · tried: it was sent · unhook: it is called off
    clock      the own clock was moved: offset_ms

Hold `turn` around any reading that decides on a record. All instants are virtual milliseconds.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.emulator.journal import Journal, Record
from orchestrator.emulator.script import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One accepted response."""

    id: str
    number: int
    accepted_ms: int
    target: str
    request: Mapping[str, Any]
    call: int = 1  # which create of its target it was
    ended: str = ""  # "" | cancelled | completes
    ended_ms: int | None = None
    shown_ms: int | None = None
    window_ms: int | None = None
    gone: str = ""  # "" | deleted | expired | unstored

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata that came with the create."""
        return self.request.get("metadata") or {}

    @property
    def background(self) -> bool:
        """Whether it runs in the background; if not, it was complete when it was answered."""
        return bool(self.request.get("background"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """One webhook that still has to be sent `left` times. `id` is the same in every attempt."""

    id: str
    response_id: str
    event: str
    created_ms: int
    due_ms: int
    left: int = 1
    tries: int = 0
    signature: str = "ok"
    about: str = ""  # the id in the payload
    usual: bool = False  # planned because nothing was scripted; a cancel calls it off


class Ledger:
    """The state. Reads its journal when it is made."""

    def __init__(self, journal: Journal) -> None:
        self.turn = threading.RLock()
        self.responses: dict[str, Stored] = {}
        self.hooks: dict[str, Hook] = {}
        self.offset_ms = 0
        self.records = 0
        self.last_ms = 0
        self._calls: Counter[tuple[str, str]] = Counter()
        self._positions: Counter[tuple[str, str, str]] = Counter()
        self._journal = journal
        for record in journal.read():
            self._apply(record)

    def record(self, kind: str, **fields: Any) -> int:
        """Take note of a fact; answers its number, for `sync`."""
        record = {"t": kind, **fields}
        with self.turn:
            self._apply(record)
            return self._journal.append(record)

    def sync(self, number: int) -> None:
        """Return when the record is durable."""
        self._journal.sync(number)

    def calls(self, operation: Operation, target: str) -> int:
        """How many calls of the operation the target has seen."""
        return self._calls[operation, target]

    def position(self, rule: str, operation: Operation, target: str) -> int:
        """How many steps of the rule's list the target has used."""
        return self._positions[rule, operation, target]

    def _apply(self, record: Record) -> None:
        self.records += 1
        self.last_ms = max(self.last_ms, record.get("at", 0))
        match record["t"]:
            case "call" | "look":
                self._count(record)
            case "accepted":
                self._accept(record)
            case "hook" | "tried" | "unhook":
                self._hook(record)
            case "clock":
                self.offset_ms = record["offset_ms"]
            case _:
                self._change(record)

    def _count(self, record: Record) -> None:
        self._calls[record["op"], record["target"]] += 1
        if record.get("rule"):
            self._positions[record["rule"], record["op"], record["list"]] += 1

    def _accept(self, record: Record) -> None:
        self.responses[record["id"]] = Stored(
            id=record["id"],
            number=len(self.responses) + 1,
            accepted_ms=record["at"],
            target=record["target"],
            request=record["request"],
            call=record.get("call", 1),
        )
        for hook in record.get("hooks", ()):
            self.hooks[hook["id"]] = Hook(**hook)

    def _change(self, record: Record) -> None:
        stored = self.responses[record["id"]]
        changes: dict[str, Any] = {}
        match record["t"]:
            case "skip":
                self._positions[record["rule"], Operation.RETRIEVE, record["list"]] += 1
                changes = {"window_ms": None}
            case "window":
                changes = {"window_ms": record["at"]}
            case "ended":
                changes = {"ended": record["how"], "ended_ms": record["at"]}
            case "shown":
                changes = {"shown_ms": record["at"]}
            case "gone":
                slim = {"metadata": stored.metadata, "background": stored.background}
                changes = {"gone": record["how"], "request": slim}
        self.responses[stored.id] = dataclasses.replace(stored, **changes)

    def _hook(self, record: Record) -> None:
        match record["t"]:
            case "hook":
                hook = Hook(**{name: record[name] for name in record if name != "t"})
                self.hooks[hook.id] = hook
            case "unhook":
                self.hooks.pop(record["id"], None)
            case _:
                self._tried(self.hooks.get(record["id"]), record)

    def _tried(self, hook: Hook | None, record: Record) -> None:
        if hook is None:
            return
        left = hook.left - (1 if record["done"] else 0)
        if left <= 0:
            del self.hooks[hook.id]
            return
        tries = 0 if record["done"] else hook.tries + 1
        self.hooks[hook.id] = dataclasses.replace(hook, left=left, tries=tries, due_ms=record["due_ms"])
