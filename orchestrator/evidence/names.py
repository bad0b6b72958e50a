"""Proper names in two languages: places, organisations, people; by table where they differ, else by letters.

Rules, careful where translation is free:
* a name of the tables (countries from CLDR, exonyms, organisations, rulers) is compared by what it names;
* any other capitalised word inside a sentence is compared by its letters without accents, closely enough for
  transliterations (Jamenei, Khamenei);
* words of offices and institutions ("Ministry", "Tribunal") and words at the start of a sentence are not demanded;
* a name that is left over on both sides was exchanged; one that is left over in English only is missing when it
  is a place, or somebody's whole name, or stands by a title.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from orchestrator.evidence.lexicon import TITLES, UNJUDGED, Tag, entries
from orchestrator.evidence.scan import Mark, Scan

CLOSE = 0.74  # of SequenceMatcher.ratio: khamenei/jamenei 0.8, garcia/garzon 0.5
_FRESH = re.compile(r"[.!?:;…\n]\s*[\"“«¿¡(\[‘']*\s*\Z|[¿¡]\s*\Z|\A[\s\"“«‘'(\[]*\Z|\s[-–—•]\s*[\"“«]?\Z")
_TITLE_CASE_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class Known:
    """A name of the tables: what it names, its kind, where it stands, its letters."""

    name: str
    kind: str  # country, demonym, places, organisations, people; common when written small
    start: int
    end: int
    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strange:
    """A capitalised word that no table knows. `run` groups words that stand together; `titled`: by a title."""

    letters: str
    start: int
    end: int
    run: int
    titled: bool
    demanded: bool
    short: bool  # an abbreviation, all capitals


@dataclass(frozen=True)
class Names:
    """All names of a text, and the letters of all its words."""

    known: tuple[Known, ...]
    strange: tuple[Strange, ...]
    found: Scan
    ids: frozenset[str]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word without case and accents."""
        return frozenset(map(bare, self.found.low))


@lru_cache(maxsize=20_000)
def bare(word: str) -> str:
    """Lower case without accents."""
    folded = word.lower()
    if folded.isascii():
        return folded
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


def names_of(found: Scan) -> Names:
    """The names of a scanned text."""
    known: list[Known] = []
    taken: set[int] = set()
    for mark in found.all_tagged(Tag.NAME):
        name, kind = mark.value
        if kind != "demonym" and found.tokens[mark.first].key[0].islower():
            kind = "common"  # answers, and is nobody's name
        elif kind == "country" and _adjectival(found, mark):
            kind = "demonym"
        if mark.first in taken and not any(one.start == found.tokens[mark.first].start for one in known):
            continue
        taken.update(range(mark.first, mark.last))
        letters = tuple(bare(found.tokens[at].key) for at in range(mark.first, mark.last))
        known.append(Known(name, kind, found.tokens[mark.first].start, found.tokens[mark.last - 1].end, letters))
    known += _money_names(found)
    strange = () if _title_case(found) else tuple(_strange(found, taken))
    return Names(tuple(known), strange, found, frozenset(one.name for one in known))


def _money_names(found: Scan) -> Iterator[Known]:
    """Pesos mexicanos: the country inside a currency's name."""
    for mark in found.all_tagged(Tag.CURRENCY):
        for at in range(mark.first, mark.last if mark.last - mark.first > 1 else mark.first):
            token = found.tokens[at]
            for entry in entries(token.key, found.lang):
                if entry.tag is Tag.NAME and not entry.rest:
                    yield Known(entry.value[0], "demonym", token.start, token.end, (bare(token.key),))


def _adjectival(found: Scan, mark: Mark) -> bool:
    """ "U.S. stocks" are American ones; "the U.S." is the country."""
    after = found.tokens[mark.last : mark.last + 1]
    short = found.tokens[mark.first].key in ("US", "UK")
    return short and bool(after) and after[0].key[0].islower() and found.touches(mark.last - 1, mark.last)


def _title_case(found: Scan) -> bool:
    """A headline that gives capitals to most words says nothing by them."""
    long = [token.key for token in found.tokens if token.kind == "w" and len(token.key) > 3]
    capitals = sum(word[0].isupper() for word in long)
    return len(long) >= 4 and capitals / len(long) > _TITLE_CASE_SHARE


def _strange(found: Scan, taken: set[int]) -> Iterator[Strange]:
    run, last, titled = 0, -2, False
    unjudged, titles = UNJUDGED[found.lang], TITLES[found.lang]
    for at, token in enumerate(found.tokens):
        if token.kind != "w" or not token.key[0].isupper() or at in taken:
            continue
        low = token.key.lower()
        if at != last + 1 or not found.touches(at - 1, at):
            run, titled = run + 1, low in titles or found.word(at - 1) in titles
        titled = titled or low in titles
        last = at
        if low in unjudged or len(low) < 3 or _is_date(found, at):
            continue
        demanded = not _starts(found, at) or _speaks(found, at)
        yield Strange(bare(token.key), token.start, token.end, run, titled, demanded, token.key.isupper())


