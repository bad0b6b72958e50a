"""Output items of a finished response, and the wire quirks that real answers have shown (wire notes 5.7, 5.8).

The order is the real one: reasoning, searches, message. Sources are shown only where `include` asks for them;
under a JSON format annotations are empty.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from orchestrator.emulator.answers import Answer, Search, offers_search, wants_json
from orchestrator.emulator.script import Step

Item = dict[str, Any]
MARKER: Final = "\ue200cite\ue202turn1search0\ue201"
SOURCES: Final = "web_search_call.action.sources"
MARKED_LENGTH: Final = 24  # texts with a space and at least this many characters read like prose


def output_items(response_id: str, request: Mapping[str, Any], answer: Answer, *, step: Step) -> list[Item]:
    """All items of a response that ended as `step` says."""
    if step.result == "empty_output":
        return []
    reasoning: Item = {"id": _id("rs", response_id, 0), "type": "reasoning", "summary": []}
    if step.result == "reasoning_only":
        return [reasoning]
    searches = _searches(response_id, request, answer, step=step)
    messages = _messages(response_id, request, answer, step=step)
    strange = [_unknown(response_id)] if step.result == "unknown_item" else []
    return [reasoning, *searches, *strange, *messages]


def cut_text(answer: Answer, limit: int | None) -> Answer:
    """The answer as it stands when the output limit is reached: `limit` tokens, or two thirds of the text."""
    text, tokens = answer.output_text, max(1, answer.output_tokens)
    keep = min(limit or tokens, tokens * 2 // 3) / tokens
    end = int(len(text) * keep)
    citations = tuple(c for c in answer.citations if c.end <= end)
    used = min(limit or tokens, tokens)
    return dataclasses.replace(answer, output_text=text[:end], citations=citations, output_tokens=used)


def _searches(response_id: str, request: Mapping[str, Any], answer: Answer, *, step: Step) -> list[Item]:
    if not offers_search(request):
        return []
    shown = answer.searches[: request.get("max_tool_calls") or len(answer.searches)]
    with_sources = SOURCES in (request.get("include") or ())
    items = [
        _search_item(_id("ws", response_id, number), search, with_sources=with_sources)
        for number, search in enumerate(shown)
    ]
    if step.result == "missing_action":
        items = _without_action(items, response_id, everywhere=step.all)
    if step.result == "foreign_source" and with_sources and items:
        items[-1]["action"]["sources"].append({"type": "api", "name": "oai-sports"})
    return items


def _search_item(item_id: str, search: Search, *, with_sources: bool) -> Item:
    action: Item = {"type": "search", "query": search.query, "queries": [search.query]}
    if with_sources:
        action["sources"] = [{"type": "url", "url": url} for url in search.sources]
    return {"id": item_id, "type": "web_search_call", "status": "completed", "action": action}


def _without_action(items: list[Item], response_id: str, *, everywhere: bool) -> list[Item]:
    """The model goes on calling after its limit: items without an action. Everywhere: none has one."""
    if everywhere:
        return [{name: value for name, value in item.items() if name != "action"} for item in items]
    number = len(items)
    late: Item = {"id": _id("ws", response_id, number), "type": "web_search_call", "status": "completed"}
    return [*items, late]


def _messages(response_id: str, request: Mapping[str, Any], answer: Answer, *, step: Step) -> list[Item]:
    if step.result == "refusal" or answer.refusal is not None:
        refusal = answer.refusal or "I'm sorry, but I can't help with that."
        return [_message(response_id, 0, {"type": "refusal", "refusal": refusal})]
    text = answer.output_text
    if step.result == "citation_markers":
        text = _marked(text)
    annotations = [] if wants_json(request) else _annotations(answer)
    final = _message(response_id, 0, _text(text, annotations))
    if step.result == "incomplete":
        final["status"] = "incomplete"
    if step.result != "several_messages":
        return [final]
    first = _message(response_id, 1, _text("I will look at the sources first.", []))
    return [first | {"phase": "commentary"}, final | {"phase": "final_answer"}]


def _message(response_id: str, number: int, part: Item) -> Item:
    return {
        "id": _id("msg", response_id, number),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def _text(text: str, annotations: Sequence[Item]) -> Item:
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def _annotations(answer: Answer) -> list[Item]:
    return [
        {"type": "url_citation", "start_index": c.start, "end_index": c.end, "url": c.url, "title": c.title}
        for c in answer.citations
    ]


def _unknown(response_id: str) -> Item:
    return {"id": _id("ex", response_id, 0), "type": "exploration_call", "status": "completed", "note": "?"}


def _marked(text: str) -> str:
    """Citation markers at the end of every text that reads like prose; JSON stays JSON."""
    try:
        document = json.loads(text)
    except ValueError:
        return text + MARKER
    return json.dumps(_mark(document), ensure_ascii=False, separators=(",", ":"))


def _mark(node: Any) -> Any:
    if isinstance(node, str):
        return node + MARKER if " " in node and len(node) >= MARKED_LENGTH else node
    if isinstance(node, list):
        return [_mark(one) for one in node]
    if isinstance(node, dict):
        return {name: _mark(value) for name, value in node.items()}
    return node


def _id(prefix: str, response_id: str, number: int) -> str:
    digest = hashlib.sha256(f"{prefix}\n{response_id}\n{number}".encode()).hexdigest()
    return f"{prefix}_{digest[:48]}"
