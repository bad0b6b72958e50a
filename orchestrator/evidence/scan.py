"""One pass over a text: its words, figures and signs, and what the lexicon knows of them.

Everything that is compared between languages is read from here, so that a text is looked at once. Offsets are
those of the text after NFC, which is what is compared and shown.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, NamedTuple

from orchestrator.evidence.lexicon import LAST_NUMERIC, Entry, Tag, entries

LONGEST_TEXT = 20_000  # characters; what is longer is judged by its beginning

SPACES = " \u00a0\u202f\u2009"
_CODES = r"(?!USD|EUR|GBP|MXN|ARS|CLP|COP|BRL|CHF|JPY|CNY|INR|RUB|US)(?:[A-Z]{1,5}-?|[Cc]ovid-)\d{1,4}[A-Z]?"
_FIGURE = (
    r"\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?!\d)(?:[.,]\d+)?"
    r"|\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}/\d{1,2}/\d{2,4}(?!\d)|\d+(?:[.,:]\d+)*|[½¼¾]"
)
_SPACED_ES = r"\d{1,3}(?: \d{3})+(?!\d)(?:,\d+)?(?![\d.:])"
_WORD = (
    r"(?:EE|NN)\.?[ \u00a0]?UU\.?|[ap]\.[ \u00a0]?m\b\.?|(?:[A-Z]\.){1,3}[A-Z]\b\.?"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*\+?"
)
_SIGN = r"(?:US|[CARM]|MX|HK|AU|CA|NZ)?\$|[%‰°º€£¥₹₽₩₺₪₴₿₦¢]"


def _pattern(lang: str) -> re.Pattern[str]:
    spaced = f"{_SPACED_ES}|" if lang == "es" else ""
    return re.compile(
        rf"(?P<c>(?<![\w$]){_CODES}(?![\w%]|[.,]\d))|(?P<s>{_SIGN})|(?P<f>(?<![\w]){spaced}{_FIGURE})"
        rf"|(?P<x>\d+)|(?P<w>{_WORD})"
    )


_PATTERNS = {lang: _pattern(lang) for lang in ("en", "es")}


class Token(NamedTuple):
    """A word, figure, sign or code where it stands. `key` is what the lexicon is asked for."""

    kind: str  # w word, f figure, s sign, c code
    key: str
    start: int
    end: int


class Mark(NamedTuple):
    """What the lexicon knows of tokens `first` to `last` (exclusive)."""

    tag: Tag
    value: Any
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Scan:
    """A text, its tokens, and the marks by the token that they begin at and by what they mean.

    `low` are the tokens in lower case, `figures` the places of those that are figures, `numeric` those and every
    place where a word of numbers begins, in order.
    """

    text: str
    lang: str
    tokens: list[Token]
    low: list[str]
    figures: list[int]
    numeric: list[int]
    marks: dict[int, list[Mark]]
    by_tag: dict[Tag, list[Mark]]

    def gap(self, left: int, right: int) -> str:
        """The characters between two tokens."""
        return self.text[self.tokens[left].end : self.tokens[right].start]

    def touches(self, left: int, right: int) -> bool:
        """Nothing but spaces and hyphens stands between two neighbouring tokens."""
        gap = self.text[self.tokens[left].end : self.tokens[right].start]
        return gap in (" ", "") or not gap.strip(SPACES + "-/\u2010\u2011\t\n")

    def word(self, index: int) -> str:
        """The token in lower case; empty outside the text."""
        return self.low[index] if 0 <= index < len(self.low) else ""

    def tagged(self, index: int, tag: Tag) -> Mark | None:
        """The mark of this kind that begins at a token."""
        for mark in self.marks.get(index, ()):
            if mark.tag is tag:
                return mark
        return None

    def all_tagged(self, *tags: Tag) -> list[Mark]:
        """Every mark of these kinds, in order."""
        if len(tags) == 1:
            return self.by_tag.get(tags[0], [])
        found = [mark for tag in tags for mark in self.by_tag.get(tag, ())]
        found.sort(key=_first)
        return found


def _first(mark: Mark) -> int:
    return mark.first


def scan(text: str, lang: str) -> Scan:
    """Read a text as English or Spanish. Never raises; half characters are passed over."""
    whole = text[:LONGEST_TEXT]
    if not whole.isascii():
        whole = unicodedata.normalize("NFC", whole)
    tokens = [
        Token(match.lastgroup or "x", match.group(), match.start(), match.end())
        for match in _PATTERNS[lang].finditer(whole)
    ]
    for at, token in enumerate(tokens):
        if token.kind == "w" and not token.key.isalpha():
            tokens[at] = token._replace(key=_key(token.key))
    found = Scan(whole, lang, tokens, [token.key.lower() for token in tokens], [], [], {}, {})
    _mark(found)
    return found


def _key(text: str) -> str:
    """Abbreviations without points, names without their genitive."""
    text = text.replace("’", "'")
    if "." in text:
        return re.sub(r"[.\s]", "", text)
    return text[:-2] if text.endswith("'s") else text


def _mark(found: Scan) -> None:
    """Look every word up; the longest phrase takes its words with it."""
    lang, marks, by_tag, at = found.lang, found.marks, found.by_tag, 0
    tokens, count = found.tokens, len(found.tokens)
    while at < count:
        kind, key, _, _ = tokens[at]
        if kind == "f":
            found.figures.append(at)
            found.numeric.append(at)
        known = entries(key, lang) if kind in "ws" else ()
        if not known:
            at += 1
            continue
        best = 0
        here: list[Mark] = []
        for entry in known:
            length = len(entry.rest)
            free = entry.tag >= Tag.POLAR  # these take no words away from others
            if length < best and not free:
                continue
            if not length or _follows(found, at, entry):
                best = best if free else length
                mark = Mark(entry.tag, entry.value, at, at + 1 + length)
                here.append(mark)
                by_tag.setdefault(entry.tag, []).append(mark)
        if here:
            marks[at] = here
            if any(mark.tag <= LAST_NUMERIC for mark in here):
                found.numeric.append(at)
        at += 1 + best


def _follows(found: Scan, at: int, entry: Entry) -> bool:
    low = found.low
    if at + len(entry.rest) >= len(low):
        return False
    for step, word in enumerate(entry.rest, at + 1):
        key = low[step]
        if key != word and not (word[-1] == "*" and key.startswith(word[:-1])):
            return False
        if not found.touches(step - 1, step):
            return False
    return True
