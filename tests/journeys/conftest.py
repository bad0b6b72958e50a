"""One finished demonstration for every test that only looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.workspace import Workspace


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Three days of two products, published and verified by `dateline demo`. Look, do not touch."""
    workspace = Workspace.make(tmp_path_factory.mktemp("published") / "newsroom")
    workspace.run("demo")
    return workspace


@pytest.fixture
def newsroom(tmp_path: Path) -> Workspace:
    """A fresh workspace that polls quickly, because its time is real."""
    return Workspace.make(
        tmp_path / "newsroom", DATELINE_PROVIDER__POLL_S="[0.2, 0.4]", DATELINE_LOOP__TICK_S="0.5"
    )
