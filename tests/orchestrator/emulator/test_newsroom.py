"""The synthetic newsroom's answers, one request at a time."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from orchestrator.contracts.composition import CompositionAnswer, SentenceKind
from orchestrator.contracts.package import PACKAGE_VERSION, EvidencePackage
from orchestrator.contracts.scout import ScoutAnswer, ScoutCandidate, SourceType
from orchestrator.contracts.supplement import SupplementAnswer
from orchestrator.core.policy import CompositionPolicy
from orchestrator.emulator.answers import Answer, count_tokens
from orchestrator.emulator.newsroom import SyntheticNewsroom, load_newsroom
from orchestrator.errors import ConfigurationError
from orchestrator.evidence.composition_checks import composition_failures
from orchestrator.evidence.urls import refusal

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures" / "newsroom"
PRODUCTS = ("daily-brief", "revolution-watch")
DAY = "2026-11-30"
RESERVED = ("example", "test")


@pytest.fixture(scope="module")
def newsroom() -> SyntheticNewsroom:
    """The newsroom that ships."""
    return load_newsroom(FIXTURES)


@cache
def scout_policy(product: str) -> Mapping[str, Any]:
    """The product file's scout table."""
    policy = tomllib.loads((ROOT / "content" / "products" / f"{product}.toml").read_text("utf-8"))
    return cast("Mapping[str, Any]", policy["scout"])


def scouting(product: str, day: str = DAY, **changes: Any) -> dict[str, Any]:
    """The input document of a primary research request, with the product file's regions and topics."""
    scout = scout_policy(product)
    document = {
        "task": "research_primary",
        "contract_version": "primary-research-2026-08",
        "target_date": day,
        "product": product,
        "candidates": 14,
        "regions": scout["regions"],
        "topics": scout["topics"],
        "allowed_domains": [],
        "freshness_days": 3,
        "corroboration": 2,
        "already_published": [],
    }
    return document | changes


def request(document: Mapping[str, Any], *, stage: str = "research_primary", **changes: Any) -> dict[str, Any]:
    """The body of one POST /v1/responses."""
    metadata = {"stage": stage, "product": document["product"], "date": document["target_date"]}
    tools = {} if stage == "composition" else {"tools": [{"type": "web_search"}], "max_tool_calls": 40}
    body = {
        "model": "m",
        "instructions": "a headline and 3 to 5 sentences",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": json.dumps(document)}]}],
        "text": {"format": {"type": "json_schema"}},
        "metadata": metadata,
    }
    return body | tools | changes


def scouted(newsroom: SyntheticNewsroom, document: Mapping[str, Any]) -> ScoutAnswer:
    """The scout's answer to this document."""
    return ScoutAnswer.model_validate_json(newsroom.answer(request(document)).output_text)


def packed(product: str, answer: ScoutAnswer) -> EvidencePackage:
    """A package of every candidate, as the binder would freeze it."""
    events = [_event(number, candidate) for number, candidate in enumerate(answer.candidates)]
    package = {
        "package_version": PACKAGE_VERSION,
        "product": product,
        "target_date": answer.target_date,
        "events": events,
    }
    return EvidencePackage.model_validate_json(json.dumps(package))


def _event(number: int, candidate: ScoutCandidate) -> dict[str, Any]:
    data = candidate.model_dump(mode="json")
    return {
        "event_id": f"evt-{number}",
        "event_key": data["proposed_event_key"],
        "event_date": data["event_date"],
        "precision": data["chronology_precision"],
        "headline_fact": data["headline_fact"],
        "region": data["regions"][0],
        "topics": data["topics"],
        "update": False,
        "claims": [
            {
                "claim_id": f"clm-{number}-{index}",
                "text": claim["claim"],
                "source_ids": [f"src-{number}-{ref}" for ref in claim["source_refs"]],
                "support": claim["support_type"],
            }
            for index, claim in enumerate(data["claims"])
        ],
        "sources": [
            {name: source[name] for name in ("title", "publisher", "url", "published_at", "source_type")}
            | {"source_id": f"src-{number}-{source['source_ref']}", "payload_digest": "sha256:" + "0" * 64}
            for source in data["sources"]
        ],
    }


