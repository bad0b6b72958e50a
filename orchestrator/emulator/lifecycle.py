"""Where an accepted response stands: queued → in_progress → an end, in virtual time, or as scripted.

    natural     acceptance + queue_ms + work_ms; foreground responses are complete when they are answered
    scripted    the retrieve list says what each look shows
    cancelled   shows `cancelled` for ever; "completes first" shows the end instead
    gone        deleted, expired, or past its retention: 404

Pure functions over `Stored`; the recording is done by the operations.
"""

from __future__ import annotations

from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.ledger import Stored
from orchestrator.emulator.script import COMPLETED, ENDINGS, RUNNING, Rule, Step

CANCELLED = Step(result="cancelled")


def completes_ms(stored: Stored, config: EmulatorConfig) -> int:
    """When the response completes by itself."""
    if not stored.background:
        return stored.accepted_ms
    return stored.accepted_ms + config.queue_ms + config.work_ms


def is_gone(stored: Stored, config: EmulatorConfig, now_ms: int) -> bool:
    """Whether the provider no longer holds it."""
    if stored.gone:
        return True
    kept_ms = config.unstored_ms if stored.request.get("store") is False else config.stored_ms
    ended_ms = stored.shown_ms or stored.ended_ms or completes_ms(stored, config)
    return now_ms >= ended_ms + kept_ms


def natural_step(stored: Stored, config: EmulatorConfig, now_ms: int) -> Step:
    """What time alone has made of the response."""
    if now_ms >= completes_ms(stored, config):
        return COMPLETED
    queued = now_ms < stored.accepted_ms + config.queue_ms
    return Step(result="queued" if queued else "in_progress")


def standing(stored: Stored, config: EmulatorConfig, now_ms: int, *, rule: Rule | None, step: Step | None) -> Step:
    """What a look finds, given what the script has for it (None: nothing)."""
    about_state = step is None or step.result in RUNNING | ENDINGS
    if stored.ended == "cancelled" and about_state:
        return CANCELLED
    if stored.ended == "completes" and (step is None or step.result in RUNNING):
        return rule.ending if rule is not None else COMPLETED
    return step or natural_step(stored, config, now_ms)


def has_ended(stored: Stored, config: EmulatorConfig, now_ms: int, *, scripted: bool) -> bool:
    """Whether the response has reached an end that a cancel can no longer change."""
    if stored.ended or stored.shown_ms is not None:
        return True
    return not scripted and now_ms >= completes_ms(stored, config)


def ended_at_ms(stored: Stored, config: EmulatorConfig, now_ms: int) -> int:
    """`completed_at` of a response that has ended: never later than the first look that saw it."""
    return stored.shown_ms or min(completes_ms(stored, config), now_ms)
