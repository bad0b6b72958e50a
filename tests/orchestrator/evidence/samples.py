"""A small valid newsroom for the evidence tests: answers by hand, on reserved domains, easy to corrupt.

Fourteen events, two sources each, two claims each; a composition of eight of them in both languages.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from orchestrator.contracts.composition import COMPOSITION_CONTRACT
from orchestrator.contracts.contract import OperationContract, Running, contract_for
from orchestrator.contracts.package import EvidencePackage
from orchestrator.contracts.scout import SCOUT_CONTRACT
from orchestrator.contracts.supplement import SUPPLEMENT_CONTRACT
from orchestrator.core.policy import ProductPolicy, read_policy
from orchestrator.core.records import JobStage
from orchestrator.evidence.package import freeze_package
from orchestrator.evidence.report import VALIDATOR
from orchestrator.evidence.validation import Subject, Validation, validate

Json = dict[str, Any]
DATE = "2026-11-30"
SUFFIX = "7F3A91"
RESPONSE_ID = "resp_0123456789abcdef"
REGIONS = ("europe", "africa", "asia")
TOPICS = ("politics", "economy", "science")


def policy(**scout: Any) -> ProductPolicy:
    """A product of 14 candidates and at most 8 events; keywords go into its scout part."""
    return _policy(json.dumps(scout))


@cache
def _policy(scout: str) -> ProductPolicy:
    return read_policy(
        {
            "slug": "daily-brief",
            "languages": ["en", "es"],
            "titles": {"en": "Daily Brief", "es": "Resumen diario"},
            "owners": {"business": "desk", "technical": "ops", "recovery": "night desk"},
            "schedule": {"at": "06:00", "timezone": "UTC", "deadline": "2h", "warn_before": "30m"},
            "scout": {"regions": list(REGIONS), "topics": list(TOPICS), "corroboration": 2} | json.loads(scout),
            "composition": {"events_min": 5, "events_max": 8},
        },
        place="daily-brief.toml",
    )


def contract(stage: JobStage, of: ProductPolicy | None = None, evidence: str | None = None) -> OperationContract:
    running = Running(policy=of or policy(), model="synthetic-1", validator=VALIDATOR)
    return contract_for(stage, running, target_date=DATE, process_revision=1, evidence_digest=evidence)


def candidate(number: int, **changes: Any) -> Json:
    """The `number`-th valid candidate."""
    return {
        "proposed_event_key": f"bridge-{number}-opens",
        "event_date": "2026-11-29",
        "chronology_precision": "day",
        "headline_fact": f"The town of Northmere {number} opened a bridge that cost 4.2 million euros",
        "regions": [REGIONS[number % 3]],
        "topics": [TOPICS[number % 3]],
        "claims": [
            {
                "claim_id": "c1",
                "claim": f"The bridge of Northmere {number} cost 4.2 million euros",
                "source_refs": ["s1", "s2"],
                "support_type": "direct",
            },
            {
                "claim_id": "c2",
                "claim": f"The bridge of Northmere {number} was not closed on November 29, 2026",
                "source_refs": ["s2"],
                "support_type": "attributed",
            },
        ],
        "sources": [
            source("s1", f"https://courier.example/2026/11/29/bridge-{number}", "Harbour Courier", "report"),
            source("s2", f"https://northmere.example/notices/bridge-{number}-2026", "Town of Northmere", "primary"),
        ],
        "selection_signals": {
            "international_significance": ("high", "medium", "low")[number % 3],
            "novelty": "medium",
            "corroboration": "high",
            "update_of_earlier_story": False,
        },
    } | changes


def source(ref: str, url: str, publisher: str, kind: str = "report", date: str = "2026-11-29") -> Json:
    return {
        "source_ref": ref,
        "title": f"Report from {publisher}",
        "publisher": publisher,
        "url": url,
        "published_at": date,
        "source_type": kind,
    }


def scout_answer(count: int = 14) -> Json:
    return {
        "contract_version": SCOUT_CONTRACT,
        "target_date": DATE,
        "candidates": [candidate(number) for number in range(count)],
    }


def supplement_answer(**changes: Any) -> Json:
    return {
        "contract_version": SUPPLEMENT_CONTRACT,
        "target_date": DATE,
        "addressed_deficits": [],
        "candidate_patches": [],
        "new_candidates": [],
        "unresolved_deficits": [],
    } | changes


def urls_in(answer: Json) -> list[str]:
    """Every source address of a research answer, in order."""
    groups = ("candidates", "new_candidates", "candidate_patches")
    holders = [holder for group in groups for holder in answer.get(group, [])]
    return [source["url"] for holder in holders for source in holder.get("sources", [])]


def search_call(urls: list[str], number: int = 0) -> Json:
    return {
        "id": f"ws_{number}",
        "type": "web_search_call",
        "status": "completed",
        "action": {
            "type": "search",
            "query": "bridges",
            "sources": [{"type": "url", "url": url} for url in urls],
        },
    }


def message(text: str, **changes: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
    } | changes


def response(output: list[Json], **changes: Any) -> Json:
    return {
        "id": RESPONSE_ID,
        "object": "response",
        "created_at": 1796000000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": output,
        "usage": None,
    } | changes


def research_response(answer: Json, retrieved: list[str] | None = None) -> Json:
    """A completed Response whose tool returned `retrieved` (default: every address of the answer)."""
    pages = [*urls_in(answer), "https://courier.example/2026/11/28/seen"] if retrieved is None else retrieved
    return response([search_call(pages), message(json.dumps(answer))])


def body(of: Json) -> bytes:
    return json.dumps(of, ensure_ascii=False).encode("utf-8", "surrogatepass")


def subject(stage: JobStage, of: ProductPolicy | None = None, **known: Any) -> Subject:
    product = of or policy()
    return Subject(
        operation_id="op-1",
        process_suffix=SUFFIX,
        contract=contract(stage, product),
        policy=product,
        **known,
    )


def judged(answer: Json, of: ProductPolicy | None = None, **known: Any) -> Validation:
    """A primary answer, fully retrieved, validated."""
    return validate(
        body(research_response(answer)), subject(JobStage.RESEARCH_PRIMARY, of, **known), asked_id=RESPONSE_ID
    )


@cache
def package() -> EvidencePackage:
    """The frozen package of the valid answer."""
    return freeze_package(judged(scout_answer()).candidates, policy(), target_date=DATE)


def sentence(text: str, claim_ids: list[str], kind: str = "fact") -> Json:
    return {"text": text, "claim_ids": claim_ids, "kind": kind}


def composed_event(event_id: str, claims: list[str], number: int) -> Json:
    return {
        "event_id": event_id,
        "english": {
            "headline": f"Northmere {number} opens its bridge",
            "sentences": [
                sentence(f"The bridge of Northmere {number} cost 4.2 million euros.", claims[:1]),
                sentence("It was not closed on November 29, 2026, according to the town.", claims[1:]),
                sentence("This makes the way to the harbour shorter for everyone.", [], "analysis"),
            ],
        },
        "spanish": {
            "headline": f"Northmere {number} abre su puente",
            "sentences": [
                sentence(f"El puente de Northmere {number} costó 4,2 millones de euros.", claims[:1]),
                sentence("No se cerró el 29 de noviembre de 2026, según el municipio.", claims[1:]),
                sentence("Esto acorta el camino al puerto para todos.", [], "analysis"),
            ],
        },
    }


def _number(claim: str) -> int:
    """Which Northmere a claim is about."""
    return int(claim.partition("Northmere ")[2].partition(" ")[0])


def composition_answer(of: EvidencePackage) -> Json:
    """A valid composition of the package."""
    events = [
        composed_event(event.event_id, [claim.claim_id for claim in event.claims], _number(event.claims[0].text))
        for event in of.events
    ]
    return {"contract_version": COMPOSITION_CONTRACT, "target_date": DATE, "events": events}


def composition_response(answer: Json) -> Json:
    return response([message(json.dumps(answer, ensure_ascii=False))])


def judged_composition(answer: Json, of: EvidencePackage) -> Validation:
    judge = subject(JobStage.COMPOSITION, package=of)
    return validate(body(composition_response(answer)), judge, asked_id=RESPONSE_ID)


def corrupted(value: Json, change: Callable[[Json], object]) -> Json:
    """A deep copy with the change made to it."""
    fresh = copy.deepcopy(value)
    change(fresh)
    return fresh


def codes(validation: Validation) -> Mapping[str, str]:
    """path → code of every failure."""
    return {failure.path: failure.code.value for failure in validation.report.failures}
