"""What a sentence holds, whatever it is labelled: numbers, dates, names, quotations, negations; its language.

A sentence that holds one of the first five counts as fact (INTERFACE, composition). Names are told by their
capital where a capital is not due: inside a sentence, or two in a row at its start.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from orchestrator.evidence.language import language_of
from orchestrator.evidence.lexicon import Tag, spaced
from orchestrator.evidence.numerals import Weight, amounts
from orchestrator.evidence.reading import read
from orchestrator.evidence.scan import Scan

__all__ = ["factual_marks", "folded", "language_of"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTES = re.compile(r"[\"“”«»]|(?<!\w)['‘][^\W\d_][^'’]*['’](?!\w)")
_FRESH_START = re.compile(r"[.!?:;]\s*[\"“«¿¡(]*\s*\Z|[¿¡(]\s*\Z")
_BREAKS = re.compile(r"[\W_]+")
_NOT_NAMES = {"en": frozenset({"i"}), "es": frozenset[str]()}


def factual_marks(text: str, lang: str) -> tuple[str, ...]:
    """What makes this sentence a fact: of NUMBER, DATE, NAME, QUOTE, NEGATION; empty when nothing does."""
    known = read(text, lang).scan
    found = {
        "NUMBER": bool(known.figures) or any(map(str.isdigit, text)) or _holds_number(known),
        "DATE": _holds_date(known),
        "NAME": _holds_name(text, lang),
        "QUOTE": _QUOTES.search(text) is not None,
        "NEGATION": _negates(known),
    }
    return tuple(mark for mark, there in found.items() if there)


@lru_cache(maxsize=4_096)
def folded(text: str) -> str:
    """Letters and digits only, without case and accents, single hyphens between: for comparing identities."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    if not bare.isascii():
        bare = "".join(c for c in bare if not unicodedata.combining(c))
    return _BREAKS.sub("-", bare).strip("-")


def _words_of(text: str) -> list[re.Match[str]]:
    return list(_WORD.finditer(text))


def _holds_number(known: Scan) -> bool:
    """Stated, or said as "the two", which needs no answer in the other language and is a number all the same."""
    return any(
        number.weight is Weight.STATED or known.tagged(number.first, Tag.NUMBER) is not None
        for number in amounts(known, frozenset())
    )


def _holds_date(read: Scan) -> bool:
    """English "may" and "march" are verbs too: there a month needs its capital, which the lexicon asks for."""
    marks = read.all_tagged(Tag.MONTH, Tag.WEEKDAY)
    return any(read.lang == "es" or read.tokens[mark.first].key[0].isupper() for mark in marks)


def _holds_name(text: str, lang: str) -> bool:
    words = _words_of(text)
    for before, match in zip([None, *words], words, strict=False):
        word = match.group()
        if not word[0].isupper() or word.lower() in _NOT_NAMES[lang]:
            continue
        starts = before is None or _FRESH_START.search(text[: match.start()]) is not None
        if not starts or (len(word) > 1 and word.isupper()):
            return True
    return False


_DENIALS = {
    "en": spaced("not no never nor neither none nobody nothing cannot"),
    "es": spaced("no ni nunca jamás tampoco ningún ninguno ninguna nadie nada"),
}


def _negates(read: Scan) -> bool:
    words = (token.key.lower() for token in read.tokens if token.kind == "w")
    return any(word in _DENIALS[read.lang] or word.endswith("n't") for word in words)
