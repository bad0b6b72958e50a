"""What all operations share: the parts of a running emulator, and how a call meets the script.

`Floor.meet` counts the call and moves the script's list in one turn; `Outcome` is an operation's answer together
with what the log will say about it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.emulator import webhooks
from orchestrator.emulator.answers import Answer, Newsroom
from orchestrator.emulator.api_error import ApiError, not_found, scripted
from orchestrator.emulator.clock import NowMs
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.ledger import Ledger, Stored
from orchestrator.emulator.lifecycle import is_gone
from orchestrator.emulator.script import OK, HookStep, Operation, Rule, Step
from orchestrator.emulator.wire import Manner, Reply, to_json

CACHED_ANSWERS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An answer and its line in the log."""

    reply: Reply
    result: str
    response_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    rule: int | None = None
    accepted: bool | None = None
    violation: bool = False


@dataclass(frozen=True, slots=True)
class Met:
    """The rule and the step that a call met; without a rule the call succeeds."""

    rule: Rule | None = None
    step: Step = OK

    @property
    def number(self) -> int | None:
        """The rule's number in the script."""
        return self.rule.number if self.rule is not None else None


class Floor:
    """The parts of one emulator."""

    def __init__(self, config: EmulatorConfig, *, ledger: Ledger, newsroom: Newsroom, now_ms: NowMs) -> None:
        self.config = config
        self.ledger = ledger
        self.now_ms = now_ms
        self.wake: Callable[[], None] = lambda: None
        self._newsroom = newsroom
        self._answers: dict[str, Answer] = {}
        self._answers_turn = threading.Lock()

    def find(self, response_id: str) -> Stored:
        """The response. Raises ApiError 404 when it was never accepted or is gone."""
        stored = self.ledger.responses.get(response_id)
        if stored is None or is_gone(stored, self.config, self.now_ms()):
            raise not_found(response_id)
        return stored

    def known_metadata(self, response_id: str) -> Mapping[str, str]:
        """Metadata of a response, gone ones included: for the log."""
        stored = self.ledger.responses.get(response_id)
        return stored.metadata if stored is not None else {}

    def meet(self, operation: Operation, metadata: Mapping[str, str], target: str) -> Met:
        """Count a create, cancel or delete, and take the step that the script has for it."""
        with self.ledger.turn:
            call = self.ledger.calls(operation, target) + 1
            rule = self.config.script.rule(operation, metadata, call)
            list_of = list_name(rule, target)
            step = rule.step(operation, self.position(rule, operation, target)) if rule else None
            key = rule.key if rule else None
            self.ledger.record("call", op=operation, target=target, rule=key, list=list_of)
        return Met(rule, step or OK)

    def position(self, rule: Rule, operation: Operation, target: str) -> int:
        """How far the target is in the rule's list."""
        return self.ledger.position(rule.key, operation, list_name(rule, target))

    def answer(self, stored: Stored) -> Answer:
        """The newsroom's answer; computed once while it is in use."""
        with self._answers_turn:
            known = self._answers.get(stored.id)
        if known is not None:
            return known
        answer = self._newsroom.answer(stored.request)
        with self._answers_turn:
            while len(self._answers) >= CACHED_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[stored.id] = answer
        return answer

    def real_s(self, virtual_s: float) -> float:
        """How long a scripted wait takes in real seconds."""
        return virtual_s / self.config.speed

    def sends_usual_hooks(self, stored: Stored) -> bool:
        """Whether the response announces its end although no script says so."""
        wanted = bool(self.config.webhook_url) and stored.background
        return wanted and self.config.script.hook_rule(stored.metadata, stored.call) is None

    def announce(self, stored: Stored, status: str) -> None:
        """Plan the usual webhook about an end that has just come."""
        event = f"response.{status}"
        hook = webhooks.plan(stored.id, 0, HookStep(), due_ms=self.now_ms(), event=event, usual=True)
        self.ledger.record("hook", **hook)
        self.wake()

    def call_off_usual_hooks(self, stored: Stored) -> None:
        """What was planned by itself will not happen."""
        with self.ledger.turn:
            for hook in [h for h in self.ledger.hooks.values() if h.usual and h.response_id == stored.id]:
                self.ledger.record("unhook", id=hook.id)


def list_name(rule: Rule | None, target: str) -> str:
    """Whose list a call of the target moves."""
    return "*" if rule is not None and rule.shared else target


def json_reply(document: Any, status: int = 200) -> Reply:
    """A whole JSON answer."""
    return Reply(status=status, body=to_json(document))


def refusal(error: ApiError, *, delay_s: float = 0.0, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    """An error envelope."""
    return Reply(status=error.status, body=to_json(error.envelope()), headers=headers, delay_s=delay_s)


def ordered_http(floor: Floor, step: Step) -> Reply:
    """The HTTP status that a script ordered: an envelope, or the raw `body` of the step."""
    delay_s = floor.real_s(step.delay_s or 0.0)
    error = scripted(step.status, code=step.code, kind=step.type, message=step.message)
    if step.body is None:
        return refusal(error, delay_s=delay_s, headers=step.headers)
    body = step.body.encode("utf-8", "replace")
    kind = "text/html" if body.startswith(b"<") else "application/json" if body[:1] in b"{[" else "text/plain"
    return Reply(status=step.status, body=body, headers=step.headers, content_type=kind, delay_s=delay_s)


def ordered_violation() -> Reply:
    """The answer to a call that the script says must never be made."""
    error = ApiError(500, "The script says that this call must not be made.", kind="server_error")
    return refusal(error)


def ordered_cut(step: Step) -> Reply:
    """No answer; the connection is closed or reset."""
    return Reply(status=0, manner=Manner.RESET if step.reset else Manner.CUT)
