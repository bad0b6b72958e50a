"""Webhooks that the emulator sends: signed, on time, and again until the receiver says 2xx.

Standard Webhooks over the raw body. `webhook-id` is the same in every attempt; `webhook-timestamp` is the host's
time of the attempt, because receivers check it against the host's clock. A badly signed or old one is sent
as often as scripted and never repeated: no provider stands behind it. What was planned is in the journal, so
a restarted emulator sends what was not acknowledged.
"""

from __future__ import annotations

import base64
import hashlib
import threading
from datetime import timedelta
from typing import Any, Final

import httpx
from standardwebhooks import Webhook

from orchestrator import entropy
from orchestrator.emulator.clock import NowMs
from orchestrator.emulator.ledger import Hook, Ledger
from orchestrator.emulator.script import HookStep
from orchestrator.emulator.wire import to_json

AGENT: Final = "OpenAI/1.0 (+https://platform.openai.com/docs/webhooks)"
TIMEOUT_S: Final = 5.0  # the provider waits "a few seconds"
LOOK_S: Final = 0.05  # how often due hooks are looked for while some are planned
FIRST_RETRY_MS: Final = 500
LONGEST_RETRY_MS: Final = 3_600_000
TOO_OLD: Final = timedelta(minutes=6)  # one more than receivers tolerate
WRONG_SECRET: Final = "whsec_" + base64.b64encode(b"this is not the shared secret").decode()


def plan(
    response_id: str, number: int, step: HookStep, *, due_ms: int, event: str, usual: bool = False
) -> dict[str, Any]:
    """The fields of a `hook` record. `event` is used where the step leaves it open."""
    name = step.event or event
    return {
        "id": "wh_" + _hex(response_id, str(number), name),
        "response_id": response_id,
        "event": name,
        "created_ms": due_ms,
        "due_ms": due_ms,
        "left": step.times,
        "signature": step.signature,
        "usual": usual,
        "about": response_id if step.response_id == "own" else "resp_" + _hex("unknown", response_id),
    }


def body_of(hook: Hook) -> bytes:
    """The event, byte for byte the same in every attempt."""
    event = {
        "id": "evt_" + _hex("event", hook.id),
        "object": "event",
        "created_at": hook.created_ms // 1000,
        "type": hook.event,
        "data": {"id": hook.about},
    }
    return to_json(event)


def headers_of(hook: Hook, body: bytes, secret: str) -> dict[str, str]:
    """The headers of one attempt, signed as the hook says."""
    moment = entropy.utc_now() - (TOO_OLD if hook.signature == "old" else timedelta())
    key = WRONG_SECRET if hook.signature == "bad" else secret
    return {
        "content-type": "application/json",
        "user-agent": AGENT,
        "webhook-id": hook.id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(key).sign(hook.id, moment, body.decode("utf-8")),
    }


class Sender:
    """A thread that sends due hooks. Does nothing without a URL."""

    def __init__(self, ledger: Ledger, now_ms: NowMs, *, url: str, secret: str) -> None:
        self._ledger = ledger
        self._now_ms = now_ms
        self._url = url
        self._secret = secret
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; what an earlier run left unacknowledged goes out now."""
        if self._url:
            self._thread = threading.Thread(target=self._run, name="emulator-webhooks", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Finish the delivery in hand and end."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(2 * TIMEOUT_S)

    def wake(self) -> None:
        """A hook was planned."""
        self._wake.set()

    def _run(self) -> None:
        self._hurry()
        with httpx.Client(timeout=TIMEOUT_S, trust_env=False, follow_redirects=False) as client:
            while not self._stopping.is_set():
                self._wake.clear()
                for hook in self._due():
                    self._deliver(client, hook)
                self._wake.wait(LOOK_S if self._ledger.hooks else None)

    def _due(self) -> list[Hook]:
        now_ms = self._now_ms()
        with self._ledger.turn:
            due = [hook for hook in self._ledger.hooks.values() if hook.due_ms <= now_ms]
        return sorted(due, key=lambda hook: (hook.due_ms, hook.id))

    def _hurry(self) -> None:
        """Hooks that wait for their next attempt need not wait any longer after a restart."""
        now_ms = self._now_ms()
        with self._ledger.turn:
            for hook in [h for h in self._ledger.hooks.values() if h.tries and h.due_ms > now_ms]:
                self._ledger.record("tried", id=hook.id, done=False, due_ms=now_ms)

    def _deliver(self, client: httpx.Client, hook: Hook) -> None:
        if self._stopping.is_set():
            return
        body = body_of(hook)
        try:
            answer = client.post(self._url, content=body, headers=headers_of(hook, body, self._secret))
            acknowledged = answer.is_success
        except httpx.HTTPError:
            acknowledged = False
        done = acknowledged or hook.signature != "ok"
        wait_ms = 0 if done else min(FIRST_RETRY_MS * 2**hook.tries, LONGEST_RETRY_MS)
        self._ledger.record("tried", id=hook.id, done=done, due_ms=self._now_ms() + wait_ms)


def _hex(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
