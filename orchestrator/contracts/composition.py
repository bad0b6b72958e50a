"""The composition contract ("bilingual composer"): one text in both languages, from the package only.

Event ids, claim ids and the date come from the frozen evidence package; every factual sentence names the
claims that carry it. Source: Daily Brief workflow, "Composition contract"; the sentence form of INTERFACE.
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.contracts.models import ContractModel, IsoDate

COMPOSITION_CONTRACT = "composition-2026-08"


class SentenceKind(StrEnum):
    """A sentence that holds a number, date, name, quote or negation counts as fact whatever its label."""

    FACT = "fact"
    ANALYSIS = "analysis"


class Sentence(ContractModel):
    """One sentence and the claims that carry it."""

    text: str
    claim_ids: tuple[str, ...]
    kind: SentenceKind


class LanguageVersion(ContractModel):
    """One event in one language."""

    headline: str
    sentences: tuple[Sentence, ...]


class ComposedEvent(ContractModel):
    """One event of the package, in both languages."""

    event_id: str
    english: LanguageVersion
    spanish: LanguageVersion


class CompositionAnswer(ContractModel):
    """The whole answer; the events are those of the package, in its order."""

    contract_version: str
    target_date: IsoDate
    events: tuple[ComposedEvent, ...]