def composing(package: EvidencePackage, **changes: Any) -> dict[str, Any]:
    """A composition request; its input is the package and nothing else."""
    return request(package.model_dump(mode="json"), stage="composition", **changes)


def composed(newsroom: SyntheticNewsroom, package: EvidencePackage) -> CompositionAnswer:
    """The composition of this package."""
    answer = newsroom.answer(composing(package))
    assert answer.refusal is None
    return CompositionAnswer.model_validate_json(answer.output_text)


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("day", ["1999-12-31", "2024-02-29", DAY, "2031-01-01"])
def test_a_scout_finds_fourteen_sound_candidates_on_any_day(
    newsroom: SyntheticNewsroom, product: str, day: str
) -> None:
    document = scouting(product, day)
    answer = scouted(newsroom, document)
    assert answer.target_date == day
    assert len(answer.candidates) == len({one.proposed_event_key for one in answer.candidates}) == 14
    assert {region for one in answer.candidates for region in one.regions} == set(document["regions"])
    assert {topic for one in answer.candidates for topic in one.topics} == set(document["topics"])
    for candidate in answer.candidates:
        assert_sound(candidate, date.fromisoformat(day))


def assert_sound(candidate: ScoutCandidate, target: date) -> None:
    """What the validation layers will ask of a candidate."""
    happened = date.fromisoformat(candidate.event_date)
    assert target - timedelta(days=1) <= happened <= target
    assert 2 <= len(candidate.claims) <= 4
    assert 2 <= len(candidate.sources) <= 3
    assert len({source.publisher for source in candidate.sources}) >= 2
    refs = {source.source_ref for source in candidate.sources}
    assert {ref for claim in candidate.claims for ref in claim.source_refs} == refs
    assert len({claim.claim for claim in candidate.claims}) == len(candidate.claims)
    for source in candidate.sources:
        assert happened <= date.fromisoformat(source.published_at) <= target
        assert refusal(source.url) is None
        assert (urlsplit(source.url).hostname or "").rpartition(".")[2] in RESERVED


def test_most_stories_have_a_primary_source_and_all_have_a_report(newsroom: SyntheticNewsroom) -> None:
    candidates = [one for product in PRODUCTS for one in scouted(newsroom, scouting(product)).candidates]
    kinds = [{source.source_type for source in one.sources} for one in candidates]
    assert all(SourceType.REPORT in kind for kind in kinds)
    assert sum(SourceType.PRIMARY in kind for kind in kinds) > len(kinds) * 3 // 4


def test_every_cited_address_came_out_of_a_search_and_others_did_too(newsroom: SyntheticNewsroom) -> None:
    answer = newsroom.answer(request(scouting("daily-brief")))
    found = {url for search in answer.searches for url in search.sources}
    cited = cited_addresses(ScoutAnswer.model_validate_json(answer.output_text).candidates)
    assert cited < found
    assert all(search.query for search in answer.searches)


def cited_addresses(candidates: Sequence[ScoutCandidate]) -> set[str]:
    """Every address that the candidates name."""
    return {source.url for candidate in candidates for source in candidate.sources}


@pytest.mark.parametrize("limit", [1, 5, 40])
def test_a_lower_limit_of_tool_calls_loses_no_address(newsroom: SyntheticNewsroom, limit: int) -> None:
    answer = newsroom.answer(request(scouting("daily-brief"), max_tool_calls=limit))
    assert len(answer.searches) <= limit
    found = {url for search in answer.searches for url in search.sources}
    assert cited_addresses(ScoutAnswer.model_validate_json(answer.output_text).candidates) <= found


def test_without_a_search_tool_nothing_is_searched(newsroom: SyntheticNewsroom) -> None:
    assert newsroom.answer(request(scouting("daily-brief"), tools=[])).searches == ()


@pytest.mark.parametrize(
    "allowed", [["meridian-wire.example", "harbour-ledger.example"], ["example"], ["one.example", "two.test"]]
)
def test_only_allowed_domains_are_cited(newsroom: SyntheticNewsroom, allowed: list[str]) -> None:
    answer = scouted(newsroom, scouting("daily-brief", allowed_domains=allowed))
    for url in cited_addresses(answer.candidates):
        host = urlsplit(url).hostname or ""
        assert any(host == domain or host.endswith(f".{domain}") for domain in allowed)
    assert all(len({source.publisher for source in one.sources}) >= 2 for one in answer.candidates)


