"""The evidence binder: from checked dossiers to accepted candidates, patches and refusals. Local, no tools.

Rules:
* a claim is bound to the sources that stand, and to nothing else; a claim without one is dropped; a candidate
  without a claim is refused;
* what was accepted before never changes: a patch or a duplicate adds to it;
* a duplicate inside the edition becomes evidence of the candidate that came first; a story that readers have
  had is refused unless it is an update;
* addresses are kept as the tool gave them, ids are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.contracts.package import PackageClaim, PackageSource
from orchestrator.contracts.scout import ScoutCandidate, ScoutClaim, ScoutSource
from orchestrator.contracts.task import RejectedRecord
from orchestrator.evidence import candidate as ids
from orchestrator.evidence import identity, urls
from orchestrator.evidence.candidate import AcceptedCandidate, EvidencePatch, patched
from orchestrator.evidence.candidate_checks import candidate_failures
from orchestrator.evidence.citation_checks import citation_failures
from orchestrator.evidence.dossier import Bench, Dossier, clean_name, clean_title
from orchestrator.evidence.failure import Code, Cost, Failure
from orchestrator.evidence.identity import Identity
from orchestrator.evidence.source_checks import source_failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What an answer came to. `sources_usable` counts sources of accepted evidence."""

    candidates: tuple[AcceptedCandidate, ...]
    patches: tuple[EvidencePatch, ...]
    rejected: tuple[RejectedRecord, ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What goes into ids and sources: the process's public suffix, and the digest of the stored answer."""

    process_suffix: str
    payload_digest: str


@dataclass(frozen=True, slots=True)
class _Sound:
    """A dossier without a failure that refuses it, and the references of its sources that stand."""

    dossier: Dossier
    usable: frozenset[str]


@dataclass(slots=True)
class _Desk:
    """The state of one reading: every candidate of the process as it stands, and what this answer adds."""

    bench: Bench
    stamp: Stamp
    standing: dict[str, AcceptedCandidate]  # patches applied
    identities: dict[str, Identity]  # a patch does not make another event
    accepted: list[AcceptedCandidate] = field(default_factory=list)
    patches: list[EvidencePatch] = field(default_factory=list)


def bind(dossiers: Sequence[Dossier], bench: Bench, stamp: Stamp) -> Bound:
    """Judge and bind every dossier, in order; the same input gives the same ids."""
    standing = {known.candidate_id: known for known in bench.known}
    desk = _Desk(bench, stamp, standing, {name: identity.of_accepted(known) for name, known in standing.items()})
    failures: list[Failure] = []
    rejected: list[RejectedRecord] = []
    for dossier in dossiers:
        found = _judged(dossier, desk)
        failures.extend(found)
        if _refuses(found):
            codes = sorted({failure.code.value for failure in found if failure.cost is not Cost.NOTE})
            rejected.append(RejectedRecord(candidate=dossier.entity, reasons=tuple(codes)))
    return Bound(
        candidates=tuple(desk.accepted),
        patches=tuple(desk.patches),
        rejected=tuple(rejected),
        failures=tuple(failures),
    )


def _judged(dossier: Dossier, desk: _Desk) -> list[Failure]:
    """The dossier's failures; what stands of it is on the desk afterwards."""
    of_sources = source_failures(dossier, desk.bench)
    usable = _usable(dossier, of_sources)
    found = [
        *of_sources,
        *citation_failures(dossier, usable),
        *candidate_failures(dossier, desk.bench),
    ]
    if not any(ref in usable for claim in dossier.claims for ref in claim.source_refs):
        found.append(dossier.place.at("claims").fails(Code.CANDIDATE_WITHOUT_CLAIM))
    if _refuses(found):
        return found
    if dossier.candidate is None:
        _add_patch(_Sound(dossier, usable), dossier.patch_target, desk)
        return found
    return [*found, *_placed(_Sound(dossier, usable), dossier.candidate, desk)]


def _usable(dossier: Dossier, failures: Iterable[Failure]) -> frozenset[str]:
    """References of the sources without a failure."""
    broken = [failure.path for failure in failures]
    return frozenset(
        source.source_ref
        for index, source in enumerate(dossier.sources)
        if not any(path.startswith(f"{dossier.source_place(index).path}/") for path in broken)
    )


def _placed(sound: _Sound, candidate: ScoutCandidate, desk: _Desk) -> Iterable[Failure]:
    """Give a sound candidate its place: its own, another's as evidence, or none."""
    own = identity.of_scouted(candidate)
    twin = next((name for name, other in desk.identities.items() if identity.same_event(own, other)), None)
    if twin is not None:
        _add_patch(sound, twin, desk)
        return [sound.dossier.place.fails(Code.DUPLICATE_CANDIDATE, "MERGED_AS_EVIDENCE")]
    update = candidate.selection_signals.update_of_earlier_story
    if not update and identity.repeats(own, desk.bench.published):
        return [sound.dossier.place.fails(Code.ALREADY_PUBLISHED, "NOT_AN_UPDATE")]
    accepted = _accepted(sound, candidate, desk)
    desk.standing[accepted.candidate_id] = accepted
    desk.identities[accepted.candidate_id] = identity.of_accepted(accepted)
    desk.accepted.append(accepted)
    return []


def _refuses(failures: Iterable[Failure]) -> bool:
    return any(failure.cost is Cost.CANDIDATE for failure in failures)


def _accepted(sound: _Sound, candidate: ScoutCandidate, desk: _Desk) -> AcceptedCandidate:
    name = ids.candidate_id(desk.stamp.process_suffix, candidate.proposed_event_key, desk.standing)
    evidence = _evidence(sound, name, desk)
    scout, signals = desk.bench.scout, candidate.selection_signals
    return AcceptedCandidate(
        candidate_id=name,
        event_key=candidate.proposed_event_key,
        event_date=candidate.event_date,
        precision=candidate.chronology_precision,
        headline_fact=candidate.headline_fact,
        regions=tuple(region for region in candidate.regions if region in scout.regions),
        topics=tuple(topic for topic in candidate.topics if topic in scout.topics),
        update=signals.update_of_earlier_story,
        significance=signals.international_significance,
        novelty=signals.novelty,
        claims=evidence.claims,
        sources=evidence.sources,
        claims_refused=len(sound.dossier.claims) - len(evidence.claims),
    )


def _add_patch(sound: _Sound, target: str, desk: _Desk) -> None:
    patch = _evidence(sound, target, desk)
    desk.patches.append(patch)
    desk.standing[target] = patched(desk.standing[target], [patch])


def _evidence(sound: _Sound, owner: str, desk: _Desk) -> EvidencePatch:
    """The claims that stand and the sources they use, with our ids, numbered on from what the owner has."""
    before = desk.standing.get(owner)
    names, sources = _named_sources(sound, owner, desk)
    first = len(before.claims) + 1 if before else 1
    standing = [claim for claim in sound.dossier.claims if any(ref in names for ref in claim.source_refs)]
    claims = tuple(_claim(claim, ids.claim_id(owner, n), names) for n, claim in enumerate(standing, first))
    return EvidencePatch(candidate_id=owner, claims=claims, sources=sources)


def _named_sources(sound: _Sound, owner: str, desk: _Desk) -> tuple[Mapping[str, str], tuple[PackageSource, ...]]:
    """Our id for each reference that is cited and stands, and the sources that the owner did not have yet."""
    before = desk.standing.get(owner)
    held = {urls.comparison_key(s.url): s.source_id for s in (before.sources if before else ())}
    cited = {ref for claim in sound.dossier.claims for ref in claim.source_refs if ref in sound.usable}
    names: dict[str, str] = {}
    new: list[PackageSource] = []
    for source in sound.dossier.sources:
        key = urls.comparison_key(source.url)
        if source.source_ref not in cited or key is None:
            continue
        if key not in held:
            held[key] = ids.source_id(owner, len(held) + 1)
            new.append(_source(source, held[key], desk))
        names[source.source_ref] = held[key]
    return names, tuple(new)


def _claim(claim: ScoutClaim, name: str, names: Mapping[str, str]) -> PackageClaim:
    return PackageClaim(
        claim_id=name,
        text=claim.claim,
        source_ids=tuple(dict.fromkeys(names[ref] for ref in claim.source_refs if ref in names)),
        support=claim.support_type,
    )


def _source(source: ScoutSource, name: str, desk: _Desk) -> PackageSource:
    return PackageSource(
        source_id=name,
        title=clean_title(source.title, source.publisher),
        publisher=clean_name(source.publisher),
        url=desk.bench.retrieved[urls.comparison_key(source.url) or ""],
        published_at=source.published_at,
        source_type=source.source_type,
        payload_digest=desk.stamp.payload_digest,
    )
