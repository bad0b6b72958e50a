"""From an intent to a frozen purchase: contract, request and reservation, in one transaction.

Everything that will be sent is decided and stored here; the dispatch later only reads it. A job that follows
another of its stage is told the bounded failure codes of the one before, and gets a larger output limit when that
was cut.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.contracts.contract import OperationContract, contract_bytes, contract_for, fingerprint
from orchestrator.contracts.prompts import instructions
from orchestrator.contracts.request import build_request, estimated_input_tokens, metadata_of
from orchestrator.contracts.task import research_task, supplement_task, task_bytes
from orchestrator.core.canonical import canonical_bytes, digest
from orchestrator.core.instants import utc_day
from orchestrator.core.observations import Abandoned, CostRefused, IntentAuthorised
from orchestrator.core.policy import ProductPolicy
from orchestrator.core.records import Job, JobStage, Process
from orchestrator.core.states import JobState
from orchestrator.editorial import Editorial
from orchestrator.evidence.candidate import accepted_record, all_patched
from orchestrator.evidence.deficits import deficits
from orchestrator.evidence.package import package_bytes
from orchestrator.evidence.report import feedback_of
from orchestrator.examination import earlier, examine, package_of, rejected_of, standing
from orchestrator.recording import Recorder, write_status
from orchestrator.store import costs, documents, jobs
from orchestrator.store.codes import DocumentKind
from outbox.clock import read_now_ms


@dataclass(frozen=True, slots=True)
class Retry:
    """What an earlier attempt of the stage taught: failure codes, and how much it may write now."""

    feedback: tuple[str, ...]
    output_limit: int


def authorise(conn: Connection, editorial: Editorial, process: Process, job: Job) -> IntentAuthorised | CostRefused:
    """Freeze what the job will buy and reserve its most.

    `CostRefused` where the input is estimated above its ceiling, or a cost ceiling leaves no room; nothing of the
    money is touched then.
    """
    running = editorial.running(process.product)
    policy = running.policy
    contract = contract_for(
        job.stage,
        running,
        target_date=process.target_date,
        process_revision=process.revision,
        evidence_digest=_builds_on(conn, process, job),
    )
    retry = _retry(conn, editorial, policy, job)
    body = _request(conn, editorial, process, job, contract=contract, retry=retry)
    if estimated_input_tokens(body) > contract.input_ceiling_tokens:
        return CostRefused(code=INPUT_TOO_LARGE)
    amount_micro = editorial.reservation_micro(contract)
    if not _reserved(conn, policy, process, job, amount_micro=amount_micro):
        return CostRefused()
    documents.put(conn, DocumentKind.POLICY, canonical_bytes(policy.editorial()))
    return IntentAuthorised(
        fingerprint=fingerprint(contract),
        contract_digest=documents.put(conn, DocumentKind.CONTRACT, contract_bytes(contract)),
        request_digest=documents.put(conn, DocumentKind.REQUEST, body),
        client_request_id=f"dl-{entropy.new_token()}-{job.generation}",
        cost_ceiling_micro=amount_micro,
        output_ceiling_tokens=retry.output_limit,
        deadline_ms=process.deadline_ms,
    )


def next_job(policy: ProductPolicy, process: Process, stage: JobStage, *, now_ms: int) -> Job:
    """The first job of the process's next stage, to be authorised by the loop."""
    return Job(
        id=entropy.new_uuid(),
        process_id=process.id,
        slot=None,
        state=JobState.NO_JOB,
        version=1,
        stage=stage,
        priority=policy.priority + (BACKFILL_PRIORITY if process.backfill else 0),
        deadline_ms=process.deadline_ms,
        next_due_ms=now_ms,
        created_ms=now_ms,
    )


def successor(job: Job, *, now_ms: int) -> Job:
    """Generation + 1 of a job that will not deliver."""
    return Job(
        id=entropy.new_uuid(),
        process_id=job.process_id,
        slot=None,
        state=JobState.NO_JOB,
        version=1,
        stage=job.stage,
        generation=job.generation + 1,
        priority=job.priority,
        deadline_ms=job.deadline_ms,
        next_due_ms=now_ms,
        created_ms=now_ms,
    )


