"""What a text vouches for: negation, hedges, possibility, attribution, and opposites such as rose and fell.

A strong word asks for an answer in the other language, a strong or weak word there gives it. "Did not" is answered
by "no", "sin" or "rechazó"; "alleged" by "presunto", "según" or "habría". Only a question that finds no answer at
all is a difference, since translation is free with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.evidence.lexicon import TONES, Tag, spaced
from orchestrator.evidence.scan import Mark, Scan

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”»')\]]*\s+(?=[\"“«¿¡(\[]*[A-ZÁÉÍÓÚÑÜ])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Sr|Sra|St|Gen|Sen|Rep|Gov|No|vs|Inc|Corp|Ltd|EE|UU|[A-Z])|[ap]\.\s?m)\.\Z"
)
_AFTER_NO = spaced("ningún ninguno ninguna ningunos ningunas nada nadie")
_MAY_PRECEDE = spaced(
    "de del en a al por con para bajo que y e o pero porque si cuando donde ya casi desde hasta sin"
)
_SENTENCE_START = re.compile(r"[.,;:!?¿¡«“(—–]\s*\Z")
_ECHO = 12  # tokens between a negation and its echo
_ECHOES = spaced("ni nada nadie nunca jamás tampoco ningún ninguno ninguna ningunos ningunas nor neither any")


Split = tuple[Scan, list[tuple[int, int]]]
"""A scanned text and where its sentences begin and end."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A word that is not answered: of which tone, on which side, where. `values` name both sides' words."""

    tone: str
    english: tuple[int, int] | None
    spanish: tuple[int, int] | None
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Side:
    """The tone marks of one stretch of one text."""

    found: Scan
    strong: dict[str, list[Mark]]
    weak: dict[str, int]
    polar: dict[int, tuple[list[Mark], list[Mark]]]


def differences(english: Split, spanish: Split) -> list[Difference]:
    """Every unanswered word, sentence by sentence where both sides have as many."""
    (left, spans_en), (right, spans_es) = english, spanish
    if len(spans_en) != len(spans_es):
        spans_en, spans_es = [(0, len(left.text))], [(0, len(right.text))]
    found: list[Difference] = []
    for one, other in zip(spans_en, spans_es, strict=True):
        here, there = _side(left, one), _side(right, other)
        found.extend(_negations(here, there))
        found.extend(_hedges("hedge", here, there))
        found.extend(_hedges("report", here, there))
        for tone in TONES[3:]:
            found.extend(_unanswered(tone, here, there))
        found.extend(_opposed(here, there))
    return found


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end."""
    spans, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if not _ABBREVIATED.search(text[start : match.start()]):
            spans.append((start, match.start()))
            start = match.end()
    return [*spans, (start, len(text))]


def _side(found: Scan, span: tuple[int, int]) -> _Side:
    strong: dict[str, list[Mark]] = {}
    weak: dict[str, int] = {}
    polar: dict[int, tuple[list[Mark], list[Mark]]] = {}
    for mark in found.all_tagged(Tag.STRONG, Tag.WEAK, Tag.POLAR):
        if not span[0] <= found.tokens[mark.first].start < span[1] or _other_sense(found, mark):
            continue
        if mark.tag is Tag.STRONG:
            strong.setdefault(mark.value, []).append(mark)
        elif mark.tag is Tag.WEAK:
            weak[mark.value] = weak.get(mark.value, 0) + 1
        else:
            pair, side = mark.value
            polar.setdefault(pair, ([], []))[side].append(mark)
    return _Side(found, strong, weak, polar)


def _other_sense(found: Scan, mark: Mark) -> bool:
    """The month of May, "No. 10", "no" as an answer's tag, "habría" without its participle."""
    word = found.word(mark.first)
    if word == "may":
        beside = found.tokens[mark.first + 1 : mark.first + 2]
        return found.tokens[mark.first].key[0].isupper() or (bool(beside) and beside[0].kind == "f")
    if word == "no":
        after = mark.first + 1
        return after < len(found.tokens) and found.tokens[after].kind == "f" and found.lang == "en"
    return False


