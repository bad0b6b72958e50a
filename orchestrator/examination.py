"""Reading a job's stored answer against everything it is judged by: from the store only, no provider call.

The worker examines to write the report; the supervisor examines again to take the candidates or the composition
out of the same bytes, and later to say what was refused. All see the same: an answer is judged against what had
been accepted before its job, never against its own harvest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

from sqlalchemy import Connection

from orchestrator.contracts.contract import OperationContract, read_contract
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.task import PublishedStory, RejectedRecord
from orchestrator.core.records import Job, JobStage, Process
from orchestrator.editorial import Editorial
from orchestrator.errors import InvariantBroken
from orchestrator.evidence.candidate import AcceptedCandidate, EvidencePatch, all_patched
from orchestrator.evidence.identity import published_stories
from orchestrator.evidence.package import read_package
from orchestrator.evidence.report import ValidationReport, read_report
from orchestrator.evidence.validation import Subject, Validation, validate
from orchestrator.store import documents, evidence, jobs, processes
from orchestrator.store.codes import DocumentKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The contract the answer was bought under, and what validation makes of it."""

    contract: OperationContract
    validation: Validation


def examine(conn: Connection, editorial: Editorial, job: Job) -> Examined:
    """Validate the job's stored payload under its recorded contract.

    Errors: `InvariantBroken` when a document is missing that the job's state promises.
    """
    process = processes.get(conn, job.process_id)
    contract = contract_of(conn, job)
    policy = editorial.policy(process.product)
    candidates, patches = standing(conn, process.id, of_jobs=_earlier_jobs(conn, job))
    subject = Subject(
        operation_id=job.id,
        process_suffix=process.suffix,
        contract=contract,
        policy=policy,
        package=package_of(conn, process) if job.stage is JobStage.COMPOSITION else None,
        known=all_patched(candidates, patches),
        published=earlier(conn, process, policy.scout.compared_editions),
    )
    body = stored(conn, DocumentKind.PAYLOAD, job.payload_digest)
    return Examined(contract=contract, validation=validate(body, subject, asked_id=job.response_id))


def contract_of(conn: Connection, job: Job) -> OperationContract:
    """The contract recorded when the job was authorised."""
    return read_contract(stored(conn, DocumentKind.CONTRACT, job.contract_digest))


def standing(
    conn: Connection, process_id: str, *, of_jobs: Collection[str] | None = None
) -> tuple[tuple[AcceptedCandidate, ...], tuple[EvidencePatch, ...]]:
    """What was accepted for the process: candidates as they were accepted, and the patches to them.

    `of_jobs` narrows it to what these jobs brought.
    """
    kept = evidence.of_process(conn, process_id)
    return (
        tuple(AcceptedCandidate.model_validate_json(row.content) for row in _of(kept.candidates, of_jobs)),
        tuple(EvidencePatch.model_validate_json(row.content) for row in _of(kept.patches, of_jobs)),
    )


Row = TypeVar("Row", evidence.Candidate, evidence.Patch)


def _of(rows: Sequence[Row], job_ids: Collection[str] | None) -> list[Row]:
    return [row for row in rows if job_ids is None or row.job_id in job_ids]


def _earlier_jobs(conn: Connection, job: Job) -> set[str]:
    return {each.id for each in takewhile(lambda each: each.id != job.id, jobs.of_process(conn, job.process_id))}


def package_of(conn: Connection, process: Process) -> EvidencePackage:
    """The process's frozen package."""
    return read_package(stored(conn, DocumentKind.PACKAGE, process.evidence_digest))


def earlier(conn: Connection, process: Process, limit: int) -> tuple[PublishedStory, ...]:
    """The stories of the last `limit` editions of every product before the process's date."""
    digests = processes.published_evidence(conn, before=process.target_date, limit=limit)
    packages = (read_package(documents.get(conn, DocumentKind.PACKAGE, digest)) for digest in digests)
    return tuple(story for package in packages for story in published_stories(package))


def reports_of(conn: Connection, process_id: str) -> list[tuple[Job, ValidationReport]]:
    """The process's research jobs that were validated, with their reports, oldest first."""
    research = [job for job in jobs.of_process(conn, process_id) if job.stage is not JobStage.COMPOSITION]
    return [
        (job, read_report(documents.get(conn, DocumentKind.REPORT, job.report_digest)))
        for job in research
        if job.report_digest is not None
    ]


def stored(conn: Connection, kind: DocumentKind, digest: str | None) -> bytes:
    """A document that a row's state promises.

    Errors: `InvariantBroken` when the digest is missing: the row was tampered with.
    """
    if digest is None:
        raise InvariantBroken(f"a row in this state must name its {kind.lower()}")
    return documents.get(conn, kind, digest)


def rejected_of(conn: Connection, editorial: Editorial, process_id: str) -> tuple[RejectedRecord, ...]:
    """Every candidate that research of this process refused, with its reasons, read out of the answers again."""
    examined = (examine(conn, editorial, job) for job, _ in reports_of(conn, process_id))
    return tuple(dict.fromkeys(record for each in examined for record in each.validation.rejected))
