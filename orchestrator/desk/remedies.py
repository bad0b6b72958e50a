"""What is safe about a job as it stands, and what heals it. Tables, read by `explain`.

Rules: a remedy that is an order names its command, so that a program without that command does not promise it;
`{id}` is the job's shortened id.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from orchestrator.core.limits import may_delete
from orchestrator.core.records import Job
from orchestrator.core.states import TRANSITIONS, Event, JobState, Reason

S, R = JobState, Reason

_BOUGHT_ONCE = "It is bought once; looking at it again costs nothing."
_KEPT = "The answer and its report are kept; nothing of it is bought again."
_PUBLIC = "Its result is committed; what is deleted at the provider is stored here."

SAFE: Mapping[JobState, str] = MappingProxyType(
    {
        S.NO_JOB: "Nothing was bought.",
        S.CREATE_ELIGIBLE: "Nothing is on its way; waiting uses no attempt.",
        S.CREATE_IN_FLIGHT: "One request is on its way; nothing else is sent before its outcome is known.",
        S.ACCEPTED: _BOUGHT_ONCE,
        S.QUEUED: _BOUGHT_ONCE,
        S.IN_PROGRESS: _BOUGHT_ONCE,
        S.COMPLETED_NOT_RETRIEVED: "The answer exists; fetching it costs nothing.",
        S.RETRIEVED_NOT_VALIDATED: "The answer is stored; it is checked from storage, without a provider call.",
        S.VALIDATION_FAILED_RETAINED: _KEPT,
        S.READY_TO_COMPOSE: _KEPT,
        S.COMPOSED_NOT_SAVED: _KEPT,
        S.SAVED_NOT_PUBLIC: "The editions are saved; readers see nothing of them yet.",
        S.PUBLISHED: _PUBLIC,
        S.CLEANUP_PENDING: _PUBLIC,
        S.DELETED: _PUBLIC,
        S.PROVIDER_EXPIRED_OR_MISSING: "Nothing is sent again under this job.",
        S.QUARANTINED: "Nothing is sent again.",
        S.MANUALLY_SUSPENDED: "Nothing moves until it is resumed.",
    }
)


_LET_GO = "It can never commit; what it answered is kept."


def safe(job: Job) -> str:
    """What cannot be lost or bought twice, in a sentence."""
    let_go = job.result_commit_key is None and job.state in (JobState.CLEANUP_PENDING, JobState.DELETED)
    return _LET_GO if let_go else SAFE[job.state]


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way on. `command` is the order and its arguments, empty for what is done elsewhere.

    `needs` names a command without which the words would not be true.
    """

    words: str
    command: str = ""
    needs: str = ""

    @property
    def verb(self) -> str:
        """The command that this program must have, if any."""
        return self.needs or self.command.partition(" ")[0]


_RELEASE = "release {id}"
_REPLACE = "replace {id}"
_LOOK = Remedy("for one look at the provider; it never buys", "reconcile {id}")
_GO_ON = Remedy("to let it go on, counters back to 0", _RELEASE)
_AGAIN = Remedy("to buy another", _REPLACE)
_RISKED = Remedy("to buy another and accept a possible second charge (reserved {reserved})", _REPLACE)
_LINK = Remedy("when the provider's log shows a response", "link-response {id} resp_…")
_NEVER = Remedy("when it shows none (allowed from {settled})", "confirm-not-created {id}")
_LOG = Remedy("Look in the provider's log for client request id {client_request_id}.")
_WEBHOOK = Remedy("Late evidence or a signed webhook that names it heals it; else you:", needs="link-response")
_SUPPLY = Remedy("with the answer in a file", "supply-payload {id} FILE")

HEALS: Mapping[Reason, tuple[Remedy, ...]] = MappingProxyType(
    {
        R.CREATE_ACCEPTANCE_UNKNOWN: (_LOG, _WEBHOOK, _LINK, _NEVER, _RISKED),
        R.CORRELATION_CONFLICT: (_LOG, _LINK, _NEVER, _RISKED),
        R.PROVIDER_REJECTED: (Remedy("Correct what the provider rejects ({diagnostic})."), _GO_ON),
        R.PROVIDER_REFUSED: (Remedy("The provider refused this content ({diagnostic})."), _AGAIN),
        R.CREDENTIALS_REJECTED: (Remedy("Set DATELINE_PROVIDER__API_KEY to a key that is valid."), _GO_ON),
        R.QUOTA_EXHAUSTED: (Remedy("Raise the quota with the provider."), _GO_ON),
        R.PROVIDER_THROTTLED: (Remedy("The provider asked for a long wait."), _GO_ON),
        R.GENERATION_BUDGET_EXHAUSTED: (Remedy("Find out why creates fail ({diagnostic})."), _GO_ON),
        R.GENERATIONS_EXHAUSTED: (Remedy("Read why its answers were lost or refused."), _AGAIN),
        R.POLL_BUDGET_EXHAUSTED: (_LOOK, _GO_ON),
        R.RETRIEVAL_BUDGET_EXHAUSTED: (_LOOK, _GO_ON, _SUPPLY),
        R.COMPOSITION_BUDGET_EXHAUSTED: (Remedy("`dateline show {id} --report` says what was refused."), _AGAIN),
        R.COST_CEILING: (Remedy("Raise [budgets] in the product's file, if it is worth it."), _GO_ON),
        R.AGE_LIMIT: (_LOOK, _GO_ON, _AGAIN),
        R.CONFIGURATION_DRIFT: (
            Remedy("Put the configuration back, or:", needs="release"),
            Remedy("to finish what was bought", "release {id} --under-recorded-contract"),
            _AGAIN,
        ),
        R.OPERATOR: (_GO_ON, _AGAIN),
    }
)

_RESUME = (Remedy("to let it go on", "resume {id}"),)


def remedies(job: Job, *, known: Collection[str], values: Mapping[str, str]) -> tuple[Remedy, ...]:
    """What heals this job, with `values` filled in; orders that are not among the `known` commands left out."""
    return tuple(
        Remedy(remedy.words.format_map(values), remedy.command.format_map(values))
        for remedy in _chosen(job)
        if not remedy.verb or remedy.verb in known
    )


def _chosen(job: Job) -> Sequence[Remedy]:
    if job.state is JobState.MANUALLY_SUSPENDED:
        return _RESUME
    if job.state is JobState.QUARANTINED and job.quarantine_reason is not None and not job.abandoned:
        return HEALS[job.quarantine_reason]
    return ()


@dataclass(frozen=True, slots=True)
class Allowed:
    """Whether something may be done now, and when or why."""

    now: bool
    why: str


def cancelling(job: Job) -> Allowed:
    """May the remote work be stopped?"""
    if job.cancel_requested_ms is not None:
        return Allowed(now=False, why="a person ordered it already; the next look says what became of it")
    if (job.state, Event.CANCEL_ORDERED) in TRANSITIONS:
        return Allowed(now=True, why="the provider is at work; a result that is complete by then is kept")
    return Allowed(now=False, why="only while the provider is at work")


def deleting(job: Job) -> Allowed:
    """May the provider's copy be deleted? (I10)"""
    if job.state is JobState.DELETED:
        return Allowed(now=False, why="it is deleted")
    if job.state is JobState.CLEANUP_PENDING:
        return Allowed(now=may_delete(job), why=_deletion(job))
    return Allowed(now=False, why="not before its answer is stored and judged")


def _deletion(job: Job) -> str:
    if not may_delete(job):
        return "there is nothing to delete"
    return "its answer is stored and judged" if job.payload_digest else "a person gave it up"
