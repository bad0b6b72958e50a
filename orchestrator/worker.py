"""Steps one claimed job: at most one provider call, one decision, one fenced commit.

    claim → perform the one call that the state asks for → observation → decide → fenced commit

Rules:
* a create is committed as CREATE_IN_FLIGHT before any byte is sent, and sent only while the lease outlives the
  call;
* a worker whose fence is stale changes no job: what it saw goes to the inbox as late evidence, so that a paid
  response id is never forgotten (I3); while the store is away, what a create brought is written again and again.
Source: completed tables §1, §5; durable orchestration §17.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.contracts.contract import OperationContract
from orchestrator.core.canonical import digest_bytes
from orchestrator.core.instants import utc_day
from orchestrator.core.limits import CANCEL_CALLS, may_delete
from orchestrator.core.observations import (
    Call,
    Created,
    DispatchDue,
    DriftFound,
    Garbled,
    GateFound,
    LeaseEndedInFlight,
    NotCreated,
    Observation,
    Phase,
    Polled,
    ProviderStatus,
    RemoteDeleted,
    Throttled,
    Unreachable,
    Validated,
    WebhookSeen,
)
from orchestrator.core.records import Job, JobStage
from orchestrator.core.states import LOOKED_AT, PENDING_REMOTE, JobState
from orchestrator.editorial import Editorial
from orchestrator.errors import InvariantBroken
from orchestrator.evidence.report import report_bytes
from orchestrator.examination import contract_of, examine, stored
from orchestrator.recording import Recorder
from orchestrator.store import attempts, costs, documents, events
from orchestrator.store.codes import ActorType, DocumentKind
from outbox import inbox
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.errors import StaleFence, StoreUnavailable
from outbox.message import NAME_LENGTH, Provenance

T = TypeVar("T")

COMMIT_MARGIN_S = 5.0
"""What a lease must still hold beyond the call's own deadline, so that the outcome can be committed."""

AWAY_WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Between the tries to write down what a create brought: until then only this thread knows the response id."""

SOURCES = ("web_search_call.action.sources",)

LATE_EVIDENCE = "late-evidence"
"""Inbox source of what a worker saw after it had lost its lease."""


class ProviderPort(Protocol):
    """What a worker needs of the provider (`orchestrator.provider.client.Provider`)."""

    def create(self, body: bytes, *, client_request_id: str) -> Observation: ...
    def retrieve(self, response_id: str, *, include: Sequence[str] = ()) -> Observation: ...
    def cancel(self, response_id: str) -> Observation: ...
    def delete(self, response_id: str) -> Observation: ...
    def input_tokens(self, body: bytes) -> int | Throttled | Unreachable: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One leased job and what the claim saw. `ends_s`: the lease's end on the worker's own clock."""

    job: Job
    now_ms: int
    gate_until_ms: int | None
    ends_s: float


