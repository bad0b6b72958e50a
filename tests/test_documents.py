"""The documents tell the truth: links lead somewhere, commands and names exist; nothing private is in a file."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from orchestrator.cli.main import build
from orchestrator.core.states import JobState
from orchestrator.errors import ConfigurationError, RefusedByState, Unavailable
from tests import diagram

ROOT = Path(__file__).resolve().parent.parent
MADE_LATER = {"content/published.git"}
SKIPPED = {".git", ".venv", "var", "build", "dist", "__pycache__"}

LINK = re.compile(r"\[[^]]*]\(([^)]+)\)")
COMMAND = re.compile(r"(?:^|[`/ ])dateline (?!run the)([a-z][a-z-]+)((?: +(?:--)?[a-z][a-z-]*\b)*)", re.MULTILINE)
NAMED = re.compile(r"`([a-z_/]+\.(?:py|sql|toml))`((?:,? `[A-Za-z_]+`)+)")
FILE = re.compile(r"`((?:orchestrator|outbox|publisher|tests|site|fixtures|docs|deploy|content)/[A-Za-z0-9_./-]*)`")

PRIVATE = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:work|home|root|Users)/\w"),
    "a package registry": re.compile(r"(?:pypi|npmjs|registry|artifactory|nexus)\.[a-z.]+/|--(?:extra-)?index-url"),
    "a provider's key": re.compile(r"\bsk-(?:[a-z]+-)?[A-Za-z0-9_]{24,}"),
    "an access token": re.compile(
        r"\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}"
    ),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
}


@cache
def documents() -> dict[Path, str]:
    """Every Markdown page for people: those at the root and below docs/."""
    return {path: path.read_text() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}


@cache
def tracked() -> list[Path]:
    """Every file that is, or could be, committed; without git, every file outside the ignored folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    return [path for path in ROOT.rglob("*") if path.is_file() and not SKIPPED & set(path.relative_to(ROOT).parts)]


@cache
def commands() -> dict[str, frozenset[str]]:
    """Command → its options, with the subcommands of a group as `group subcommand`."""
    group = get_command(build())
    assert isinstance(group, TyperGroup)
    return dict(_commands_of(group, ""))


def _commands_of(group: TyperGroup, before: str) -> Iterator[tuple[str, frozenset[str]]]:
    for name, command in group.commands.items():
        options = frozenset(option for each in command.params for option in each.opts)
        yield f"{before}{name}", options
        if isinstance(command, TyperGroup):
            yield from _commands_of(command, f"{before}{name} ")


def code_of(text: str) -> str:
    """Indented blocks and `spans`: what a reader will type or look up."""
    blocks = re.findall(r"^    .*$", text, re.MULTILINE)
    return "\n".join([*blocks, *re.findall(r"`[^`]+`", text)])


def targets() -> dict[str, str]:
    """Make target → what `make help` says of it."""
    lines = (ROOT / "Makefile").read_text().splitlines()
    found = [re.match(r"([a-z-]+):[^=]*?(?:## (.*))?$", line) for line in lines]
    return {match[1]: match[2] or "" for match in found if match}


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_that_exist(page: Path) -> None:
    local = [link.partition("#")[0] for link in LINK.findall(documents()[page]) if not urlsplit(link).scheme]
    assert not [link for link in local if link and not (page.parent / link).exists()]


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_names_that_a_document_mentions_exist(page: Path) -> None:
    text = documents()[page]
    assert not [name for name in FILE.findall(text) if name not in MADE_LATER and not (ROOT / name).exists()]
    for file, names in NAMED.findall(text):
        wanted = set(re.findall(r"`(\w+)`", names))
        assert wanted <= _defined(ROOT / file) | {state.value for state in JobState}, file


def _defined(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    plain = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return named | plain


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_options_that_a_document_names_exist(page: Path) -> None:
    known = commands()
    for line in code_of(documents()[page]).splitlines():
        for name, rest in COMMAND.findall(line):
            assert name in known, line
            words = rest.split()
            full = f"{name} {words[0]}" if words and f"{name} {words[0]}" in known else name
            assert {word for word in words if word.startswith("--")} <= known[full] | {"--config", "--help"}, line


def test_the_readme_names_every_command() -> None:
    spans = " ".join(re.findall(r"`[^`]+`", (ROOT / "README.md").read_text()))
    said = set(re.findall(r"[a-z-]+", spans))
    assert not [name for name in commands() if name.split()[-1] not in said]


def test_the_readme_says_what_the_exit_codes_mean() -> None:
    codes = {ConfigurationError("").exit_code, RefusedByState("").exit_code, Unavailable("").exit_code}
    line = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("Exit codes:"))
    assert codes <= {int(code) for code in re.findall(r"\b\d\b", line)} | {3, 4}
    assert codes == {2, 3, 4}


def test_every_make_target_says_what_it_is_for_and_documents_name_only_these() -> None:
    known = targets()
    assert not [name for name, said in known.items() if not said]
    named = {name for text in documents().values() for name in re.findall(r"\bmake ([a-z]+)\b", code_of(text))}
    assert named <= known.keys()


def test_the_diagram_and_the_transition_table_are_current() -> None:
    assert diagram.main(["--check"]) == 0


def test_the_architecture_is_one_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 95


def test_decisions_are_dated_short_and_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    notes = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    listed = (folder / "README.md").read_text()
    assert not [note.name for note in notes if not re.match(r"\d{4}-\d{2}-\d{2}-[a-z-]+\.md$", note.name)]
    assert not [note.name for note in notes if len(note.read_text().splitlines()) > 40]
    assert not [note.name for note in notes if note.name not in listed]


def test_the_changelog_begins_with_what_is_not_released_or_with_the_newest_version() -> None:
    headings = re.findall(r"^## \[([^]]+)]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings
    versions = [tuple(map(int, heading.split("."))) for heading in headings if heading != "Unreleased"]
    assert all(newer > older for newer, older in pairwise(versions))


def test_no_file_holds_a_machines_path_a_registry_or_a_secret() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {what}: {match[0]}"
        for path in tracked()
        for what, pattern in PRIVATE.items()
        if (match := pattern.search(path.read_bytes().decode(errors="replace")))
    ]
    assert not found
