"""What a create request asks the newsroom for, read tolerantly: metadata first, then the document itself.

The document is the JSON object in the text of the last user message, bare or after other words, bare or inside
one wrapping object. Unknown keys are ignored; a key of the wrong kind counts as absent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from orchestrator.core.records import JobStage
from orchestrator.emulator.answers import offers_search

CANDIDATES = 14  # the Daily Brief's scout
MAX_CANDIDATES = 50
SEARCHES = 40
SENTENCES = (3, 5)
YEARS = range(1900, 3000)  # stories look some hundred days back and ahead
_SENTENCES = re.compile(r"(\d{1,2})\s+to\s+(\d{1,2})\s+sentences")
_MARKS = {
    "events": JobStage.COMPOSITION,
    "deficits": JobStage.RESEARCH_SUPPLEMENTAL,
    "candidates": JobStage.RESEARCH_PRIMARY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that this newsroom understands. `document` is the input's JSON object."""

    stage: JobStage
    product: str
    target_date: date
    document: Mapping[str, Any]
    searches: int  # at most so many; 0: no search tool
    sentences: tuple[int, int]  # least and most sentences of a composed event

    def words(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty when absent."""
        value = self.document.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    def entries(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """A list of objects; empty when absent."""
        value = self.document.get(key)
        return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()

    def number(self, key: str, default: int) -> int:
        """A count; the default when absent or not positive."""
        value = self.document.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def read_request(request: Mapping[str, Any]) -> Asked | None:
    """What is asked, or None where the request is not for a newsroom."""
    metadata = request.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    document = _document(_last_user_text(request.get("input")))
    stage = _stage(metadata.get("stage"), document)
    day = _day(document.get("target_date")) or _day(metadata.get("date"))
    product = document.get("product") or metadata.get("product")
    if not document or stage is None or day is None or not isinstance(product, str):
        return None
    return Asked(
        stage=stage,
        product=product,
        target_date=day,
        document=document,
        searches=_searches(request),
        sentences=_sentences(request.get("instructions")),
    )


def _stage(named: object, document: Mapping[str, Any]) -> JobStage | None:
    for name in (named, document.get("task")):
        if isinstance(name, str) and name in set(JobStage):
            return JobStage(name)
    return next((stage for mark, stage in _MARKS.items() if mark in document), None)


def _day(text: object) -> date | None:
    try:
        day = date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return day if day is not None and day.year in YEARS else None


def _searches(request: Mapping[str, Any]) -> int:
    limit = request.get("max_tool_calls")
    if not offers_search(request):
        return 0
    return limit if isinstance(limit, int) and limit > 0 else SEARCHES


def _sentences(instructions: object) -> tuple[int, int]:
    match = _SENTENCES.search(instructions) if isinstance(instructions, str) else None
    least, most = (int(match[1]), int(match[2])) if match else SENTENCES
    return (least, most) if 0 < least <= most else SENTENCES


def _last_user_text(given: object) -> str:
    if isinstance(given, str):
        return given
    texts = [
        text
        for item in (given if isinstance(given, list) else ())
        if isinstance(item, dict) and item.get("role", "user") == "user"
        for text in ["".join(_texts(item.get("content")))]
    ]
    return texts[-1] if texts else ""


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence):
        for part in content:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]


def _document(text: str) -> Mapping[str, Any]:
    """The JSON object in the text, out of its wrapper; empty when there is none."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
        json.dumps(value, ensure_ascii=False).encode()  # half a character cannot be answered
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    inner = next((part for part in value.values() if isinstance(part, dict) and "target_date" in part), None)
    return value if "target_date" in value or inner is None else inner
