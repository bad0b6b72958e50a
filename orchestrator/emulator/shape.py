"""Response objects: what the wire shows of an accepted response in a given status (wire notes §2).

The echo of the request is the same in every status; `output`, `usage`, `error` and `incomplete_details` depend
on how it ended. Pure: the same arguments give the same object, ids included.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from orchestrator.emulator.answers import Answer
from orchestrator.emulator.ledger import Stored
from orchestrator.emulator.output import cut_text, output_items
from orchestrator.emulator.script import QUIRKS, Step

Object = dict[str, Any]

ECHOED: Final[Mapping[str, Any]] = {
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
    "metadata": {},
    "store": True,
    "background": False,
}
"""Request fields that come back as sent, with what stands there when they were not sent."""

FAILURES: Final[Mapping[str, str]] = {
    "server_error": "The server had an error while processing your request.",
    "rate_limit_exceeded": "Rate limit reached while the response was being generated.",
    "insufficient_quota": "You exceeded your current quota, please check your plan and billing details.",
    "invalid_prompt": "The prompt was refused by the usage policies.",
}


def response_id(number: int, digest: str) -> str:
    """The id of the `number`-th accepted request with this digest."""
    return "resp_" + hashlib.sha256(f"{number}\n{digest}".encode()).hexdigest()[:48]


def running(stored: Stored, status: str) -> Object:
    """A response that is queued or in progress."""
    return _object(stored, status)


def cancelled(stored: Stored) -> Object:
    """A response that was cancelled before it had an end."""
    return _object(stored, "cancelled")


def ended(stored: Stored, step: Step, answer: Answer, *, at_ms: int) -> Object:
    """A response in the end that the step describes (`script.ENDINGS`; payloads are not shaped here)."""
    limit = stored.request.get("max_output_tokens")
    if limit is not None and answer.output_tokens > limit and step.result in {"completed", *QUIRKS}:
        step = Step(result="incomplete", reason="max_output_tokens")
    match step.result:
        case "cancelled":
            return cancelled(stored)
        case "failed":
            return _failed(stored, step)
        case "incomplete":
            return _incomplete(stored, step, answer)
        case _:
            output = output_items(stored.id, stored.request, answer, step=step)
            done = {"completed_at": at_ms // 1000, "output": output, "usage": _usage(answer, output)}
            return _object(stored, "completed", **done)


def _failed(stored: Stored, step: Step) -> Object:
    code = step.code or "server_error"
    message = step.message or FAILURES.get(code, f"The response failed: {code}.")
    return _object(stored, "failed", error={"code": code, "message": message})


def _incomplete(stored: Stored, step: Step, answer: Answer) -> Object:
    if step.reason == "max_output_tokens":
        answer = cut_text(answer, stored.request.get("max_output_tokens"))
        output = output_items(stored.id, stored.request, answer, step=step)
    else:
        output = []
    details = {"reason": step.reason}
    return _object(stored, "incomplete", incomplete_details=details, output=output, usage=_usage(answer, output))


def _object(stored: Stored, status: str, **ended: Any) -> Object:
    request = stored.request
    shown: Object = {
        "id": stored.id,
        "object": "response",
        "created_at": stored.accepted_ms // 1000,
        "status": status,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "model": request.get("model"),
        "output": [],
        "usage": None,
        "reasoning": {"effort": None, "summary": None} | _given(request.get("reasoning")),
        "service_tier": _tier(request.get("service_tier")),
        "text": {"format": {"type": "text"}, "verbosity": "medium"} | _given(request.get("text")),
        "tools": [_tool(tool) for tool in request.get("tools") or ()],
    }
    for name, usual in ECHOED.items():
        value = request.get(name)
        shown[name] = usual if value is None else value
    return shown | ended


def _given(part: Mapping[str, Any] | None) -> Object:
    return {name: value for name, value in (part or {}).items() if value is not None}


def _tier(asked: str | None) -> str:
    """The tier that was used: auto means default, fast is shown as priority."""
    return {None: "default", "auto": "default", "fast": "priority"}.get(asked, asked or "default")


def _tool(tool: Mapping[str, Any]) -> Object:
    """A tool as echoed: the defaults filled in."""
    if str(tool.get("type", "")).startswith("web_search"):
        return {"search_context_size": "medium"} | dict(tool)
    return dict(tool)


def _usage(answer: Answer, output: list[Object]) -> Object:
    thought = any(item["type"] == "reasoning" for item in output)
    total = answer.output_tokens
    return {
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": total,
        "output_tokens_details": {"reasoning_tokens": min(64, total) if thought else 0},
        "total_tokens": answer.input_tokens + total,
    }
