"""Writes the first migration's SQL from the tables: `python -m orchestrator.store.migrations.freeze`.

To be run while the first schema is still being built; once released, its SQL never changes and every change of
the tables is a migration of its own. A test compares a migrated database with the tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sqlalchemy import create_mock_engine

from orchestrator.store.schema import ALL_METADATA

_URLS = {
    "sqlite": "sqlite://",
    "postgresql": "postgresql+psycopg://",
    "mariadb": "mariadb+pymysql://",
}


def frozen_sql(dialect: str) -> str:
    """Every CREATE of both sets of tables, each ended by `;` and an empty line."""
    statements: list[str] = []

    def note(ddl: Any, *_args: Any, **_kw: Any) -> None:
        lines = str(ddl.compile(dialect=engine.dialect)).strip().splitlines()
        statement = "\n".join(line.rstrip() for line in lines if line.strip())
        statements.append(_resumable(statement) if dialect == "mariadb" else statement)

    engine = create_mock_engine(_URLS[dialect], note)
    for metadata in ALL_METADATA:
        metadata.create_all(engine, checkfirst=False)
    tables, indexes, rest = (
        [statement for statement in statements if _rank(statement) == rank] for rank in range(3)
    )
    # a table keeps its indexes in a set: only sorted do they come out the same every time
    return ";\n\n".join([*tables, *sorted(indexes), *rest]) + ";\n\n"


def _rank(statement: str) -> int:
    kind = statement.split(maxsplit=2)[1]
    return ("TABLE", "INDEX").index(kind) if kind in ("TABLE", "INDEX") else 2


def _resumable(statement: str) -> str:
    """MariaDB commits each CREATE by itself: a migration that was cut off must be able to run again."""
    return re.sub(r"^CREATE (TABLE|INDEX|TRIGGER) ", r"CREATE \1 IF NOT EXISTS ", statement)


def main() -> None:
    """Write one file per engine."""
    for dialect in _URLS:
        path = Path(__file__).parent / "versions" / f"v0001_{dialect}.sql"
        path.write_text(frozen_sql(dialect), "utf-8")


if __name__ == "__main__":
    main()
