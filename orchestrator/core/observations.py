"""What can be observed about a job: small frozen facts, the only input of the machine besides the row.

The provider client makes those under "the provider"; the worker, the supervisor and operator orders make the
rest. A create's outcome carries its proof class by its type: `Created`, `NotCreated`, `CreationUnknown`
(completed tables §5). Nothing here holds article text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.states import JobState, Reason


class Phase(StrEnum):
    """How far a request got before its outcome."""

    LOCAL = "local"
    CONNECT = "connect"
    SEND = "send"
    WAIT = "wait"
    READ = "read"
    DONE = "done"


class ProviderStatus(StrEnum):
    """`status` of a Response object."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The wire facts of one call, kept for the record: never used to decide."""

    phase: Phase
    elapsed_ms: int
    http_status: int | None = None
    error_class: str | None = None  # class name of the transport error
    x_request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and searches that a response used."""

    input_tokens: int
    output_tokens: int
    searches: int = 0


# --- the provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """2xx with a well-formed id. `body` is there when the status is terminal already, `error_code` when FAILED."""

    call: Call
    response_id: str
    status: ProviderStatus
    body: bytes | None = None
    usage: Usage | None = None
    error_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCreated:
    """Proven: the provider did not accept it. `final` names the reason when waiting cannot help."""

    call: Call
    code: str  # provider code, or the transport error's class
    final: Reason | None = None
    hint_ms: int | None = None  # how long to wait, from now
    throttled: bool = False  # 429 or unreachable: uses no attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationUnknown:
    """No proof either way: it may exist and may have been charged."""

    call: Call
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """A readable Response object with the id that was asked. `body` always holds the raw bytes."""

    call: Call
    status: ProviderStatus
    body: bytes
    error_code: str | None = None  # when failed
    usage: Usage | None = None
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbled:
    """2xx, but no readable Response object with the id that was asked: kept, and fails validation."""

    call: Call
    body: bytes
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """404 with the provider's envelope."""

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled:
    """429 on anything but a create."""

    call: Call
    code: str
    hint_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable:
    """5xx, another refusal, or a transport error on anything but a create."""

    call: Call
    code: str
    hint_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteDeleted:
    """Gone: deleted now, already gone (404), or the server has no DELETE (405, 501)."""

    call: Call
    how: str  # "deleted" | "missing" | "unsupported"


# --- the worker


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchDue:
    """A CREATE_ELIGIBLE job was claimed; what the worker knows before it sends."""

    gate_until_ms: int | None  # provider gate, None when open
    affordable: bool  # the reservation still fits process and day
    drifted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFound:
    """A job that wants to look at the provider found the gate closed."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class LeaseEndedInFlight:
    """A job was claimed in CREATE_IN_FLIGHT: its worker is gone, the outcome unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """The validation report of the stored payload."""

    passed: bool
    report_digest: str
    code: str  # "VALID" or the first failure's code


@dataclass(frozen=True, slots=True)
class DriftFound:
    """The recorded contract differs from the running configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSeen:
    """A signed event, or late evidence, names this job's response and its status."""

    status: ProviderStatus


# --- the supervisor


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentAuthorised:
    """The contract is frozen and its cost reserved."""

    fingerprint: str
    contract_digest: str
    request_digest: str
    client_request_id: str
    cost_ceiling_micro: int | None
    output_ceiling_tokens: int
    deadline_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRefused:
    """No room under a ceiling. `code` says which, where it is not the reservation's."""

    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMerged:
    """Research was merged into the process under this key."""

    result_commit_key: str


@dataclass(frozen=True, slots=True)
class EditionsBuilt:
    """Edition objects were built from the validated composition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsSaved:
    """Edition rows were written under this key."""

    result_commit_key: str


@dataclass(frozen=True, slots=True)
class Approved:
    """Policy or a person let the editions out; the outbox events are in the same transaction."""


@dataclass(frozen=True, slots=True)
class Held:
    """The editions wait for a person."""


@dataclass(frozen=True, slots=True)
class CleanupOrdered:
    """The deletion command row is being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """Only the count was wrong; valid candidates were kept."""

    result_commit_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A new generation took the slot."""

    successor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementRefused:
    """No budget for another generation, or none wanted."""

    reason: Reason


# --- operator orders and late evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """The response of an unknown create was found, and its metadata match."""

    response_id: str


@dataclass(frozen=True, slots=True)
class CorrelationFailed:
    """The response that was named belongs to something else."""


@dataclass(frozen=True, slots=True)
class Harvested:
    """A look or a webhook says that a quarantined job's response is complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadSupplied:
    """An operator supplied the payload."""

    payload_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedNotCreated:
    """An operator confirmed that no response exists. `settled_ms`: when that may first be believed."""

    settled_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """An operator lets a quarantined job go on."""

    under_recorded_contract: bool = False


@dataclass(frozen=True, slots=True)
class Abandoned:
    """An operator or a policy gives the job up."""


@dataclass(frozen=True, slots=True)
class DiscardOrdered:
    """An operator drops the remote answer without custody."""


@dataclass(frozen=True, slots=True)
class SuspendOrdered:
    """An operator stops the job where it is."""


@dataclass(frozen=True, slots=True)
class ResumeOrdered:
    """An operator lets a suspended job go on."""


@dataclass(frozen=True, slots=True)
class CancelOrdered:
    """An operator wants the remote work stopped."""


ProviderObservation = (
    Created | NotCreated | CreationUnknown | Polled | Garbled | Missing | Throttled | Unreachable | RemoteDeleted
)
WorkerObservation = DispatchDue | GateFound | LeaseEndedInFlight | Validated | DriftFound | WebhookSeen
SupervisorObservation = (
    IntentAuthorised
    | CostRefused
    | EvidenceMerged
    | EditionsBuilt
    | EditionsSaved
    | Approved
    | Held
    | CleanupOrdered
    | Salvaged
    | Replaced
    | ReplacementRefused
)
OperatorObservation = (
    Linked
    | CorrelationFailed
    | Harvested
    | PayloadSupplied
    | ConfirmedNotCreated
    | Released
    | Abandoned
    | DiscardOrdered
    | SuspendOrdered
    | ResumeOrdered
    | CancelOrdered
)
Observation = ProviderObservation | WorkerObservation | SupervisorObservation | OperatorObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the machine answers: everything one fenced commit writes, and nothing else.

    `changes` are columns of `job` besides state, version, lease and `next_due_ms`. `gate_until_ms` closes the
    provider gate. `attempt_outcome` settles the open create_attempt row: CREATED, NOT_CREATED or UNKNOWN.
    """

    event: str
    next_state: JobState
    changes: tuple[tuple[str, object], ...] = ()
    next_due_ms: int | None = None
    through: tuple[JobState, ...] = ()
    code: str = ""
    gate_until_ms: int | None = None
    attempt_outcome: str | None = None
    payload: bytes | None = None
    usage: Usage | None = None
