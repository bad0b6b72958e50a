"""The provider's create parameters as tables: names, kinds, ranges and words (wire notes §1.1).

`request_check` refuses what is not in here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

CREATE_PARAMETERS: Final = frozenset(
    [
        "model",
        "input",
        "instructions",
        "background",
        "background_options",
        "store",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "max_tool_calls",
        "include",
        "text",
        "max_output_tokens",
        "metadata",
        "temperature",
        "top_p",
        "top_logprobs",
        "reasoning",
        "truncation",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "prompt_cache_options",
        "user",
        "previous_response_id",
        "conversation",
        "prompt",
        "context_management",
        "moderation",
    ]
)
COUNT_PARAMETERS: Final = frozenset(
    [
        "model",
        "input",
        "instructions",
        "tools",
        "text",
        "reasoning",
        "tool_choice",
        "truncation",
        "previous_response_id",
        "conversation",
        "parallel_tool_calls",
        "personality",
    ]
)
INCLUDES: Final = frozenset(
    [
        "web_search_call.action.sources",
        "web_search_call.results",
        "file_search_call.results",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
        "reasoning.encrypted_content",
        "message.output_text.logprobs",
    ]
)
KINDS: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "model": (str, "a string"),
    "input": ((str, list), "one of a string or array"),
    "instructions": (str, "a string"),
    "background": (bool, "a boolean"),
    "store": (bool, "a boolean"),
    "stream": (bool, "a boolean"),
    "tools": (list, "an array of objects"),
    "tool_choice": ((str, dict), "one of a string or object"),
    "parallel_tool_calls": (bool, "a boolean"),
    "max_tool_calls": (int, "an integer"),
    "include": (list, "an array of strings"),
    "text": (dict, "an object"),
    "max_output_tokens": (int, "an integer"),
    "metadata": (dict, "an object"),
    "temperature": ((int, float), "a decimal"),
    "top_p": ((int, float), "a decimal"),
    "top_logprobs": (int, "an integer"),
    "reasoning": (dict, "an object"),
    "safety_identifier": (str, "a string"),
    "prompt_cache_key": (str, "a string"),
    "previous_response_id": (str, "a string"),
}
ENUMS: Final[Mapping[str, frozenset[str]]] = {
    "truncation": frozenset({"auto", "disabled"}),
    "service_tier": frozenset({"auto", "default", "flex", "scale", "priority", "fast", "ultrafast"}),
}
RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "max_output_tokens": (16, float("inf")),
    "max_tool_calls": (1, float("inf")),
    "temperature": (0, 2),
    "top_p": (0, 1),
    "top_logprobs": (0, 20),
}
EFFORTS: Final = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
FORMAT_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
SEARCH_TOOL_KEYS: Final = frozenset(
    {"type", "search_context_size", "external_web_access", "filters", "user_location"}
)
HOSTED_CHOICES: Final = frozenset(
    [
        "file_search",
        "web_search_preview",
        "web_search_preview_2025_03_11",
        "computer",
        "computer_use_preview",
        "computer_use",
        "image_generation",
        "code_interpreter",
        "allowed_tools",
        "function",
        "mcp",
        "custom",
        "apply_patch",
        "shell",
    ]
)