def test_domains_that_belong_to_somebody_are_declined(newsroom: SyntheticNewsroom) -> None:
    answer = newsroom.answer(request(scouting("daily-brief", allowed_domains=["news.com"])))
    assert answer.refusal
    assert not answer.output_text


@pytest.mark.parametrize("regions", [["americas", "asia"], ["anywhere"], [], ["R1", "R2", "R3"]])
def test_foreign_regions_and_topics_are_served_by_their_own_codes(
    newsroom: SyntheticNewsroom, regions: list[str]
) -> None:
    answer = scouted(newsroom, scouting("daily-brief", regions=regions, topics=["markets", "chess"]))
    assert {topic for one in answer.candidates for topic in one.topics} == {"markets", "chess"}
    assert not regions or {region for one in answer.candidates for region in one.regions} == set(regions)


@pytest.mark.parametrize("count", [1, 14, 20, 50])
def test_as_many_candidates_as_asked_for(newsroom: SyntheticNewsroom, count: int) -> None:
    answer = scouted(newsroom, scouting("revolution-watch", candidates=count))
    assert len({one.proposed_event_key for one in answer.candidates}) == count


def test_the_same_request_has_the_same_answer_in_a_new_newsroom(newsroom: SyntheticNewsroom) -> None:
    asked = request(scouting("daily-brief"))
    assert load_newsroom(FIXTURES).answer(asked) == newsroom.answer(asked)


def test_answers_are_those_of_every_machine(newsroom: SyntheticNewsroom) -> None:
    """One story in full: a change here is a change of every edition that was ever composed."""
    story = newsroom.storyteller.tell("daily-brief", "river-flood-tarvelo-20261130-0")
    assert story is not None
    again = newsroom.storyteller.tell("revolution-watch", "river-flood-tarvelo-20261130-0")
    assert again is None
    assert story.event_date == date(2026, 11, 30)
    assert story.headlines[0] == (
        "River flood forces 11,000 people from their homes in Tarvelo",
        "La crecida del río obliga a 11.000 personas a dejar sus casas en Tarvelo",
    )


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_composition_passes_every_layer_of_validation(newsroom: SyntheticNewsroom, product: str) -> None:
    package = packed(product, scouted(newsroom, scouting(product)))
    answer = composed(newsroom, package)
    assert [event.event_id for event in answer.events] == [event.event_id for event in package.events]
    assert composition_failures(answer, package, CompositionPolicy(headline_chars_max=110)) == []
    for event in answer.events:
        assert 3 <= len(event.english.sentences) <= 5
        kinds = [sentence.kind for sentence in event.english.sentences]
        assert kinds == [sentence.kind for sentence in event.spanish.sentences]
        assert kinds[-1] is SentenceKind.ANALYSIS


def test_a_fact_is_carried_by_claims_with_the_same_words(newsroom: SyntheticNewsroom) -> None:
    package = packed("daily-brief", scouted(newsroom, scouting("daily-brief")))
    claims = {claim.claim_id: claim.text for event in package.events for claim in event.claims}
    for event in composed(newsroom, package).events:
        for sentence in event.english.sentences:
            if sentence.kind is SentenceKind.FACT:
                assert all(claims[claim_id].endswith(sentence.text) for claim_id in sentence.claim_ids)
                assert sentence.claim_ids


def test_claims_that_were_refused_are_not_written(newsroom: SyntheticNewsroom) -> None:
    package = packed("daily-brief", scouted(newsroom, scouting("daily-brief")))
    thin = package.model_copy(
        update={"events": tuple(e.model_copy(update={"claims": e.claims[:1]}) for e in package.events)}
    )
    for event in composed(newsroom, thin).events:
        assert len(event.spanish.sentences) == 3
        assert sum(sentence.kind is SentenceKind.FACT for sentence in event.spanish.sentences) == 1


