"""COMMIT and RENDER: published editions become commits and pages.

The relay has one press; it keeps the content repository open, because a warm one needs two child processes for a
publication of both languages and a cold one has everything to read again. Both acts are idempotent: the
repository adopts what it holds already with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from orchestrator.core.canonical import digest_bytes
from orchestrator.errors import NotFound
from orchestrator.store import editions
from orchestrator.store.editions import SavedEdition
from outbox.database import Database
from outbox.message import Effect, EffectReason
from outbox.outcome import Confirmed, Outcome, Rejected, Retryable
from publisher import addresses
from publisher.content import EditionKey, key_of_slot
from publisher.edition import Edition
from publisher.errors import BadEdition, DecisionConflict, NotOurs, PublisherError
from publisher.markdown import edition_md, evidence_json
from publisher.repository import Change, ContentRepository, SiteRenderer
from publisher.trailers import one_line

REASON_CODE = "SCHEDULED"
"""Why an edition was published, where no person said otherwise."""


class Press:
    """Commits and renders. `opened` opens the content repository, at the first use and after a failure."""

    def __init__(self, db: Database, opened: Callable[[], ContentRepository], site: SiteRenderer) -> None:
        self._db = db
        self._opened = opened
        self._site = site
        self._repository: ContentRepository | None = None
        self._turn = Lock()

    def commit(self, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        """One commit per edition revision, all in one move of the branch, the pages with them."""
        try:
            changes = self._changes(effects)
        except BadEdition as error:
            return _all(effects, Rejected(str(error), EffectReason.PUBLICATION_CONFLICT))
        with self._turn:
            return self._press(effects, changes)

    def render(self, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        """The pages branch, current with the content branch; confirmed at once where it is already."""
        with self._turn:
            return self._press(effects, [])

    def page(self, address: str) -> bytes | None:
        """A page of the pages branch by its address, for a verifier that has no address to look at."""
        with self._turn:
            self._repository = self._repository or self._opened()
            return self._repository.pages_tree().file(addresses.file_of(address))

    def close(self) -> None:
        """Give the repository back."""
        with self._turn:
            self._drop()

    def _press(self, effects: Sequence[Effect], changes: Sequence[Change]) -> Mapping[int, Outcome]:
        """Publish under the turn. A repository that failed is opened anew next time."""
        try:
            self._repository = self._repository or self._opened()
            done = self._repository.publish(changes, self._site)
            self._repository.maintain()
        except PublisherError as error:
            self._drop()
            stuck = isinstance(error, NotOurs | DecisionConflict)
            failed = Rejected(str(error), EffectReason.PUBLICATION_CONFLICT) if stuck else Retryable(str(error))
            return _all(effects, failed)
        if not changes:
            return _all(effects, Confirmed(done.pages))
        return {effect.id: Confirmed(done.commits[effect.event_key]) for effect in effects}

    def _changes(self, effects: Sequence[Effect]) -> list[Change]:
        with self._db.read() as conn:
            saved = [(effect, editions.by_key_revision(conn, effect.entity, effect.revision)) for effect in effects]
        return [_change(effect, edition) for effect, edition in saved]

    def _drop(self) -> None:
        if self._repository is not None:
            self._repository.close()
            self._repository = None


def _all(effects: Sequence[Effect], outcome: Outcome) -> dict[int, Outcome]:
    return {effect.id: outcome for effect in effects}


def _change(effect: Effect, saved: SavedEdition | None) -> Change:
    if saved is None or saved.published_ms is None:
        raise NotFound(f"{effect.entity} revision {effect.revision} was never published")
    key, edition = key_of_slot(effect.entity), saved.edition()
    files = files_of(key, saved)
    return Change(
        key=key,
        revision=saved.revision,
        action="publish" if saved.revision == 1 else "correct",
        subject=subject_of(key, edition),
        files=files,
        edition_digest=saved.digest,
        evidence_digest=digest_bytes(files[key.evidence_path] or b""),
        event_key=effect.event_key,
        actor=one_line(saved.approved_by or "policy"),
        reason_code=REASON_CODE,
        decided_ms=saved.published_ms,
    )


def files_of(key: EditionKey, saved: SavedEdition) -> dict[str, bytes | None]:
    """What the edition's commit writes; publishing takes a delay notice away."""
    return {
        key.edition_path: edition_md(saved.edition()),
        key.evidence_path: evidence_json(saved.trail()),
        key.notice_path: None,
    }


def subject_of(key: EditionKey, edition: Edition) -> str:
    """`Publish daily-brief 2026-11-30 (en): <headline>`."""
    verb = "Publish" if edition.revision == 1 else "Correct"
    headline = edition.events[0].headline if edition.events else edition.product_title
    return f"{verb} {key.product} {key.date} ({key.lang}): {headline}"
