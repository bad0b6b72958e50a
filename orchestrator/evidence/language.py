"""Which of the two languages a text is in, by its function words; None where there is too little to judge.

Small on purpose: only English and Spanish have to be told apart, and a name such as "Apple Vision Pro 2" is in
neither. Words that both languages have ("a", "no", "me", "he") are in no list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from orchestrator.evidence.lexicon import spaced

_WORD = re.compile(r"[^\W\d_]+")
_JUDGED_WORDS = 5
_MARGIN = 2

FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "en": spaced(
            "the of and to in is was were that for with on by from as at it its has have had are be been this "
            "which after before said would will not their they an but or who what when where there than into "
            "over also more about could should may might can his her she we you our your if while during "
            "between against under those these them than some any other only such because through being did "
            "does do"
        ),
        "es": spaced(
            "el la los las de del y en que es fue fueron por para con su sus se al lo una un como más ha han "
            "había tras antes dijo según este esta estos estas pero o sin sobre entre hasta desde cuando donde "
            "quien también ya muy le les está están son era eran ser sido hay este esto eso esa ese porque "
            "durante contra e ni sino aunque mientras cada todo todos toda todas otro otra otros otras sólo "
            "solo así nos"
        ),
    }
)


@lru_cache(maxsize=4_096)
def language_of(text: str) -> str | None:
    """ "en" or "es" by its function words, None when there is too little to judge."""
    words, hits = _hits(text)
    best, other = sorted(hits, key=lambda lang: hits[lang], reverse=True)
    if words < _JUDGED_WORDS or hits[best] < max(_MARGIN, _MARGIN * hits[other] + 1):
        return None
    return best


def foreign_words(words: Iterable[str], lang: str) -> int:
    """How many of a text's words, in lower case, are function words of the other language."""
    return sum(map(FUNCTION_WORDS["es" if lang == "en" else "en"].__contains__, words))


def _hits(text: str) -> tuple[int, dict[str, int]]:
    words = _lower(text)
    return len(words), {lang: sum(map(known.__contains__, words)) for lang, known in FUNCTION_WORDS.items()}


def _lower(text: str) -> list[str]:
    return _WORD.findall(text.lower())
