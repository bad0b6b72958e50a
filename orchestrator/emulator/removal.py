"""POST …/cancel and DELETE: how a response ends before its time, and how it goes.

Cancel is idempotent and answers a response that has ended unchanged (wire notes 5.1, 5.5); a foreground response
cannot be cancelled. What was done is on the disk before it is answered; a scripted `cut` loses only the answer.
"""

from __future__ import annotations

from orchestrator.emulator import looking, shape
from orchestrator.emulator.api_error import bad_request, not_found
from orchestrator.emulator.floor import (
    Floor,
    Met,
    Outcome,
    json_reply,
    ordered_cut,
    ordered_http,
    ordered_violation,
    refusal,
)
from orchestrator.emulator.ledger import Stored
from orchestrator.emulator.lifecycle import has_ended
from orchestrator.emulator.script import Operation
from orchestrator.emulator.wire import Reply


def cancel(floor: Floor, response_id: str) -> Outcome:
    """Answer a cancel. Raises ApiError: 404, or 400 for a foreground response."""
    stored = floor.find(response_id)
    if not stored.background:
        raise bad_request("Cannot cancel a synchronous response.", param=None, code=None)
    met = floor.meet(Operation.CANCEL, stored.metadata, stored.id)
    reply = _ordered(floor, met)
    if reply is None:
        view = _cancel(floor, stored, met)
        reply = ordered_cut(met.step) if met.step.result == "cut" else json_reply(view)
    return _outcome(stored, met, reply)


def delete(floor: Floor, response_id: str) -> Outcome:
    """Answer a delete. Raises ApiError 404."""
    stored = floor.find(response_id)
    met = floor.meet(Operation.DELETE, stored.metadata, stored.id)
    reply = _ordered(floor, met)
    if reply is None:
        floor.call_off_usual_hooks(stored)
        floor.ledger.sync(floor.ledger.record("gone", id=stored.id, how="deleted"))
        reply = _deleted(stored, met)
    return _outcome(stored, met, reply)


def _ordered(floor: Floor, met: Met) -> Reply | None:
    """The answer of a step that does nothing else."""
    match met.step.result:
        case "http":
            return ordered_http(floor, met.step)
        case "must_not_be_called":
            return ordered_violation()
        case _:
            return None


def _cancel(floor: Floor, stored: Stored, met: Met) -> shape.Object:
    rule = floor.config.script.rule(Operation.RETRIEVE, stored.metadata, 1)
    with floor.ledger.turn:
        stored = floor.ledger.responses[stored.id]
        now_ms = floor.now_ms()
        late = has_ended(stored, floor.config, now_ms, scripted=rule is not None)
        if not late:
            how = "completes" if met.step.result == "completes_first" else "cancelled"
            number = floor.ledger.record("ended", id=stored.id, how=how, at=now_ms)
            stored = floor.ledger.responses[stored.id]
    if not late:
        floor.ledger.sync(number)
    if stored.ended != "cancelled":
        return looking.end_of(floor, stored, rule)
    if not late:
        _announce(floor, stored)
    return shape.cancelled(stored)


def _announce(floor: Floor, stored: Stored) -> None:
    floor.call_off_usual_hooks(stored)
    if floor.sends_usual_hooks(stored):
        floor.announce(stored, "cancelled")


def _deleted(stored: Stored, met: Met) -> Reply:
    match met.step.result:
        case "cut":
            return ordered_cut(met.step)
        case "not_found":
            return refusal(not_found(stored.id))
        case _:
            return json_reply({"id": stored.id, "object": "response.deleted", "deleted": True})


def _outcome(stored: Stored, met: Met, reply: Reply) -> Outcome:
    return Outcome(
        reply=reply,
        result=met.step.result,
        response_id=stored.id,
        metadata=stored.metadata,
        rule=met.number,
        violation=met.step.result == "must_not_be_called",
    )
