"""GET /v1/responses/{id} and its input items: what a look finds, and what it leaves behind.

A look at a response that has ended is recorded once (`shown`), so that its end never changes afterwards:
`completed_at`, retention and the usual webhook count from it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from orchestrator.emulator import shape
from orchestrator.emulator.api_error import bad_request, not_found
from orchestrator.emulator.floor import (
    Floor,
    Met,
    Outcome,
    json_reply,
    list_name,
    ordered_cut,
    ordered_http,
    ordered_violation,
    refusal,
)
from orchestrator.emulator.ledger import Stored
from orchestrator.emulator.lifecycle import ended_at_ms, standing
from orchestrator.emulator.script import COMPLETED, RUNNING, Operation, Rule, Step
from orchestrator.emulator.wire import Reply, to_json

NOT_FOUND = frozenset({"not_found", "expired", "not_found_for"})


def retrieve(floor: Floor, response_id: str) -> Outcome:
    """Answer a look. Raises ApiError 404 for a response that is unknown or gone."""
    with floor.ledger.turn:
        stored = floor.find(response_id)
        met, scripted = _meet(floor, stored)
    step = standing(stored, floor.config, floor.now_ms(), rule=met.rule, step=scripted)
    reply = _reply(floor, stored, met.rule, step=step)
    return Outcome(
        reply=reply,
        result=step.result,
        response_id=stored.id,
        metadata=stored.metadata,
        rule=met.number,
        violation=step.result == "must_not_be_called",
    )


def end_of(floor: Floor, stored: Stored, rule: Rule | None) -> shape.Object:
    """The response as it is at its end; recorded as shown."""
    return _ended(floor, stored, rule.ending if rule is not None else COMPLETED)


def ending_event(floor: Floor, stored: Stored, rule: Rule | None) -> str:
    """The event that will announce the response's end."""
    step = rule.ending if rule is not None else COMPLETED
    return f"response.{_end(floor, stored, step, at_ms=0)['status']}"


def input_items(floor: Floor, response_id: str, query: Mapping[str, str]) -> Outcome:
    """GET …/input_items: the input as items, in pages. Raises ApiError."""
    stored = floor.find(response_id)
    items = _input_items(stored)
    if query.get("order", "desc") == "desc":
        items.reverse()
    after = query.get("after")
    start = next((n + 1 for n, item in enumerate(items) if item["id"] == after), 0)
    page = items[start : start + _limit(query)]
    document = {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else "",
        "last_id": page[-1]["id"] if page else "",
        "has_more": start + len(page) < len(items),
    }
    return Outcome(reply=json_reply(document), result="ok", response_id=stored.id, metadata=stored.metadata)


def _meet(floor: Floor, stored: Stored) -> tuple[Met, Step | None]:
    """Count the look and take the script's step for it; a 404 window is passed over when its time is up."""
    op = Operation.RETRIEVE
    call = floor.ledger.calls(op, stored.id) + 1
    rule = floor.config.script.rule(op, stored.metadata, call)
    if rule is None:
        floor.ledger.record("look", op=op, target=stored.id, rule=None)
        return Met(), None
    owner = list_name(rule, stored.id)
    step = rule.step(op, floor.position(rule, op, stored.id))
    while step is not None and step.result == "not_found_for" and _passed(floor, stored, step):
        floor.ledger.record("skip", id=stored.id, rule=rule.key, list=owner)
        step = rule.step(op, floor.position(rule, op, stored.id))
    consumed = rule.key if step is not None and step.result != "not_found_for" else None
    floor.ledger.record("look", op=op, target=stored.id, rule=consumed, list=owner)
    return Met(rule), step or COMPLETED


def _passed(floor: Floor, stored: Stored, step: Step) -> bool:
    """Whether the window of a `not_found_for` is over; its first look opens it."""
    now_ms = floor.now_ms()
    began_ms = floor.ledger.responses[stored.id].window_ms
    if began_ms is None:
        floor.ledger.record("window", id=stored.id, at=now_ms)
        return step.s <= 0
    return now_ms >= began_ms + int(step.s * 1000)


