"""Opening and migrating, on every engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread, get_ident

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, event, inspect, text

from orchestrator.errors import ConfigurationError, Unavailable
from orchestrator.store import open as opening
from orchestrator.store.migrations.freeze import frozen_sql
from orchestrator.store.open import open_store, schema_version
from orchestrator.store.schema import ALL_METADATA, SCHEMA, all_tables
from outbox.database import Database
from tests.engines import ENGINES, Engines


def _url(db: Database) -> str:
    return db.url.render_as_string(hide_password=False)


def test_a_migrated_database_has_the_tables_that_the_program_declares(store: Database) -> None:
    with store.read() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": False})
        differences = compare_metadata(context, list(ALL_METADATA))  # type: ignore[arg-type]  # it takes several

    assert differences == []


def test_every_declared_check_is_in_the_migrated_database(store: Database) -> None:
    declared = {c.name for t in all_tables() for c in t.constraints if str(c.name).startswith("ck_")}
    with store.read() as conn:
        inspector = inspect(conn)
        found = {c["name"] for t in all_tables() for c in inspector.get_check_constraints(t.name)}

    assert declared <= found


def test_the_newest_migration_is_the_one_this_program_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(opening.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")

    assert ScriptDirectory.from_config(config).get_current_head() == f"{SCHEMA:04d}"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_migration_gives_the_tables_that_the_program_declares(engine: str) -> None:
    if SCHEMA > 1:
        pytest.skip("the first migration is released: it never changes again")
    frozen = Path(opening.__file__).parent / "migrations" / "versions" / f"v0001_{engine}.sql"

    assert frozen.read_text("utf-8") == frozen_sql(engine), "run python -m orchestrator.store.migrations.freeze"


def test_a_current_store_is_opened_again_without_importing_alembic(sqlite: Database) -> None:
    program = (
        "import sys; from orchestrator.store.open import open_store;"
        "open_store(sys.argv[1]).close(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, _url(sqlite)], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_a_store_written_by_a_newer_program_is_refused_and_left_alone(store: Database) -> None:
    def stamp(version: str) -> None:
        with store.write() as conn:
            conn.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    stamp("0014")
    try:
        with pytest.raises(
            ConfigurationError, match=r"newer version \(schema 14, this program knows 1\)"
        ) as caught:
            open_store(_url(store))
        assert caught.value.hint == "Install a later release; nothing was changed."
        assert schema_version(store) == 14
    finally:
        stamp(f"{SCHEMA:04d}")


@pytest.mark.parametrize("engine", ENGINES)
def test_programs_that_start_together_migrate_once(engine: str, engines: Engines) -> None:
    url = engines.fresh_url(engine)
    program = (
        "import sys; from orchestrator.store.open import open_store, schema_version;"
        "db = open_store(sys.argv[1]); print(schema_version(db)); db.close()"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    answers = [child.communicate(timeout=60) for child in started]

    assert [(out.decode().strip(), err.decode()) for out, err in answers] == [(str(SCHEMA), "")] * 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_that_comes_while_another_ends_its_migration_finds_it_done(engine: str, engines: Engines) -> None:
    url, first = engines.fresh_url(engine), get_ident()
    commits, versions = list[str](), list[int]()

    def open_second() -> None:
        db = open_store(url)
        versions.append(schema_version(db))
        db.close()

    second = Thread(target=open_second)

    def on_commit(_conn: Connection) -> None:
        if get_ident() == first:
            commits.append("open" if not commits else "migrate")
            if commits[-1] == "migrate":
                second.start()
                second.join(1.0)  # where the engine lets it, it comes before this commit is done

    event.listen(Engine, "commit", on_commit)
    try:
        open_store(url).close()
    finally:
        event.remove(Engine, "commit", on_commit)
        second.join()
    assert (commits, versions) == (["open", "migrate"], [SCHEMA])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_migration_that_was_cut_off_is_taken_up_again(engine: str, engines: Engines) -> None:
    db = open_store(engines.fresh_url(engine))
    with db.write() as conn:  # MariaDB commits each CREATE: its tables may be there without the version
        conn.execute(text("DROP TABLE alembic_version"))
        for table in reversed(all_tables()) if engine != "mariadb" else []:
            table.drop(conn)
        if engine == "postgresql":
            for name in conn.execute(
                text("SELECT proname FROM pg_proc WHERE proname LIKE '%\\_no\\_%e'")
            ).scalars():
                conn.execute(text(f"DROP FUNCTION IF EXISTS {name}()"))
    again = open_store(_url(db))

    assert schema_version(again) == SCHEMA
    for opened in (db, again):
        opened.close()


def test_an_unusable_place_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="folder"):
        open_store(f"sqlite:///{tmp_path}/file/dateline.db")


def test_a_server_that_is_away_is_unavailable() -> None:
    with pytest.raises(Unavailable) as caught:
        open_store("postgresql+psycopg://nobody@127.0.0.1:1/none")

    assert caught.value.exit_code == 4
