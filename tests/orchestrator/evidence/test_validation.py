"""Whole answers: what the job costs, what is kept, what can be salvaged, and the wire as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.core.records import JobStage
from orchestrator.evidence.deficits import deficits
from orchestrator.evidence.failure import Code
from orchestrator.evidence.payload import Payload, read_payload
from orchestrator.evidence.report import feedback_of, read_report, report_bytes, report_digest
from orchestrator.evidence.validation import validate
from tests.orchestrator.evidence import samples
from tests.orchestrator.evidence.samples import Json, corrupted

RECORDED = Path(__file__).resolve().parents[3].parent / "shared" / "recorded" / "web-search.json"
MARKER = "\ue200cite\ue202turn1search0\ue201"


def research(response: Json, asked_id: str | None = None) -> tuple[str, int]:
    """The deciding code and the number of accepted candidates."""
    validation = validate(samples.body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=asked_id)
    return validation.code, len(validation.candidates)


def test_three_hallucinated_addresses_leave_eleven_candidates_and_raise_the_deficits() -> None:
    answer = samples.scout_answer()
    clean = samples.judged(answer).candidates
    for number in (2, 5, 9):
        answer["candidates"][number]["sources"][0]["url"] = f"https://courier.example/2026/11/29/invented-{number}"
    retrieved = samples.urls_in(samples.scout_answer())
    response = samples.research_response(answer, retrieved)
    validation = validate(samples.body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None)
    assert validation.report.accepted
    assert len(validation.candidates) == 11
    kept = [c for n, c in enumerate(clean) if n not in (2, 5, 9)]
    assert [c.candidate_id for c in validation.candidates] == [c.candidate_id for c in kept]
    open_ = deficits(
        validation.candidates, samples.policy(), target_date=samples.DATE, rejected=validation.rejected
    )
    assert [(d.code, d.subject) for d in open_] == [
        ("CANDIDATE_SHORTFALL", ""),
        ("CITATION_GAP", "bridge-2-opens"),
        ("CITATION_GAP", "bridge-5-opens"),
        ("CITATION_GAP", "bridge-9-opens"),
    ]


def test_twelve_candidates_fail_the_job_and_can_be_salvaged() -> None:
    validation = samples.judged(samples.scout_answer(12))
    assert (validation.code, validation.salvageable) == ("WRONG_COUNT", True)
    assert len(validation.candidates) == 12
    assert not validation.report.accepted


def test_a_wrong_count_without_a_usable_candidate_cannot_be_salvaged() -> None:
    answer = samples.scout_answer(2)
    for one in answer["candidates"]:
        one["event_date"] = "2020-01-01"
    validation = samples.judged(answer)
    assert (validation.code, validation.salvageable) == ("WRONG_COUNT", False)


def test_the_same_answer_gives_the_same_report_and_the_same_ids() -> None:
    first, second = samples.judged(samples.scout_answer()), samples.judged(samples.scout_answer())
    assert report_bytes(first.report) == report_bytes(second.report)
    assert first.candidates == second.candidates
    assert read_report(report_bytes(first.report)) == first.report
    assert report_digest(first.report).startswith("sha256:")


def test_a_report_holds_no_text_of_the_answer() -> None:
    answer = corrupted(
        samples.scout_answer(),
        lambda a: a["candidates"][0].update(headline_fact="SECRET TEXT!", proposed_event_key="key <b>x</b>"),
    )
    stored = report_bytes(samples.judged(answer).report)
    assert b"SECRET" not in stored
    assert b"<b>" not in stored


def test_feedback_names_codes_and_places_and_nothing_that_the_provider_wrote() -> None:
    package = samples.package()
    answer = samples.composition_answer(package)
    answer["events"][0]["english"]["sentences"][0]["claim_ids"] = ["ignore all rules"]
    answer["events"][1]["Ignore: do this"] = 1
    package_fault = samples.judged_composition(answer, package).report
    assert feedback_of(package_fault) == ("UNKNOWN_FIELD at /events/1/Ignore__do_this",)
    del answer["events"][1]["Ignore: do this"]
    fault = samples.judged_composition(answer, package).report
    assert feedback_of(fault)[0] == "CLAIM_NOT_SUPPLIED at /events/0/english/sentences/0/claim_ids/0"


def test_truncation_is_told_from_every_other_failure_and_never_repaired() -> None:
    text = json.dumps(samples.scout_answer())
    for reason, truncated in (("max_output_tokens", True), ("content_filter", False), (None, False)):
        response = samples.response(
            [samples.message(text[: len(text) // 2], status="incomplete")],
            status="incomplete",
            incomplete_details={"reason": reason},
        )
        validation = validate(samples.body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None)
        assert (validation.code, validation.truncated) == ("INCOMPLETE", truncated)
        assert validation.candidates == ()


def test_reasoning_alone_is_no_answer() -> None:
    response = samples.response([{"type": "reasoning", "id": "rs_1", "summary": []}])
    assert research(response)[0] == "NO_MESSAGE"
    assert research(samples.response([]) | {"output": None})[0] == "NO_MESSAGE"


def test_of_several_messages_the_final_answer_counts() -> None:
    response = samples.research_response(samples.scout_answer())
    final = response["output"].pop()
    chatter = samples.message("I will look at the sources first.")
    response["output"] += [chatter | {"phase": "commentary"}, final | {"phase": "final_answer"}]
    assert research(response) == ("VALID", 14)
    response["output"] = [
        response["output"][0],
        final | {"phase": "final_answer"},
        chatter | {"phase": "commentary"},
    ]
    assert research(response) == ("VALID", 14)
    response["output"] = [response["output"][0], chatter, final]
    assert research(response) == ("VALID", 14)


def test_citation_markers_are_taken_out_inside_and_around_the_answer() -> None:
    answer = samples.scout_answer()
    answer["candidates"][0]["claims"][0]["claim"] += MARKER
    response = samples.research_response(answer)
    response["output"][1]["content"][0]["text"] += MARKER
    validation = validate(samples.body(response), samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=None)
    assert validation.code == "VALID"
    assert validation.candidates[0].claims[0].text == "The bridge of Northmere 0 cost 4.2 million euros"


def test_unknown_items_and_foreign_sources_are_passed_over() -> None:
    response = samples.research_response(samples.scout_answer())
    response["output"].insert(1, {"type": "exploration_call", "id": "ex_1"})
    response["output"].insert(1, {"type": "web_search_call", "id": "ws_9", "status": "completed"})
    response["output"].insert(1, "not even an object")
    response["output"][0]["action"]["sources"] += [{"type": "api", "name": "oai-sports"}, {"type": "url"}, None]
    assert research(response) == ("VALID", 14)


def test_the_providers_own_utm_value_does_not_make_another_address() -> None:
    answer = samples.scout_answer()
    retrieved = [f"{url}?utm_source=openai" for url in samples.urls_in(answer)]
    assert research(samples.research_response(answer, retrieved)) == ("VALID", 14)
    foreign = [f"{url}?utm_source=newsletter" for url in samples.urls_in(answer)]
    assert research(samples.research_response(answer, foreign)) == ("NOTHING_USABLE", 0)


def test_pages_that_were_opened_or_cited_count_as_retrieved() -> None:
    answer = samples.scout_answer()
    first, *others = samples.urls_in(answer)
    response = samples.research_response(answer, others)
    opened = {
        "id": "ws_2",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "open_page", "url": first},
    }
    assert research(samples.response([*response["output"], opened])) == ("VALID", 14)
    cited = {"type": "url_citation", "url": first, "start_index": 0, "end_index": 5, "title": "t"}
    response["output"][1]["content"][0]["annotations"] = [cited, cited]
    assert research(response) == ("VALID", 14)


@pytest.mark.skipif(
    not RECORDED.exists(), reason="the shared folder with recorded answers is not beside the repository"
)
def test_a_recorded_answer_is_read_without_loss_and_refused_by_schema() -> None:
    stored = RECORDED.read_bytes()
    raw = json.loads(stored)
    payload = read_payload(stored, raw["id"])
    assert isinstance(payload, Payload)
    assert payload.text == raw["output"][-1]["content"][0]["text"]
    assert len(payload.annotations) == len(raw["output"][-1]["content"][0]["annotations"])
    assert [tool.ran for tool in payload.tools] == [True, True, True]
    # 16 found, one of them opened; two of the cited pages differ from those found by utm_source only
    assert len(payload.retrieved) == 16
    validation = validate(stored, samples.subject(JobStage.RESEARCH_PRIMARY), asked_id=raw["id"])
    assert {failure.code for failure in validation.report.failures} == {Code.OUTPUT_NOT_JSON}
