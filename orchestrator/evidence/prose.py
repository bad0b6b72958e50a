"""What a sentence holds, whatever it is labelled: numbers, dates, names, quotations, negations; its language.

A sentence that holds one of the first five counts as fact (INTERFACE, composition). Names are told by their
capital where a capital is not due: inside a sentence, or two in a row at its start.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from orchestrator.evidence import wording
from orchestrator.evidence.numerals import numerals

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTES = re.compile(r"[\"“”«»]|(?<!\w)['‘][^\W\d_][^'’]*['’](?!\w)")
_FRESH_START = re.compile(r"[.!?:;]\s*[\"“«¿¡(]*\s*\Z|[¿¡(]\s*\Z")
_BREAKS = re.compile(r"[\W_]+")
_NOT_NAMES = {"en": frozenset({"i"}), "es": frozenset[str]()}
_JUDGED_WORDS = 6
_MARGIN = 2


def factual_marks(text: str, lang: str) -> tuple[str, ...]:
    """What makes this sentence a fact: of NUMBER, DATE, NAME, QUOTE, NEGATION; empty when nothing does."""
    found = {
        "NUMBER": bool(re.search(r"\d", text)) or any(number.stated for number in numerals(text, lang)),
        "DATE": _holds_date(text, lang),
        "NAME": _holds_name(text, lang),
        "QUOTE": _QUOTES.search(text) is not None,
        "NEGATION": _negates(text, lang),
    }
    return tuple(mark for mark, there in found.items() if there)


def language_of(text: str) -> str | None:
    """ "en" or "es" by its function words, None when there is too little to judge."""
    words = [word.lower() for word in _WORD.findall(text)]
    hits = {lang: sum(word in known for word in words) for lang, known in wording.FUNCTION_WORDS.items()}
    best, other = sorted(hits, key=lambda lang: hits[lang], reverse=True)
    if len(words) < _JUDGED_WORDS or hits[best] < max(_MARGIN + 1, _MARGIN * hits[other] + 1):
        return None
    return best


@lru_cache(maxsize=4_096)
def folded(text: str) -> str:
    """Letters and digits only, without case and accents, single hyphens between: for comparing identities."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    if not bare.isascii():
        bare = "".join(c for c in bare if not unicodedata.combining(c))
    return _BREAKS.sub("-", bare).strip("-")


def _words_of(text: str) -> list[re.Match[str]]:
    return list(_WORD.finditer(text))


def _holds_date(text: str, lang: str) -> bool:
    words = _WORD.findall(text)
    names = wording.WIDE_MONTHS[lang].keys() | wording.WEEKDAYS[lang].keys()
    if lang == "en":  # "may" and "march" are verbs too: a month has its capital
        return any(word.lower() in names for word in words if word[0].isupper())
    return any(word.lower() in names for word in words)


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


def _negates(text: str, lang: str) -> bool:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    return any(word in wording.NEGATIONS[lang] or word.endswith("n't") for word in words)
