"""The orchestrator's error tree.

    DatelineError                 exit 2 unless said otherwise; always says what, why, what next
    ├── ConfigurationError        exit 2  the workspace, a product or a key is wrong
    ├── RefusedByState            exit 3  the order makes sense, but not in this state
    ├── Unavailable               exit 4  locked, unreachable, full: try again later
    ├── InvariantBroken           exit 3  a guard of the machine fired: a bug or a tampered store
    │   └── IllegalTransition             the table has no row for this state and observation
    └── NotFound                  exit 2  no such job, edition, process

`hint` is the sentence that says what to do next; `retryable` tells a loop whether waiting can help.
`StaleFence` lives in `outbox.errors`, beside the guarded write that raises it.
"""

from __future__ import annotations


class DatelineError(Exception):
    """Something a person can act on. `str()` is what and why; `hint` is what next."""

    exit_code = 2
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ConfigurationError(DatelineError):
    """The workspace, a product file or a secret is unusable; nothing was changed."""


class NotFound(DatelineError):
    """The named job, process, edition or file does not exist."""


class RefusedByState(DatelineError):
    """An order that the present state does not allow."""

    exit_code = 3


class InvariantBroken(DatelineError):
    """One of I1–I19 would be broken by going on; the step stops and nothing is written."""

    exit_code = 3


class IllegalTransition(InvariantBroken):
    """`core.states.TRANSITIONS` has no row for this state and observation."""


class Unavailable(DatelineError):
    """A store, repository or address cannot be had at the moment."""

    exit_code = 4
    retryable = True