def _reply(floor: Floor, stored: Stored, rule: Rule | None, *, step: Step) -> Reply:
    if step.result in RUNNING:
        return json_reply(shape.running(stored, step.result))
    if step.result in NOT_FOUND:
        return _missing(floor, stored, step)
    match step.result:
        case "http":
            return ordered_http(floor, step)
        case "cut":
            return ordered_cut(step)
        case "must_not_be_called":
            return ordered_violation()
        case "slow":
            later = _slow(floor, stored, rule)
            return dataclasses.replace(later, delay_s=floor.real_s(step.delay_s or 1.0))
        case "truncated_json":
            body = to_json(end_of(floor, stored, rule))
            return Reply(status=200, body=body[: len(body) * 2 // 3])
        case "wrong_id":
            other = shape.response_id(stored.number, "another")
            return json_reply(end_of(floor, stored, rule) | {"id": other})
        case _:
            return json_reply(_ended(floor, stored, step))


def _slow(floor: Floor, stored: Stored, rule: Rule | None) -> Reply:
    """What a look without a script would find."""
    step = standing(stored, floor.config, floor.now_ms(), rule=rule, step=None)
    return _reply(floor, stored, rule, step=step)


def _missing(floor: Floor, stored: Stored, step: Step) -> Reply:
    if step.result == "expired":
        floor.ledger.record("gone", id=stored.id, how="expired")
    return refusal(not_found(stored.id))


def _ended(floor: Floor, stored: Stored, step: Step) -> shape.Object:
    with floor.ledger.turn:
        stored = floor.ledger.responses.get(stored.id, stored)
        at_ms = ended_at_ms(stored, floor.config, floor.now_ms())
        first = stored.shown_ms is None and not stored.gone
        if first:
            floor.ledger.record("shown", id=stored.id, at=at_ms)
    view = _end(floor, stored, step, at_ms=at_ms)
    if first:
        _plan_hook(floor, stored, status=str(view.get("status", "completed")))
    return view


def _end(floor: Floor, stored: Stored, step: Step, *, at_ms: int) -> shape.Object:
    if step.result == "cancelled":
        return shape.cancelled(stored)
    answer = floor.answer(stored)
    if step.result != "payload":
        return shape.ended(stored, step, answer, at_ms=at_ms)
    recorded = _response_in(step.payload)
    if recorded is not None:
        return recorded | {"id": stored.id, "metadata": stored.metadata}
    text = step.payload.decode("utf-8", "replace")
    told = dataclasses.replace(answer, output_text=text, citations=(), refusal=None)
    return shape.ended(stored, COMPLETED, told, at_ms=at_ms)


def _response_in(payload: bytes) -> shape.Object | None:
    """A fixture that is a whole Response object; any other is the text of an answer."""
    try:
        document: Any = json.loads(payload)
    except ValueError:
        return None
    return document if isinstance(document, dict) and document.get("object") == "response" else None


def _plan_hook(floor: Floor, stored: Stored, *, status: str) -> None:
    """A scripted response announces its end when it is first seen; an unscripted one has done so by time."""
    rule = floor.config.script.rule(Operation.RETRIEVE, stored.metadata, 1)
    if rule is None or stored.ended == "cancelled" or not floor.sends_usual_hooks(stored):
        return
    floor.announce(stored, status)


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit", "20")
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise bad_request(
            f"Invalid 'limit': expected an integer from 1 to 100, but got '{text}'.",
            param="limit",
            code="invalid_value",
        )
    return int(text)


def _input_items(stored: Stored) -> list[dict[str, Any]]:
    given = stored.request.get("input") or []
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    return [_input_item(stored.id, number, item) for number, item in enumerate(given)]


def _input_item(response_id: str, number: int, item: Mapping[str, Any]) -> dict[str, Any]:
    made_id = f"msg_{response_id.removeprefix('resp_')[:40]}{number:08x}"
    shown = {"id": made_id, "type": "message"} | dict(item)
    if isinstance(shown.get("content"), str):
        shown["content"] = [{"type": "input_text", "text": shown["content"]}]
    return shown
