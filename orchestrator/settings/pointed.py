"""Validation errors as one sentence that points at the key."""

from __future__ import annotations

from pydantic import ValidationError

from orchestrator.errors import ConfigurationError


def pointed(file: str, error: ValidationError) -> ConfigurationError:
    """`file: section.key: what is wrong`, one line per mistake."""
    lines = [f"{file}: {_where(e['loc'])}{_what(e['type'], e['msg'])}" for e in error.errors()]
    return ConfigurationError("\n".join(lines), hint="correct the named keys; nothing was changed")


def _where(location: tuple[int | str, ...]) -> str:
    path = ".".join(str(part) for part in location if part != "__root__")
    return f"{path}: " if path else ""


def _what(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "no such key"
    if kind == "missing":
        return "is required"
    return message.removeprefix("Value error, ")
