"""Triggers by which the database itself refuses to change or remove a row."""

from __future__ import annotations

from sqlalchemy import DDL, Table, event

_SQLITE = "CREATE TRIGGER {table}_no_{word} BEFORE {action} ON {table} BEGIN SELECT RAISE(ABORT, '{message}'); END"
_MARIADB = (
    "CREATE TRIGGER {table}_no_{word} BEFORE {action} ON {table} FOR EACH ROW"
    " SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 4025, MESSAGE_TEXT = '{message}'"
)
_PG_FUNCTION = (
    "CREATE FUNCTION {table}_no_{word}() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = '23514'; END $$"
)
_PG_TRIGGER = (
    "CREATE TRIGGER {table}_no_{word} BEFORE {action} ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_no_{word}()"
)
_BY_DIALECT = (
    ("sqlite", _SQLITE),
    ("mariadb", _MARIADB),
    ("postgresql", _PG_FUNCTION),
    ("postgresql", _PG_TRIGGER),
)


def refuse(table: Table, *actions: str) -> None:
    """Refuse UPDATE or DELETE on `table`, as a constraint of its own, wherever the table is created."""
    for action in actions:
        for dialect, template in _BY_DIALECT:
            statement = template.format(
                table=table.name, word=action.lower(), action=action, message=f"{table.name} is append-only"
            )
            element = DDL(statement)  # type: ignore[no-untyped-call]
            event.listen(table, "after_create", element.execute_if(dialect=dialect))
