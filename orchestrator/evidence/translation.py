"""Whether a text is in its own language: all of it, every sentence, every quotation."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.evidence.failure import Code
from orchestrator.evidence.language import foreign_words, language_of
from orchestrator.evidence.quotations import quotations
from orchestrator.evidence.reading import Finding, Span, Text

FOREIGN_WORDS = {"en": 6, "es": 4}  # English copy holds more Spanish names than the other way round


def languages(left: Text, right: Text) -> Iterator[Finding]:
    """Each text, and each of its sentences, in its own language."""
    for text in (left, right):
        place = _foreign_place(text)
        if place is not None:
            spans = (place, None) if text is left else (None, place)
            yield Finding(Code.PARITY_LANGUAGE, "OTHER_LANGUAGE", *spans)
            return
    if left.scan.text == right.scan.text and _is_sentence(left):
        yield Finding(Code.PARITY_LANGUAGE, "NOT_TRANSLATED")
    elif kept := _kept_quotation(left.scan.text, right.scan.text):
        yield Finding(Code.PARITY_LANGUAGE, "QUOTATION_NOT_TRANSLATED", None, kept)


def _kept_quotation(english: str, spanish: str) -> Span | None:
    """Somebody's words that stand in the Spanish text as in the English one; titles have their capitals."""
    for start, end in quotations(spanish):
        words = spanish[start:end].strip('“”«»"‘’.,!? ')
        small = sum(word.islower() for word in words.split())
        if words in english and small >= 2 and small > len(words.split()) / 2:
            return (start, end)
    return None


def _is_sentence(text: Text) -> bool:
    """More than a name: words that only English has, or several that are nobody's name."""
    low = text.scan.low
    small = sum(token.key.islower() and token.kind == "w" and len(token.key) > 3 for token in text.scan.tokens)
    return len(low) >= 3 and (foreign_words(low, "es") >= 1 or small >= 2)


def _foreign_place(text: Text) -> Span | None:
    whole = text.scan.text
    if text.language not in (text.lang, None):
        return (0, len(whole))
    spans = text.sentences
    for start, end in spans if len(spans) > 1 else ():
        if language_of(whole[start:end]) not in (text.lang, None):
            return (start, end)
    return (0, len(whole)) if _foreign_run(text) else None


def _foreign_run(text: Text) -> bool:
    """A clause left in the other language shows by several of its function words outside quotations."""
    least = FOREIGN_WORDS[text.lang]
    if foreign_words(text.scan.low, text.lang) < least:
        return False
    quoted = quotations(text.scan.text)
    outside = [token.key for token in text.scan.tokens if not any(a <= token.start < b for a, b in quoted)]
    return foreign_words(map(str.lower, outside), text.lang) >= least
