"""VERIFY: what readers get is compared with what was decided.

Where `[verify] url` says where readers look, the page and its feed are fetched over HTTP, and only that earns
RECONCILED. Where it is empty, the pages branch is looked at instead, and says so (`Evidence.BRANCH`).
Unreachable is not drift: it is looked at again until the deadline, and then a person is called.
Source: completed tables §6 (verify live), §10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx

from orchestrator import entropy
from orchestrator.store import editions
from outbox.database import Database
from outbox.message import Effect, Evidence
from outbox.outcome import Confirmed, NotYet, Outcome, Retryable
from publisher import addresses
from publisher.content import EditionKey, key_of_slot
from publisher.feeds import feed_id
from publisher.profile import Profile
from publisher.served import edition_digest_of, feed_ids

TIMEOUT_S = 20.0

LOOKS_S = 30.0
"""How long one call goes on beginning looks: a relay's lease (120 s) must outlive the last one's two fetches."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What readers must find: the page's edition and digest, and whether the feed holds the entry."""

    key: EditionKey
    edition: str
    digest: str
    in_feed: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """What they find instead (drift kinds of the design, section 9)."""

    drift: str
    place: str
    expected: str
    found: str


LATER = NotYet(0, "others were looked at first")

Fetch = Callable[[str], bytes | None]
"""A page of the site by its address without the base (`en/feed.xml`); None where there is none."""


class Verifier:
    """Verifies editions at `url`, or on the pages branch through `branch` where `url` is empty."""

    def __init__(
        self,
        db: Database,
        profile: Profile,
        *,
        url: str,
        branch: Fetch,
        monotonic_s: Callable[[], float] = entropy.monotonic_s,
    ) -> None:
        self._db = db
        self._monotonic_s = monotonic_s
        self._profile = profile
        self._url = url.rstrip("/")
        self._branch = branch
        self._client = httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, trust_env=False)

    def __call__(self, effects: Sequence[Effect]) -> Mapping[int, Outcome]:
        """One look per effect, as long as there is time: where readers look may answer slowly or not at all."""
        ends_s = self._monotonic_s() + LOOKS_S
        return {one.id: self._look(one) if self._monotonic_s() < ends_s else LATER for one in effects}

    def differences(self, key: str, revision: int) -> list[Difference]:
        """Every difference of one edition, at the place that is verified.

        Errors: `httpx.HTTPError` when it cannot be reached.
        """
        return compare(self.expected(key, revision), self._fetch, self._profile)

    def expected(self, key: str, revision: int) -> Expected:
        """What readers must find of this revision."""
        with self._db.read() as conn:
            saved = editions.by_key_revision(conn, key, revision)
            newer = editions.count_newer(conn, key)
        slot = key_of_slot(key)
        product = self._profile.product(slot.product)
        length = product.feed_length if product else 0
        digest = saved.digest if saved else ""
        return Expected(slot, f"{key}@{revision}", digest, newer < length)

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _look(self, effect: Effect) -> Outcome:
        try:
            found = self.differences(effect.entity, effect.revision)
        except httpx.HTTPError as error:
            return Retryable(f"unseen: {type(error).__name__}")
        if found:
            first = found[0]
            return Retryable(f"{first.drift} at {first.place}")
        return Confirmed(effect.entity, Evidence.HTTP if self._url else Evidence.BRANCH)

    def _fetch(self, address: str) -> bytes | None:
        if not self._url:
            return self._branch(address)
        answer = self._client.get(f"{self._url}/{address}")
        if answer.status_code in (404, 410):
            return None
        answer.raise_for_status()
        return answer.content


def compare(expected: Expected, fetch: Fetch, profile: Profile) -> list[Difference]:
    """Page and feed against what was decided."""
    key = expected.key
    page_at, feed_at = addresses.edition(key), addresses.product_feed(key.product, key.lang)
    found = [*_page(expected, page_at, fetch(page_at))]
    ids = feed_ids(fetch(feed_at) or b"")
    listed = feed_id(key, profile.authority, profile.authority_since) in ids
    if listed != expected.in_feed:
        drift = "FEED_MISSING" if expected.in_feed else "UNEXPECTED"
        found.append(Difference(drift, feed_at, str(expected.in_feed), str(listed)))
    return found


def _page(expected: Expected, place: str, html: bytes | None) -> list[Difference]:
    said = edition_digest_of(html) if html is not None else None
    if said is None:
        return [Difference("MISSING", place, expected.edition, "no page" if html is None else "no edition")]
    wanted = (expected.edition, expected.digest)
    return [] if said == wanted else [Difference("MISMATCH", place, " ".join(wanted), " ".join(said))]