class Worker:
    """Steps jobs in `WORKER_STATES`. One object serves any number of threads."""

    def __init__(
        self,
        db: Database,
        provider: ProviderPort,
        editorial: Editorial,
        *,
        name: str,
        timeout_s: float,
        chance: Callable[[], float] = entropy.chance,
        monotonic_s: Callable[[], float] = entropy.monotonic_s,
        sleep_s: Callable[[float], None] = entropy.sleep_s,
    ) -> None:
        self._db = db
        self._provider = provider
        self._editorial = editorial
        self._recorder = Recorder(editorial, actor=name, chance=chance)
        self._name = name
        self._timeout_s = timeout_s
        self._monotonic_s = monotonic_s
        self._sleep_s = sleep_s

    def step(self, claim: Claim) -> Job | None:
        """One step. None: the lease was lost meanwhile; nothing was written but late evidence."""
        job = claim.job
        try:
            if job.state is JobState.CREATE_ELIGIBLE:
                return self._create(claim)
            if job.state is JobState.CREATE_IN_FLIGHT:
                return self._commit(job, LeaseEndedInFlight())
            if job.state in LOOKED_AT:
                return self._look(claim)
            if job.state is JobState.RETRIEVED_NOT_VALIDATED:
                return self._validate(job)
            return self._commit(job, self._delete(job))
        except StaleFence:
            self._note_stale(job)
            return None

    # the one call of each state

    def _create(self, claim: Claim) -> Job:
        counted = self._counted(claim)
        with self._db.write() as conn:
            job, body = self._dispatch(conn, claim, counted=counted)
        if job.state is not JobState.CREATE_IN_FLIGHT or job.client_request_id is None:
            return job
        if claim.ends_s - self._monotonic_s() >= self._timeout_s + COMMIT_MARGIN_S:
            seen = self._provider.create(body, client_request_id=job.client_request_id)
        else:
            seen = never_sent()
        try:
            return self._insist(seen, lambda: self._commit(job, seen))
        except StaleFence:
            self._insist(seen, lambda: self._keep(job, seen))
            raise

    def _counted(self, claim: Claim) -> int | None:
        """How many input tokens the provider counts, where a product asks for it and the gate is open."""
        asked = any(policy.budgets.count_input for policy in self._editorial.products.values())
        if claim.gate_until_ms is not None or not asked:
            return None
        with self._db.read() as conn:
            contract = contract_of(conn, claim.job)
            body = stored(conn, DocumentKind.REQUEST, claim.job.request_digest)
        if not self._editorial.policy(contract.product).budgets.count_input:
            return None
        counted = self._provider.input_tokens(body)
        return counted if isinstance(counted, int) else None  # the estimate was made before: it must do

    def _dispatch(self, conn: Connection, claim: Claim, *, counted: int | None) -> tuple[Job, bytes]:
        """Decide whether to send. When so, attempt and state are committed before any byte is."""
        job = claim.job
        contract = contract_of(conn, job)
        body = stored(conn, DocumentKind.REQUEST, job.request_digest)
        due = DispatchDue(
            gate_until_ms=claim.gate_until_ms,
            affordable=self._affordable(conn, job, contract)
            and (counted is None or counted <= contract.input_ceiling_tokens),
            drifted=not job.drift_waived and self._editorial.has_drifted(contract),
        )
        changed = self._recorder.record(conn, job, due)
        if changed.state is JobState.CREATE_IN_FLIGHT:
            attempts.open(
                conn,
                changed,
                now_ms=read_now_ms(conn),
                reserved_micro=self._editorial.reservation_micro(contract),
                metadata=json.loads(body)["metadata"],
                contract_version=contract.contract_version,
            )
        return changed, body

    def _affordable(self, conn: Connection, job: Job, contract: OperationContract) -> bool:
        budgets = self._editorial.policy(contract.product).budgets
        return costs.hold(
            conn,
            process_id=job.process_id,
            job_id=job.id,
            day=utc_day(read_now_ms(conn)),
            amount_micro=self._editorial.reservation_micro(contract),
            process_ceiling=budgets.cost_per_process_micro,
            day_ceiling=budgets.cost_per_day_micro,
        )

    def _look(self, claim: Claim) -> Job:
        job = claim.job
        if claim.gate_until_ms is not None:
            return self._commit(job, GateFound(until_ms=claim.gate_until_ms))
        if job.response_id is None:
            raise InvariantBroken(f"job {job.id} is {job.state} without a response id")
        if _cancel_unsent(job):
            return self._cancel(job, job.response_id)
        include = () if job.stage is JobStage.COMPOSITION else SOURCES
        return self._commit(job, self._provider.retrieve(job.response_id, include=include))

    def _cancel(self, job: Job, response_id: str) -> Job:
        """One of at most three cancel calls. What had ended before is fetched like any other answer: the one to
        a cancel lacks the tool evidence that a look asks for.
        """
        seen: Observation = self._provider.cancel(response_id)
        if isinstance(seen, Garbled):  # a server that says "ok": the result is what a look brings
            seen = Unreachable(call=seen.call, code=seen.code)
        unanswered = isinstance(seen, Throttled | Unreachable)
        if isinstance(seen, Polled) and seen.status in (ProviderStatus.COMPLETED, ProviderStatus.INCOMPLETE):
            seen = WebhookSeen(status=seen.status)
        calls = job.cancel_calls + 1 if unanswered else CANCEL_CALLS
        return self._commit(job, seen, extra={"cancel_calls": calls})

    def _validate(self, job: Job) -> Job:
        with self._db.read() as conn:
            examined = examine(conn, self._editorial, job)
        if not job.drift_waived and self._editorial.has_drifted(examined.contract):
            return self._commit(job, DriftFound())
        with self._db.write() as conn:
            found = examined.validation
            digest = documents.put(conn, DocumentKind.REPORT, report_bytes(found.report))
            seen = Validated(passed=found.report.accepted, report_digest=digest, code=found.code)
            return self._recorder.record(conn, job, seen)

    def _delete(self, job: Job) -> Observation:
        if job.response_id is None or not may_delete(job):
            return RemoteDeleted(call=_no_call(), how="missing")
        return self._provider.delete(job.response_id)

    # committing, and what happens when that comes too late

    def _commit(self, job: Job, seen: Observation, *, extra: Mapping[str, object] = MappingProxyType({})) -> Job:
        with self._db.write() as conn:
            return self._recorder.record(conn, job, seen, extra=extra)

    def _insist(self, seen: Observation, write: Callable[[], T]) -> T:
        for wait_s in AWAY_WAITS_S:
            try:
                return write()
            except StoreUnavailable:
                self._sleep_s(wait_s)
        try:
            return write()
        except StoreUnavailable as error:
            raise _naming(seen, error) from error

    def _keep(self, job: Job, seen: Observation) -> None:
        """Append what a stale worker bought to the inbox: unfenced, so that it cannot be refused."""
        if not isinstance(seen, Created):
            return
        told = {
            "response_id": seen.response_id,
            "client_request_id": job.client_request_id,
            "status": seen.status.value,
            "job_id": job.id,
        }
        with self._db.write() as conn:
            inbox.append(
                conn,
                source=LATE_EVIDENCE,
                event_id=_key_of(seen.response_id),
                kind="response.created",
                payload=json.dumps(told, sort_keys=True).encode(),
                source_time_ms=None,
                provenance=Provenance(origin=self._name),
            )

    def _note_stale(self, job: Job) -> None:
        with self._db.write() as conn:
            line = events.Entry(
                occurred_ms=read_now_ms(conn),
                event_type="STALE_WORKER",
                actor_type=ActorType.WORKER,
                actor=self._name,
                process_id=job.process_id,
                job_id=job.id,
                generation=job.generation,
                fence=job.version,
                from_state=job.state,
                to_state=job.state,
            )
            events.append(conn, line)


