"""Structured logs from an allow-list of fields: one JSON line an event, on stderr.

Nothing that is not named here is ever logged, so that a key, a body or a source's text cannot slip into a log
(Daily Brief workflow, "Redacted diagnostics").
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

ALLOWED = frozenset(
    {"event", "level", "timestamp", "part", "job", "state", "process", "error", "detail", "effects", "path", "code"}
)
DETAIL_LENGTH = 300


def configure_logs(*, quiet: bool) -> None:
    """Set logging up for this process. `quiet`: only what somebody has to act on."""
    level = logging.ERROR if quiet else logging.INFO
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _only_allowed,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _only_allowed(_logger: object, _name: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    kept = {name: value for name, value in fields.items() if name in ALLOWED}
    if isinstance(kept.get("detail"), str):
        kept["detail"] = kept["detail"].splitlines()[0][:DETAIL_LENGTH] if kept["detail"] else ""
    return kept
