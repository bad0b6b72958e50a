"""One night's store, written through the store's own functions, for the tests of what an operator reads.

daily-brief 2026-11-30       late; research done, its composition QUARANTINED: creation unknown
revolution-watch 2026-11-30  verified over HTTP in both languages
daily-brief 2026-11-29       missed
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from orchestrator.contracts.contract import contract_bytes, fingerprint
from orchestrator.core.limits import MachinePolicy
from orchestrator.core.machine import decide
from orchestrator.core.observations import Call, CreationUnknown, DispatchDue, Observation, Phase
from orchestrator.core.public import Counts, public_status
from orchestrator.core.records import Job, JobStage, Overlay, Process, ProcessStage
from orchestrator.core.states import JobState
from orchestrator.evidence.report import VALIDATION_VERSION
from orchestrator.store import (
    attempts,
    costs,
    documents,
    editions,
    events,
    evidence,
    jobs,
    processes,
    projection,
)
from orchestrator.store.codes import ActorType, AttemptOutcome, DocumentKind
from orchestrator.store.editions import NewEdition
from orchestrator.store.evidence import Candidate, Evidence, Source
from outbox import inbox
from outbox import store as outbox_store
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.message import Evidence as Seen
from outbox.message import Intent, Mode, OutboxEvent, Planned, Provenance
from outbox.outcome import Confirmed
from publisher.edition import Claim, Edition, Event, Made, Sentence, SentenceTrail
from publisher.edition import Evidence as Trail
from publisher.edition import Source as Page
from tests.orchestrator.evidence.samples import contract

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DATE = "2026-11-30"
LATE = "11111111-0000-4000-8000-00000091c4d2"
SEEN = "22222222-0000-4000-8000-0000005be1f0"
MISSED = "33333333-0000-4000-8000-000000a0a0a0"
RESEARCH = "7f3a0000-0000-4000-8000-000000000001"
STUCK = "7f3a91aa-0000-4000-8000-000000000002"
COMPOSED = "c0c0c0c0-0000-4000-8000-000000000003"
SHA = "sha256:" + "ab" * 32
RESERVED_MICRO = 310_000


def write_night(db: Database) -> None:
    """Write it."""
    with db.write() as conn:
        now_ms = read_now_ms(conn)
        _late(conn, now_ms)
        _seen(conn, now_ms)
        processes.insert(
            conn,
            _process(
                MISSED, now_ms, target_date="2026-11-29", overlay=Overlay.MISSED, reason="OLDER_THAN_CATCH_UP"
            ),
        )
        inbox.append(
            conn,
            source="provider",
            event_id="evt_1",
            kind="response.completed",
            payload=b"{}",
            source_time_ms=now_ms,
            provenance=Provenance(origin="webhook"),
        )
    _publish(db)


def _process(process_id: str, now_ms: int, **changes: Any) -> Process:
    plain = Process(
        id=process_id,
        product="daily-brief",
        target_date=DATE,
        languages=("en", "es"),
        version=1,
        revision=0,
        stage=ProcessStage.RESEARCH_PRIMARY,
        owner="night desk",
        created_ms=now_ms - 3 * HOUR_MS,
        scheduled_ms=now_ms - 3 * HOUR_MS,
        deadline_ms=now_ms - 41 * MINUTE_MS,
        progress_ms=now_ms - HOUR_MS,
    )
    return replace(plain, **changes)


def _job(job_id: str, process_id: str, now_ms: int, **changes: Any) -> Job:
    plain = Job(
        id=job_id,
        process_id=process_id,
        slot=None,
        state=JobState.DELETED,
        version=7,
        stage=JobStage.RESEARCH_PRIMARY,
        created_ms=now_ms - 2 * HOUR_MS,
        fingerprint="f" * 64,
        client_request_id=f"request-{job_id[:8]}",
    )
    return replace(plain, **changes)


def _late(conn: Connection, now_ms: int) -> None:
    payload = documents.put(conn, DocumentKind.PAYLOAD, b'{"id": "resp_research"}')
    report = documents.put(conn, DocumentKind.REPORT, _report(RESEARCH, accepted=True))
    package = documents.put(
        conn, DocumentKind.PACKAGE, b'{"events": [], "package_version": "evidence-package-2026-08"}'
    )
    process = _process(
        LATE,
        now_ms,
        stage=ProcessStage.COMPOSITION,
        overlay=Overlay.DELAYED,
        evidence_digest=package,
        revision=1,
    )
    processes.insert(conn, process)
    research = _job(
        RESEARCH,
        LATE,
        now_ms,
        response_id="resp_research",
        payload_digest=payload,
        report_digest=report,
        result_commit_key=f"{LATE}:research:0",
    )
    jobs.insert(conn, research)
    _planned(conn, process, now_ms)
    evidence.insert(conn, _accepted(payload))
    stuck = _lose_sight(conn, now_ms)
    projection.write(conn, LATE, public_status(process, stuck, Counts(candidates_accepted=9, sources_usable=1)))


def _accepted(payload: str) -> Evidence:
    """Nine accepted stories on one source."""
    stories = [
        Candidate(
            process_id=LATE,
            id=f"evt-{n}",
            position=n,
            identity=f"story-{n}",
            job_id=RESEARCH,
            process_revision=1,
            content="{}",
        )
        for n in range(9)
    ]
    page = Source(
        process_id=LATE, id="src-1", candidate_id="evt-0", position=0, payload_digest=payload, content="{}"
    )
    return Evidence(candidates=tuple(stories), sources=(page,))


def _planned(conn: Connection, process: Process, now_ms: int) -> None:
    line = events.Entry(
        occurred_ms=now_ms - 3 * HOUR_MS,
        event_type="TARGET_DUE",
        actor_type=ActorType.SCHEDULER,
        actor="scheduler",
        process_id=process.id,
        process_revision=0,
        fence=1,
        stage_code="RESEARCH_PRIMARY",
        diagnostic_code="ON_TIME",
    )
    events.append(conn, line)


def _lose_sight(conn: Connection, now_ms: int) -> Job:
    """A composition that was dispatched, and whose connection was cut after the request had been sent."""
    bought = contract(JobStage.COMPOSITION, evidence=SHA)
    job = _job(
        STUCK,
        LATE,
        now_ms,
        slot=LATE,
        state=JobState.CREATE_ELIGIBLE,
        stage=JobStage.COMPOSITION,
        fingerprint=fingerprint(bought),
        contract_digest=documents.put(conn, DocumentKind.CONTRACT, contract_bytes(bought)),
        request_digest=documents.put(conn, DocumentKind.REQUEST, b'{"model": "synthetic"}'),
        version=11,
        lease_owner="w3",
        next_due_ms=now_ms + 120_000,
        eligible_ms=now_ms - 43 * MINUTE_MS,
    )
    jobs.insert(conn, job)
    costs.reserve(
        conn,
        process_id=LATE,
        job_id=STUCK,
        day="2026-11-30",
        amount_micro=RESERVED_MICRO,
        process_ceiling=None,
        day_ceiling=None,
    )
    sent = _apply(
        conn, job, DispatchDue(gate_until_ms=None, affordable=True, drifted=False), now_ms - 42 * MINUTE_MS
    )
    attempts.open(
        conn,
        sent,
        now_ms=now_ms - 42 * MINUTE_MS,
        reserved_micro=RESERVED_MICRO,
        metadata={},
        contract_version=bought.contract_version,
    )
    call = Call(phase=Phase.WAIT, elapsed_ms=60_000, error_class="ReadError")
    lost = _apply(
        conn,
        sent,
        CreationUnknown(call=call, code="ReadError"),
        now_ms - 41 * MINUTE_MS,
        owner="night desk",
        owner_deadline_ms=now_ms + HOUR_MS,
    )
    attempts.settle(conn, STUCK, AttemptOutcome.UNKNOWN, now_ms=now_ms - 41 * MINUTE_MS, call=call)
    return lost


def _apply(conn: Connection, job: Job, seen: Observation, at_ms: int, **extra: object) -> Job:
    decided = decide(job, seen, MachinePolicy(), at_ms, chance=0.5)
    return jobs.apply(conn, job, decided, now_ms=at_ms, actor_type=ActorType.WORKER, actor="w3", extra=extra)


def _seen(conn: Connection, now_ms: int) -> None:
    payload = documents.put(conn, DocumentKind.PAYLOAD, b'{"id": "resp_composed"}')
    report = documents.put(conn, DocumentKind.REPORT, _report(COMPOSED, accepted=True))
    process = _process(
        SEEN,
        now_ms,
        product="revolution-watch",
        stage=ProcessStage.PUBLISHED,
        deadline_ms=now_ms + HOUR_MS,
        published_ms=now_ms - HOUR_MS,
        verified_ms=now_ms - 30 * MINUTE_MS,
    )
    processes.insert(conn, process)
    job = _job(
        COMPOSED,
        SEEN,
        now_ms,
        stage=JobStage.COMPOSITION,
        response_id="resp_composed",
        payload_digest=payload,
        report_digest=report,
        result_commit_key=f"{SEEN}:composition:0",
    )
    jobs.insert(conn, job)
    for lang in process.languages:
        new = NewEdition(
            process_id=SEEN,
            job_id=COMPOSED,
            product="revolution-watch",
            target_date=DATE,
            lang=lang,
            revision=1,
            number=1,
            content=_edition(lang).model_dump_json(),
            evidence=_trail(lang).model_dump_json(),
            digest=SHA,
            package_digest=SHA,
            composition_digest=SHA,
            report_digest=report,
        )
        saved = editions.insert(conn, new, now_ms=now_ms - HOUR_MS)
        editions.publish(conn, saved, now_ms=now_ms - HOUR_MS, approved_by="policy")
        _decided(conn, saved.key, now_ms)
    projection.write(conn, SEEN, public_status(process, job, Counts(candidates_accepted=6)))


def _decided(conn: Connection, key: str, now_ms: int) -> None:
    event = OutboxEvent(
        key=f"publish:{key}@1",
        type="PUBLISHED",
        entity=key,
        revision=1,
        mode=Mode.LIVE,
        provenance=Provenance(origin="supervisor"),
        decided_ms=now_ms - HOUR_MS,
    )
    acts = [
        Planned(intent=i, batch_key=key.rpartition("/")[0]) for i in (Intent.COMMIT, Intent.RENDER, Intent.VERIFY)
    ]
    outbox_store.record(conn, event, acts)


def _publish(db: Database) -> None:
    """The relay's work: each act is claimed, and confirmed."""
    done = {
        Intent.COMMIT: Confirmed("c0ffee" * 6 + "abcd"),
        Intent.RENDER: Confirmed("decade" * 6 + "abcd"),
        Intent.VERIFY: Confirmed("seen", Seen.HTTP),
    }
    for intent, outcome in done.items():
        with db.write() as conn:
            for held in outbox_store.claim(conn, intent, owner="relay", lease_ms=120_000, limit=10):
                outbox_store.settle(conn, held, outcome, chance=0.5, owner_role="night desk", actor="relay")


