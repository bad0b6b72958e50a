"""Telling an emulator from a provider: only a loopback address is ever asked, and only for its name."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx

PROBE_TIMEOUT_S = 2.0
NAME = "dateline"


def admin_of(base_url: str) -> str:
    """The root under which an emulator at `base_url` answers about itself."""
    return base_url.rstrip("/").removesuffix("/v1")


def is_loopback_url(base_url: str) -> bool:
    """Whether the address is this machine's own."""
    host = urlsplit(base_url).hostname or ""
    return host == "localhost" or host.startswith("127.") or host == "::1"


def is_emulator_at(base_url: str) -> bool:
    """Whether an emulator of ours answers there now: all it says is synthetic, and its clock can be moved."""
    if not is_loopback_url(base_url):
        return False
    try:
        answer = httpx.get(f"{admin_of(base_url)}/emulator", timeout=PROBE_TIMEOUT_S, trust_env=False)
        return answer.status_code == 200 and answer.json().get("emulator") == NAME
    except (httpx.HTTPError, ValueError, AttributeError):
        return False
