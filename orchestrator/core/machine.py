"""`decide`: a job and what was observed about it in, everything one fenced commit writes out.

Rules:
* pure and total: the groups (`creation`, `looks`, `custody`, `orders`) classify an observation into an event
  by the guards; the row of `states.TRANSITIONS` decides whether that may happen and where it leads;
* entering quarantine records why, when and where from, and leaving it clears that, here and nowhere else;
* nothing in the parked states and no create in flight gets a due time: a lease or a person moves those;
* a webhook that is late, repeated or out of order is told apart by `is_harmless` *before* `decide` is asked:
  the caller records it as ignored. `decide` itself raises `IllegalTransition` for one.
"""

from __future__ import annotations

from typing import assert_never

from orchestrator.core import creation, custody, looks, orders
from orchestrator.core.limits import MachinePolicy
from orchestrator.core.observations import (
    Abandoned,
    Approved,
    CancelOrdered,
    CleanupOrdered,
    ConfirmedNotCreated,
    CorrelationFailed,
    CostRefused,
    Created,
    CreationUnknown,
    Decision,
    DiscardOrdered,
    DispatchDue,
    DriftFound,
    EditionsBuilt,
    EditionsSaved,
    EvidenceMerged,
    Garbled,
    GateFound,
    Harvested,
    Held,
    IntentAuthorised,
    LeaseEndedInFlight,
    Linked,
    Missing,
    NotCreated,
    Observation,
    PayloadSupplied,
    Polled,
    Released,
    RemoteDeleted,
    Replaced,
    ReplacementRefused,
    ResumeOrdered,
    Salvaged,
    SuspendOrdered,
    Throttled,
    Unreachable,
    Validated,
    WebhookSeen,
)
from orchestrator.core.records import Job
from orchestrator.core.states import (
    PARKED_STATES,
    PENDING_REMOTE,
    TRANSITIONS,
    JobState,
    Rule,
)
from orchestrator.core.verdicts import Case, Verdict
from orchestrator.errors import IllegalTransition, InvariantBroken

_OUTSIDE_QUARANTINE = {
    "quarantine_reason": None,
    "quarantined_ms": None,
    "resume_state": None,
    "owner": None,
    "owner_deadline_ms": None,
    "acked_ms": None,
}


def decide(
    job: Job, observation: Observation, policy: MachinePolicy, now_ms: int, *, chance: float = 0.5
) -> Decision:
    """What happens to this job now that this was observed. `chance` in [0, 1) drives the jitter.

    Errors: `IllegalTransition` when the table has no such row; `RefusedByState` when an order comes in the
    wrong moment; `InvariantBroken` when the row contradicts itself.
    """
    case = Case(job=job, policy=policy, now_ms=now_ms, chance=chance)
    return _settle(case, _classify(case, observation))


def is_harmless(job: Job, observation: Observation) -> bool:
    """Whether the observation is true but changes nothing: a late, repeated or out-of-order event.

    The caller records it as ignored and does not ask `decide`.
    """
    match observation:
        case WebhookSeen(status=status):
            wanted = job.state in PENDING_REMOTE or looks.harvestable(job)
            return status not in looks.ENDED or not wanted
        case Linked(response_id=response_id):
            return response_id == job.response_id
        case _:
            return False


def _classify(case: Case, seen: Observation) -> Verdict:
    match seen:
        case (
            IntentAuthorised() | CostRefused() | DispatchDue() | Created() | NotCreated() | CreationUnknown()
            | LeaseEndedInFlight()
        ):  # fmt: skip
            return creation.verdict(case, seen)
        case (
            Polled() | Garbled() | Missing() | Throttled() | Unreachable() | RemoteDeleted() | GateFound()
            | WebhookSeen()
        ):  # fmt: skip
            return looks.verdict(case, seen)
        case (
            Validated() | DriftFound() | EvidenceMerged() | EditionsBuilt() | EditionsSaved() | Approved()
            | Held() | CleanupOrdered() | Salvaged() | Replaced() | ReplacementRefused()
        ):  # fmt: skip
            return custody.verdict(case, seen)
        case (
            Linked() | CorrelationFailed() | Harvested() | PayloadSupplied() | ConfirmedNotCreated()
            | Released() | Abandoned() | DiscardOrdered() | SuspendOrdered() | ResumeOrdered() | CancelOrdered()
        ):  # fmt: skip
            return orders.verdict(case, seen)
        case _:
            assert_never(seen)


def _settle(case: Case, verdict: Verdict) -> Decision:
    job = case.job
    rule = TRANSITIONS.get((job.state, verdict.event))
    if rule is None:
        raise IllegalTransition(
            f"job {job.id}: {verdict.event} cannot happen in {job.state}",
            hint=f"Nothing was changed; see dateline explain {job.id}.",
        )
    target = _target(case, verdict, rule)
    changes = {**_quarantine(case, verdict, target), **verdict.changes}
    return Decision(
        event=verdict.event,
        next_state=target,
        changes=tuple(changes.items()),
        next_due_ms=_due(case, verdict, target),
        through=rule.through,
        code=str(verdict.reason or verdict.code),
        gate_until_ms=verdict.gate_until_ms,
        attempt_outcome=verdict.attempt_outcome,
        payload=verdict.payload,
        usage=verdict.usage,
    )


def _target(case: Case, verdict: Verdict, rule: Rule) -> JobState:
    if verdict.to is None and len(rule.targets) == 1:
        return next(iter(rule.targets))
    if verdict.to is None or verdict.to not in rule.targets:
        raise IllegalTransition(f"job {case.job.id}: {verdict.event} cannot lead to {verdict.to}")
    return verdict.to


def _quarantine(case: Case, verdict: Verdict, target: JobState) -> dict[str, object]:
    """The columns of quarantine, which a suspension only covers and does not end."""
    job, inside = case.job, case.job.quarantine_reason is not None
    stays = (JobState.QUARANTINED, JobState.MANUALLY_SUSPENDED)
    if target is JobState.QUARANTINED and not inside:
        if verdict.reason is None:
            raise InvariantBroken(f"job {job.id}: {verdict.event} quarantines without a reason")
        return {
            "quarantine_reason": verdict.reason,
            "quarantined_ms": case.now_ms,
            "resume_state": creation.before_creation(job.state),
        }
    return dict(_OUTSIDE_QUARANTINE) if inside and target not in stays else {}


def _due(case: Case, verdict: Verdict, target: JobState) -> int | None:
    if target in PARKED_STATES or target is JobState.CREATE_IN_FLIGHT or verdict.dormant:
        return None
    return case.now_ms + verdict.delay_ms