def _report(job_id: str, *, accepted: bool) -> bytes:
    report = {
        "validation_version": VALIDATION_VERSION,
        "operation_id": job_id,
        "result_digest": SHA,
        "accepted": accepted,
        "failures": [],
        "counts": {"candidates": 9},
    }
    return json.dumps(report).encode()


def _edition(lang: str) -> Edition:
    page = Page(
        source_id="src-1",
        title="Notice",
        publisher="Meridian Wire",
        url="https://meridian-wire.example/1",
        published_at=DATE,
        kind="report",
    )
    event = Event(
        event_id="evt-1",
        region="europe",
        topics=("protest",),
        headline="A square fills" if lang == "en" else "Se llena una plaza",
        sentences=(Sentence(text="Many came.", kind="fact", claim_ids=("clm-1",)),),
        claims=(Claim(claim_id="clm-1", text="Many came.", source_ids=("src-1",)),),
        sources=(page,),
    )
    return Edition(
        product="revolution-watch",
        product_title="Revolution Watch",
        date=DATE,
        lang=lang,
        revision=1,
        number=1,
        published_at="2026-11-30T05:31:00.000Z",
        revised_at="2026-11-30T05:31:00.000Z",
        events=(event,),
    )


def _trail(lang: str) -> Trail:
    made = Made(
        began_at="2026-11-30T05:00:00.000Z",
        candidates_found=14,
        candidates_accepted=6,
        candidates_refused={},
        sources_usable=12,
        research_rounds=1,
        checks_passed=("schema",),
        approved_by="policy",
        contracts={"composition": "composition-2026-08"},
        model="synthetic",
    )
    return Trail(
        evidence_version="1",
        product="revolution-watch",
        date=DATE,
        lang=lang,
        revision=1,
        package_digest=SHA,
        composition_digest=SHA,
        payload_digests=(SHA,),
        sentences=(SentenceTrail(path="0/0", text="Many came.", kind="fact", claim_ids=("clm-1",)),),
        claims=(),
        sources=(),
        made=made,
    )
