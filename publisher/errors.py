"""The publisher's error tree.

PublisherError
├── BadEdition          an edition, or a file that should hold one, is malformed
├── PathCollision       two outputs claim one path
├── RepositoryError     the content repository cannot be used as it is (`hint` says what to do)
│   ├── NotOurs         it exists, but is no Dateline content repository, or of a kind we refuse
│   └── Busy            its lock or a ref lock is held; retryable
├── DecisionConflict    history holds this decision with another edition: two stores disagree
└── RefMoved            a compare-and-swap lost: rebuild on the new tip; retryable
"""

from __future__ import annotations


class PublisherError(Exception):
    """Base. `str()` is what and why; `hint` is what next; `retryable` says whether waiting can help."""

    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadEdition(PublisherError):
    """An edition, or a file that should hold one, is malformed."""


class PathCollision(PublisherError):
    """Two outputs claim one path; nothing was written."""


class RepositoryError(PublisherError):
    """The content repository cannot be used as it is."""


class NotOurs(RepositoryError):
    """It exists, but is no Dateline content repository, or of a kind that is refused (sha256, work tree)."""


class Busy(RepositoryError):
    """Its lease or a ref lock is held by somebody alive."""

    retryable = True


class DecisionConflict(PublisherError):
    """The branch's history holds this very decision, with another edition: a person has to say which is right."""


class RefMoved(PublisherError):
    """Somebody moved the ref first; build again on the new tip."""

    retryable = True
