"""Where an observation meets the machine and the store: one decision, one fenced commit.

The worker, the supervisor and operator orders all write through `Recorder.record`, inside a transaction of their
own. It decides, writes the job under its fence with its audit lines, settles the create attempt and the money
that the observation is about, names an owner for what was quarantined (I16), and refreshes the public status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.core.limits import acceptance_unknown
from orchestrator.core.machine import decide
from orchestrator.core.observations import Call, Created, CreationUnknown, Decision, NotCreated, Observation, Usage
from orchestrator.core.public import Counts, public_status
from orchestrator.core.records import Job, Process
from orchestrator.core.states import Event, JobState
from orchestrator.editorial import Editorial
from orchestrator.store import attempts, costs, evidence, jobs, processes, projection
from orchestrator.store.codes import ActorType, AttemptOutcome
from outbox.clock import read_now_ms

OWNER_ANSWER_MS = 4 * 3_600_000
"""How long an owner has to look at what was quarantined, where no deadline comes first."""

_LET_GO = frozenset({Event.NOT_CREATED_FINAL, Event.DISPATCH_REFUSED, Event.ABANDONED})
"""Events that give the reservation back, unless the provider may charge for the job all the same."""


class Recorder:
    """Writes decisions in the name of one actor."""

    def __init__(
        self,
        editorial: Editorial,
        *,
        actor: str,
        actor_type: ActorType = ActorType.WORKER,
        chance: Callable[[], float] = entropy.chance,
    ) -> None:
        self._editorial = editorial
        self._actor = actor
        self._actor_type = actor_type
        self._chance = chance

    def record(
        self,
        conn: Connection,
        job: Job,
        seen: Observation,
        *,
        process: Process | None = None,
        extra: Mapping[str, object] = MappingProxyType({}),
    ) -> Job:
        """Decide on `seen` and commit it with the caller's transaction; answers the job as it stands then.

        Errors: `StaleFence` when somebody else changed the job; `IllegalTransition`, `RefusedByState` from the
        machine. Nothing is written in any of these cases.
        """
        now_ms = read_now_ms(conn)
        owning = process or processes.get(conn, job.process_id)
        limits = self._editorial.limits(owning.product)
        decision = decide(job, seen, limits, now_ms, chance=self._chance())
        owned = {**extra, **self._owner(job, decision, owning, now_ms)}
        changed = jobs.apply(
            conn, job, decision, now_ms=now_ms, actor_type=self._actor_type, actor=self._actor, extra=owned
        )
        self._settle(conn, changed, decision, seen, charged=_may_be_charged(job))
        write_status(conn, owning, changed)
        return changed

    def _owner(self, job: Job, decision: Decision, process: Process, now_ms: int) -> dict[str, object]:
        entered = decision.next_state is JobState.QUARANTINED and job.state is not JobState.QUARANTINED
        if not entered:
            return {}
        deadline_ms = now_ms + OWNER_ANSWER_MS
        if job.deadline_ms is not None and job.deadline_ms > now_ms:
            deadline_ms = min(deadline_ms, job.deadline_ms)
        owner = self._editorial.policy(process.product).owners.recovery
        return {"owner": owner, "owner_deadline_ms": deadline_ms, "acked_ms": None}

    def _settle(self, conn: Connection, job: Job, decision: Decision, seen: Observation, *, charged: bool) -> None:
        now_ms = read_now_ms(conn)
        if decision.attempt_outcome is not None:
            attempts.settle(
                conn,
                job.id,
                AttemptOutcome(decision.attempt_outcome),
                now_ms=now_ms,
                call=_call_of(seen),
                response_id=job.response_id,
            )
        usage: Usage | None = decision.usage
        if usage is not None:
            costs.settle(conn, job.id, spent_micro=self._editorial.prices.cost_micro(usage))
        elif decision.event in _LET_GO and not charged:
            costs.release(conn, job.id)


def _may_be_charged(job: Job) -> bool:
    """Whether the provider has accepted it, or may have: then its most stays reserved until usage is known."""
    return job.response_id is not None or acceptance_unknown(job)


def _call_of(seen: Observation) -> Call | None:
    return seen.call if isinstance(seen, Created | NotCreated | CreationUnknown) else None


def write_status(
    conn: Connection, process: Process, job: Job | None, deficits: tuple[str, ...] | None = None
) -> None:
    """Refresh the process's public status in the caller's transaction. `deficits` None: as they were."""
    candidates, sources = evidence.counts(conn, process.id)
    if deficits is None:
        deficits = tuple(projection.read(conn, process.id).get("deficit_codes", ()))
    counts = Counts(candidates_accepted=candidates, sources_usable=sources, deficit_codes=deficits)
    projection.write(conn, process.id, public_status(process, job, counts))
