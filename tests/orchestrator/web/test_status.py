"""What is read over HTTP is true, costs nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from orchestrator.desk.status import read_status, status_json
from orchestrator.store import pause
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.server import WebServer
from outbox.database import Database
from tests.orchestrator.cli.night import write_night
from tests.orchestrator.orders.newsroom import newsroom

READ = ("/status", "/status.json", "/healthz", "/readyz", "/metrics")


class Clock:
    """How long the loop has been silent."""

    silent_s = 0.0


@pytest.fixture
def silence() -> Clock:
    return Clock()


@pytest.fixture
def client(sqlite: Database, silence: Clock) -> Iterator[httpx.Client]:
    write_night(sqlite)
    app = DeskApp(secrets=[])
    with WebServer(app.asgi) as server, httpx.Client(base_url=server.url, trust_env=False, timeout=10) as client:
        app.begin(sqlite, silent_s=lambda: silence.silent_s, told=lambda: None)
        yield client


def test_the_status_is_the_desks_own(client: httpx.Client, sqlite: Database) -> None:
    told = client.get("/status.json").json()
    with sqlite.read() as conn:
        known = status_json(read_status(conn))
    assert {**told, "as_of": ""} == {**known, "as_of": ""}
    assert told["outcomes"]["accepted"] == 6


def test_the_page_says_it_without_script_or_anything_from_elsewhere(client: httpx.Client) -> None:
    answer = client.get("/status")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "2 of 6 editions verified" in answer.text
    assert "<script" not in answer.text
    assert "http" not in answer.text


def test_a_pause_is_shown_and_what_an_operator_wrote_cannot_act(client: httpx.Client, sqlite: Database) -> None:
    with sqlite.write() as conn:
        pause.set(conn, actor="desk", reason="<script>alert(1)</script>")
    assert "&lt;script&gt;" in client.get("/status").text
    assert client.get("/status.json").json()["paused"] is True


def test_the_metrics_are_the_dashboards_top_row_then_the_machine(client: httpx.Client) -> None:
    families = list(text_string_to_metric_families(client.get("/metrics").text))
    found = {family.name: family for family in families}
    assert families[0].name == "dateline_accepted"
    assert found["dateline_accepted"].samples[0].value == 6
    jobs = {sample.labels["state"]: sample.value for sample in found["dateline_jobs"].samples}
    assert jobs == {"DELETED": 2, "QUARANTINED": 1}
    assert found["dateline_oldest_unreconciled_seconds"].samples[0].value > 0
    assert found["dateline_loop_alive"].samples[0].value == 1


def test_a_silent_loop_is_not_healthy(client: httpx.Client, silence: Clock) -> None:
    assert (client.get("/healthz").status_code, client.get("/readyz").status_code) == (200, 200)
    silence.silent_s = 999
    assert client.get("/healthz").status_code == 503
    assert "dateline_loop_alive 0.0" in client.get("/metrics").text


def test_before_the_loop_begins_and_after_it_ends_nothing_is_claimed_to_be_ready(sqlite: Database) -> None:
    app = DeskApp(secrets=[])
    with WebServer(app.asgi) as server, httpx.Client(base_url=server.url, trust_env=False, timeout=10) as client:
        early = [client.get(path).status_code for path in READ]
        app.begin(sqlite, silent_s=lambda: 0.0, told=lambda: None)
        running = [client.get(path).status_code for path in READ]
        app.end()
        late = client.get("/status.json").status_code
    assert (early, running, late) == ([503, 503, 200, 503, 503], [200] * 5, 503)


def test_only_what_may_be_told_can_be_posted(client: httpx.Client) -> None:
    assert [client.post(path).status_code for path in READ] == [405] * 5
    assert client.get(WEBHOOK_PATH).status_code == 405


def test_two_hundred_reads_change_no_byte_of_the_store_and_call_no_provider(tmp_path: Path) -> None:
    with newsroom(tmp_path) as room:
        room.plan()
        room.sweep()
        app = DeskApp(secrets=[])
        with WebServer(app.asgi) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
            app.begin(room.house.db, silent_s=lambda: 0.0, told=lambda: None)
            with room.house.db.reader.connect() as watching:
                before = (_version(watching), len(room.house.emulator.log if room.house.emulator else ()))
                for _ in range(40):
                    assert [client.get(path).status_code for path in READ] == [200] * 5
                after = (_version(watching), len(room.house.emulator.log if room.house.emulator else ()))
            app.end()
    assert before == after


def _version(conn: object) -> int:
    raw = conn.connection.dbapi_connection  # type: ignore[attr-defined]
    return int(raw.execute("PRAGMA data_version").fetchone()[0])
