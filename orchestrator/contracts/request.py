"""The POST body of one create call: the contract, the rendered instructions, the input document.

Rules:
* always `store: true`: a background answer that is not stored may be gone before it is read (wire §5.2);
* research has the search tool, its sources in the answer and a ceiling on calls; composition has no tools at
  all, not even an empty list;
* `tool_choice` stays "auto": forcing it is refused for some models (wire §5.8);
* metadata are the nine pairs of INTERFACE, all text, within the provider's limits; no id leaves the house whole.

The bytes are canonical JSON, so the same request has the same digest. Source: wire reference §1.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.contracts.contract import STAGES, OperationContract, SearchTool, fingerprint
from orchestrator.contracts.strict_schema import strict_schema
from orchestrator.core.canonical import canonical_bytes

WORKFLOW = "dateline"
PREFIX_LENGTH = 8
METADATA_PAIRS, METADATA_KEY, METADATA_VALUE = 16, 64, 512  # wire §1.1
MIN_OUTPUT_TOKENS = 16  # wire §1.1
BYTES_PER_TOKEN = 3  # English JSON has about four; three keeps the estimate on the safe side


def metadata_of(contract: OperationContract, *, process_suffix: str, generation: int) -> dict[str, str]:
    """The nine pairs that every create carries, and by which a lost answer is matched."""
    return {
        "workflow": WORKFLOW,
        "process_suffix": process_suffix,
        "stage": contract.stage.value,
        "revision": str(contract.process_revision),
        "operation_generation": str(generation),
        "fingerprint_prefix": fingerprint(contract)[:PREFIX_LENGTH],
        "contract_version": contract.contract_version,
        "product": contract.product,
        "date": contract.target_date,
    }


def build_request(
    contract: OperationContract,
    *,
    instructions: str,
    input_text: bytes,
    metadata: Mapping[str, str],
    output_limit: int,
    background: bool = True,
) -> bytes:
    """The body to POST. `input_text` is the canonical JSON of the task or package; `output_limit` in tokens.

    Errors: ValueError for metadata or a limit that the provider would refuse, or a limit above the contract's.
    """
    _check_metadata(metadata)
    if not MIN_OUTPUT_TOKENS <= output_limit <= contract.output_ceiling_tokens:
        raise ValueError(f"an output limit of {output_limit} tokens is not within the contract")
    body: dict[str, Any] = {
        "model": contract.model,
        "background": background,
        "store": True,
        "instructions": instructions,
        "input": [_user_message(input_text)],
        "text": {"format": _format(contract)},
        "max_output_tokens": output_limit,
        "metadata": dict(metadata),
    }
    if contract.reasoning_effort is not None:
        body["reasoning"] = {"effort": contract.reasoning_effort}
    return canonical_bytes(body | _tools(contract))


def estimated_input_tokens(request: bytes) -> int:
    """More tokens than the request will cost, as a rule: compared with the input ceiling before sending."""
    return -(-len(request) // BYTES_PER_TOKEN)


def _user_message(text: bytes) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "input_text", "text": text.decode()}]}


def _format(contract: OperationContract) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "name": contract.contract_version,
        "schema": strict_schema(STAGES[contract.stage].answer),
        "strict": True,
    }


def _tools(contract: OperationContract) -> dict[str, Any]:
    if not contract.tools:
        return {}
    return {
        "tools": [_tool(tool) for tool in contract.tools],
        "tool_choice": "auto",
        "include": ["web_search_call.action.sources"],
        "max_tool_calls": contract.max_tool_calls,
    }


def _tool(tool: SearchTool) -> dict[str, Any]:
    filters = {"filters": {"allowed_domains": list(tool.allowed_domains)}} if tool.allowed_domains else {}
    return {"type": tool.type, "search_context_size": tool.search_context_size} | filters


def _check_metadata(metadata: Mapping[str, str]) -> None:
    if len(metadata) > METADATA_PAIRS:
        raise ValueError(f"{len(metadata)} metadata pairs are more than {METADATA_PAIRS}")
    for key, value in metadata.items():
        if not 0 < len(key) <= METADATA_KEY or len(value) > METADATA_VALUE:
            raise ValueError(f"metadata {key!r} is longer than the provider allows")
