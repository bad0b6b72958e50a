"""The scene that most fault tests play on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from orchestrator.emulator.answers import Newsroom
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.shipped import shipped
from orchestrator.store.open import open_store
from orchestrator.store.schema import all_tables
from tests.engines import Engines, Flavour
from tests.faults.child import KEY
from tests.faults.scene import Scene, open_scene

Stage = Callable[..., Scene]


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider takes any key, but there has to be one."""
    monkeypatch.setenv(KEY, "any")


@pytest.fixture(scope="session")
def newsroom() -> Newsroom:
    """The synthetic newsroom; it has no memory."""
    return load_newsroom(shipped("fixtures") / "newsroom")


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, to be copied: migrating takes as long as publishing."""
    file = tmp_path_factory.mktemp("empty") / "dateline.db"
    open_store(f"sqlite:///{file}").close()
    return file


@pytest.fixture
def stage(tmp_path: Path, engines: Engines, newsroom: Newsroom, empty_store: Path) -> Iterator[Stage]:
    """Opens scenes, each on an empty store of the named engine, and closes them."""
    numbers = count(1)
    with ExitStack() as stack:

        def opened(engine: str = "sqlite", *, folder: Path = tmp_path, **how: Any) -> Scene:
            root = folder / f"scene-{next(numbers)}"
            (root / "var").mkdir(parents=True)
            if engine == "sqlite":
                shutil.copyfile(empty_store, root / "var" / "dateline.db")
                db = open_store(f"sqlite:///{root / 'var' / 'dateline.db'}")
                stack.callback(db.close)
            else:
                db = engines.database(engine, Flavour("store", open_store, all_tables()))
            return stack.enter_context(open_scene(root, db, newsroom, **how))

        yield opened


@pytest.fixture
def scene(stage: Stage) -> Scene:
    """One product on SQLite, and a provider that does nothing unusual."""
    return stage()
