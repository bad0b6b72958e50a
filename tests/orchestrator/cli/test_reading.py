"""Each command that lists, for a person and for a machine."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from orchestrator.core.instants import parse_rfc3339
from orchestrator.desk import listings, showing
from orchestrator.desk.edition_rows import edition_rows
from orchestrator.desk.explaining import Patience, explain
from orchestrator.desk.opening import reading
from orchestrator.desk.status import read_status
from orchestrator.store import pause
from orchestrator.store.open import open_store
from tests.orchestrator.cli.conftest import Desk
from tests.orchestrator.cli.night import LATE, MISSED, RESEARCH, SEEN, STUCK

READING = (
    "status", "processes", "jobs", "effects", "inbox", "editions", "events",
    "timeline daily-brief/2026-11-30", "explain 7F3A91", "show 7F3A91", "show daily-brief/2026-11-30 --evidence",
)  # fmt: skip
BOX = re.compile("[\u2500-\u257f]|\x1b")


def test_the_status_leads_with_what_readers_have_and_names_who_is_needed(desk: Desk) -> None:
    lines = desk.ask("status").out.splitlines()
    late = "2 late (daily-brief 2026-11-30, due "
    assert lines[0].startswith(f"As readers see it     2 of 6 verified complete · {late}")
    assert lines[0].endswith("· 2 missed")
    assert "job 7F3A91 quarantined: creation unknown since" in lines[1]
    assert lines[1].endswith("dateline explain 7F3A91")
    assert lines[2].startswith("Oldest unverified     3 h 0")


def test_the_status_shows_what_is_open_and_how_the_machine_fares(desk: Desk) -> None:
    lines = desk.ask("status").out.splitlines()
    assert re.fullmatch(r"daily-brief +2026-11-30 +composition +waits for a person +next look —", lines[4])
    assert re.fullmatch(r"revolution-watch +2026-11-30 +verified [0-9: +-]+", lines[5])
    assert lines[7].startswith("provider open · nothing is due · relay idle · cost today 0.00")


def test_the_status_as_json_is_what_the_interface_promises(desk: Desk) -> None:
    said = desk.ask("status", "--json").json
    outcomes = said["outcomes"]
    assert outcomes.pop("oldest_unreconciled_s") >= 3 * 3600
    assert outcomes == {
        "accepted": 6,
        "verified_complete": 2,
        "unreconciled": 2,
        "past_deadline": 2,
        "unknown_outcome": 1,
        "compensation_pending": 0,
        "quarantined_without_owner": 1,
        "missed": 2,
    }
    assert said["jobs"] == {"DELETED": 2, "QUARANTINED": 1}
    assert said["paused"] is False
    assert parse_rfc3339(said["as_of"]) > 0
    actions = {p["process_suffix"]: p["next_action"] for p in said["processes"]}
    assert actions == {"91C4D2": "OPERATOR", "5BE1F0": "NONE"}


def test_a_paused_loop_is_the_first_thing_the_status_says(desk: Desk) -> None:
    db = open_store(f"sqlite:///{desk.file}")
    with db.write() as conn:
        pause.set(conn, actor="ana", reason="UPGRADE")
    db.close()
    assert re.match(r"Paused since .* by ana: UPGRADE\n", desk.ask("status").out)
    assert desk.ask("status", "--json").json["pause"]["actor"] == "ana"


def test_a_fresh_workspace_has_nothing_yet_and_says_how_to_begin(fresh: Desk) -> None:
    said = fresh.ask("status")
    assert (said.code, said.out.splitlines()[0]) == (
        0,
        "As readers see it     nothing is planned yet: dateline demo, or dateline run",
    )
    assert fresh.ask("status", "--json").json["outcomes"]["accepted"] == 0
    assert fresh.ask("jobs").out == "No job exists.\n"
    assert fresh.ask("editions", "--json").json == []


def test_processes_are_listed_by_date(desk: Desk) -> None:
    assert [p["id"] for p in desk.ask("processes", "--json").json] == [LATE, SEEN, MISSED]
    assert [p["id"] for p in desk.ask("processes", "--date", "2026-11-29", "--json").json] == [MISSED]
    assert "missed: older than catch up" in desk.ask("processes", "--date", "2026-11-29").out
    assert desk.ask("processes", "--date", "2026-01-01").out == "No process is planned for 2026-01-01.\n"


def test_jobs_are_listed_by_state_in_any_case(desk: Desk) -> None:
    [stuck] = desk.ask("jobs", "--state", "quarantined", "--json").json
    wanted = {
        "id": STUCK,
        "process": LATE,
        "stage": "composition",
        "generation": 0,
        "state": "QUARANTINED",
        "version": 13,
        "reason": "CREATE_ACCEPTANCE_UNKNOWN",
        "generation_attempts": 1,
        "poll_count": 0,
        "next_due_at": None,
        "lease_owner": None,
    }
    assert wanted.items() <= stuck.items()
    assert len(stuck["fingerprint"]) == 64
    shown = desk.ask("jobs", "--state", "QUARANTINED").out
    assert re.search(r"7F3A91 +daily-brief +2026-11-30 +composition +0 +QUARANTINED +creation unknown +—", shown)


def test_effects_say_what_each_act_left_outside(desk: Desk) -> None:
    shown = desk.ask("effects", "--json").json
    assert [(e["key"], e["intent"], e["status"]) for e in shown[:3]] == [
        ("revolution-watch/2026-11-30/en", intent, "CONFIRMED") for intent in ("COMMIT", "RENDER", "VERIFY")
    ]
    assert shown[2]["evidence"] == "http"
    assert desk.ask("effects", "--status", "DEAD_LETTERED").out == "No act is DEAD_LETTERED.\n"


def test_the_inbox_lists_what_was_heard_without_its_payload(desk: Desk) -> None:
    [message] = desk.ask("inbox", "--status", "pending", "--json").json
    assert (message["source"], message["event_id"], message["status"]) == ("provider", "evt_1", "PENDING")
    assert "payload" not in message
    assert "response.completed" in desk.ask("inbox").out


def test_editions_have_come_as_far_as_the_ledger_proves(desk: Desk) -> None:
    shown = desk.ask("editions", "--json").json
    assert [(e["key"], e["revision"], e["outcome"]) for e in shown] == [
        (f"revolution-watch/2026-11-30/{lang}", 1, "VERIFIED_COMPLETE") for lang in ("en", "es")
    ]
    assert shown[0]["source_commit"].startswith("c0ffee")
    assert shown[0]["pages_commit"].startswith("decade")
    assert shown[0]["url"] == "http://127.0.0.1:8000/en/revolution-watch/2026/11/30/"
    assert "VERIFIED_COMPLETE" in desk.ask("editions").out


def test_one_language_that_nobody_saw_keeps_the_other_from_being_complete(desk: Desk) -> None:
    with sqlite3.connect(desk.file) as raw:
        raw.execute("UPDATE effect SET evidence = 'branch' WHERE intent = 'VERIFY' AND entity LIKE '%/es'")
    raw.close()
    shown = desk.ask("editions", "--json").json
    assert [e["outcome"] for e in shown] == ["EFFECTS_CONFIRMED", "EFFECTS_CONFIRMED"]
    cut = desk.ask("editions", "--limit", "1", "--json").json
    assert [e["outcome"] for e in cut] == ["EFFECTS_CONFIRMED"]


def test_events_are_the_audit_trail_and_can_be_asked_from_a_time_on(desk: Desk) -> None:
    shown = desk.ask("events", "--json").json
    assert [e["event_type"] for e in shown] == ["TARGET_DUE", "DISPATCHED", "CREATION_UNKNOWN"]
    moved = tuple(shown[2][name] for name in ("from_state", "to_state", "fence"))
    assert moved == ("CREATE_IN_FLIGHT", "QUARANTINED", 13)
    assert [e["id"] for e in desk.ask("events", "--since", "2h", "--json").json] == [2, 3]
    assert [e["id"] for e in desk.ask("events", "--since", shown[2]["occurred_at"], "--json").json] == [3]
    assert desk.ask("events", "--since", "1s").out == "Nothing happened yet.\n"
    assert [e["id"] for e in desk.ask("events", "--limit", "1", "--json").json] == [3]


def test_a_timeline_is_the_trail_of_one_publication_named_in_any_way(desk: Desk) -> None:
    ways = ("91C4D2", "91c4d2", LATE, "11111111", "daily-brief/2026-11-30", STUCK, "7F3A91")
    told = [desk.ask("timeline", way, "--json").json for way in ways]
    assert all(one == told[0] for one in told)
    assert [e["process_id"] for e in told[0]] == [LATE] * 3
    assert "dispatched" in desk.ask("timeline", "91C4D2").out


def test_a_list_that_is_cut_says_how_to_see_the_rest(desk: Desk) -> None:
    shown = desk.ask("jobs", "--limit", "2").out.splitlines()
    assert len(shown) == 4
    assert shown[3] == "… and more: --limit 10"
    assert len(desk.ask("jobs", "--limit", "2", "--json").json) == 2
    assert {RESEARCH, STUCK} < {j["id"] for j in desk.ask("jobs", "--json").json}


@pytest.mark.parametrize("command", READING)
def test_a_pipe_gets_no_colour_no_box_art_and_no_trailing_blanks(desk: Desk, command: str) -> None:
    said = desk.ask(*command.split())
    assert said.code == 0
    assert not BOX.search(said.out)
    assert all(line == line.rstrip() for line in said.out.splitlines())
    assert said.err == ""


def test_reading_two_hundred_times_writes_nothing(desk: Desk) -> None:
    raw = sqlite3.connect(desk.file)
    state = (
        "SELECT (SELECT COUNT(*) FROM event), (SELECT SUM(version) FROM job), (SELECT SUM(version) FROM process)"
    )
    before = (raw.execute("PRAGMA data_version").fetchone(), raw.execute(state).fetchone())
    for command in READING:
        assert desk.ask(*command.split()).code == 0
    with reading(f"sqlite:///{desk.file}") as db:
        for number in range(200):
            with db.read() as conn:
                READ[number % len(READ)](conn)
    assert (raw.execute("PRAGMA data_version").fetchone(), raw.execute(state).fetchone()) == before
    raw.close()


READ: tuple[Callable[[Connection], object], ...] = (
    read_status,
    edition_rows,
    listings.job_rows,
    listings.effect_rows,
    listings.event_rows,
    lambda conn: explain(conn, "7F3A91", Patience(lease_ms=120_000, timeout_ms=90_000)),
    lambda conn: showing.evidence_of(conn, "daily-brief/2026-11-30"),
)