def replaced(conn: Connection, recorder: Recorder, process: Process, job: Job) -> Job:
    """Give a quarantined job up and open generation + 1, to be authorised by the loop; answers the new one.

    Errors: `RefusedByState` when the job was given up before; `StaleFence`.
    """
    follows = successor(job, now_ms=read_now_ms(conn))
    jobs.insert(conn, follows)
    recorder.record(conn, job, Abandoned(), process=process, extra={"superseded_by": follows.id})
    write_status(conn, process, follows)
    return follows


INPUT_TOO_LARGE = "INPUT_TOO_LARGE"
"""Diagnostic of a job whose request is estimated above the product's input ceiling: it is never sent."""

BACKFILL_PRIORITY = 1_000
"""Added to a product's priority: what is made good waits for what is due."""


def _builds_on(conn: Connection, process: Process, job: Job) -> str | None:
    """The evidence that a stage builds on: nothing, what was accepted so far, or the frozen package."""
    match job.stage:
        case JobStage.RESEARCH_PRIMARY:
            return None
        case JobStage.COMPOSITION:
            return process.evidence_digest
        case JobStage.RESEARCH_SUPPLEMENTAL:
            candidates, patches = standing(conn, process.id)
            known = all_patched(candidates, patches)
            return digest([candidate.evidence_digest for candidate in known])


def _reserved(conn: Connection, policy: ProductPolicy, process: Process, job: Job, *, amount_micro: int) -> bool:
    return costs.reserve(
        conn,
        process_id=process.id,
        job_id=job.id,
        day=utc_day(read_now_ms(conn)),
        amount_micro=amount_micro,
        process_ceiling=policy.budgets.cost_per_process_micro,
        day_ceiling=policy.budgets.cost_per_day_micro,
    )


def _retry(conn: Connection, editorial: Editorial, policy: ProductPolicy, job: Job) -> Retry:
    budgets = policy.budgets
    before = jobs.predecessor(conn, job.id)
    if before is None:
        return Retry((), budgets.output_tokens)
    used = min(before.output_ceiling_tokens or budgets.output_tokens, budgets.output_ceiling_tokens)
    if before.payload_digest is None or before.report_digest is None:
        return Retry((), used)  # it brought nothing to learn from, and keeps what was learned before it
    found = examine(conn, editorial, before).validation
    limit = min(2 * used, budgets.output_ceiling_tokens) if found.truncated else used
    return Retry(feedback_of(found.report), limit)


def _request(
    conn: Connection,
    editorial: Editorial,
    process: Process,
    job: Job,
    *,
    contract: OperationContract,
    retry: Retry,
) -> bytes:
    policy = editorial.policy(process.product)
    return build_request(
        contract,
        instructions=instructions(job.stage, policy, retry.feedback),
        input_text=_input(conn, editorial, process, job),
        metadata=metadata_of(contract, process_suffix=process.suffix, generation=job.generation),
        output_limit=retry.output_limit,
        background=editorial.background,
    )


def _input(conn: Connection, editorial: Editorial, process: Process, job: Job) -> bytes:
    """The stage's input document: the frozen package, or a research task."""
    policy = editorial.policy(process.product)
    if job.stage is JobStage.COMPOSITION:
        return package_bytes(package_of(conn, process))
    published = earlier(conn, process, policy.scout.compared_editions)
    if job.stage is JobStage.RESEARCH_PRIMARY:
        return task_bytes(research_task(policy, process.target_date, published))
    known = all_patched(*standing(conn, process.id))
    rejected = rejected_of(conn, editorial, process.id)
    task = supplement_task(
        policy,
        process.target_date,
        published,
        deficits=deficits(known, policy, target_date=process.target_date, rejected=rejected),
        accepted=tuple(accepted_record(candidate) for candidate in known),
        rejected=rejected,
    )
    return task_bytes(task)
