"""The first layers after transport: provider status, schema, tool use. One failure here is the job's.

`incomplete` is truncation (or a filter) and is reported as such, before anybody looks at the cut JSON: it is
never read as a shorter edition, never repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from orchestrator.contracts.contract import OperationContract
from orchestrator.evidence.dossier import bounded
from orchestrator.evidence.failure import Code, Failure, Place
from orchestrator.evidence.payload import SEARCH_CALL, Parsed, Payload, parse_json, readable

Answer = TypeVar("Answer", bound=BaseModel)

_PLAIN = re.compile("[^\ud800-\udfff\ue200-\ue202]*")
_ROOT = Place("")
_OUTPUT = Place("/output")
_INCOMPLETE = {"max_output_tokens": "MAX_OUTPUT_TOKENS", "content_filter": "CONTENT_FILTER"}
_STATUSES = frozenset({"queued", "in_progress", "failed", "cancelled"})
MAX_SCHEMA_FAILURES = 20

TRUNCATED: Literal["MAX_OUTPUT_TOKENS"] = "MAX_OUTPUT_TOKENS"


def status_failures(payload: Payload) -> list[Failure]:
    """Whether the provider finished, and said anything."""
    if payload.status == "incomplete":
        reason = _INCOMPLETE.get(payload.incomplete_reason, "OTHER")
        return [_ROOT.at("incomplete_details", "reason").fails(Code.INCOMPLETE, reason)]
    if payload.status != "completed":
        status = payload.status.upper() if payload.status in _STATUSES else "UNKNOWN"
        return [_ROOT.at("status").fails(Code.NOT_COMPLETED, status)]
    if not payload.messages:
        return [_OUTPUT.fails(Code.NO_MESSAGE, "REASONING_OR_TOOLS_ONLY")]
    if not payload.text.strip():
        return [_OUTPUT.fails(Code.REFUSED) if payload.refusal else _OUTPUT.fails(Code.EMPTY_OUTPUT)]
    return []


def read_answer(payload: Payload, model: type[Answer], contract: OperationContract) -> Answer | list[Failure]:
    """The answer as its contract model, or why it is none."""
    return _plain_answer(payload.text, model, contract) or _careful_answer(payload, model, contract)


def _plain_answer(text: str, model: type[Answer], contract: OperationContract) -> Answer | None:
    """The answer of a text without citation marks and escapes; None leaves it to the careful reader."""
    if "\\u" in text or not _PLAIN.fullmatch(text):
        return None
    try:
        answer = model.model_validate_json(text)
    except ValidationError:
        return None
    header = (getattr(answer, "contract_version", None), getattr(answer, "target_date", None))
    return answer if header == (contract.contract_version, contract.target_date) else None


def _careful_answer(payload: Payload, model: type[Answer], contract: OperationContract) -> Answer | list[Failure]:
    parsed = parse_json(payload.text)
    if not isinstance(parsed, Parsed):
        return [_ROOT.fails(Code.OUTPUT_NOT_JSON, parsed.value)]
    try:
        value = readable(parsed.value)
        # From JSON text, so that strictness is JSON's: enums are strings, tuples are arrays.
        answer = model.model_validate_json(json.dumps(value, ensure_ascii=False))
    except ValidationError as error:
        return _schema_failures(error)
    except RecursionError:
        return [_ROOT.fails(Code.OUTPUT_NOT_JSON, "TOO_DEEP")]
    return _header_failures(value, contract) or answer


def tool_failures(payload: Payload, contract: OperationContract) -> list[Failure]:
    """Whether the stage used the tools that it may use, and no others."""
    if not contract.tools:
        return [_item(tool.index).fails(Code.TOOL_IN_COMPOSITION, _kind(tool.kind)) for tool in payload.tools]
    return list(_search_failures(payload, contract))


def _search_failures(payload: Payload, contract: OperationContract) -> Iterator[Failure]:
    searches = [tool for tool in payload.tools if tool.kind == SEARCH_CALL]
    for tool in payload.tools:
        if tool.kind != SEARCH_CALL:
            yield _item(tool.index).fails(Code.FOREIGN_TOOL, _kind(tool.kind))
    if not searches:
        yield _OUTPUT.fails(Code.NO_USABLE_SEARCH, "NO_CALL")
    elif not payload.retrieved:
        yield _OUTPUT.fails(Code.NO_USABLE_SEARCH, "NO_PAGE_RETRIEVED")
    # Past its limit the model goes on emitting calls without action; those never ran (wire §5.8).
    if sum(tool.ran for tool in searches) > contract.max_tool_calls:
        yield _OUTPUT.fails(Code.TOO_MANY_TOOL_CALLS)


def _header_failures(value: Any, contract: OperationContract) -> list[Failure]:
    failures = []
    if value["contract_version"] != contract.contract_version:
        failures.append(_ROOT.at("contract_version").fails(Code.WRONG_CONTRACT))
    if value["target_date"] != contract.target_date:
        failures.append(_ROOT.at("target_date").fails(Code.WRONG_TARGET_DATE))
    return failures


def _schema_failures(error: ValidationError) -> list[Failure]:
    entries = error.errors(include_url=False, include_context=False, include_input=False)
    return [_schema_failure(entry) for entry in entries[:MAX_SCHEMA_FAILURES]]


def _schema_failure(entry: ErrorDetails) -> Failure:
    code = {"missing": Code.MISSING_FIELD, "extra_forbidden": Code.UNKNOWN_FIELD}.get(entry["type"])
    path = "".join(f"/{_step(step)}" for step in entry["loc"])
    return Place(path).fails(code or Code.SCHEMA_MISMATCH, entry["type"].upper())


def _step(step: int | str) -> str:
    """A field that the provider made up is named by its first characters only."""
    return str(step) if isinstance(step, int) else bounded(step)


def _item(index: int) -> Place:
    return _OUTPUT.at(index)


def _kind(kind: str) -> str:
    return bounded(kind).upper()
