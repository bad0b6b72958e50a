"""Research into evidence: what a validated answer adds to a process, and what follows from it.

Accepted candidates are written once and never again; a later answer adds patches and new candidates. Then the
deficits are computed and the next stage is chosen: supplemental research for what is open, composition from the
frozen package, or a person, with everything accepted kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from orchestrator.authorisation import next_job
from orchestrator.core.instants import utc_day
from orchestrator.core.records import Job, Overlay, Process, ProcessStage
from orchestrator.core.stages import JOB_STAGES, Assessment, next_stage
from orchestrator.editorial import Editorial
from orchestrator.evidence.candidate import AcceptedCandidate, EvidencePatch, all_patched
from orchestrator.evidence.deficits import deficits, publishable
from orchestrator.evidence.package import freeze_package, package_bytes
from orchestrator.evidence.validation import Validation
from orchestrator.examination import contract_of, rejected_of, standing
from orchestrator.progress import Progress
from orchestrator.store import costs, documents, evidence, jobs
from orchestrator.store.codes import DocumentKind
from outbox.clock import read_now_ms


@dataclass(frozen=True, slots=True)
class Merged:
    """The process after the merge, the job that carries it on (None: it waits for a person), open deficits."""

    process: Process
    job: Job | None
    deficits: tuple[str, ...]


def merge(
    conn: Connection, editorial: Editorial, progress: Progress, *, job: Job, validation: Validation
) -> Merged:
    """Write the answer's evidence and take the process to its next stage, in the caller's transaction."""
    process = progress.process
    before, patches = standing(conn, process.id)
    _write(conn, progress, job, validation, first=len(before))
    known = all_patched((*before, *validation.candidates), (*patches, *validation.patches))
    policy = editorial.policy(process.product)
    open_deficits = deficits(
        known, policy, target_date=process.target_date, rejected=rejected_of(conn, editorial, process.id)
    )
    codes = tuple(sorted({deficit.code.value for deficit in open_deficits}))
    progress.move(ProcessStage.RESEARCH_ASSESS, revision=process.revision + 1, code=",".join(codes)[:200])
    move = next_stage(
        ProcessStage.RESEARCH_ASSESS,
        assessment=Assessment(
            deficits=codes,
            publishable=len(publishable(known, policy, target_date=process.target_date)),
            needed=policy.events_needed,
            rounds_used=process.supplemental_rounds,
            rounds_allowed=policy.budgets.supplemental_rounds,
            affordable=_affords_another(conn, editorial, progress.process, job),
        ),
    )
    if move.stuck is not None:
        progress.overlay(Overlay.QUARANTINED, reason=move.stuck.value)
        return Merged(progress.process, None, codes)
    if move.stage is ProcessStage.RESEARCH_SUPPLEMENTAL:
        progress.move(move.stage, supplemental_rounds=process.supplemental_rounds + 1)
    else:
        _freeze(conn, editorial, progress, known)
    follows = next_job(policy, progress.process, JOB_STAGES[progress.process.stage], now_ms=progress.now_ms)
    jobs.insert(conn, follows)
    return Merged(progress.process, follows, codes)


def _affords_another(conn: Connection, editorial: Editorial, process: Process, job: Job) -> bool:
    """Whether one more round like this one fits the cost ceilings, as they stand after this one was charged."""
    budgets = editorial.policy(process.product).budgets
    return costs.has_room(
        conn,
        process_id=process.id,
        day=utc_day(read_now_ms(conn)),
        amount_micro=editorial.reservation_micro(contract_of(conn, job)),
        process_ceiling=budgets.cost_per_process_micro,
        day_ceiling=budgets.cost_per_day_micro,
    )


def _freeze(
    conn: Connection, editorial: Editorial, progress: Progress, known: tuple[AcceptedCandidate, ...]
) -> None:
    """RESEARCH_ACCEPTED with the frozen package, and on to COMPOSITION."""
    process = progress.process
    package = freeze_package(known, editorial.policy(process.product), target_date=process.target_date)
    digest = documents.put(conn, DocumentKind.PACKAGE, package_bytes(package))
    progress.move(
        ProcessStage.RESEARCH_ACCEPTED,
        evidence_digest=digest,
        accepted_research_revision=process.revision,
        revision=process.revision + 1,
    )
    progress.move(ProcessStage.COMPOSITION)


def _write(conn: Connection, progress: Progress, job: Job, validation: Validation, *, first: int) -> None:
    process = progress.process
    candidates = validation.candidates
    patches = [(f"pat-{job.id[:8]}-{n}", patch) for n, patch in enumerate(validation.patches, 1)]
    rows = evidence.Evidence(
        candidates=tuple(
            evidence.Candidate(
                process_id=process.id,
                id=candidate.candidate_id,
                position=first + n,
                identity=candidate.candidate_id,
                job_id=job.id,
                process_revision=process.revision,
                content=candidate.model_dump_json(),
            )
            for n, candidate in enumerate(candidates)
        ),
        patches=tuple(
            evidence.Patch(
                process_id=process.id,
                id=name,
                candidate_id=patch.candidate_id,
                job_id=job.id,
                process_revision=process.revision,
                content=patch.model_dump_json(),
            )
            for name, patch in patches
        ),
        claims=tuple(_claims(process.id, candidates, patches)),
        sources=tuple(_sources(process.id, candidates, patches)),
    )
    evidence.insert(conn, rows)


_Named = tuple[str, EvidencePatch]


def _owners(
    candidates: tuple[AcceptedCandidate, ...], patches: list[_Named]
) -> list[tuple[AcceptedCandidate | EvidencePatch, str | None]]:
    return [*((candidate, None) for candidate in candidates), *((patch, name) for name, patch in patches)]


def _claims(
    process_id: str, candidates: tuple[AcceptedCandidate, ...], patches: list[_Named]
) -> list[evidence.Claim]:
    return [
        evidence.Claim(
            process_id=process_id,
            id=claim.claim_id,
            candidate_id=owner.candidate_id,
            position=position,
            content=claim.model_dump_json(),
            patch_id=patch_id,
        )
        for owner, patch_id in _owners(candidates, patches)
        for position, claim in enumerate(owner.claims)
    ]


def _sources(
    process_id: str, candidates: tuple[AcceptedCandidate, ...], patches: list[_Named]
) -> list[evidence.Source]:
    return [
        evidence.Source(
            process_id=process_id,
            id=source.source_id,
            candidate_id=owner.candidate_id,
            position=position,
            payload_digest=source.payload_digest,
            content=source.model_dump_json(),
            patch_id=patch_id,
        )
        for owner, patch_id in _owners(candidates, patches)
        for position, source in enumerate(owner.sources)
    ]
