"""Reading what the provider wrote, tolerantly: the one place of this package that looks into a body.

Rules:
* unknown fields, unknown items and missing parts are normal; only what a decision needs is read;
* a word we do not know never ends a job: an unknown status counts as still running, so that nothing paid for
  is given up or bought twice; polls are bounded anyway;
* codes are short words or are left out: no text of a body travels further than the stored payload.

Source: the public Responses API; its clones (integer codes, absent usage, absent status, long ids).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.core.observations import ProviderStatus, Usage

TERMINAL = frozenset(
    {
        ProviderStatus.COMPLETED,
        ProviderStatus.INCOMPLETE,
        ProviderStatus.FAILED,
        ProviderStatus.CANCELLED,
    }
)
"""Statuses after which the provider does no more work."""

_STATUS_WORDS = {status.value: status for status in ProviderStatus} | {"canceled": ProviderStatus.CANCELLED}

_CODE = re.compile(r"[A-Za-z0-9_.]{1,64}")
_ID = re.compile(r"[\x21-\x2e\x30-\x5b\x5d-\x7e]{1,512}")  # printable ASCII without space, slash, backslash
_LARGEST_COUNT = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The provider's error envelope: proof that the provider itself answered. `code` is None when it has none."""

    code: str | None
    kind: str | None


def parse_object(body: bytes) -> dict[str, Any] | None:
    """The JSON object that `body` is, or None: not JSON, cut off, nested beyond reason, or not an object."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def parse_status(word: object) -> ProviderStatus | None:
    """The provider status a word means, or None for a word (or a thing) we do not know."""
    if not isinstance(word, str):
        return None
    return _STATUS_WORDS.get(word.strip().lower().replace("-", "_"))


def status_of(response: Mapping[str, Any]) -> ProviderStatus:
    """The status of a Response object. The field is optional on the wire; without it, output means completed."""
    word = response.get("status")
    if word is not None:
        return parse_status(word) or ProviderStatus.IN_PROGRESS
    if isinstance(response.get("error"), dict):
        return ProviderStatus.FAILED
    return ProviderStatus.COMPLETED if response.get("output") else ProviderStatus.IN_PROGRESS


def well_formed_id(value: object) -> bool:
    """Whether a response id can be stored and asked for: 1–512 printable ASCII characters, no space, no slash."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None and value not in (".", "..")


def usage_of(response: Mapping[str, Any]) -> Usage | None:
    """Tokens and searches, or None when the provider does not say (running, cancelled, or a clone)."""
    usage = response.get("usage")
    if not isinstance(usage, dict) or not {"input_tokens", "output_tokens"} & usage.keys():
        return None
    return Usage(
        input_tokens=_count(usage.get("input_tokens")) or 0,
        output_tokens=_count(usage.get("output_tokens")) or 0,
        searches=_searches(response.get("output")),
    )


def metadata_of(response: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The metadata that the create carried, in name order; anything but text to text is left out."""
    metadata = response.get("metadata")
    if not isinstance(metadata, dict):
        return ()
    return tuple(sorted((k, v) for k, v in metadata.items() if isinstance(v, str)))


def failure_code_of(response: Mapping[str, Any]) -> str | None:
    """`error.code` of a failed response; its type where the code is missing."""
    error = response.get("error")
    return (_code(error.get("code")) or _code(error.get("type"))) if isinstance(error, dict) else None


def envelope_of(body: bytes) -> Envelope | None:
    """The error envelope in `body`, or None: `error.message` must be a string (completed tables §5)."""
    error = (parse_object(body) or {}).get("error")
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return None
    return Envelope(code=_code(error.get("code")), kind=_code(error.get("type")))


def input_token_count(body: bytes) -> int | None:
    """`input_tokens` of a count answer, or None."""
    return _count((parse_object(body) or {}).get("input_tokens"))


def says_not_deleted(body: bytes) -> bool:
    """Whether a 2xx answer to DELETE states that nothing was deleted. Most servers say nothing at all."""
    return (parse_object(body) or {}).get("deleted") is False


def _code(value: object) -> str | None:
    """A code as text; llama.cpp sends integers. Whatever is not a short plain word is no code."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if _CODE.fullmatch(text) else None


def _count(value: object) -> int | None:
    """A number of tokens, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _LARGEST_COUNT else None


def _searches(output: object) -> int:
    items = output if isinstance(output, list) else []
    return sum(1 for item in items if isinstance(item, dict) and item.get("type") == "web_search_call")
