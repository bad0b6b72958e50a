"""Everything that one job's story rests on, and its JSON: the ten questions an operator may ask of it.

Why was it authorised · which contract · is creation known · who owns it · when is the next call · which evidence ·
why accepted or refused · did it advance the process · what did it cost · may it be cancelled or deleted.
Source: Daily Brief workflow, "Operator recovery actions" (closing list).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection

from orchestrator.contracts.contract import OperationContract, read_contract
from orchestrator.core.instants import rfc3339
from orchestrator.core.limits import acceptance_unknown, settled_ms
from orchestrator.core.records import Job, Process
from orchestrator.core.states import JobState
from orchestrator.desk import finding, remedies, words
from orchestrator.desk.remedies import Remedy
from orchestrator.desk.shapes import Json, event_json, instant, money
from orchestrator.evidence.report import ValidationReport, read_report
from orchestrator.store import attempts, costs, documents, events, evidence, jobs, processes
from orchestrator.store.attempts import Attempt
from orchestrator.store.codes import DocumentKind
from orchestrator.store.costs import Totals
from orchestrator.store.editions import SavedEdition
from orchestrator.store.events import Line

FAILURES_SHOWN = 20


class Creation(StrEnum):
    """What is known about the provider's side."""

    KNOWN = "known"
    AMBIGUOUS = "ambiguous"
    NOT_SENT = "not_sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a call may be on its way: the workspace's lease and total call deadline."""

    lease_ms: int
    timeout_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One job of a process, or a process that never had one."""

    process: Process
    job: Job | None
    short_id: str
    planned_code: str  # why the target was planned, as the scheduler said
    predecessor: Job | None  # the generation that this one replaces
    contract: OperationContract | None
    attempts: tuple[Attempt, ...]
    candidates: int
    sources: int
    report: ValidationReport | None
    cost: Totals
    history: tuple[Line, ...]
    settled_ms: int | None  # when "never created" may first be believed

    @property
    def creation(self) -> Creation:
        """Whether the provider has a response of it."""
        job = self.job
        if job is None:
            return Creation.NOT_SENT
        if acceptance_unknown(job) or job.state is JobState.CREATE_IN_FLIGHT:
            return Creation.AMBIGUOUS
        return Creation.KNOWN if job.response_id or job.payload_digest else Creation.NOT_SENT

    @property
    def advanced(self) -> bool:
        """Whether the process took its result."""
        return self.job is not None and self.job.result_commit_key is not None


def explain(conn: Connection, wanted: str, patience: Patience) -> Explanation:
    """The story of the job that `wanted` names (see `finding`); NotFound."""
    found = finding.find(conn, wanted)
    process = found if isinstance(found, Process) else processes.get(conn, found.process_id)
    if isinstance(found, Job):
        job: Job | None = found
    elif isinstance(found, SavedEdition) and found.job_id is not None:
        job = jobs.get(conn, found.job_id)
    else:
        job = jobs.current(conn, process.id)
    return _gathered(conn, process, job, patience)


def _gathered(conn: Connection, process: Process, job: Job | None, patience: Patience) -> Explanation:
    trail = events.of_process(conn, process.id)
    candidates, sources = evidence.counts(conn, process.id)
    tried = tuple(attempts.of_job(conn, job.id)) if job else ()
    return Explanation(
        process=process,
        job=job,
        short_id=finding.short(conn, job.id) if job else process.suffix,
        planned_code=next((e.diagnostic_code or "" for e in trail if e.event_type.startswith("TARGET_")), ""),
        predecessor=_predecessor(conn, job),
        contract=_contract(conn, job),
        attempts=tried,
        candidates=candidates,
        sources=sources,
        report=_report(conn, job),
        cost=costs.totals(conn, job_id=job.id) if job else costs.totals(conn, process_id=process.id),
        history=tuple(line for line in trail if job is None or line.job_id == job.id),
        settled_ms=_settled_ms(job, patience),
    )


def explain_json(explained: Explanation, known: Collection[str]) -> Json:
    """The interface's object. `known`: the commands that this program has."""
    job, process = explained.job, explained.process
    return {
        "id": job.id if job else process.id,
        "process": process.id,
        "product": process.product,
        "target_date": process.target_date,
        "stage": job.stage.value if job else process.stage.value,
        "generation": job.generation if job else None,
        "state": job.state.value if job else process.overlay.value,
        "reason": job.quarantine_reason.value if job and job.quarantine_reason else process.reason,
        "why_authorised": why(explained, rfc3339),
        "contract": _contract_json(explained),
        "creation": explained.creation.value,
        "owner": _owner_json(explained),
        "next_eligible": instant(job.next_due_ms) if job else None,
        "evidence": {
            "response_id": job.response_id if job else None,
            "payload_digest": job.payload_digest if job else None,
            "package_digest": process.evidence_digest,
            "candidates_accepted": explained.candidates,
            "sources_usable": explained.sources,
        },
        "verdict": _verdict_json(explained),
        "advanced_process": explained.advanced,
        "cost": {
            "reserved": money(explained.cost.reserved_micro),
            "spent": money(explained.cost.spent_micro),
        },
        "cancel": _allowed_json(job, remedies.cancelling),
        "delete": _allowed_json(job, remedies.deleting),
        "safe": safe(explained),
        "remedies": [
            {"words": remedy.words, "command": remedy.command or None}
            for remedy in healing(explained, known, said=rfc3339)
        ],
        "history": [event_json(line) for line in explained.history],
    }


