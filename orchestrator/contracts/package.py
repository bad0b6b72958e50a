"""The frozen evidence package: all that composition sees, and the root of every later digest.

`digest` of a package is SHA-256 over its canonical JSON (`core.canonical`). Ids here are the binder's:
`evt-…` for events (accepted candidates, in editorial order), `clm-…` for claims, `src-…` for sources. It
is sent to the composer exactly so, as the JSON text of one input message.
"""

from __future__ import annotations

from orchestrator.contracts.models import ContractModel, IsoDate
from orchestrator.contracts.scout import Precision, SourceType, Support

PACKAGE_VERSION = "evidence-package-2026-08"


class PackageSource(ContractModel):
    """A page that the tool returned. `payload_digest` names the stored provider answer it came in."""

    source_id: str
    title: str
    publisher: str
    url: str
    published_at: IsoDate
    source_type: SourceType
    payload_digest: str


class PackageClaim(ContractModel):
    """A claim and the retrieved sources that carry it, never none."""

    claim_id: str
    text: str
    source_ids: tuple[str, ...]
    support: Support


class PackageEvent(ContractModel):
    """An accepted candidate as composition sees it. `event_key` is the scout's own key, kept as data."""

    event_id: str
    event_key: str
    event_date: IsoDate
    precision: Precision
    headline_fact: str
    region: str
    topics: tuple[str, ...]
    update: bool
    claims: tuple[PackageClaim, ...]
    sources: tuple[PackageSource, ...]


class EvidencePackage(ContractModel):
    """Everything that was accepted for one product and date, frozen."""

    package_version: str
    product: str
    target_date: IsoDate
    events: tuple[PackageEvent, ...]
