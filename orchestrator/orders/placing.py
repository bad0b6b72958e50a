"""An order as an operator gives it, and the command row that it becomes.

Rules: the row is committed before anything is carried out; two open orders of one verb on one target are one; an
order that is repeated with its key answers what became of the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import Connection

from orchestrator.errors import ConfigurationError, RefusedByState
from orchestrator.store import commands
from orchestrator.store.commands import Command, Order

NOTHING: Mapping[str, object] = MappingProxyType({})
KEY_CHARS = 120
ACTOR_CHARS = 64

_CODE = re.compile(r"[A-Z][A-Z0-9_]{0,59}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who orders it and why. `key` makes a repetition of the same order the same order."""

    actor: str
    reason_code: str
    reason_text: str = ""
    key: str


def read_reason(text: str) -> tuple[str, str]:
    """`CODE` or `CODE:text` as its two parts. Errors: `ConfigurationError` (usage) for anything else."""
    code, _, words = text.partition(":")
    if not _CODE.fullmatch(code):
        raise ConfigurationError(
            f'"{code}" is not a reason code', hint="write it like PROVIDER_LOG, or PROVIDER_LOG:what was seen"
        )
    return code, words.strip()


def order_of(verb: str, target: str, by: Signature, *, arguments: Mapping[str, object] = NOTHING) -> Order:
    """The order. `target` is a job, a process, an effect's or message's number, or "" for the loop."""
    return Order(
        verb=verb,
        target=target,
        actor=by.actor[:ACTOR_CHARS],
        reason_code=by.reason_code,
        reason_text=by.reason_text,
        idempotency_key=f"{verb}:{target}:{by.key}"[:KEY_CHARS],
        arguments=arguments,
    )


def place(conn: Connection, wanted: Order) -> Command:
    """Write the order down in the caller's transaction.

    Answers the command that is it: a new one, an open one of the same verb and target, or the earlier one with
    the same key, whatever became of that. Errors: `RefusedByState` when the open one says something else.
    """
    command = commands.order(conn, wanted)
    if dict(command.arguments) != dict(wanted.arguments):
        raise RefusedByState(
            f"another {wanted.verb} of {wanted.target} is under way", hint="Wait for it, or use another key."
        )
    return command