@pytest.mark.parametrize(("least", "most"), [(1, 1), (2, 2), (2, 6), (4, 4), (6, 6)])
def test_the_number_of_sentences_follows_the_instructions(
    newsroom: SyntheticNewsroom, least: int, most: int
) -> None:
    package = packed("revolution-watch", scouted(newsroom, scouting("revolution-watch")))
    answer = newsroom.answer(composing(package, instructions=f"a headline and {least} to {most} sentences."))
    events = CompositionAnswer.model_validate_json(answer.output_text).events
    assert all(len(event.english.sentences) <= most for event in events)
    assert max(len(event.english.sentences) for event in events) >= least


def test_a_package_of_another_newsroom_is_declined(newsroom: SyntheticNewsroom) -> None:
    package = packed("daily-brief", scouted(newsroom, scouting("daily-brief")))
    foreign = package.events[3].model_copy(update={"event_key": "somebody-elses-story"})
    mixed = package.model_copy(update={"events": (*package.events[:3], foreign)})
    answer = newsroom.answer(composing(mixed))
    assert answer.refusal == "Event evt-3 is not a story of the synthetic newsroom."
    assert answer.output_text == ""


def supplementing(answer: ScoutAnswer, *deficits: tuple[str, str], **changes: Any) -> dict[str, Any]:
    """A supplemental request after this answer; candidates are known as c0, c1, …"""
    document = scouting("revolution-watch", **changes) | {
        "task": "research_supplemental",
        "deficits": [{"code": code, "subject": subject} for code, subject in deficits],
        "accepted": [
            {
                "candidate_id": f"c{number}",
                "event_key": one.proposed_event_key,
                "region": one.regions[0],
                "topics": one.topics,
                "evidence_digest": "sha256:0",
            }
            for number, one in enumerate(answer.candidates)
        ],
        "rejected": [],
    }
    return request(document, stage="research_supplemental")


def supplemented(newsroom: SyntheticNewsroom, asked: Mapping[str, Any]) -> tuple[SupplementAnswer, Answer]:
    """The supplement and the whole answer it came in."""
    answer = newsroom.answer(asked)
    return SupplementAnswer.model_validate_json(answer.output_text), answer


@pytest.mark.parametrize("code", ["CORROBORATION_GAP", "PRIMARY_SOURCE_GAP", "CITATION_GAP", "FRESHNESS_GAP"])
def test_a_thin_candidate_gets_a_patch_with_new_pages(newsroom: SyntheticNewsroom, code: str) -> None:
    first = scouted(newsroom, scouting("revolution-watch"))
    every = [(code, f"c{number}") for number in range(14)]
    delta, answer = supplemented(newsroom, supplementing(first, *every, needed=0))
    found = {url for search in answer.searches for url in search.sources}
    assert [patch.candidate_id for patch in delta.candidate_patches] == [f"c{number}" for number in range(14)]
    assert delta.new_candidates == ()
    assert delta.unresolved_deficits == ()
    for patch, candidate in zip(delta.candidate_patches, first.candidates, strict=True):
        assert {source.url for source in patch.sources} <= found
        assert patch.claims[0].claim not in {claim.claim for claim in candidate.claims}
        if code == "PRIMARY_SOURCE_GAP":
            assert any(source.source_type is SourceType.PRIMARY for source in patch.sources)
        else:
            assert not {source.url for source in patch.sources} & cited_addresses([candidate])


def test_a_patch_can_be_composed(newsroom: SyntheticNewsroom) -> None:
    first = scouted(newsroom, scouting("revolution-watch"))
    delta, _ = supplemented(newsroom, supplementing(first, ("CORROBORATION_GAP", "c0")))
    package = packed("revolution-watch", first)
    event = package.events[0]
    added = event.claims[0].model_copy(
        update={"claim_id": "clm-added", "text": delta.candidate_patches[0].claims[0].claim}
    )
    patched = event.model_copy(update={"claims": (event.claims[0], added)})
    answer = composed(newsroom, package.model_copy(update={"events": (patched,)}))
    assert "clm-added" in {one for sentence in answer.events[0].spanish.sentences for one in sentence.claim_ids}


