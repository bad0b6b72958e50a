"""Candidates, patches, deficits, package: evidence only grows, and the same evidence gives the same bytes."""

from __future__ import annotations

import pytest

from orchestrator.contracts.supplement import Deficit
from orchestrator.core.records import JobStage
from orchestrator.evidence.candidate import AcceptedCandidate, all_patched, candidate_id
from orchestrator.evidence.deficits import deficits, publishable
from orchestrator.evidence.identity import published_stories
from orchestrator.evidence.package import freeze_package, package_bytes, package_digest, read_package
from orchestrator.evidence.validation import Validation, validate
from tests.orchestrator.evidence import samples
from tests.orchestrator.evidence.samples import Json


def accepted(*raw: Json) -> tuple[AcceptedCandidate, ...]:
    """These candidates, accepted from a short primary answer."""
    return samples.judged(samples.scout_answer(0) | {"candidates": list(raw)}).candidates


def supplemented(known: tuple[AcceptedCandidate, ...], **changes: object) -> Validation:
    answer = samples.supplement_answer(**changes)
    judge = samples.subject(JobStage.RESEARCH_SUPPLEMENTAL, known=known)
    return validate(samples.body(samples.research_response(answer)), judge, asked_id=None)


def open_codes(*candidates: AcceptedCandidate, **scout: object) -> set[tuple[str, str]]:
    """Deficits of one candidate each, the shortfall left out."""
    found = deficits(candidates, samples.policy(**scout), target_date=samples.DATE)
    return {(d.code.value, d.subject) for d in found if d.code is not Deficit.CANDIDATE_SHORTFALL}


def test_a_patch_adds_evidence_and_changes_nothing_that_was_accepted() -> None:
    known = accepted(samples.candidate(0), samples.candidate(1))
    before = [candidate.model_dump_json() for candidate in known]
    patch = {
        "candidate_id": known[0].candidate_id,
        "claims": [
            {"claim_id": "c1", "claim": "A third fact", "source_refs": ["s1", "s2"], "support_type": "direct"}
        ],
        "sources": [
            samples.source("s1", "https://third.example/2026/11/29/bridge", "Third Paper"),
            samples.source("s2", known[0].sources[0].url, known[0].sources[0].publisher),
        ],
    }
    validation = supplemented(known, candidate_patches=[patch])
    assert validation.report.accepted
    assert [candidate.model_dump_json() for candidate in known] == before
    now = all_patched(known, validation.patches)
    assert now[1] == known[1]
    assert now[0].claims[:2] == known[0].claims
    added = now[0].claims[2]
    assert added.claim_id.endswith("-3")
    assert added.source_ids == (now[0].sources[2].source_id, known[0].sources[0].source_id)
    assert len(now[0].sources) == 3
    assert now[0].publishers == 3


def test_a_duplicate_inside_the_edition_becomes_evidence_of_the_first() -> None:
    twin = samples.candidate(0, proposed_event_key="other-key")
    twin["sources"] = [samples.source("s1", "https://third.example/2026/11/29/bridge", "Third Paper")]
    twin["claims"] = [{"claim_id": "x", "claim": "More", "source_refs": ["s1"], "support_type": "direct"}]
    validation = samples.judged(samples.scout_answer(0) | {"candidates": [samples.candidate(0), twin]})
    assert len(validation.candidates) == 1
    assert [patch.candidate_id for patch in validation.patches] == [validation.candidates[0].candidate_id]
    assert [claim.text for claim in validation.patches[0].claims] == ["More"]
    assert [record.reasons for record in validation.rejected] == [("DUPLICATE_CANDIDATE",)]


def test_two_stories_with_one_title_on_different_days_are_two_stories() -> None:
    other = samples.candidate(1, headline_fact=samples.candidate(0)["headline_fact"], event_date="2026-11-28")
    assert len(accepted(samples.candidate(0), other)) == 2


def test_ids_are_ours_and_two_events_never_share_one() -> None:
    first = candidate_id("7F3A91", "Elección en Ñuñoa", ())
    assert first == candidate_id("7F3A91", "eleccion en nunoa", ())
    assert first.startswith("evt-7f3a91-")
    assert candidate_id("7F3A91", "Elección en Ñuñoa", [first]) == f"{first}-2"
    assert candidate_id("7F3A91", "Elección en Ñuñoa", [first, f"{first}-2"]) == f"{first}-3"


def test_titles_lose_their_publisher_and_entities_and_nothing_else() -> None:
    one = samples.candidate(0)
    one["sources"][0] |= {"title": "AT&amp;T: “x” *y* [z] - AP News - Harbour Courier"}
    assert accepted(one)[0].sources[0].title == "AT&T: “x” *y* [z] - AP News"


