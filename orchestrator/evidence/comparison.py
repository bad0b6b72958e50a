"""Two texts, English and Spanish, compared: what one says and the other does not.

Rules:
* figures are compared as sets of values: what is stated on one side must be stated on the other, once;
* a value whose unit, currency or bound ("more than", "nearly") is another is a difference;
* what a text only implies ("both", "un", "a decade") answers and is never demanded;
* `cannot_judge` is a verdict of its own and no failure: nothing in the two texts could be compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.evidence.agreement import quantity_met
from orchestrator.evidence.failure import Code, Place
from orchestrator.evidence.lexicon import UNITS, Tag, spaced
from orchestrator.evidence.names import partings
from orchestrator.evidence.numerals import Weight
from orchestrator.evidence.quantity import Kind, Quantity
from orchestrator.evidence.quotations import quotations
from orchestrator.evidence.reading import Finding, Span, Text, read
from orchestrator.evidence.safety import prose_failures
from orchestrator.evidence.scan import Mark, Scan
from orchestrator.evidence.speakers import exchanges
from orchestrator.evidence.tone import differences
from orchestrator.evidence.translation import languages


class Verdict(StrEnum):
    """What comes of a comparison."""

    SAME = "same"
    DIFFER = "differ"
    CANNOT_JUDGE = "cannot_judge"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Verdict and findings of one pair."""

    verdict: Verdict
    findings: tuple[Finding, ...]


_SCORE = re.compile(r"(?<![\d.,-])(\d{1,3})[-–](\d{1,3})(?![\d.,-]*\d|[-–])")
_CODES = {
    Kind.NUMBER: Code.PARITY_NUMBER,
    Kind.PERCENTAGE: Code.PARITY_PERCENTAGE,
    Kind.MONEY: Code.PARITY_MONEY,
    Kind.DATE: Code.PARITY_DATE,
    Kind.TIME: Code.PARITY_TIME,
    Kind.ORDINAL: Code.PARITY_NUMBER,
    Kind.FRACTION: Code.PARITY_NUMBER,
    Kind.MAGNITUDE: Code.PARITY_NUMBER,
    Kind.CODE: Code.PARITY_NAME,
}
_TONE_CODES = {
    "negation": Code.PARITY_NEGATION,
    "hedge": Code.PARITY_HEDGE,
    "report": Code.PARITY_HEDGE,
    "modal": Code.PARITY_HEDGE,
    "attribution": Code.PARITY_ATTRIBUTION,
    "conditional": Code.PARITY_HEDGE,
    "rank": Code.PARITY_OPPOSITE,
    "opposite": Code.PARITY_OPPOSITE,
}
SHORTEST_JUDGED = 40  # characters; below that a ratio says nothing
RATIO = (0.62, 2.0)  # Spanish over English; agency pairs lie between 0.85 and 1.5
SHORTEST_WHOLE = 0.95  # of the English length; shorter and without a full stop, a translation was cut
_NEVER_LAST = spaced("el la los las un una de del en y que con por para a al su sus se lo o e")
_ENDINGS = tuple(".!?…\"”»')]")


def compare_texts(english: str, spanish: str) -> Comparison:
    """Compare two texts that should say the same. Never raises."""
    left, right = read(english, "en"), read(spanish, "es")
    if left.blank or right.blank:
        if left.blank and right.blank:
            return Comparison(Verdict.CANNOT_JUDGE, ())
        side = "ENGLISH_EMPTY" if left.blank else "SPANISH_EMPTY"
        return Comparison(Verdict.DIFFER, (Finding(Code.PARITY_MISSING, side),))
    findings = tuple(finding for check in CHECKS for finding in check(left, right))
    if findings:
        return Comparison(Verdict.DIFFER, findings)
    return Comparison(Verdict.SAME if _judged(left, right) else Verdict.CANNOT_JUDGE, ())


def compare_strangers(english: str, spanish: str) -> Comparison:
    """Compare two texts of unknown origin: what acts on a reader in one of them only is a difference too.

    A composition's texts have the safety layer for that.
    """
    comparison = compare_texts(english, spanish)
    here, there = (_acts(text) for text in (english, spanish))
    acting = [Finding(code, detail) for code, detail in sorted(here ^ there)]
    if not acting:
        return comparison
    return Comparison(Verdict.DIFFER, (*comparison.findings, *acting))


def _acts(text: str) -> set[tuple[Code, str]]:
    return {
        (failure.code, failure.detail_class) for failure in prose_failures(text.strip(), Place("")) if text.strip()
    }


def _judged(left: Text, right: Text) -> bool:
    """Whether anything was there to compare."""
    both = [text.language == text.lang for text in (left, right)]
    if all(text.scan.all_tagged(Tag.STRONG) for text in (left, right)):
        return True
    return all(both) or any(one.weight is not Weight.IMPLIED for one in left.quantities) or bool(left.names.known)