def _naming(seen: Observation, error: StoreUnavailable) -> StoreUnavailable:
    """The error with the response id that could not be stored, so that at least the log names it."""
    lost = f"; response {seen.response_id} is not written down: link it" if isinstance(seen, Created) else ""
    return StoreUnavailable(f"{error}{lost}", hint="dateline link-response JOB RESPONSE, once the store is back")


def _key_of(response_id: str) -> str:
    """A response id as an inbox key, which is shorter than the longest id."""
    return response_id if len(response_id) <= NAME_LENGTH else digest_bytes(response_id.encode())


def never_sent() -> NotCreated:
    """The lease no longer outlives a call: nothing was sent, and another worker may try at once."""
    return NotCreated(call=_no_call(), code="LEASE_TOO_SHORT", throttled=True, hint_ms=0)


def _no_call() -> Call:
    return Call(phase=Phase.LOCAL, elapsed_ms=0)


def _cancel_unsent(job: Job) -> bool:
    """Whether a cancel was ordered that the provider has neither answered nor left unanswered three times."""
    ordered = job.cancel_requested_ms is not None and job.state in PENDING_REMOTE
    return ordered and job.cancel_calls < CANCEL_CALLS


def claim_of(job: Job, *, now_ms: int, gate_until_ms: int | None, claimed_s: float) -> Claim:
    """The claim of one job out of a batch, its lease's end carried over to the worker's clock."""
    left_s = ((job.next_due_ms or now_ms) - now_ms) / 1000
    return Claim(job=replace(job), now_ms=now_ms, gate_until_ms=gate_until_ms, ends_s=claimed_s + left_s)
