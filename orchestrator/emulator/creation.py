"""POST /v1/responses: check, meet the script, accept, answer.

Accepting is a record that is on the disk before a byte of the answer leaves: whatever happens to the connection
afterwards, the response exists, exactly once per accepted request. The provider does not deduplicate:
the same body sent twice is two responses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from orchestrator.emulator import looking, shape, webhooks
from orchestrator.emulator.answers import count_input_tokens
from orchestrator.emulator.api_error import ApiError, bad_request
from orchestrator.emulator.floor import (
    Floor,
    Met,
    Outcome,
    json_reply,
    ordered_cut,
    ordered_http,
    ordered_violation,
)
from orchestrator.emulator.ledger import Stored
from orchestrator.emulator.lifecycle import completes_ms
from orchestrator.emulator.request_check import check_count, check_create
from orchestrator.emulator.script import HookStep, Operation, Step, target_of
from orchestrator.emulator.wire import Manner, Reply, to_json

DRIP_S = 10.0  # how long a dripping body takes unless the script says otherwise
HANG_S = 600.0  # how long an answer that never comes keeps its connection
GARBLED = b'{"id":"resp_'  # what is left of an answer that was not JSON
REFUSING = frozenset({"cut_before_accept", "must_not_be_called"})


def create(floor: Floor, body: bytes) -> Outcome:
    """Answer a create. Raises ApiError for what the provider refuses."""
    request = read_object(body)
    check_create(request)
    _check_previous(floor, request)
    metadata = request.get("metadata") or {}
    met = floor.meet(Operation.CREATE, metadata, target_of(metadata))
    if met.step.result in REFUSING or (met.step.result == "http" and not met.step.accepted):
        return _refused(floor, met, metadata)
    stored = _accept(floor, request)
    return Outcome(
        reply=_reply(floor, stored, met.step),
        result=met.step.result,
        response_id=stored.id,
        metadata=metadata,
        rule=met.number,
        accepted=True,
    )


def count_tokens_of(body: bytes) -> Outcome:
    """POST /v1/responses/input_tokens."""
    request = read_object(body)
    check_count(request)
    document = {"object": "response.input_tokens", "input_tokens": count_input_tokens(request)}
    return Outcome(reply=json_reply(document), result="ok")


def read_object(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body. Raises ApiError 400."""
    try:
        document = json.loads(body)
    except ValueError as error:
        raise bad_request(
            "We could not parse the JSON body of your request.", param=None, code="invalid_json"
        ) from error
    if not isinstance(document, dict):
        raise bad_request("The request body must be a JSON object.", param=None, code="invalid_type")
    return document


def _check_previous(floor: Floor, request: Mapping[str, Any]) -> None:
    previous = request.get("previous_response_id")
    if previous is None:
        return
    try:
        floor.find(previous)
    except ApiError as error:
        raise bad_request(
            f"Previous response with id '{previous}' not found.",
            param="previous_response_id",
            code="previous_response_not_found",
        ) from error


def _refused(floor: Floor, met: Met, metadata: Mapping[str, str]) -> Outcome:
    violation = met.step.result == "must_not_be_called"
    if violation:
        reply = ordered_violation()
    elif met.step.result == "http":
        reply = ordered_http(floor, met.step)
    else:
        reply = ordered_cut(met.step)
    return Outcome(
        reply=reply,
        result=met.step.result,
        metadata=metadata,
        rule=met.number,
        accepted=False,
        violation=violation,
    )


def _accept(floor: Floor, request: Mapping[str, Any]) -> Stored:
    """Make the response and its webhooks, as one record that is on the disk before this returns."""
    ledger = floor.ledger
    target = target_of(request.get("metadata") or {})
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    with ledger.turn:
        stored = Stored(
            id=shape.response_id(len(ledger.responses) + 1, digest),
            number=len(ledger.responses) + 1,
            accepted_ms=floor.now_ms(),
            target=target,
            request=request,
            call=ledger.calls(Operation.CREATE, target),
        )
        number = ledger.record(
            "accepted",
            id=stored.id,
            at=stored.accepted_ms,
            target=target,
            call=stored.call,
            request=request,
            hooks=_hooks(floor, stored),
        )
    ledger.sync(number)
    floor.wake()
    return stored


def _hooks(floor: Floor, stored: Stored) -> list[dict[str, Any]]:
    """Webhooks that are known at acceptance: the scripted ones, or the end that time will bring."""
    if not floor.config.webhook_url or not stored.background:
        return []
    script = floor.config.script
    retrieve_rule = script.rule(Operation.RETRIEVE, stored.metadata, 1)
    hook_rule = script.hook_rule(stored.metadata, stored.call)
    event = looking.ending_event(floor, stored, retrieve_rule)
    done_ms = completes_ms(stored, floor.config)
    if hook_rule is None:
        usual = [] if retrieve_rule else [HookStep()]
        return [webhooks.plan(stored.id, 0, step, due_ms=done_ms, event=event, usual=True) for step in usual]
    first_ms = stored.accepted_ms if retrieve_rule else done_ms
    return [
        webhooks.plan(
            stored.id,
            number,
            step,
            due_ms=max(first_ms, stored.accepted_ms + int(step.after_s * 1000)),
            event=event,
        )
        for number, step in enumerate(hook_rule.hooks or ())
    ]


def _reply(floor: Floor, stored: Stored, step: Step) -> Reply:
    wait_s = floor.real_s(step.delay_s or 0.0)
    match step.result:
        case "cut_after_accept":
            return ordered_cut(step)
        case "timeout_after_accept":
            return Reply(status=0, manner=Manner.HANG, delay_s=wait_s or HANG_S)
        case "http":
            return ordered_http(floor, step)
        case "garbled_2xx":
            return Reply(status=200, body=GARBLED)
        case "missing_id":
            view = _first_view(floor, stored)
            return json_reply({name: value for name, value in view.items() if name != "id"})
        case "drip":
            body = to_json(_first_view(floor, stored))
            return Reply(status=200, body=body, manner=Manner.DRIP, delay_s=wait_s or floor.real_s(DRIP_S))
        case _:
            return Reply(status=200, body=to_json(_first_view(floor, stored)), delay_s=wait_s)


def _first_view(floor: Floor, stored: Stored) -> shape.Object:
    """What the create answers: a running response, or the whole of a foreground one."""
    if stored.background:
        return shape.running(stored, "queued")
    rule = floor.config.script.rule(Operation.RETRIEVE, stored.metadata, 1)
    view = looking.end_of(floor, stored, rule)
    if stored.request.get("store") is False:
        floor.ledger.record("gone", id=stored.id, how="unstored")
    return view
