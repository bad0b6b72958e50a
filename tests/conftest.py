"""Fixtures that every part may use.

`db`       an empty database with the outbox's tables, once per engine
`store`    an empty, migrated store of the orchestrator, once per engine
`sqlite`   the same as `store`, on SQLite only: for tests that are not about the engine
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from outbox.database import Database
from tests.engines import ENGINES, Engines, Flavour


def _outbox_tables(url: str) -> Database:
    from outbox.schema import metadata

    db = Database.open(url)
    with db.write() as conn:
        metadata.create_all(conn)
    return db


def _outbox() -> Flavour:
    from outbox.schema import metadata

    return Flavour("outbox", _outbox_tables, metadata.sorted_tables)


def _store() -> Flavour:
    from orchestrator.store.open import open_store
    from orchestrator.store.schema import all_tables

    return Flavour("store", open_store, all_tables())


@pytest.fixture(scope="session")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    made = Engines(tmp_path_factory.mktemp("databases"))
    yield made
    made.close()


@pytest.fixture(params=ENGINES)
def db(request: pytest.FixtureRequest, engines: Engines) -> Database:
    return engines.database(request.param, _outbox())


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, engines: Engines) -> Database:
    return engines.database(request.param, _store())


@pytest.fixture
def sqlite(engines: Engines) -> Database:
    return engines.database("sqlite", _store())
