"""What a newsroom hands to the emulator: the answer to one create request, before it is put on the wire.

The emulator decides *when* and *how* an answer is shown (lifecycle, scripts); a newsroom decides *what* it says.
Rules for every newsroom:
    - the same request gives the same answer, in any process and at any time;
    - it answers every request, also one that it does not understand (then in plain words, or as a refusal);
    - at most `max_tool_calls` searches (further ones are cut off, as the provider does);
    - under a json_schema format there are no citations, as with the real provider (wire notes 5.8).
Offsets of a citation count characters (code points) of `output_text`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

BYTES_PER_TOKEN = 4  # the usual rule of thumb; only has to be stable


@dataclass(frozen=True, slots=True)
class Search:
    """One web search: what was asked and the URLs that came back, in order."""

    query: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A link in running text: `output_text[start:end]` is the passage that carries it."""

    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. A `refusal` replaces the text; tokens are what usage will say."""

    output_text: str
    searches: tuple[Search, ...] = ()
    citations: tuple[Citation, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    refusal: str | None = None


class Newsroom(Protocol):
    """Answers create requests (the JSON body of POST /v1/responses)."""

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The answer to this request; deterministic, never raises."""


class EchoNewsroom:
    """The smallest newsroom: says what it was asked. With a search tool it also finds two pages."""

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """`echo: ` and the last text of the input, or that as JSON where JSON was asked for."""
        asked = (list(_texts(request.get("input"))) or [""])[-1]
        text = f"echo: {asked}"
        searches = (_echo_search(asked),) if offers_search(request) else ()
        return Answer(
            output_text=text,
            searches=searches,
            input_tokens=count_input_tokens(request),
            output_tokens=count_tokens(text),
        )


def offers_search(request: Mapping[str, Any]) -> bool:
    """Whether a web search tool is offered and not switched off."""
    tools = request.get("tools") or ()
    return request.get("tool_choice") != "none" and any(
        str(tool.get("type", "")).startswith("web_search") for tool in tools
    )


def wants_json(request: Mapping[str, Any]) -> bool:
    """Whether the text format asks for a JSON document."""
    form = (request.get("text") or {}).get("format") or {}
    return form.get("type") in ("json_schema", "json_object")


def count_tokens(text: str) -> int:
    """An estimate that is stable everywhere: bytes of UTF-8, divided by four, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def count_input_tokens(request: Mapping[str, Any]) -> int:
    """The estimate for instructions and all text of the input; at least one token."""
    texts = [str(request.get("instructions") or ""), *_texts(request.get("input"))]
    return max(1, sum(count_tokens(text) for text in texts))


def _texts(node: object) -> Iterator[str]:
    """Every text in an `input`, in order: a string, items with `content`, parts with `text`."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        yield from _texts(node.get("content", node.get("text")))
    elif isinstance(node, Sequence):
        for part in node:
            yield from _texts(part)


def _echo_search(asked: str) -> Search:
    name = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:8]
    return Search(
        query=asked[:80],
        sources=(f"https://wire.example/{name}/report", f"https://agency.example/{name}/release"),
    )
