"""The emulator as a process: it is killed, and the next one goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.orchestrator.emulator.conftest import create_body

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., tuple["subprocess.Popen[str]", httpx.Client]]


@pytest.fixture
def run() -> Iterator[Run]:
    """Start `python -m orchestrator.emulator`; answers the process and a client for it."""
    processes: list[subprocess.Popen[str]] = []
    clients: list[httpx.Client] = []

    def running(*flags: str, echo: bool = True) -> tuple[subprocess.Popen[str], httpx.Client]:
        command = [sys.executable, "-m", "orchestrator.emulator", *flags]
        command += ["--echo"] if echo else []
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:")
        client = httpx.Client(base_url=line.split()[-1], headers={"authorization": "Bearer k"}, trust_env=False)
        clients.append(client)
        return process, client

    yield running
    for client in clients:
        client.close()
    for process in processes:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_after_a_kill_the_accepted_are_known_and_the_script_goes_on(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    rule = {"create": [{"result": "cut_after_accept"}, {"result": "must_not_be_called"}]}
    script.write_text(json.dumps({"rules": [rule]}))
    flags = ("--journal", str(tmp_path / "var"), "--script", str(script), "--log", str(tmp_path / "log"))

    process, client = run(*flags)
    with pytest.raises(httpx.RemoteProtocolError):
        client.post("/responses", json=create_body())
    process.kill()
    process.wait()

    _, client = run(*flags)
    assert client.post("/responses", json=create_body()).status_code == 500
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(one["accepted"], one["violation"]) for one in log] == [(True, False), (False, True)]
    found = client.get(f"/responses/{log[0]['response_id']}")
    assert found.json()["metadata"] == create_body()["metadata"]


def test_its_clock_is_moved_over_http_and_kept_over_a_kill(run: Run, tmp_path: Path) -> None:
    process, client = run("--journal", str(tmp_path))
    root = str(client.base_url).removesuffix("/v1/")
    assert client.get(root + "/emulator").json()["emulator"] == "dateline"
    made = client.post("/responses", json=create_body()).json()["id"]
    hour_ms = 3_600_000
    moved = client.post(root + "/emulator/clock", json={"advance_ms": hour_ms}).json()
    assert moved["offset_ms"] == hour_ms
    assert client.get(f"/responses/{made}").json()["status"] == "completed"
    assert client.post(root + "/emulator/clock", json={"offset_ms": "x"}).status_code == 400
    process.kill()
    process.wait()

    _, client = run("--journal", str(tmp_path))
    root = str(client.base_url).removesuffix("/v1/")
    assert client.get(root + "/emulator/clock").json()["offset_ms"] >= hour_ms


def test_a_signal_ends_it_with_success(run: Run) -> None:
    process, client = run("--speed", "1000")
    assert client.post("/responses", json=create_body()).status_code == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0


def test_without_a_flag_the_shipped_newsroom_answers(run: Run) -> None:
    _, client = run(echo=False)
    stage = {"stage": "research_primary", "product": "daily-brief", "date": "2026-11-30"}
    body = create_body(
        background=False, input='{"task": "research_primary"}', metadata=stage, max_output_tokens=...
    )
    answer = json.loads(client.post("/responses", json=body).json()["output"][-1]["content"][0]["text"])
    assert answer["target_date"] == "2026-11-30"
    assert len(answer["candidates"]) == 14


def test_a_wrong_script_ends_it_with_a_sentence_and_code_2(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"rules": [{"create": [{"result": "okay"}]}]}')
    command = [sys.executable, "-m", "orchestrator.emulator", "--echo", "--script", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert 'rules[0].create[0]: unknown result "okay"; did you mean "ok"?' in done.stderr
