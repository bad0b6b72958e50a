"""The whole comparison: decisions against the content branch, the pages branch and what is served.

`dateline verify` prints it. It reads only; healing is the loop's and the operator's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from orchestrator.core.canonical import digest_bytes
from orchestrator.effects.verifier import Difference, Fetch, Verifier, compare
from orchestrator.store import editions
from orchestrator.store.codes import EditionStatus
from orchestrator.store.editions import SavedEdition
from outbox.database import Database
from publisher import addresses
from publisher.content import key_of_slot
from publisher.profile import Profile
from publisher.repository import ContentRepository

ALL = 1_000_000
UNSEEN = "UNSEEN"
"""Not a drift: what is served could not be reached."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference of one edition."""

    key: str
    difference: Difference


def survey(db: Database, repository: ContentRepository, profile: Profile, *, url: str) -> list[Finding]:
    """Every difference, place by place: main, pages, and live where `url` is given."""
    with db.read() as conn:
        current = editions.listing(conn, status=EditionStatus.PUBLISHED, limit=ALL)
    verifier = Verifier(db, profile, url=url, branch=_nowhere)
    try:
        return [
            Finding(edition.key, difference)
            for edition in current
            for difference in _of(edition, repository, verifier, profile, live=bool(url))
        ]
    finally:
        verifier.close()


def _of(
    edition: SavedEdition, repository: ContentRepository, verifier: Verifier, profile: Profile, *, live: bool
) -> Iterator[Difference]:
    key = key_of_slot(edition.key)
    held = repository.content().file(key.edition_path)
    if held is None:
        yield Difference("MISSING", f"main:{key.edition_path}", edition.digest, "no file")
    elif digest_bytes(held) != edition.digest:
        yield Difference("EDITED", f"main:{key.edition_path}", edition.digest, digest_bytes(held))
    expected = verifier.expected(edition.key, edition.revision)
    yield from _placed("pages", compare(expected, _pages(repository), profile))
    if live:
        try:
            yield from _placed("live", verifier.differences(edition.key, edition.revision))
        except httpx.HTTPError as error:
            yield Difference(UNSEEN, f"live:{addresses.edition(key)}", edition.digest, type(error).__name__)


def _placed(where: str, found: list[Difference]) -> Iterator[Difference]:
    for one in found:
        yield Difference(one.drift, f"{where}:{one.place}", one.expected, one.found)


def _pages(repository: ContentRepository) -> Fetch:
    return lambda address: repository.pages_tree().file(addresses.file_of(address))


def _nowhere(_address: str) -> bytes | None:
    return None
