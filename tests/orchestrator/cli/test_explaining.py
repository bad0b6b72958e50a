"""The story of one thing: explain and show."""

from __future__ import annotations

import sqlite3

import pytest

from tests.orchestrator.cli.conftest import Desk
from tests.orchestrator.cli.night import LATE, RESEARCH, STUCK


def test_the_story_tells_what_happened_what_is_safe_and_whose_it_is(desk: Desk) -> None:
    told = desk.ask("explain", "7F3A91").out
    head, empty, first = told.splitlines()[:3]
    assert head == "Job 7F3A91, composition of daily-brief 2026-11-30, generation 0: QUARANTINED (creation unknown)"
    assert (empty, first[:13]) == ("", "What happened")
    for part in (
        "dispatched with contract composition-2026-08 (fingerprint ",
        "fence 12, worker w3",
        "the call broke off (ReadError) after the request was sent, before an answer; creation unknown: it may",
        "Nothing is sent again.",
        "Research is kept: 9 accepted events (package sha256:",
        "Look in the provider's log for client request id request-7f3a91aa.",
        "recovery: night desk · answer due ",
        "not acknowledged",
        "0.31 reserved, 0.00 spent",
    ):
        assert part in told


def test_the_story_as_json_answers_every_question(desk: Desk) -> None:
    told = desk.ask("explain", "7F3A91", "--json").json
    assert told["id"] == STUCK
    assert told["creation"] == "ambiguous"
    assert told["cost"] == {"reserved": 0.31, "spent": 0.0}
    assert told["owner"]["role"] == "night desk"
    assert told["contract"]["version"] == "composition-2026-08"
    assert told["evidence"]["candidates_accepted"] == 9
    assert (told["verdict"], told["advanced_process"], told["next_eligible"]) == (None, False, None)
    assert told["cancel"]["allowed"] is False
    assert told["delete"]["allowed"] is False
    assert "on time" in told["why_authorised"]
    assert [line["event_type"] for line in told["history"]] == ["DISPATCHED", "CREATION_UNKNOWN"]


def test_a_finished_job_is_known_accepted_and_paid(desk: Desk) -> None:
    told = desk.ask("explain", "7f3a00", "--json").json
    assert (told["creation"], told["advanced_process"], told["state"]) == ("known", True, "DELETED")
    assert told["verdict"]["accepted"] is True
    assert "every check passed" in desk.ask("explain", "7f3a00").out


def test_a_publication_is_explained_by_its_present_job_and_an_edition_by_the_one_that_made_it(desk: Desk) -> None:
    assert desk.ask("explain", "daily-brief/2026-11-30", "--json").json["id"] == STUCK
    assert desk.ask("explain", "revolution-watch/2026-11-30/es", "--json").json["state"] == "DELETED"


def test_a_missed_publication_is_explained_without_a_job(desk: Desk) -> None:
    told = desk.ask("explain", "daily-brief/2026-11-29")
    assert told.out.startswith("Process A0A0A0, daily-brief 2026-11-29: MISSED (older than catch up)")
    assert desk.ask("explain", "A0A0A0", "--json").json["creation"] == "not_sent"


def test_show_gives_a_thing_in_full_and_each_of_its_parts(desk: Desk) -> None:
    assert desk.ask("show", "7f3a00", "--json").json["id"] == RESEARCH
    assert desk.ask("show", "91C4D2", "--json").json["id"] == LATE
    assert desk.ask("show", "7f3a00", "--report", "--json").json["accepted"] is True
    assert desk.ask("show", "7f3a00", "--payload").out == '{"id": "resp_research"}\n'
    assert desk.ask("show", "91C4D2", "--evidence").json["events"] == []
    shown = desk.ask("show", "7F3A91").out
    assert "Z\n" not in shown.partition("More:")[0]
    assert shown.endswith("More: dateline show 7F3A91 --report | --payload\n")


def test_an_edition_is_shown_as_markdown_or_as_the_json_that_can_be_rendered(desk: Desk) -> None:
    key = "revolution-watch/2026-11-30/en"
    assert "## 1. A square fills" in desk.ask("show", key, "--edition").out
    shown = desk.ask("show", f"{key}@1", "--edition", "--json").json
    assert (shown["product"], shown["lang"], shown["revision"]) == ("revolution-watch", "en", 1)
    assert desk.ask("show", key, "--evidence", "--json").json["made"]["candidates_found"] == 14
    assert desk.ask("show", key, "--json").json["outcome"] == "VERIFIED_COMPLETE"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("explain dead", "no job and no process is called dead"),
        ("explain nope", '"nope" is neither an id (at least 4 characters of it) nor a key'),
        ("explain 7f3a", "7f3a can mean several: job 7F3A00, job 7F3A91"),
        ("explain daily-brief/2026-01-01", "daily-brief 2026-01-01 was never planned"),
        (
            "show daily-brief/2026-11-30/en",
            "there is no edition daily-brief/2026-11-30/en: daily-brief",
        ),
        ("show revolution-watch/2026-11-30/en@2", "there is no edition revolution-watch/2026-11-30/en@2"),
        ("show daily-brief/30-11-2026", '"daily-brief/30-11-2026" is not a key'),
        ("show 7F3A91 --payload", "no answer of 7F3A91 is stored"),
        ("show 7F3A91 --report", "7F3A91 has no report yet"),
        ("show 91C4D2 --edition", "91C4D2 has no edition yet"),
        ("show 5BE1F0 --edition", "5BE1F0 is no single edition"),
        ("show 7F3A91 --report --payload", "Invalid value: choose one of --report, --payload"),
        ("timeline A0A0A1", "no job and no process is called A0A0A1"),
        ("processes --date yesterday", 'Invalid value: "yesterday" is not a date'),
        ("events --since lately", 'Invalid value: "lately" is neither an instant'),
    ],
)
def test_what_cannot_be_found_is_a_sentence_and_exit_2(desk: Desk, arguments: str, sentence: str) -> None:
    said = desk.ask(*arguments.split())
    assert (said.code, said.out) == (2, "")
    first, *more = said.err.splitlines()
    assert first.startswith(f"dateline: {sentence}")
    assert "Traceback" not in said.err
    assert all(line.startswith("          ") for line in more)


def test_a_changed_document_is_refused_when_it_is_shown(desk: Desk) -> None:
    with sqlite3.connect(desk.file) as raw:
        raw.execute("DROP TRIGGER document_no_update")
        raw.execute("UPDATE document SET body = x'00' WHERE kind = 'REPORT'")
    raw.close()
    said = desk.ask("show", "7f3a00", "--report")
    assert (said.code, said.out) == (3, "")
    assert "was changed in the store" in said.err
