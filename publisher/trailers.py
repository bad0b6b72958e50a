"""Commit messages of the content repository: a one-line subject and trailers, nothing else.

No free text ever stands in the body, because a line `---` or `Action: …` in it would hide or forge trailers
(git-interpret-trailers). `format_message` and `parse_trailers` are each other's inverse.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from publisher.errors import BadEdition

SUBJECT_CHARS = 180


def one_line(text: str, limit: int = SUBJECT_CHARS) -> str:
    """`text` as one printable line of at most `limit` characters."""
    clean = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    line = " ".join(clean.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def format_message(subject: str, trailers: Iterable[tuple[str, str]]) -> bytes:
    """The message's bytes. `BadEdition` for an empty subject, and for a value that is not one printable line."""
    lines = [one_line(subject), ""]
    if not lines[0]:
        raise BadEdition("a commit needs a subject")
    for name, value in trailers:
        if one_line(value, len(value) + 1) != value or not value:
            raise BadEdition(f"trailer {name}: {value!r} is not one plain line")
        lines.append(f"{name}: {value}")
    return ("\n".join(lines) + "\n").encode()


def parse_trailers(message: str) -> Mapping[str, str]:
    """The trailers of a message's last paragraph; empty where it has none."""
    paragraphs = message.rstrip("\n").split("\n\n")
    if len(paragraphs) < 2:
        return {}
    pairs = [line.partition(": ") for line in paragraphs[-1].split("\n")]
    return {name: value for name, mark, value in pairs if mark}
