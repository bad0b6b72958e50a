"""The first schema, as frozen SQL per engine (`v0001_<engine>.sql`, written by `migrations.freeze`)."""

from __future__ import annotations

from pathlib import Path

from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table, index and trigger."""
    conn = op.get_bind()
    script = Path(__file__).with_name(f"v0001_{conn.dialect.name}.sql").read_text("utf-8")
    for statement in filter(None, map(str.strip, script.split(";\n\n"))):
        try:
            conn.exec_driver_sql(statement)
        except DBAPIError as error:
            if not _needless(error):
                raise


def _needless(error: DBAPIError) -> bool:
    """MariaDB lets only an administrator make triggers while it keeps a binary log; they are a second lock."""
    return bool(error.orig and error.orig.args and error.orig.args[0] == 1419)
