"""The edition as the publisher gets it, and the evidence that travels beside it.

`Edition` is one product, date, language and revision: everything that readers see. `Evidence` is what an
auditor needs to follow each sentence to its claim, source, address and stored provider answer. Both are plain
frozen values; their JSON (`model_dump(mode="json")`) is what `dateline show KEY --edition --json` prints and
what `dateline render FILE` reads. Instants are RFC 3339 UTC with milliseconds; dates are `YYYY-MM-DD`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

Lang = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Date = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Instant = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$")]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class Model(BaseModel):
    """Closed and frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Sentence(Model):
    """One sentence; a fact names the claims that carry it, analysis may name none."""

    text: str
    kind: Literal["fact", "analysis"]
    claim_ids: tuple[str, ...] = ()


class Source(Model):
    """A page that supports claims of the event."""

    source_id: str
    title: str
    publisher: str
    url: str
    published_at: Date
    kind: Literal["primary", "report"]


class Claim(Model):
    """What a source supports, in neutral words."""

    claim_id: str
    text: str
    source_ids: tuple[str, ...]


class Event(Model):
    """One story of the edition, in the edition's language."""

    event_id: str
    region: str
    topics: tuple[str, ...]
    headline: str
    update: bool = False
    sentences: tuple[Sentence, ...]
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]


class Correction(Model):
    """A visible note: what was changed, when, in the edition's language."""

    at: Instant
    revision: int
    note: str


class Edition(Model):
    """One product, date, language and revision.

    `published_at` is the decision's time (the first publication's, also in later revisions); `revised_at` is
    this revision's. Nothing in it depends on when or where it is rendered.
    """

    product: Slug
    product_title: str
    date: Date
    lang: Lang
    revision: int
    number: int
    published_at: Instant
    revised_at: Instant
    provenance: Literal["PROVIDER", "CORRECTION", "ADOPTED"] = "PROVIDER"
    synthetic: bool = False
    late: bool = False
    fewer_events: bool = False
    corrections: tuple[Correction, ...] = ()
    events: tuple[Event, ...]

    @property
    def key(self) -> str:
        """`daily-brief/2026-11-30/en`: the edition slot, the same in every revision."""
        return f"{self.product}/{self.date}/{self.lang}"


class SentenceTrail(Model):
    """One sentence of the edition and the claims it rests on; `path` is `<event index>/<sentence index>`."""

    path: str
    text: str
    kind: Literal["fact", "analysis"]
    claim_ids: tuple[str, ...]


class EvidenceSource(Source):
    """A source with the digest of the stored provider answer that returned it."""

    payload_digest: Digest


class Made(Model):
    """How this edition was made: counts and versions, no private data."""

    began_at: Instant
    candidates_found: int
    candidates_accepted: int
    candidates_refused: dict[str, int]  # reason code → count
    sources_usable: int
    research_rounds: int
    checks_passed: tuple[str, ...]  # validation layers
    approved_by: str
    contracts: dict[str, str]  # stage → contract version
    model: str


class Evidence(Model):
    """What stands in `evidence.json`: sentence → claim → source → address → payload, and the digest chain.

    `package_digest` is SHA-256 over the canonical JSON of the frozen package; `composition_digest` that of
    the stored composition answer; `payload_digests` are those of every research answer the package rests on.
    """

    evidence_version: str
    product: Slug
    date: Date
    lang: Lang
    revision: int
    package_digest: Digest
    composition_digest: Digest
    payload_digests: tuple[Digest, ...]
    sentences: tuple[SentenceTrail, ...]
    claims: tuple[Claim, ...]
    sources: tuple[EvidenceSource, ...]
    made: Made
