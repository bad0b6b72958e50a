"""Quotations: where a text gives somebody's own words."""

from __future__ import annotations

import re

LEAST_WORDS = 3  # fewer are a title or a doubtful word, which translations mark as they like
_QUOTED = re.compile(
    r"“([^”]{1,2000})(?:”|\Z)|«([^»]{1,2000})(?:»|\Z)|\"([^\"]{1,2000})\"|(?<!\w)‘([^‘]{6,2000}?)’(?!\w)"
)


def quotations(text: str) -> list[tuple[int, int]]:
    """The places of quotations of at least three words, in order."""
    if not any(mark in text for mark in '“«"‘'):
        return []
    return [match.span() for match in _QUOTED.finditer(text) if len(match.group().split()) >= LEAST_WORDS]