def figures(left: Text, right: Text) -> Iterator[Finding]:
    """Quantities that are stated on one side only, or with another unit or bound."""
    alone_en = [one for one in left.quantities if one.weight and not quantity_met(one, right.quantities)]
    alone_es = [one for one in right.quantities if one.weight and not quantity_met(one, left.quantities)]
    relative = _relative_day(right.scan)
    alone_en = [one for one in alone_en if not (relative and one.values[0].startswith("weekday"))]
    alone_en = [one for one in alone_en if not _is_name(one, left.scan, right.scan)]
    alone_es = [one for one in alone_es if not _is_name(one, right.scan, left.scan)]
    rest = list(alone_es)
    for one in alone_en:
        twin = _twin(one, rest)
        if twin is not None:
            rest.remove(twin)
        if twin is not None or one.stated:
            yield _figure(one, twin)
    for other in rest:
        if other.stated:
            yield _figure(None, other)
    if not alone_en and not alone_es:
        yield from _counted(left, right)
    yield from _bounds(left, right)


def _counted(left: Text, right: Text) -> Iterator[Finding]:
    """As many bare figures here as there, each said as often: 6-4, 7-6 is not 7-4, 7-6."""
    here, there = (
        [one for one in text.quantities if one.stated and one.kind is Kind.NUMBER] for text in (left, right)
    )
    if len(here) != len(there):
        return
    for one in here:
        same = [other for other in there if set(one.values) & set(other.values)] or there
        twin = next((other for other in same if quantity_met(one, [other])), None)
        if twin is None:
            yield _figure(one, None)
            return
        there.remove(twin)


def scores(left: Text, right: Text) -> Iterator[Finding]:
    """As many scores on each side, and other ones: 3-0 is not 3-3. Who is named first may lead in each language."""
    here, there = ([*_SCORE.finditer(text.scan.text)] for text in (left, right))
    if len(here) == len(there) and Counter(map(_score, here)) != Counter(map(_score, there)):
        values = (here[0].group(), there[0].group())
        yield Finding(Code.PARITY_NUMBER, "SCORE", here[0].span(), there[0].span(), values)


