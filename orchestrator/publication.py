"""From a validated composition to published editions: built, saved, let out; the last in one transaction with the
outbox events (I7, I8).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from orchestrator.core.canonical import digest_bytes
from orchestrator.core.instants import rfc3339
from orchestrator.core.records import Job, Process, ProcessStage
from orchestrator.editorial import Editorial
from orchestrator.errors import InvariantBroken
from orchestrator.evidence.editions import Built, Facts, build_editions, made_of
from orchestrator.examination import contract_of, examine, package_of, reports_of
from orchestrator.progress import Progress
from orchestrator.store import editions
from orchestrator.store.editions import NewEdition, SavedEdition
from outbox import store as ledger
from outbox.ledger import Audit
from outbox.message import Intent, Mode, OutboxEvent, Planned, Provenance
from publisher.markdown import edition_md, normal_edition, normal_evidence

POLICY = "policy"
"""Who approved an edition that no person had to let out."""


def built(
    conn: Connection,
    editorial: Editorial,
    process: Process,
    job: Job,
    *,
    now_ms: int,
    approved_by: str = POLICY,
) -> tuple[Built, ...]:
    """The editions of the job's validated composition, in every language, as published at `now_ms`.

    Errors: `InvariantBroken` when the composition was made from another package than the process accepted (I7),
    or its stored answer no longer passes.
    """
    examined = examine(conn, editorial, job)
    answer = examined.validation.composition
    if examined.contract.evidence_digest != process.evidence_digest or answer is None:
        raise InvariantBroken(
            f"job {job.id}: its composition is not of the accepted evidence, or does not validate"
        )
    policy, package = editorial.policy(process.product), package_of(conn, process)
    research = reports_of(conn, process.id)
    contracts = [contract_of(conn, each) for each, _ in research]
    made = made_of(
        [report for _, report in research],
        [*contracts, examined.contract],
        package,
        began_at=rfc3339(process.created_ms),
        approved_by=approved_by,
    )
    facts = Facts(
        revision=1,
        number=editions.next_number(conn, process.product, process.target_date),
        published_at=rfc3339(now_ms),
        revised_at=rfc3339(now_ms),
        composition_digest=job.payload_digest or "",
        made=made,
        synthetic=editorial.synthetic,
        late=process.deadline_ms is not None and now_ms > process.deadline_ms,
    )
    return build_editions(answer, package, policy, facts=facts)


def save(conn: Connection, editorial: Editorial, progress: Progress, job: Job) -> list[SavedEdition]:
    """Write the editions, and take the process to READY_FOR_EDITORIAL."""
    process = progress.process
    saved = [
        editions.insert(conn, _new(process, job, each), now_ms=progress.now_ms)
        for each in built(conn, editorial, process, job, now_ms=progress.now_ms)
    ]
    progress.move(ProcessStage.COMPOSITION_VALIDATE)
    progress.move(
        ProcessStage.READY_FOR_EDITORIAL, composition_revision=process.revision, revision=process.revision + 1
    )
    return saved


def redate(conn: Connection, editorial: Editorial, progress: Progress, job: Job, *, approved_by: str) -> None:
    """Write the saved editions again as those of this moment: what a person lets out is dated by the decision."""
    saved = {e.lang: e for e in editions.of_process(conn, progress.process.id) if e.published_ms is None}
    for each in built(conn, editorial, progress.process, job, now_ms=progress.now_ms, approved_by=approved_by):
        editions.rewrite(conn, saved[each.edition.lang], _new(progress.process, job, each))


def publish(conn: Connection, progress: Progress, *, approved_by: str, audit: Audit) -> list[SavedEdition]:
    """Let the saved editions out: status, outbox events and process stage together, or not at all."""
    process = progress.process
    waiting = [e for e in editions.of_process(conn, process.id) if e.published_ms is None]
    if any(edition.package_digest != process.evidence_digest for edition in waiting) or not waiting:
        raise InvariantBroken(f"process {process.id}: the saved editions are not of the accepted evidence (I7)")
    progress.move(ProcessStage.READY_TO_PUBLISH)
    published = [
        editions.publish(conn, edition, now_ms=progress.now_ms, approved_by=approved_by) for edition in waiting
    ]
    for edition in published:
        ledger.record(conn, event_of(edition, progress.now_ms), _effects(published, process), audit=audit)
    progress.move(ProcessStage.PUBLISHED, published_ms=progress.now_ms, revision=process.revision + 1)
    return published


def event_of(edition: SavedEdition, decided_ms: int) -> OutboxEvent:
    """What the world must learn of a published revision. The key is the same in every replay."""
    return OutboxEvent(
        key=f"{edition.key}@{edition.revision}:published",
        type="edition.published",
        entity=edition.key,
        revision=edition.revision,
        mode=Mode.LIVE,
        provenance=Provenance(origin="dateline"),
        decided_ms=decided_ms,
        payload={"digest": edition.digest},
    )


def _effects(published: Sequence[SavedEdition], process: Process) -> list[Planned]:
    """Commit, render and verify; both languages share a batch, so that they are committed in one move."""
    first = published[0]
    batch = f"{first.product}/{first.target_date}@{first.revision}"
    return [
        Planned(intent=intent, batch_key=batch, deadline_ms=process.deadline_ms)
        for intent in (Intent.COMMIT, Intent.RENDER, Intent.VERIFY)
    ]


def _new(process: Process, job: Job, each: Built) -> NewEdition:
    # the form in which it will be read back from the repository, so that both stores hold the same bytes
    edition, evidence = normal_edition(each.edition), normal_evidence(each.evidence)
    return NewEdition(
        process_id=process.id,
        job_id=job.id,
        product=edition.product,
        target_date=edition.date,
        lang=edition.lang,
        revision=edition.revision,
        number=edition.number,
        content=edition.model_dump_json(),
        evidence=evidence.model_dump_json(),
        digest=digest_bytes(edition_md(edition)),
        package_digest=evidence.package_digest,
        composition_digest=evidence.composition_digest,
        report_digest=job.report_digest or "",
    )
