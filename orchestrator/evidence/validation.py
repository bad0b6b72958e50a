"""Validation of one provider answer: pure, layered, ending in an immutable report.

`validate` reads the stored bytes of a Response object and nothing else from the world; it can be run again
from storage at any time, without a provider call, and gives the same report.

Rules (completed tables §0, §7):
* transport, provider status, schema and tool use fail the job, and nothing behind them is looked at;
* in research every candidate and patch is judged on its own; the job fails when none is usable;
* a wrong count fails the job too, but its valid candidates are `salvageable`;
* in a composition every failure is the job's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from orchestrator.contracts.composition import CompositionAnswer
from orchestrator.contracts.contract import OperationContract
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.scout import ScoutAnswer
from orchestrator.contracts.supplement import SupplementAnswer
from orchestrator.contracts.task import PublishedStory, RejectedRecord
from orchestrator.core.canonical import digest_bytes
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import JobStage
from orchestrator.evidence.answer_checks import TRUNCATED, read_answer, status_failures, tool_failures
from orchestrator.evidence.binder import Bound, Stamp, bind
from orchestrator.evidence.candidate import AcceptedCandidate, EvidencePatch
from orchestrator.evidence.citation_checks import annotation_failures
from orchestrator.evidence.composition_checks import composition_failures
from orchestrator.evidence.dossier import Bench, dossiers_of
from orchestrator.evidence.failure import Code, Cost, Failure, Place
from orchestrator.evidence.payload import Payload, read_payload
from orchestrator.evidence.report import VALIDATION_VERSION, ValidationReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an answer is validated against. `known`: accepted candidates of the process, patches applied.

    `package` is needed for a composition; `published` are the stories of the last editions.
    """

    operation_id: str
    process_suffix: str
    contract: OperationContract
    policy: ProductPolicy
    package: EvidencePackage | None = None
    known: tuple[AcceptedCandidate, ...] = ()
    published: tuple[PublishedStory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The report, and what was read out of the answer. After a refusal only salvage may use the candidates."""

    report: ValidationReport
    candidates: tuple[AcceptedCandidate, ...] = ()
    patches: tuple[EvidencePatch, ...] = ()
    rejected: tuple[RejectedRecord, ...] = ()
    composition: CompositionAnswer | None = None
    salvageable: bool = False

    @property
    def code(self) -> str:
        """VALID, or the code of the failure that decided."""
        return "VALID" if self.report.accepted else self._deciding.code.value

    @property
    def truncated(self) -> bool:
        """The answer was cut at the output limit: asking again with a larger one can help."""
        return any(f.code is Code.INCOMPLETE and f.detail_class == TRUNCATED for f in self.report.failures)

    @property
    def _deciding(self) -> Failure:
        failures = self.report.failures
        return next((f for f in failures if f.cost in (Cost.JOB, Cost.COUNT)), failures[0])


@dataclass(frozen=True, slots=True)
class _Reading:
    """One answer being read: its bytes, what it is judged against, what was counted so far."""

    body: bytes
    subject: Subject
    counts: Mapping[str, int]

    def report(self, failures: Sequence[Failure], *, accepted: bool, **counts: int) -> ValidationReport:
        return ValidationReport(
            validation_version=VALIDATION_VERSION,
            operation_id=self.subject.operation_id,
            result_digest=digest_bytes(self.body),
            accepted=accepted,
            failures=tuple(failures),
            counts={**self.counts, **counts},
        )

    def refused(self, failures: Sequence[Failure]) -> Validation:
        return Validation(report=self.report(failures, accepted=False))


def validate(body: bytes, subject: Subject, *, asked_id: str | None, content_type: str | None = None) -> Validation:
    """Judge the stored bytes of one Response object. `asked_id` None accepts any response id.

    Errors: ValueError when a composition is validated without its package.
    """
    payload = read_payload(body, asked_id, content_type)
    if not isinstance(payload, Payload):
        return _Reading(body, subject, {}).refused(payload)
    counts = {"sources_retrieved": len(payload.retrieved), "tool_calls": sum(t.ran for t in payload.tools)}
    reading = _Reading(body, subject, counts)
    early = status_failures(payload)
    if early:
        return reading.refused(early)
    match subject.contract.stage:
        case JobStage.COMPOSITION:
            return _composition(reading, payload, subject.package)
        case JobStage.RESEARCH_PRIMARY | JobStage.RESEARCH_SUPPLEMENTAL:
            return _research(reading, payload)


def _composition(reading: _Reading, payload: Payload, package: EvidencePackage | None) -> Validation:
    if package is None:
        raise ValueError("a composition is validated against its package")
    subject = reading.subject
    answer = read_answer(payload, CompositionAnswer, subject.contract)
    tools = tool_failures(payload, subject.contract)
    if isinstance(answer, list) or tools:
        return reading.refused([*(answer if isinstance(answer, list) else []), *tools])
    failures = composition_failures(answer, package, subject.policy.composition)
    report = reading.report(
        failures, accepted=not failures, events=len(answer.events), sentences=_sentences(answer)
    )
    return Validation(report=report, composition=answer if report.accepted else None)


def _research(reading: _Reading, payload: Payload) -> Validation:
    subject = reading.subject
    answer = _research_answer(payload, subject.contract)
    tools = tool_failures(payload, subject.contract)
    if isinstance(answer, list) or tools:
        return reading.refused([*(answer if isinstance(answer, list) else []), *tools])
    dossiers = dossiers_of(answer)
    stamp = Stamp(process_suffix=subject.process_suffix, payload_digest=digest_bytes(reading.body))
    bound = bind(dossiers, _bench(payload, subject), stamp)
    of_job = [*_count(answer, subject.policy), *_usable(bound, answer)]
    failures = [*annotation_failures(payload), *bound.failures, *of_job]
    return Validation(
        report=reading.report(failures, accepted=not of_job, **_counts(bound, len(dossiers))),
        candidates=bound.candidates,
        patches=bound.patches,
        rejected=bound.rejected,
        salvageable=bool(of_job) and all(failure.cost is Cost.COUNT for failure in of_job),
    )


def _research_answer(
    payload: Payload, contract: OperationContract
) -> ScoutAnswer | SupplementAnswer | list[Failure]:
    if contract.stage is JobStage.RESEARCH_PRIMARY:
        return read_answer(payload, ScoutAnswer, contract)
    return read_answer(payload, SupplementAnswer, contract)


def _bench(payload: Payload, subject: Subject) -> Bench:
    return Bench(
        scout=subject.policy.scout,
        target_date=date.fromisoformat(subject.contract.target_date),
        retrieved=payload.retrieved,
        known=subject.known,
        published=subject.published,
    )


def _count(answer: ScoutAnswer | SupplementAnswer, policy: ProductPolicy) -> list[Failure]:
    """The primary scout owes exactly as many as its contract says; a delta owes no number."""
    if isinstance(answer, SupplementAnswer) or len(answer.candidates) == policy.scout.candidates:
        return []
    few = len(answer.candidates) < policy.scout.candidates
    return [Place("/candidates").fails(Code.WRONG_COUNT, "TOO_FEW" if few else "TOO_MANY")]


def _usable(bound: Bound, answer: ScoutAnswer | SupplementAnswer) -> list[Failure]:
    """A scout must bring something; a supplement may honestly find nothing, if it says so."""
    if bound.candidates or bound.patches:
        return []
    offered = isinstance(answer, ScoutAnswer) or answer.new_candidates or answer.candidate_patches
    return [Place("").fails(Code.NOTHING_USABLE)] if offered else []


def _counts(bound: Bound, received: int) -> dict[str, int]:
    usable = {s.url for c in bound.candidates for s in c.sources} | {
        s.url for p in bound.patches for s in p.sources
    }
    return {
        "candidates_received": received,
        "candidates_accepted": len(bound.candidates),
        "patches_accepted": len(bound.patches),
        "sources_usable": len(usable),
    }


def _sentences(answer: CompositionAnswer) -> int:
    return sum(len(event.english.sentences) + len(event.spanish.sentences) for event in answer.events)