def why(explained: Explanation, said: Callable[[int], str]) -> str:
    """Why it was authorised, in a sentence; `said` spells an instant."""
    process, job = explained.process, explained.job
    because = f"{process.product} {process.target_date} was due {said(process.scheduled_ms)}"
    if explained.planned_code:
        because += f" ({words.spoken(explained.planned_code)})"
    if job is not None and job.generation > 0:
        before = explained.predecessor
        lost = f" {before.id}, which is {before.state}" if before else ""
        because += f"; generation {job.generation} replaces{lost or ' an earlier one'}"
    return because


def safe(explained: Explanation) -> list[str]:
    """What cannot be lost or bought twice, in sentences."""
    said = [remedies.safe(explained.job) if explained.job else "Nothing was bought."]
    if explained.candidates:
        package = explained.process.evidence_digest
        named = f" (package {package[:15]}…)" if package else ""
        said.append(f"Research is kept: {words.counted(explained.candidates, 'accepted event')}{named}.")
    return said


def healing(explained: Explanation, known: Collection[str], *, said: Callable[[int], str]) -> tuple[Remedy, ...]:
    """What heals it; `said` spells an instant."""
    job = explained.job
    if job is None:
        return ()
    values = {
        "id": explained.short_id,
        "reserved": amount(explained.cost.reserved_micro),
        "settled": said(explained.settled_ms) if explained.settled_ms is not None else "never",
        "client_request_id": job.client_request_id or "—",
        "diagnostic": job.diagnostic or "no code",
    }
    return remedies.remedies(job, known=known, values=values)


def amount(micro: int) -> str:
    """Money with two digits, more where two would hide it."""
    digits = 2 if micro % 10_000 == 0 or micro >= 10_000_000 else 4
    return f"{micro / 1_000_000:.{digits}f}"


def _predecessor(conn: Connection, job: Job | None) -> Job | None:
    if job is None or job.generation == 0:
        return None
    return next((one for one in jobs.of_process(conn, job.process_id) if one.superseded_by == job.id), None)


def _contract(conn: Connection, job: Job | None) -> OperationContract | None:
    if job is None or job.contract_digest is None:
        return None
    return read_contract(documents.get(conn, DocumentKind.CONTRACT, job.contract_digest))


def _report(conn: Connection, job: Job | None) -> ValidationReport | None:
    if job is None or job.report_digest is None:
        return None
    return read_report(documents.get(conn, DocumentKind.REPORT, job.report_digest))


def _settled_ms(job: Job | None, patience: Patience) -> int | None:
    if job is None or job.create_started_ms is None:
        return None
    return settled_ms(job.create_started_ms, lease_ms=patience.lease_ms, timeout_ms=patience.timeout_ms)


def _contract_json(explained: Explanation) -> Json | None:
    job, contract = explained.job, explained.contract
    if job is None or contract is None:
        return None
    return {
        "version": contract.contract_version,
        "digest": job.contract_digest,
        "fingerprint": job.fingerprint,
        "model": contract.model,
        "process_revision": contract.process_revision,
        "policy_digest": contract.policy_digest,
        "evidence_digest": contract.evidence_digest,
    }


def _owner_json(explained: Explanation) -> Json | None:
    job, process = explained.job, explained.process
    if job is not None and job.owner is not None:
        deadline_ms, acked_ms = job.owner_deadline_ms, job.acked_ms
        return {"role": job.owner, "deadline": instant(deadline_ms), "acknowledged": instant(acked_ms)}
    return {"role": process.owner, "deadline": None, "acknowledged": None} if process.owner else None


def _verdict_json(explained: Explanation) -> Json | None:
    report, job = explained.report, explained.job
    if report is None or job is None:
        return None
    return {
        "accepted": report.accepted,
        "report_digest": job.report_digest,
        "validation_version": report.validation_version,
        "failure_count": len(report.failures),
        "failures": [failure.model_dump(mode="json") for failure in report.failures[:FAILURES_SHOWN]],
        "counts": report.counts,
    }


def _allowed_json(job: Job | None, asked: Callable[[Job], remedies.Allowed]) -> Json:
    allowed = asked(job) if job is not None else remedies.Allowed(now=False, why="nothing was bought")
    return {"allowed": allowed.now, "why": allowed.why}
