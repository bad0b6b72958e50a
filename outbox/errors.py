"""The outbox's error tree.

    OutboxError
    ├── StaleFence          a guarded write named a version that is no longer there: drop your result
    │   └── LeaseLost       … and it was the effect that a relay had leased
    ├── StoreUnavailable    locked, full, unreachable, broken off; nothing was written; retryable
    ├── StoreUnusable       the address, the driver, the folder or the file is wrong; waiting cannot help
    ├── ConstraintRefused   the database refused a row that would break an invariant; nothing was written
    ├── ReadOnly            something tried to write through a reader
    ├── BadMessage          an event, effect or message that the ledger cannot hold
    ├── IllegalChange       the delivery table has no row for this status and change
    ├── RevisionConflict    a decision is older than, or contradicts, the entity's newest revision
    └── NoSuchEffect        the named effect or event does not exist

`hint` is the sentence that says what to do next; `retryable` tells a loop whether waiting can help.
"""

from __future__ import annotations


class OutboxError(Exception):
    """Base. `str()` is what and why; `hint` is what next."""

    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class StaleFence(OutboxError):
    """Somebody else changed the row since it was read; the writer changes nothing and drops its result."""


class LeaseLost(StaleFence):
    """Another relay has the effect by now; nothing was written, drop its outcome."""


class StoreUnavailable(OutboxError):
    """The database cannot be had at the moment; the transaction was rolled back whole."""

    retryable = True


class StoreUnusable(OutboxError):
    """The database cannot be used as it is configured; nothing was changed."""


class ConstraintRefused(OutboxError):
    """A unique key, CHECK or foreign key refused the transaction; it was rolled back whole."""


class ReadOnly(OutboxError):
    """A reader tried to write; nothing was changed."""


class BadMessage(OutboxError):
    """An event, effect or message that the ledger cannot hold: a name is empty or too long."""


class IllegalChange(OutboxError):
    """The effect's status does not allow this change; nothing was written."""


class RevisionConflict(OutboxError):
    """A decision is older than the entity's newest revision, or contradicts it; nothing was written."""


class NoSuchEffect(OutboxError):
    """The named effect or event is not in the ledger."""
