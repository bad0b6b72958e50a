"""Codes that only the store's rows use; each has a CHECK generated from it."""

from __future__ import annotations

from enum import StrEnum


class DocumentKind(StrEnum):
    """What the bytes of a document are."""

    CONTRACT = "CONTRACT"  # the immutable contract that a fingerprint stands for
    REQUEST = "REQUEST"  # the body that was sent
    PAYLOAD = "PAYLOAD"  # the provider's answer as it came
    REPORT = "REPORT"  # a validation report
    PACKAGE = "PACKAGE"  # the frozen evidence
    POLICY = "POLICY"  # the product file's snapshot


class AttemptOutcome(StrEnum):
    """The proof class of a create call; NULL while it is on its way."""

    CREATED = "CREATED"
    NOT_CREATED = "NOT_CREATED"
    UNKNOWN = "UNKNOWN"


class EditionStatus(StrEnum):
    """Where one revision of an edition stands; at most one revision of a key is PUBLISHED."""

    SAVED = "SAVED"
    PUBLISHED = "PUBLISHED"
    SUPERSEDED = "SUPERSEDED"
    WITHDRAWN = "WITHDRAWN"


class Provenance(StrEnum):
    """Who made an edition: the provider's composition, a person's correction, a person's commit."""

    PROVIDER = "PROVIDER"
    CORRECTION = "CORRECTION"
    ADOPTED = "ADOPTED"


class CostKind(StrEnum):
    """A line of the ledger; the sum of all lines is reserved + spent."""

    RESERVED = "RESERVED"  # positive
    RELEASED = "RELEASED"  # negative: gives a reservation back
    SPENT = "SPENT"  # positive: what the provider's usage costs


class CommandStatus(StrEnum):
    """An operator's order: waiting, carried out, or refused by the state it met."""

    OPEN = "OPEN"
    DONE = "DONE"
    REFUSED = "REFUSED"


class ActorType(StrEnum):
    """Who caused a transition."""

    WORKER = "WORKER"
    SUPERVISOR = "SUPERVISOR"
    RELAY = "RELAY"
    SCHEDULER = "SCHEDULER"
    OPERATOR = "OPERATOR"
    PROVIDER = "PROVIDER"  # a signed webhook