def _speaks(found: Scan, at: int) -> bool:
    """ "Lula said", "Lula afirmó": who speaks at the start of a sentence is somebody, unless they are many."""
    says = any(mark.tag is Tag.STRONG and mark.value == "attribution" for mark in found.marks.get(at + 1, ()))
    return says and not found.tokens[at].key.endswith("s") and found.touches(at, at + 1)


def _is_date(found: Scan, at: int) -> bool:
    return any(mark.tag in (Tag.MONTH, Tag.WEEKDAY, Tag.CURRENCY, Tag.HOLIDAY) for mark in found.marks.get(at, ()))


def _starts(found: Scan, at: int) -> bool:
    return (
        _FRESH.search(found.text[max(0, found.tokens[at].start - 12) : found.tokens[at].start]) is not None
        if (found.tokens[at].start > 12)
        else at == 0 or _FRESH.search(found.text[: found.tokens[at].start]) is not None
    )


@dataclass(frozen=True, slots=True)
class Parting:
    """A name that one side has and the other has not: where it stands in each (None: nowhere)."""

    english: tuple[int, int] | None
    spanish: tuple[int, int] | None
    values: tuple[str, str]


def partings(left: Names, right: Names) -> list[Parting]:
    """Where the names of the two sides differ; empty when they agree or nothing can be said."""
    lone_en = [one for one in left.known if not _answered(one, right)]
    lone_es = [one for one in right.known if one.kind not in ("common", "people") and not _answered(one, left)]
    found = list(_known_partings(lone_en, lone_es))
    odd_en = [one for one in left.strange if not _found(one.letters, right)]
    odd_es = [one for one in right.strange if not _found(one.letters, left)]
    named = {(parting.english, parting.spanish) for parting in found}
    for one in lone_en:
        stands = any((one.start, one.end) == english for english, _ in named)
        if (
            not stands
            and one.kind not in ("demonym", "common")
            and (twin := next((o for o in odd_es if o.demanded), None))
        ):
            found.append(Parting((one.start, one.end), (twin.start, twin.end), (one.name, twin.letters)))
    for other in lone_es:
        stands = any((other.start, other.end) == spanish for _, spanish in named)
        if not stands and other.kind != "demonym" and (pair := next((o for o in odd_en if o.demanded), None)):
            found.append(Parting((pair.start, pair.end), (other.start, other.end), (pair.letters, other.name)))
    found += _strange_partings(odd_en, odd_es, left)
    return found


def _answered(one: Known, other: Names) -> bool:
    return one.name in other.ids or all(letters in other.words for letters in one.letters)


def _found(letters: str, other: Names) -> bool:
    return letters in other.words or any(_close(letters, word) for word in other.words)


@lru_cache(maxsize=20_000)
def _close(one: str, two: str) -> bool:
    if abs(len(one) - len(two)) > 4 or len(one) < 4 or len(two) < 4 or not set(one[:3]) & set(two[:3]):
        return False
    return SequenceMatcher(None, one, two, autojunk=False).ratio() >= CLOSE


def _known_partings(lone_en: list[Known], lone_es: list[Known]) -> Iterator[Parting]:
    """Two names of one family left over were exchanged; a place that is only in English is missing."""
    rest = list(lone_es)
    for one in lone_en:
        twin = next((other for other in rest if _family(other) == _family(one)), None)
        if twin is not None:
            rest.remove(twin)
            yield Parting((one.start, one.end), (twin.start, twin.end), (one.name, twin.name))
        elif one.kind == "country" or (one.kind in ("places", "organisations") and len(one.letters[0]) > 1):
            yield Parting((one.start, one.end), None, (one.name, ""))


def _family(one: Known) -> str:
    return "country" if one.kind == "demonym" else one.kind


def _strange_partings(odd_en: list[Strange], odd_es: list[Strange], left: Names) -> Iterator[Parting]:
    demanded_en = [one for one in odd_en if one.demanded]
    demanded_es = [one for one in odd_es if one.demanded]
    short = {one.short for one in demanded_en} | {one.short for one in demanded_es}
    if demanded_en and demanded_es and len(short) == 1:
        one, other = demanded_en[0], demanded_es[0]
        yield Parting((one.start, one.end), (other.start, other.end), (one.letters, other.letters))
        return
    for run in _lost_runs(demanded_en, left):
        yield Parting((run[0].start, run[-1].end), None, (" ".join(one.letters for one in run), ""))


def _lost_runs(odd: Iterable[Strange], left: Names) -> Iterator[list[Strange]]:
    """Runs of English capitals of which nothing is found: a person's whole name, or a name by a title."""
    odd = list(odd)
    for run in dict.fromkeys(one.run for one in odd):
        lost = [one for one in odd if one.run == run]
        whole = [one for one in left.strange if one.run == run]
        if len(lost) == len(whole) and (len(lost) >= 2 or lost[0].titled):
            yield lost
