"""A provider script as values: rules, the steps that they list, and which step a call meets.

Rules:
    - the first rule that matches a call and lists its operation decides; without one the call succeeds;
    - a list is consumed call by call *per target*: for creates a target is one (stage, product, date), for
      everything else one response. `"shared": true` on a rule makes all its targets consume one list;
    - `times` repeats a step, the last step repeats for ever;
    - `match.call` is the number of the call among its target's calls of that operation, from 1.
Reading a file is `script_file`'s work; nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

MATCH_FIELDS: Final = (
    "workflow",
    "process_suffix",
    "stage",
    "revision",
    "operation_generation",
    "fingerprint_prefix",
    "contract_version",
    "product",
    "date",
)


class Operation(StrEnum):
    """What a list in a rule is about."""

    CREATE = "create"
    RETRIEVE = "retrieve"
    CANCEL = "cancel"
    DELETE = "delete"


QUIRKS: Final = frozenset(
    {"missing_action", "citation_markers", "foreign_source", "several_messages", "unknown_item"}
)
RUNNING: Final = frozenset({"queued", "in_progress"})
ENDINGS: Final = QUIRKS | {
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "empty_output",
    "reasoning_only",
    "refusal",
    "payload",
}
"""Retrieve results that show how a response ended; all others are about the way to it."""

_HTTP: Final = frozenset({"status", "code", "type", "message", "headers", "body", "delay_s"})
_CUT: Final = frozenset({"reset"})
_NONE: Final = frozenset[str]()

VOCABULARY: Final[Mapping[Operation, Mapping[str, frozenset[str]]]] = {
    Operation.CREATE: {
        "ok": _NONE,
        "slow": frozenset({"delay_s"}),
        "drip": frozenset({"delay_s"}),
        "cut_before_accept": _CUT,
        "cut_after_accept": _CUT,
        "timeout_after_accept": frozenset({"delay_s"}),
        "http": _HTTP | {"accepted"},
        "garbled_2xx": _NONE,
        "missing_id": _NONE,
        "must_not_be_called": _NONE,
    },
    Operation.RETRIEVE: {
        "queued": _NONE,
        "in_progress": _NONE,
        "completed": _NONE,
        "incomplete": frozenset({"reason"}),
        "failed": frozenset({"code", "message"}),
        "cancelled": _NONE,
        "http": _HTTP,
        "not_found": _NONE,
        "not_found_for": frozenset({"s"}),
        "expired": _NONE,
        "truncated_json": _NONE,
        "empty_output": _NONE,
        "reasoning_only": _NONE,
        "refusal": _NONE,
        "wrong_id": _NONE,
        "slow": frozenset({"delay_s"}),
        "payload": frozenset({"file"}),
        "missing_action": frozenset({"all"}),
        "citation_markers": _NONE,
        "foreign_source": _NONE,
        "several_messages": _NONE,
        "unknown_item": _NONE,
        "cut": _CUT,
        "must_not_be_called": _NONE,
    },
    Operation.CANCEL: {
        "ok": _NONE,
        "completes_first": _NONE,
        "http": _HTTP,
        "cut": _CUT,
        "must_not_be_called": _NONE,
    },
    Operation.DELETE: {
        "ok": _NONE,
        "not_found": _NONE,
        "http": _HTTP,
        "cut": _CUT,
        "must_not_be_called": _NONE,
    },
}
"""Every result of every operation, with the keys that it understands besides `times`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one call meets. Durations are seconds of virtual time."""

    result: str
    times: int = 1
    delay_s: float | None = None
    s: float = 0.0
    status: int = 500
    code: str | None = None
    type: str | None = None
    message: str | None = None
    body: str | None = None
    reason: str = "max_output_tokens"
    headers: tuple[tuple[str, str], ...] = ()
    accepted: bool = False  # an error status, although the request was taken
    reset: bool = False  # cut with a TCP reset instead of a plain close
    all: bool = False
    payload: bytes = b""


COMPLETED: Final = Step(result="completed")
OK: Final = Step(result="ok")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStep:
    """One webhook of a response: when, what, how signed, how often. `event` "" means as the response ends."""

    after_s: float = 0.0
    event: str = ""
    times: int = 1
    signature: str = "ok"  # ok | bad | old
    response_id: str = "own"  # own | unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `key` is made of its content: a changed rule starts at its first step again."""

    number: int
    key: str
    match: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calls: frozenset[int] = frozenset()
    shared: bool = False
    steps: Mapping[Operation, tuple[Step, ...]] = field(default_factory=dict)
    hooks: tuple[HookStep, ...] | None = None

    def fits(self, metadata: Mapping[str, str], call: int) -> bool:
        """Whether the call's metadata and number are those of the rule."""
        if self.calls and call not in self.calls:
            return False
        return all(_fits(name, wanted, metadata.get(name)) for name, wanted in self.match.items())

    def step(self, operation: Operation, position: int) -> Step | None:
        """The step after `position` earlier ones; the last repeats. None: the list is used up.

        Only a list that ends in `not_found_for` can be used up: its window has passed.
        """
        steps = self.steps[operation]
        for step in steps:
            position -= step.times
            if position < 0:
                return step
        return None if steps[-1].result == "not_found_for" else steps[-1]

    @property
    def ending(self) -> Step:
        """How the rule lets a response end: its first ending, else completion."""
        steps = self.steps.get(Operation.RETRIEVE, ())
        return next((step for step in steps if step.result in ENDINGS), COMPLETED)


@dataclass(frozen=True, slots=True)
class Script:
    """All rules, first match first."""

    rules: tuple[Rule, ...] = ()

    def rule(self, operation: Operation, metadata: Mapping[str, str], call: int) -> Rule | None:
        """The rule that decides this call."""
        return next((r for r in self.rules if operation in r.steps and r.fits(metadata, call)), None)

    def hook_rule(self, metadata: Mapping[str, str], call: int) -> Rule | None:
        """The rule that says which webhooks a response sends; None means the usual one."""
        return next((r for r in self.rules if r.hooks is not None and r.fits(metadata, call)), None)


NO_SCRIPT: Final = Script()


def target_of(metadata: Mapping[str, str]) -> str:
    """What a create is for: the same text for every attempt at the same obligation."""
    return "/".join(metadata.get(name, "") for name in ("product", "date", "stage"))


def _fits(name: str, wanted: tuple[str, ...], value: str | None) -> bool:
    if value is None:
        return False
    if name == "fingerprint_prefix":
        return any(value.startswith(one) or one.startswith(value) for one in wanted)
    return value in wanted
