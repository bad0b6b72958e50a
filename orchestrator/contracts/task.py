"""The input document of each research stage: what the provider is told about the day, as data.

Instructions live in the prompt; everything that varies with product, date and evidence lives here, as one JSON
document in one user message. Composition has no document of its own: it gets the evidence package.
Source: Daily Brief workflow, "Supplemental-research contract": its input.
"""

from __future__ import annotations

from typing import Any, Literal

from orchestrator.contracts.models import ContractModel, IsoDate
from orchestrator.contracts.scout import SCOUT_CONTRACT
from orchestrator.contracts.supplement import SUPPLEMENT_CONTRACT, OpenDeficit
from orchestrator.core.canonical import canonical_bytes
from orchestrator.core.policy import ProductPolicy

PUBLISHED_LIMIT = 120
"""At most so many earlier stories are named: about 6,000 tokens of the 60,000 that one job may send."""


class PublishedStory(ContractModel):
    """A story that readers have had. `source_keys` are comparison keys of its addresses (evidence.urls)."""

    product: str
    date: IsoDate
    event_key: str
    event_date: IsoDate
    headline_fact: str
    source_keys: tuple[str, ...]


class EarlierStory(ContractModel):
    """What the scout is told about a published story; addresses stay here."""

    date: IsoDate
    event_key: str
    headline: str


class EditorialFrame(ContractModel):
    """What both research stages are told about the product and the day."""

    contract_version: str
    target_date: IsoDate
    product: str
    regions: tuple[str, ...]
    topics: tuple[str, ...]
    allowed_domains: tuple[str, ...]
    window_days: int
    freshness_days: int
    corroboration: int
    already_published: tuple[EarlierStory, ...]


class ResearchTask(EditorialFrame):
    """The primary scout's input."""

    task: Literal["research_primary"] = "research_primary"
    candidates: int


class AcceptedRecord(ContractModel):
    """An accepted candidate as the supplement sees it: enough to add to it, not enough to rewrite it."""

    candidate_id: str
    event_key: str
    region: str
    topics: tuple[str, ...]
    evidence_digest: str


class RejectedRecord(ContractModel):
    """A candidate that was refused, by the scout's own key, and the failure codes."""

    candidate: str
    reasons: tuple[str, ...]


class SupplementTask(EditorialFrame):
    """The supplemental scout's input: the deficits, what stands, what fell, how many are needed."""

    task: Literal["research_supplemental"] = "research_supplemental"
    deficits: tuple[OpenDeficit, ...]
    accepted: tuple[AcceptedRecord, ...]
    rejected: tuple[RejectedRecord, ...]
    needed: int


def research_task(
    policy: ProductPolicy, target_date: str, published: tuple[PublishedStory, ...] = ()
) -> ResearchTask:
    """What the primary scout is asked for."""
    frame = _frame(policy, target_date, published, version=SCOUT_CONTRACT)
    return ResearchTask(**frame, candidates=policy.scout.candidates)


def supplement_task(
    policy: ProductPolicy,
    target_date: str,
    published: tuple[PublishedStory, ...] = (),
    *,
    deficits: tuple[OpenDeficit, ...],
    accepted: tuple[AcceptedRecord, ...],
    rejected: tuple[RejectedRecord, ...],
) -> SupplementTask:
    """What the supplemental scout is asked for: only what is open."""
    frame = _frame(policy, target_date, published, version=SUPPLEMENT_CONTRACT)
    needed = max(0, policy.scout.candidates - len(accepted))
    return SupplementTask(**frame, deficits=deficits, accepted=accepted, rejected=rejected, needed=needed)


def task_bytes(task: ContractModel) -> bytes:
    """The canonical JSON that the provider gets as its input text."""
    return canonical_bytes(task.model_dump(mode="json"))


def _frame(
    policy: ProductPolicy, target_date: str, published: tuple[PublishedStory, ...], *, version: str
) -> dict[str, Any]:
    scout = policy.scout
    return {
        "contract_version": version,
        "target_date": target_date,
        "product": policy.slug,
        "regions": scout.regions,
        "topics": scout.topics,
        "allowed_domains": scout.allowed_domains,
        "window_days": scout.window_days,
        "freshness_days": scout.freshness_days,
        "corroboration": scout.corroboration,
        "already_published": earlier_stories(published),
    }


def earlier_stories(published: tuple[PublishedStory, ...]) -> tuple[EarlierStory, ...]:
    """The newest `PUBLISHED_LIMIT` stories, newest first, without their addresses."""
    newest = sorted(published, key=lambda s: (s.date, s.event_key), reverse=True)[:PUBLISHED_LIMIT]
    return tuple(EarlierStory(date=s.date, event_key=s.event_key, headline=s.headline_fact) for s in newest)
