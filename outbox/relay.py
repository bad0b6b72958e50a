"""The relay: claims due effects, hands them to their handler, writes down what became of them.

Rules:
* IN_FLIGHT is committed before the handler acts; no transaction is open while it acts;
* effects of one batch and intent are handed over together; each is settled under its own fence;
* a handler must be idempotent: it looks at the outside first ("the same bytes are there: adopt them"). It is
  called again with `in_doubt` set when an earlier attempt's outcome is not known: its relay died, its lease
  ended, or it answered `Unknown`. An act in doubt is never repeated without that look;
* a handler that raises proves nothing: unless the error says that it is `retryable`, its effects become
  UNKNOWN_OUTCOME, and come back in doubt;
* a relay that finds its fence gone drops its outcome, and says so in the audit trail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from sqlalchemy import Connection

from outbox import store
from outbox.database import Database
from outbox.errors import LeaseLost, StaleFence, StoreUnavailable
from outbox.ledger import Pen
from outbox.message import MAX_HOPS, Effect, EffectReason, Intent
from outbox.outcome import Outcome, Rejected, Retryable, Unknown

BATCHES = 16
"""Batches that one step hands over together: one commit and one rendering serve them all."""


SETTLE_TRIES = 3
"""How often an outcome is written down before it is left to the next relay, which will look for itself."""


class Handler(Protocol):
    """Carries out one intent."""

    def __call__(self, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        """Act, or adopt what is there already; answer one outcome per effect id."""
        ...


def _always(_conn: Connection) -> bool:
    return True


def _quietly(_error: Exception, _effects: Sequence[Effect]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Relay:
    """One relay of possibly many on the same database.

    `lease_ms` must be longer than any handler takes. `chance` draws a number in [0, 1) for jitter; effects of
    one step share it, so that a batch stays together. `owner_role` says who is called about an effect.
    `audit` writes the audit line of each transition, in its transaction. `admits` is asked inside every
    claiming transaction: False claims nothing (the loop is paused). `report` is told what a handler raised.
    """

    db: Database
    handlers: Mapping[Intent, Handler]
    _: KW_ONLY
    owner: str
    lease_ms: int
    chance: Callable[[], float]
    owner_role: Callable[[Effect], str]
    audit: store.Audit | None = None
    admits: Callable[[Connection], bool] = _always
    report: Callable[[Exception, Sequence[Effect]], None] = _quietly
    batches: int = BATCHES

    def step(self) -> int:
        """Carry out the due batches of one intent; answers how many effects were handled, 0 when idle."""
        for intent in self._due():
            if effects := self._claim(intent):
                self._settle(effects, self._act(intent, effects))
                return len(effects)
        return 0

    def _due(self) -> list[Intent]:
        with self.db.read() as conn:
            due = store.due_intents(conn, lease_ms=self.lease_ms)
        return [intent for intent in Intent if intent in due and intent in self.handlers]

    def _claim(self, intent: Intent) -> list[Effect]:
        with self.db.write() as conn:
            if not self.admits(conn):
                return []
            return store.claim(
                conn,
                intent,
                owner=self.owner,
                lease_ms=self.lease_ms,
                limit=self.batches,
                audit=self.audit,
            )

    def _act(self, intent: Intent, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        looping = {one.id: _too_many_hops(one) for one in effects if one.hops > MAX_HOPS}
        asked = [one for one in effects if one.id not in looping]
        return {**(self._ask(self.handlers[intent], asked) if asked else {}), **looping}

    def _ask(self, handler: Handler, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        try:
            return handler(effects)
        except Exception as error:  # noqa: BLE001  # the relay's one catch-all: a handler's bug stops nobody else
            self.report(error, effects)
            outcome = _from_error(error)
            return {one.id: outcome for one in effects}

    def _settle(self, effects: Sequence[Effect], outcomes: Mapping[int, Outcome]) -> None:
        chance = self.chance()
        for left in reversed(range(SETTLE_TRIES)):
            try:
                with self.db.write() as conn:
                    for held in sorted(effects, key=lambda one: (one.entity, one.id)):
                        outcome = outcomes.get(held.id) or Unknown("the handler gave no answer")
                        self._settle_one(conn, held, outcome, chance)
                return
            except (StoreUnavailable, StaleFence):  # busy, or the audit's own rows moved: worth another try
                if not left:
                    raise

    def _settle_one(self, conn: Connection, held: Effect, outcome: Outcome, chance: float) -> None:
        try:
            store.settle(
                conn,
                held,
                outcome,
                chance=chance,
                owner_role=self.owner_role(held),
                actor=self.owner,
                audit=self.audit,
            )
        except LeaseLost:
            pen = Pen.of(conn, self.owner, self.audit)
            pen.tell(held, store.get(conn, held.id), "STALE_FENCE")


def _too_many_hops(effect: Effect) -> Outcome:
    return Rejected(
        f"{effect.hops} hops since its root: two automations may be answering each other",
        EffectReason.HOP_BUDGET_EXHAUSTED,
    )


def _from_error(error: Exception) -> Outcome:
    """Errors of this house are worded for people; a foreign one may hold a credential: its class must do."""
    if getattr(error, "retryable", None) is None:
        return Unknown(type(error).__name__)
    words = f"{type(error).__name__}: {error}"
    return Retryable(words) if getattr(error, "retryable", False) else Unknown(words)
