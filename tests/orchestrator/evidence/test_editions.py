"""Editions: from a validated composition to what the publisher gets, with an unbroken chain of evidence."""

from __future__ import annotations

import hashlib
import json

from orchestrator.core.records import JobStage
from orchestrator.evidence.editions import Built, Facts, build_editions, made_of
from orchestrator.evidence.package import package_bytes
from tests.orchestrator.evidence import samples

AT = "2026-11-30T06:02:00.000Z"


def built() -> tuple[Built, ...]:
    package = samples.package()
    research = samples.judged(samples.scout_answer())
    composition = samples.judged_composition(samples.composition_answer(package), package)
    assert composition.composition is not None
    contracts = [samples.contract(JobStage.RESEARCH_PRIMARY), samples.contract(JobStage.COMPOSITION)]
    facts = Facts(
        revision=1,
        number=12,
        published_at=AT,
        revised_at=AT,
        composition_digest=composition.report.result_digest,
        made=made_of([research.report], contracts, package, began_at=AT, approved_by="policy"),
        synthetic=True,
    )
    return build_editions(composition.composition, package, samples.policy(), facts=facts)


def test_there_is_one_edition_per_language_with_the_same_events() -> None:
    english, spanish = (one.edition for one in built())
    assert (english.key, spanish.key) == ("daily-brief/2026-11-30/en", "daily-brief/2026-11-30/es")
    assert (english.product_title, spanish.product_title) == ("Daily Brief", "Resumen diario")
    assert [event.event_id for event in english.events] == [event.event_id for event in spanish.events]
    assert english.events[0].headline == "Northmere 3 opens its bridge"
    assert spanish.events[0].headline == "Northmere 3 abre su puente"
    assert english.fewer_events is False


def test_a_sentence_can_be_followed_to_its_page_and_payload_with_the_evidence_alone() -> None:
    for one in built():
        evidence = json.loads(one.evidence.model_dump_json())
        claims = {claim["claim_id"]: claim for claim in evidence["claims"]}
        sources = {source["source_id"]: source for source in evidence["sources"]}
        assert len(evidence["sentences"]) == sum(len(event.sentences) for event in one.edition.events)
        for sentence in evidence["sentences"]:
            event, index = map(int, sentence["path"].split("/"))
            assert one.edition.events[event].sentences[index].text == sentence["text"]
            assert sentence["claim_ids"] or sentence["kind"] == "analysis"
            for claim_id in sentence["claim_ids"]:
                for source_id in claims[claim_id]["source_ids"]:
                    assert sources[source_id]["url"].startswith("https://")
                    assert sources[source_id]["payload_digest"] in evidence["payload_digests"]


def test_the_package_digest_can_be_computed_by_anybody() -> None:
    digest = hashlib.sha256(package_bytes(samples.package())).hexdigest()
    assert {one.evidence.package_digest for one in built()} == {f"sha256:{digest}"}


def test_a_factual_sentence_is_a_fact_whatever_the_composer_called_it() -> None:
    package = samples.package()
    answer = samples.composition_answer(package)
    answer["events"][0]["english"]["sentences"][0]["kind"] = "analysis"
    composition = samples.judged_composition(answer, package).composition
    assert composition is not None
    facts = Facts(
        revision=1,
        number=1,
        published_at=AT,
        revised_at=AT,
        composition_digest=f"sha256:{'0' * 64}",
        made=built()[0].evidence.made,
    )
    english = build_editions(composition, package, samples.policy(), facts=facts)[0].edition
    assert [sentence.kind for sentence in english.events[0].sentences] == ["fact", "fact", "analysis"]


def test_how_it_was_made_counts_candidates_refusals_rounds_and_contracts() -> None:
    package = samples.package()
    answer = samples.scout_answer()
    answer["candidates"][3]["event_date"] = "2020-01-01"
    answer["candidates"][3]["regions"] = []
    report = samples.judged(answer).report
    made = made_of([report], [samples.contract(JobStage.COMPOSITION)], package, began_at=AT, approved_by="policy")
    assert (made.candidates_found, made.candidates_accepted, made.research_rounds) == (14, 13, 1)
    assert made.candidates_refused == {"CHRONOLOGY_OUTSIDE_WINDOW": 1}
    assert made.sources_usable == 16
    assert made.contracts == {"composition": "composition-2026-08"}
    assert made.checks_passed[0] == "transport"
