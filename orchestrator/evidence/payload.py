"""A provider answer as it is on the wire, read tolerantly into what validation needs.

What is known to happen, and what is done (wire reference §2 and §5.7–5.8):
* several messages: the one marked `final_answer`, else the last that says anything, is the answer;
* markers `U+E200 … U+E201` in the text are the provider's private citation marks and are taken out;
* `action` is missing or empty on calls that were never run: such items count for nothing;
* items and source types that are unknown today are passed over;
* annotations come back empty under a strict schema, so `action.sources` and opened pages are evidence too;
* `null` for `output`, `content`, `annotations` and the like means none.

Failures here are those of the transport layer only; a readable payload may still have failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.urls import comparison_key

SEARCH_CALL = "web_search_call"
_ACTIONS = frozenset({"search", "open_page", "find_in_page", "find"})
_TOOL_ITEMS = frozenset(
    {
        "file_search_call",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "tool_search_call",
    }
)
_MARKER = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue202]")
_ROOT = Place("")


@dataclass(frozen=True, slots=True)
class ToolItem:
    """One item of the output that is the work of a tool. `ran`: it is complete and says what it did."""

    index: int
    kind: str
    ran: bool


@dataclass(frozen=True, slots=True)
class Annotation:
    """A url citation: offsets into the final message's text as it came, markers included."""

    path: str
    url: str
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What one Response object says. `retrieved` maps a comparison key to the address as the tool gave it."""

    response_id: str
    status: str
    incomplete_reason: str
    messages: int
    text: str
    raw_length: int  # of the text before markers were taken out, in UTF-16 units, the longer count
    refusal: str
    tools: tuple[ToolItem, ...]
    annotations: tuple[Annotation, ...]
    retrieved: Mapping[str, str]


def read_payload(
    body: bytes, asked_id: str | None, content_type: str | None = None
) -> Payload | tuple[Failure, ...]:
    """The payload, or the transport failures that make it unreadable.

    `asked_id` is the response that was asked for; None when any will do (a file from elsewhere).
    """
    if content_type is not None and "json" not in content_type.lower():
        return (_ROOT.fails(Code.WRONG_CONTENT_TYPE),)
    parsed = parse_json(body)
    if isinstance(parsed, Code):
        return (_ROOT.fails(parsed),)
    if not isinstance(parsed.value, dict) or not isinstance(parsed.value.get("id"), str):
        return (_ROOT.fails(Code.NOT_A_RESPONSE, "NO_ID"),)
    if parsed.value.get("object") not in ("response", None):
        return (_ROOT.at("object").fails(Code.NOT_A_RESPONSE, "OBJECT"),)
    if asked_id is not None and parsed.value["id"] != asked_id:
        return (_ROOT.at("id").fails(Code.WRONG_RESPONSE_ID),)
    return _payload(parsed.value)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value that could be read."""

    value: Any


def parse_json(data: bytes | str) -> Parsed | Code:
    """The value, or NOT_JSON, or TRUNCATED_JSON where the text ends in the middle of a value."""
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        return Code.TRUNCATED_JSON if "end of data" in error.reason else Code.NOT_JSON
    try:
        return Parsed(json.loads(text, parse_constant=_no_constant))
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        return Code.TRUNCATED_JSON if ended and text.strip() else Code.NOT_JSON
    except (ValueError, RecursionError):  # a constant or a number that JSON does not have; a bomb of brackets
        return Code.NOT_JSON


def readable(value: Any) -> Any:
    """The same JSON value without the provider's citation marks, and with U+FFFD for half a character.

    A lone surrogate is what a cut escape leaves; it has no bytes, so it could not even be stored.
    """
    match value:
        case str() if value.isascii():
            return value
        case str():
            whole = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            return _MARKER.sub("", whole)
        case list():
            return [readable(item) for item in value]
        case dict():
            return {readable(key): readable(item) for key, item in value.items()}
        case _:
            return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _payload(response: Mapping[str, Any]) -> Payload:
    output = _list(response.get("output"))
    messages = [(n, item) for n, item in enumerate(output) if _type(item) == "message"]
    index, final = _final(messages)
    raw = "".join(_texts(final, "output_text", "text"))
    annotations = tuple(_annotations(index, final))
    return Payload(
        response_id=response["id"],
        status=_string(response.get("status")),
        incomplete_reason=_string(_dict(response.get("incomplete_details")).get("reason")),
        messages=len(messages),
        text=_MARKER.sub("", raw),
        raw_length=len(raw.encode("utf-16-le", "surrogatepass")) // 2,
        refusal="".join(_texts(final, "refusal", "refusal")),
        tools=tuple(_tools(output)),
        annotations=annotations,
        retrieved=_retrieved(output, messages),
    )


def _final(messages: list[tuple[int, Mapping[str, Any]]]) -> tuple[int, Mapping[str, Any]]:
    """The message that holds the answer: marked as final, else the last with content, else the last."""
    marked = [pair for pair in messages if pair[1].get("phase") == "final_answer"]
    speaking = [pair for pair in marked or messages if any(_texts(pair[1], "output_text", "text"))]
    refusing = [pair for pair in marked or messages if any(_texts(pair[1], "refusal", "refusal"))]
    choice = speaking or refusing or marked or messages
    return choice[-1] if choice else (0, {})


def _texts(message: Mapping[str, Any], kind: str, field: str) -> list[str]:
    parts = (part for part in _list(message.get("content")) if _type(part) == kind)
    return [part[field] for part in parts if isinstance(part.get(field), str)]


def _annotations(index: int, message: Mapping[str, Any]) -> Iterator[Annotation]:
    """Every citation of the message, one page at several places included; offsets count over all its parts."""
    before = 0
    for p, part in enumerate(_list(message.get("content"))):
        if _type(part) != "output_text":
            continue
        for a, note in enumerate(_list(part.get("annotations"))):
            if _type(note) == "url_citation" and isinstance(note.get("url"), str):
                path = f"/output/{index}/content/{p}/annotations/{a}"
                start, end = (_shifted(note.get(name), before) for name in ("start_index", "end_index"))
                yield Annotation(path, note["url"], start, end)
        before += len(_string(part.get("text")))


def _shifted(offset: object, by: int) -> int | None:
    return offset + by if isinstance(offset, int) else None


def _tools(output: list[Any]) -> Iterator[ToolItem]:
    for index, item in enumerate(output):
        kind = _type(item)
        if kind == SEARCH_CALL:
            yield ToolItem(index, kind, _ran(item))
        elif kind in _TOOL_ITEMS:
            yield ToolItem(index, kind, ran=True)


def _ran(item: Mapping[str, Any]) -> bool:
    return item.get("status", "completed") == "completed" and _type(item.get("action")) in _ACTIONS


def _retrieved(output: list[Any], messages: list[tuple[int, Mapping[str, Any]]]) -> Mapping[str, str]:
    """Every page that the tool returned: sources of searches, pages opened, pages cited in any message."""
    pages: dict[str, str] = {}
    searches = (item for item in output if _type(item) == SEARCH_CALL and _ran(item))
    found = [url for item in searches for url in _action_urls(_dict(item["action"]))]
    cited = [note.url for index, message in messages for note in _annotations(index, message)]
    for url in (*found, *cited):
        key = comparison_key(url)
        if key is not None:
            pages.setdefault(key, url)
    return pages


def _action_urls(action: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(action.get("url"), str):
        yield action["url"]
    for source in _list(action.get("sources")):
        if _type(source) == "url" and isinstance(source.get("url"), str):
            yield source["url"]


def _type(value: object) -> str:
    return _string(_dict(value).get("type"))


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
