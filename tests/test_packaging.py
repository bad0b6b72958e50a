"""The wheel: what it carries, and that the command works from it alone.

The wheel is built from a copy of the sources, without network, with the build tools that are installed here.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("orchestrator", "outbox", "publisher")
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "dateline.toml", "site", "fixtures", *PACKAGES)
SHIPPED = ("site", "fixtures", "content/products", "dateline.toml")

NOT_IMPORTED = {"tzdata": "zoneinfo reads it where the system has no zone files", "lxml": "publisher/site.py"}
"""Declared without an import, and who needs it: lxml writes the feeds, so its version is part of a digest."""

COMES_WITH = {"pydantic_core": "pydantic", "markupsafe": "jinja2"}
"""Imported by name, and part of what another distribution that we declare hands out: its errors, its strings."""


def project() -> dict[str, list[str]]:
    """Extra → requirements; the run-time ones under ""."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {"": declared["dependencies"], **declared["optional-dependencies"]}


def name_of(requirement: str) -> str:
    """`psycopg[binary]>=3.2` → `psycopg`, in the one spelling that indexes use."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=~! ]", requirement)[0]).lower()


def imported(*folders: str) -> set[str]:
    """The distributions that modules below the folders import."""
    tops = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
        for alias in node.names
    }
    owners = packages_distributions()
    foreign = {top.partition(".")[0] for top in tops} - sys.stdlib_module_names - {*PACKAGES, "tests"}
    return {name_of(COMES_WITH.get(top) or owners.get(top, [top])[0]) for top in foreign}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip(f"setuptools {version('setuptools')} is too old to build with: make test installs a newer one")
    sources, made = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        _copy(ROOT / name, sources / name)
    _copy(ROOT / "content" / "products", sources / "content" / "products")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(made)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(sources)], check=True, timeout=100)
    [archive] = made.glob("dateline-*-py3-none-any.whl")
    zipfile.ZipFile(archive).extractall(made / "unpacked")
    return made / "unpacked"


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copyfile(source, target)


def run(wheel: Path, *arguments: str, cwd: Path) -> str:
    """What Python says when it has this wheel before everything else."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DATELINE_")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**clean, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_wheel_carries_every_file_that_travels_with_the_program(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT)
        for name in SHIPPED
        for path in ([ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*"))
        if path.is_file()
    }
    carried = wheel / "orchestrator" / "_shipped"
    assert expected == {path.relative_to(carried) for path in carried.rglob("*") if path.is_file()}


def test_the_wheel_carries_the_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = {
        path.relative_to(wheel) for path in wheel.rglob("*") if path.is_file() and "_shipped" not in path.parts
    }
    assert {path for path in found if not path.parts[0].endswith(".dist-info")} == expected


def test_a_workspace_made_by_the_wheel_is_ready_to_plan(wheel: Path, tmp_path: Path) -> None:
    assert run(wheel, "-m", "orchestrator.cli", "--version", cwd=tmp_path) == f"dateline {version('dateline')}"
    run(wheel, "-m", "orchestrator.cli", "init", "desk", cwd=tmp_path)
    said = run(wheel, "-m", "orchestrator.cli", "plan", "--product", "daily-brief", cwd=tmp_path / "desk")
    assert said.startswith("daily-brief ")


def test_what_is_shipped_is_found_inside_the_wheel(wheel: Path, tmp_path: Path) -> None:
    ask = "from orchestrator.shipped import shipped; import sys; print(*map(shipped, sys.argv[1:]), sep='\\n')"
    found = [Path(line) for line in run(wheel, "-c", ask, *SHIPPED, cwd=tmp_path).splitlines()]
    assert found == [wheel / "orchestrator" / "_shipped" / name for name in SHIPPED]
    assert all(path.exists() for path in found)


def test_every_import_is_declared_and_everything_declared_is_imported() -> None:
    declared = {name_of(each) for each in project()[""]}
    assert imported(*PACKAGES) == declared - NOT_IMPORTED.keys()


def test_every_import_of_the_tests_is_declared() -> None:
    declared = {name_of(each) for extra in project().values() for each in extra}
    assert imported("tests") <= declared


def test_the_constraints_name_exactly_what_is_declared_and_what_that_needs() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert not [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)]
    declared = {name_of(each) for extra in project().values() for each in extra}
    assert not declared - {name_of(line) for line in lines}
