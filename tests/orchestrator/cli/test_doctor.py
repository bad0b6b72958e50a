"""`doctor`: each thing that can be wrong with a workspace is a finding with what to do next."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from orchestrator.desk.doctor import filesystem_of
from publisher.bare import open_or_create
from tests.orchestrator.cli.conftest import PRODUCTS, Desk, Said


def findings(said: Said) -> dict[str, dict[str, str]]:
    return {check["check"]: check for check in said.json if not check["ok"]}


def rewrite(desk: Desk, text: str) -> None:
    desk.config.write_text(text)


def test_a_workspace_that_is_ready_says_so(desk: Desk) -> None:
    rewrite(desk, f'[site]\nbase_url = "https://example.org"\n[content]\nproducts = "{PRODUCTS}"\n')
    said = desk.ask("doctor")
    assert said.code == 0
    assert said.out.splitlines()[-1] == "Ready: 14 checks passed."
    assert findings(desk.ask("doctor", "--json")) == {}


def test_a_fresh_workspace_is_ready_too_and_nothing_is_made_by_looking(fresh: Desk) -> None:
    rewrite(fresh, f'[site]\nbase_url = "https://example.org"\n[content]\nproducts = "{PRODUCTS}"\n')
    assert fresh.ask("doctor").code == 0
    assert [path.name for path in fresh.folder.iterdir()] == ["dateline.toml"]


@pytest.mark.parametrize(
    ("toml", "check", "what", "next_step"),
    [
        ("[loop]\nlease_s = 60\n", "configuration", "a lease of 60 s ends before a call", "correct"),
        ("[loop]\nworker = 2\n", "configuration", "loop.worker", "correct"),
        ('[content]\nproducts = "nowhere"\n', "products", "is no folder of product files", "[content] products"),
        (
            '[provider]\nbase_url = "https://api.example.org/v1"\n',
            "provider key",
            "no key",
            "DATELINE_PROVIDER__API_KEY",
        ),
        (
            '[provider]\nbase_url = "https://api.example.org/v1"\n',
            "prices",
            "holds nothing back",
            "[provider.prices]",
        ),
        ('[site]\nlanguages = ["en"]\ntitle = {en = "D"}\n', "languages", "daily-brief: es", "[site] languages"),
        ('[store]\nurl = "postgresql+psycopg://nobody@127.0.0.1:9/none"\n', "store", "postgresql", "again"),
        ('[store]\nurl = "sqlserver://x"\n', "store", "cannot be used", "sqlite:///PATH"),
    ],
)
def test_what_is_misconfigured_is_named_with_what_to_do(
    fresh: Desk, toml: str, check: str, what: str, next_step: str
) -> None:
    products = "" if "[content]" in toml else f'[content]\nproducts = "{PRODUCTS}"\n'
    rewrite(fresh, products + toml)
    said = fresh.ask("doctor", "--json")
    assert said.code == 1
    found = findings(said)[check]
    assert what in found["what"]
    assert next_step.lower() in found["next"].lower()
    shown = fresh.ask("doctor")
    assert shown.code == 1
    assert f"! {check}: " in shown.out
    assert "Traceback" not in shown.err


def test_a_missing_workspace_is_a_finding(tmp_path: Path) -> None:
    said = Desk(tmp_path / "nowhere").ask("doctor", "--json")
    assert (said.code, list(findings(said))) == (1, ["configuration"])


def test_a_repository_that_is_not_ours_is_a_finding_and_ours_is_not(desk: Desk) -> None:
    repository = desk.folder / "content" / "published.git"
    repository.parent.mkdir()
    subprocess.run(["git", "init", "--quiet", "--bare", str(repository)], check=True)
    found = findings(desk.ask("doctor", "--json"))["repository"]
    assert "not one that Dateline made" in found["what"]
    shutil.rmtree(repository)
    open_or_create(repository, "main").close()
    assert "repository" not in findings(desk.ask("doctor", "--json"))


def test_a_port_that_something_else_holds_is_a_finding(desk: Desk) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: nothing answers there
        port = taken.getsockname()[1]
        rewrite(desk, f'[site]\nbase_url = "http://127.0.0.1:{port}"\n[content]\nproducts = "{PRODUCTS}"\n')
        found = findings(desk.ask("doctor", "--json"))["port"]
    assert str(port) in found["what"]
    assert "--port" in found["next"]


def test_a_network_mount_is_recognised_by_the_longest_mount_point(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda1 / ext4 rw 0 0\nserver:/x /srv nfs4 rw 0 0\ntmpfs /srv/my\\040disk tmpfs rw 0 0\n")
    assert filesystem_of(Path("/srv/news/var"), mounts) == "nfs4"
    assert filesystem_of(Path("/srv/my disk/var"), mounts) == "tmpfs"
    assert filesystem_of(Path("/home"), mounts) == "ext4"
    assert filesystem_of(Path("/home"), tmp_path / "none") == "unknown"
