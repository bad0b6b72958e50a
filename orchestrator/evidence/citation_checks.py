"""The citation graph: every claim leads to a source that stands, every source is used, no name is used twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator

from orchestrator.evidence.dossier import Dossier
from orchestrator.evidence.failure import Code, Failure
from orchestrator.evidence.payload import Payload

Check = Callable[[Dossier, Collection[str]], Iterator[Failure]]


def citation_failures(dossier: Dossier, usable: Collection[str]) -> list[Failure]:
    """Every failure of the dossier's graph. `usable` are the references of sources that stand."""
    return [failure for check in CHECKS for failure in check(dossier, usable)]


def annotation_failures(payload: Payload) -> list[Failure]:
    """Citations that point outside the text: recorded, since answers under a schema rest on their own fields."""
    outside = (
        note for note in payload.annotations if not 0 <= (note.start or 0) <= (note.end or 0) <= payload.raw_length
    )
    return [Failure(code=Code.ANNOTATION_OUTSIDE_TEXT, path=note.path, detail_class="OFFSETS") for note in outside]


def _unique(dossier: Dossier, _usable: Collection[str]) -> Iterator[Failure]:
    for index in _repeated([source.source_ref for source in dossier.sources]):
        yield dossier.source_place(index).at("source_ref").fails(Code.DUPLICATE_ID, "SOURCE_REF")
    for index in _repeated([claim.claim_id for claim in dossier.claims]):
        yield dossier.claim_place(index).at("claim_id").fails(Code.DUPLICATE_ID, "CLAIM_ID")


def _repeated(names: list[str]) -> list[int]:
    counts = Counter(names)
    return [index for index, name in enumerate(names) if counts[name] > 1 and name in names[:index]]


def _references(dossier: Dossier, usable: Collection[str]) -> Iterator[Failure]:
    known = {source.source_ref for source in dossier.sources}
    for index, claim in enumerate(dossier.claims):
        place = dossier.claim_place(index)
        for number, ref in enumerate(claim.source_refs):
            if ref not in known:
                yield place.at("source_refs", number).fails(Code.CITATION_ORPHAN, "SOURCE_REF_UNKNOWN")
            elif ref not in usable:
                yield place.at("source_refs", number).fails(Code.CITATION_ORPHAN, "SOURCE_REF_NOT_USABLE")
        if not any(ref in usable for ref in claim.source_refs):
            yield place.fails(Code.CLAIM_WITHOUT_SOURCE, "NO_USABLE_SOURCE")


def _used(dossier: Dossier, usable: Collection[str]) -> Iterator[Failure]:
    cited = {ref for claim in dossier.claims for ref in claim.source_refs}
    for index, source in enumerate(dossier.sources):
        if source.source_ref in usable and source.source_ref not in cited:
            yield dossier.source_place(index).fails(Code.CITATION_UNUSED, "NO_CLAIM")


CHECKS: tuple[Check, ...] = (_unique, _references, _used)