def _score(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(sorted((int(match[1]), int(match[2]))))


def _is_name(one: Quantity, here: Scan, there: Scan) -> bool:
    """A number word with a capital that the other text has letter for letter: *Tres Mareas*."""
    word = here.text[one.start : one.end]
    return word[:1].isupper() and word.isalpha() and word in there.text


def _relative_day(found: Scan) -> bool:
    """Spanish agencies write "hoy" and "ayer" where English ones name the day."""
    return any(found.word(at) in ("hoy", "ayer", "anteayer", "anoche") for at in range(len(found.tokens)))


def _figure(one: Quantity | None, other: Quantity | None) -> Finding:
    shown = one or other
    assert shown is not None  # noqa: S101  # one side has it, or nobody asks
    detail = "DIFFERENT" if one and other else "ONLY_ENGLISH" if one else "ONLY_SPANISH"
    code = _CODES[shown.kind]
    if one and other and set(one.values) & set(other.values):
        code = Code.PARITY_UNIT
    return Finding(code, detail, _place(one), _place(other), (_shown(one), _shown(other)))


def _place(one: Quantity | None) -> Span | None:
    return (one.start, one.end) if one else None


def _shown(one: Quantity | None) -> str:
    return " ".join(part for part in (one.values[0], one.unit) if part) if one and one.values else ""


def _twin(one: Quantity, rest: Sequence[Quantity]) -> Quantity | None:
    """What the other side has in this one's place: the same kind first, then any number."""
    kin = [other for other in rest if other.kind is one.kind and other.weight is one.weight]
    kin = kin or [other for other in rest if other.kind is one.kind]
    kin = kin or [other for other in rest if _numeric(other) and _numeric(one) and one.stated and other.stated]
    return kin[0] if kin else None


def _numeric(one: Quantity) -> bool:
    return one.kind in (Kind.NUMBER, Kind.PERCENTAGE, Kind.MONEY, Kind.FRACTION)


def _bounds(left: Text, right: Text) -> Iterator[Finding]:
    """ "More than 500" beside "casi 500"; and casualties whose figures changed places."""
    for one in left.quantities:
        for other in right.quantities:
            if not (one.stated and other.stated and set(one.values) & set(other.values)):
                continue
            if {one.bound, other.bound} == {"MORE", "LESS"} or _one_sided(one, other, left, right):
                yield Finding(Code.PARITY_NUMBER, "BOUND", _place(one), _place(other), (one.bound, other.bound))
            elif _role_changed(one, other, left, right):
                units = (one.unit, other.unit)
                yield Finding(Code.PARITY_UNIT, "ROLE", _place(one), _place(other), units)


_PLAIN_BOUNDS = frozenset({"more than", "less than", "fewer than", "más de", "menos de"})


def _one_sided(one: Quantity, other: Quantity, left: Text, right: Text) -> bool:
    """ "Menos de 66" beside a bare 66, where nothing in the text says so in other words."""
    for here, there, text, answer in ((one, other, left, right), (other, one, right, left)):
        if here.bound and not there.bound and _bound_words(here, text.scan) in _PLAIN_BOUNDS:
            wide = Tag.MORE_WIDE if here.bound == "MORE" else Tag.LESS_WIDE
            said = any(quantity.bound == here.bound for quantity in answer.quantities)
            return not said and not answer.scan.all_tagged(wide)
    return False


def _bound_words(one: Quantity, found: Scan) -> str:
    return " ".join(found.text[: one.start].lower().split()[-2:])


def _role_changed(one: Quantity, other: Quantity, left: Text, right: Text) -> bool:
    """The dead of one side are the injured of the other, and nowhere its dead too."""
    if not one.unit or not other.unit or one.unit == other.unit:
        return False
    if not (UNITS[one.unit].role and UNITS[other.unit].role):
        return False
    here = {q.unit for q in left.quantities if set(q.values) & set(one.values)}
    there = {q.unit for q in right.quantities if set(q.values) & set(other.values)}
    return not here & there


def proper_names(left: Text, right: Text) -> Iterator[Finding]:
    """Names that were exchanged or lost."""
    for parting in partings(left.names, right.names):
        detail = "DIFFERENT" if parting.english and parting.spanish else "ONLY_ENGLISH"
        yield Finding(Code.PARITY_NAME, detail, parting.english, parting.spanish, parting.values)


def tones(left: Text, right: Text) -> Iterator[Finding]:
    """Negations, hedges, attributions that are not answered; opposites."""
    for one in differences((left.scan, left.sentences), (right.scan, right.sentences)):
        detail = "DIFFERENT" if one.english and one.spanish else "ONLY_ENGLISH" if one.english else "ONLY_SPANISH"
        yield Finding(_TONE_CODES[one.tone], detail, one.english, one.spanish, one.values)


def parties(left: Text, right: Text) -> Iterator[Finding]:
    """Who speaks or acts, and which office somebody holds."""
    for one in exchanges((left.scan, left.names), (right.scan, right.names)):
        yield Finding(Code.PARITY_ATTRIBUTION, "EXCHANGED", one.english, one.spanish, one.values)
    here, there = (
        {mark.value[1]: mark for mark in text.scan.all_tagged(Tag.MEMBER) if mark.value[0] == "portfolio"}
        for text in (left, right)
    )
    alone, other = here.keys() - there.keys(), there.keys() - here.keys()
    if alone and other:
        one_name, other_name = min(alone), min(other)
        places = (_marked(left.scan, here[one_name]), _marked(right.scan, there[other_name]))
        yield Finding(Code.PARITY_NAME, "OFFICE", *places, (one_name, other_name))


def _marked(found: Scan, mark: Mark) -> Span:
    return found.tokens[mark.first].start, found.tokens[mark.last - 1].end


def quotes(left: Text, right: Text) -> Iterator[Finding]:
    """Somebody's words in quotation marks on one side, in the writer's own words on the other."""
    here, there = quotations(left.scan.text), quotations(right.scan.text)
    if here and not there and not right.scan.text.lstrip().startswith(("—", "–", "-")):
        yield Finding(Code.PARITY_QUOTE, "ONLY_ENGLISH", here[0])
    elif there and not here:
        yield Finding(Code.PARITY_QUOTE, "ONLY_SPANISH", None, there[0])


def lengths(left: Text, right: Text) -> Iterator[Finding]:
    """A translation that is far too short or too long has lost or gained something."""
    english, spanish = len(left.scan.text), len(right.scan.text)
    if max(english, spanish) < SHORTEST_JUDGED:
        return
    if not RATIO[0] <= spanish / max(1, english) <= RATIO[1]:
        yield Finding(Code.PARITY_LENGTH, "RATIO", (0, english), (0, spanish))
    elif _ends(left) and not _ends(right) and (spanish < SHORTEST_WHOLE * english or _breaks_off(right)):
        yield Finding(Code.PARITY_LENGTH, "CUT", (0, english), (0, spanish))


def _breaks_off(text: Text) -> bool:
    """The last word cannot be the last one of a sentence."""
    tokens = text.scan.tokens
    return bool(tokens) and tokens[-1].key.lower() in _NEVER_LAST


def _ends(text: Text) -> bool:
    """Ends as a sentence does."""
    return text.scan.text.rstrip()[-1:] in _ENDINGS


Check = Callable[[Text, Text], Iterator[Finding]]

CHECKS: Sequence[Check] = (figures, scores, proper_names, tones, parties, quotes, languages, lengths)