def test_missing_regions_topics_and_candidates_get_new_stories(newsroom: SyntheticNewsroom) -> None:
    first = scouted(newsroom, scouting("revolution-watch"))
    gaps = (("REGION_GAP", "oceania"), ("TOPIC_GAP", "media"), ("CANDIDATE_SHORTFALL", ""))
    delta, answer = supplemented(newsroom, supplementing(first, *gaps, needed=7))
    known = {one.proposed_event_key for one in first.candidates}
    assert len(delta.new_candidates) == 7
    assert not known & {one.proposed_event_key for one in delta.new_candidates}
    assert any("oceania" in one.regions for one in delta.new_candidates)
    assert any("media" in one.topics for one in delta.new_candidates)
    assert {deficit.code.value for deficit in delta.addressed_deficits} == {code for code, _ in gaps}
    found = {url for search in answer.searches for url in search.sources}
    assert cited_addresses(delta.new_candidates) <= found
    for candidate in delta.new_candidates:
        assert_sound(candidate, date.fromisoformat(DAY))


def test_a_second_round_brings_other_stories(newsroom: SyntheticNewsroom) -> None:
    first = scouted(newsroom, scouting("revolution-watch"))
    gap = ("REGION_GAP", "africa")
    one, _ = supplemented(newsroom, supplementing(first, gap))
    both = first.model_copy(update={"candidates": (*first.candidates, *one.new_candidates)})
    two, _ = supplemented(newsroom, supplementing(both, gap))
    assert one.new_candidates[0].proposed_event_key != two.new_candidates[0].proposed_event_key


def test_what_cannot_be_closed_stays_open(newsroom: SyntheticNewsroom) -> None:
    first = scouted(newsroom, scouting("revolution-watch"))
    gaps = (("CHRONOLOGY_GAP", "c0"), ("CITATION_GAP", "nobody"), ("REGION_GAP", "atlantis"))
    delta, _ = supplemented(newsroom, supplementing(first, *gaps))
    assert [(one.code.value, one.subject) for one in delta.unresolved_deficits] == list(gaps)
    assert delta.addressed_deficits == ()


@pytest.mark.parametrize(
    "text", ["", "hello", "[1]", "{", '{"a": 1}', '{"target_date": "2026-02-30", "product": "x", "candidates": 3}']
)
def test_a_request_that_is_not_for_a_newsroom_is_answered_in_words(newsroom: SyntheticNewsroom, text: str) -> None:
    plain = newsroom.answer({"model": "m", "input": text})
    strict = newsroom.answer({"model": "m", "input": text, "text": {"format": {"type": "json_schema"}}})
    assert plain.output_text == f"echo: {text}"
    assert strict.refusal
    assert strict.output_tokens > 0


def test_a_document_is_found_after_other_words_and_inside_a_wrapper(newsroom: SyntheticNewsroom) -> None:
    document = scouting("daily-brief")
    bare = newsroom.answer(request(document)).output_text
    for text in (f"Here is your task:\n{json.dumps(document)}", json.dumps({"task": document, "extra": 1})):
        earlier = {"role": "user", "content": "not this one {}"}
        asked = request(document, input=[earlier, {"role": "user", "content": text}])
        assert newsroom.answer(asked).output_text == bare


def test_half_a_character_and_foreign_shapes_do_not_raise(newsroom: SyntheticNewsroom) -> None:
    broken = request(scouting("daily-brief", topics=["\ud800"]))
    odd = request(scouting("daily-brief", topics=7, regions={"a": 1}, allowed_domains=None, candidates="many"))
    assert newsroom.answer(broken).refusal
    assert len(ScoutAnswer.model_validate_json(newsroom.answer(odd).output_text).candidates) == 14
    assert newsroom.answer({"metadata": [], "input": 7}).output_text.startswith("echo")


def test_tokens_are_counted_from_the_texts(newsroom: SyntheticNewsroom) -> None:
    asked = request(scouting("daily-brief"))
    answer = newsroom.answer(asked)
    assert answer.output_tokens == count_tokens(answer.output_text) > 1_000
    assert answer.output_tokens < 12_000
    assert answer.input_tokens > 100
    assert answer.citations == ()


def test_unusable_fixtures_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"world\.toml|daily-brief\.toml"):
        load_newsroom(tmp_path)
