"""The safety layer: text that would act instead of being read.

Two strictnesses: `prose` is what a composer wrote and readers get, one plain line of text; `record` is what a
source is called or says, which may look like Markdown (a title such as "`x` *y*" is a title) but may not hide
characters, HTML or orders to the reader. Nothing is repaired here; a failing text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from orchestrator.evidence.failure import Code, Failure, Place

_HTML = re.compile(
    r"<\s*[A-Za-z/!?]|&(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);|\bjavascript\s*:", re.IGNORECASE
)
_TEMPLATE = re.compile(r"\{\{|\{%|\{#|<%|\$\{")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_ZERO_WIDTH = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]|[\U000e0000-\U000e007f]")
_PLANES = "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
# Controls, line separators, half characters, private and non-characters; not letters too new to be known.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uf8ff\ufdd0-\ufdef\ufffd\U000f0000-\U0010ffff" + _PLANES + "]"
)
_JOINERS = re.compile("[\u200c\u200d]")
_MARKDOWN = (
    ("HEADING", re.compile(r"\s*#{1,6}\s")),
    ("QUOTE_BLOCK", re.compile(r"\s*>")),
    ("LIST", re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")),
    ("RULE", re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|\+{3,})")),
    ("FENCE", re.compile(r".*(?:```|~~~)", re.DOTALL)),
    ("TABLE", re.compile(r"\s*\|.*\|")),
    ("LINK", re.compile(r".*\]\s*[(\[:]", re.DOTALL)),
    ("EMPHASIS", re.compile(r".*(?:\*\*|__|(?<!\w)[*_][^\s*_][^*_]*[*_](?!\w)|`)", re.DOTALL)),
)
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules|prompts?|the above)\b"
    r"|\b(?:ignor[ae]|olvid[ae]|descart[ae])\b.{0,30}\b(?:instrucciones|reglas|lo anterior|indicaciones)\b"
    r"|\b(?:system|developer) prompt\b|\bas an? (?:AI|language model)\b|<\|im_(?:start|end)\|>|\[/?INST\]"
    r"|\A\W*(?:here(?:'s| is) the (?:translation|summary|text)|aquí (?:está|tiene) (?:la traducción|el texto))\b",
    re.IGNORECASE | re.DOTALL,
)

Check = Callable[[str, Place], Iterator[Failure]]


def record_failures(text: str, place: Place) -> list[Failure]:
    """What is wrong with a text that is kept as data: a title, a publisher, a claim."""
    return [failure for check in _RECORD for failure in check(text, place)]


def prose_failures(text: str, place: Place) -> list[Failure]:
    """What is wrong with a text that readers get."""
    return [failure for check in _PROSE for failure in check(text, place)]


def _characters(text: str, place: Place) -> Iterator[Failure]:
    if text.isascii() and text.isprintable():
        return
    if _BIDI.search(text):
        yield place.fails(Code.BIDI_CHARACTER)
    if _CONTROL.search(text):
        yield place.fails(Code.CONTROL_CHARACTER, "CONTROL")
    elif _ZERO_WIDTH.search(text) or any(_hides(text, m.start()) for m in _JOINERS.finditer(text)):
        yield place.fails(Code.CONTROL_CHARACTER, "ZERO_WIDTH")


def _hides(text: str, at: int) -> bool:
    """A joiner belongs between letters of scripts that join, and in emoji; beside ASCII it only hides."""
    around = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
    return len(around) < 2 or any(c.isascii() for c in around)


def _html(text: str, place: Place) -> Iterator[Failure]:
    if _HTML.search(text):
        yield place.fails(Code.HTML_IN_TEXT)


def _template(text: str, place: Place) -> Iterator[Failure]:
    if _TEMPLATE.search(text):
        yield place.fails(Code.TEMPLATE_SYNTAX)


def _orders(text: str, place: Place) -> Iterator[Failure]:
    if _ORDERS.search(text):
        yield place.fails(Code.INJECTION_MARKER)


def _markdown(text: str, place: Place) -> Iterator[Failure]:
    found = next((name for name, pattern in _MARKDOWN if pattern.match(text)), None)
    if found is not None:
        yield place.fails(Code.MARKDOWN_STRUCTURE, found)


_RECORD: tuple[Check, ...] = (_characters, _html, _template, _orders)
_PROSE: tuple[Check, ...] = (*_RECORD, _markdown)