def _negations(english: _Side, spanish: _Side) -> Iterator[Difference]:
    """As many negations on each side; what only answers ("rechazó", "unlikely") may stand for one."""
    here, there = english.strong.get("negation", []), spanish.strong.get("negation", [])
    answers_es = sum(not _stray(spanish.found, mark) for mark in there) + spanish.weak.get("negation", 0)
    answers_en = len(here) + english.weak.get("negation", 0)
    asked_en, asked_es = _single(english, here), _single(spanish, there)
    if len(asked_en) > answers_es:
        mark = asked_en[0]
        yield Difference("negation", _span(english.found, mark), None, (_words(english.found, mark), ""))
    elif len(asked_es) > answers_en:
        mark = asked_es[0]
        yield Difference("negation", None, _span(spanish.found, mark), ("", _words(spanish.found, mark)))
    elif (double := _double(english, here)) and not there:
        yield Difference("negation", _span(english.found, double), None, (_words(english.found, double), ""))
    elif (double := _double(spanish, there)) and not here:
        yield Difference("negation", None, _span(spanish.found, double), ("", _words(spanish.found, double)))


def _double(side: _Side, marks: list[Mark]) -> Mark | None:
    """ "Did not fail": a negation whose own word denies; the other side must have one too, or neither."""
    found = side.found
    for mark in marks:
        for at in range(mark.last, min(mark.last + 2, len(found.tokens))):
            if any(one.tag is Tag.WEAK and one.value == "negation" for one in found.marks.get(at, ())):
                return mark
    return None


def _stray(found: Scan, mark: Mark) -> bool:
    """ "Ha recibido ninguna oferta": behind a verb these words need a "no" before, and alone negate nothing."""
    if found.word(mark.first) not in _AFTER_NO:
        return False
    before = found.word(mark.first - 1)
    return (
        mark.first > 0
        and before not in _MAY_PRECEDE
        and not _SENTENCE_START.search(found.text[: found.tokens[mark.first].start])
    )


def _single(side: _Side, marks: list[Mark]) -> list[Mark]:
    """Negations without those that only echo one before: "no … ningún", "neither … nor"."""
    heads: list[Mark] = []
    last = -_ECHO
    for mark in marks:
        word = side.found.word(mark.first)
        reach = _ECHO if word in ("ni", "nor") else _ECHO // 2
        echo = mark.first - last <= reach and word in _ECHOES
        if not echo:
            heads.append(mark)
        last = mark.first
    return heads


def _hedges(tone: str, english: _Side, spanish: _Side) -> Iterator[Difference]:
    """ "Reportedly" and "could" in one sentence want two answers: a possibility stands for a hedge only once."""
    for one, other in ((english, spanish), (spanish, english)):
        strong = one.strong.get(tone, [])
        if not strong or _answers(tone, other):
            continue
        spare = len(other.strong.get("modal", [])) - len(one.strong.get("modal", []))
        if spare < 1:
            here, words = _span(one.found, strong[0]), _words(one.found, strong[0])
            if one is english:
                yield Difference(tone, here, None, (words, ""))
            else:
                yield Difference(tone, None, here, ("", words))


def _unanswered(tone: str, english: _Side, spanish: _Side) -> Iterator[Difference]:
    if tone in english.strong and not _answers(tone, spanish):
        mark = english.strong[tone][0]
        yield Difference(tone, _span(english.found, mark), None, (_words(english.found, mark), ""))
    if tone in spanish.strong and not _answers(tone, english):
        mark = spanish.strong[tone][0]
        yield Difference(tone, None, _span(spanish.found, mark), ("", _words(spanish.found, mark)))


def _answers(tone: str, side: _Side) -> bool:
    return tone in side.strong or tone in side.weak


def _opposed(english: _Side, spanish: _Side) -> Iterator[Difference]:
    """As many words of a pair of opposites here as there, but one of them has changed sides."""
    for pair, sides in english.polar.items():
        others = spanish.polar.get(pair)
        if others is None or sum(map(len, sides)) != sum(map(len, others)):
            continue
        more = 0 if len(sides[0]) > len(others[0]) else 1
        if len(sides[more]) > len(others[more]):
            one, other = sides[more][0], others[1 - more][0]
            if _negated(english, one) is _negated(spanish, other):
                values = (_words(english.found, one), _words(spanish.found, other))
                yield Difference("opposite", _span(english.found, one), _span(spanish.found, other), values)


def _negated(side: _Side, mark: Mark) -> bool:
    """ "No bajó" beside "rose" is nobody's error: opposites are weighed where both or neither is denied."""
    return any(abs(one.first - mark.first) <= 4 for one in side.strong.get("negation", ()))


def _span(found: Scan, mark: Mark) -> tuple[int, int]:
    return found.tokens[mark.first].start, found.tokens[mark.last - 1].end


def _words(found: Scan, mark: Mark) -> str:
    start, end = _span(found, mark)
    return found.text[start:end].lower()