def test_a_claim_keeps_only_the_sources_that_stand() -> None:
    one = samples.candidate(0)
    one["sources"][0]["url"] = "https://courier.example/"
    candidate = accepted(one)[0]
    assert [source.publisher for source in candidate.sources] == ["Town of Northmere"]
    assert [claim.source_ids for claim in candidate.claims] == [(candidate.sources[0].source_id,)] * 2
    assert open_codes(candidate) == {("CORROBORATION_GAP", candidate.candidate_id)}


def test_every_deficit_is_computed_from_the_evidence() -> None:
    primary_free = samples.candidate(1)
    primary_free["sources"][1]["source_type"] = "report"
    stale = samples.candidate(2)
    for source in stale["sources"]:
        source["published_at"] = "2026-10-01"
    lost_claim = samples.candidate(3)
    lost_claim["claims"][1]["source_refs"] = []
    contradictory = samples.candidate(4)
    contradictory["claims"][1] |= {"claim": "The bridge of Northmere 4 cost 4.3 million euros"}
    imprecise = samples.candidate(5, chronology_precision="week")
    one, two, three, four, five = accepted(primary_free, stale, lost_claim, contradictory, imprecise)
    assert open_codes(one, primary_source_topics=["economy"]) == {("PRIMARY_SOURCE_GAP", one.candidate_id)}
    assert open_codes(two) == {("FRESHNESS_GAP", two.candidate_id)}
    assert open_codes(three) == {("CITATION_GAP", three.candidate_id)}
    assert open_codes(four) == {("CONTRADICTION_UNRESOLVED", four.candidate_id)}
    assert open_codes(five) == {("CHRONOLOGY_GAP", five.candidate_id)}
    assert open_codes(one, corroboration=3) == {("CORROBORATION_GAP", one.candidate_id)}
    assert open_codes(one, required_regions=["asia"]) == {("REGION_GAP", "asia")}
    assert open_codes(one, required_topics=["science"]) == {("TOPIC_GAP", "science")}
    everyone = publishable((one, two, three, four, five), samples.policy(), target_date=samples.DATE)
    assert everyone == (one, three)


def test_a_place_lost_to_an_overlap_is_a_deficit_only_while_candidates_are_missing() -> None:
    answer = samples.scout_answer()
    answer["candidates"][1]["proposed_event_key"] = answer["candidates"][0]["proposed_event_key"]
    validation = samples.judged(answer)
    policy = samples.policy()
    short = deficits(validation.candidates, policy, target_date=samples.DATE, rejected=validation.rejected)
    assert {d.code for d in short} == {Deficit.CANDIDATE_SHORTFALL, Deficit.DUPLICATE_OVERLAP}
    more = supplemented(validation.candidates, new_candidates=[samples.candidate(20)]).candidates
    full = (*validation.candidates, *more)
    assert deficits(full, policy, target_date=samples.DATE, rejected=validation.rejected) == ()


def test_a_supplement_that_honestly_finds_nothing_is_accepted() -> None:
    validation = supplemented(accepted(samples.candidate(0)))
    assert validation.report.accepted
    assert (validation.candidates, validation.patches) == ((), ())


def test_the_package_is_chosen_by_weight_keeps_to_its_size_and_covers_what_is_required() -> None:
    candidates = samples.judged(samples.scout_answer()).candidates
    package = freeze_package(candidates, samples.policy(), target_date=samples.DATE)
    by_id = {candidate.candidate_id: candidate for candidate in candidates}
    grades = [by_id[event.event_id].significance.value for event in package.events]
    assert grades == ["high"] * 5 + ["medium"] * 3
    asia = freeze_package(candidates, samples.policy(required_regions=["asia"]), target_date=samples.DATE)
    assert [event.region for event in asia.events].count("asia") == 1
    assert len(asia.events) == 8


def test_the_package_does_not_depend_on_the_order_of_its_candidates() -> None:
    candidates = samples.judged(samples.scout_answer()).candidates
    one = freeze_package(candidates, samples.policy(), target_date=samples.DATE)
    other = freeze_package(candidates[::-1], samples.policy(), target_date=samples.DATE)
    assert package_digest(one) == package_digest(other)
    assert read_package(package_bytes(one)) == one


def test_nothing_publishable_is_nothing_to_freeze() -> None:
    with pytest.raises(ValueError, match="nothing to freeze"):
        freeze_package([], samples.policy(), target_date=samples.DATE)


def test_a_published_package_stops_its_own_stories_from_coming_back() -> None:
    package = samples.package()
    again = samples.judged(samples.scout_answer(), published=published_stories(package))
    assert len(again.candidates) == 14 - len(package.events)
    assert {record.reasons for record in again.rejected} == {("ALREADY_PUBLISHED",)}
