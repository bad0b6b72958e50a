"""What the three drivers' errors mean, in the words of `outbox.errors`.

Sources: SQLite result codes; PostgreSQL SQLSTATE classes; MariaDB error numbers (client errors are 2xxx).
An error that is not listed is a bug and stays what it is.
"""

from __future__ import annotations

from outbox.errors import ConstraintRefused, OutboxError, ReadOnly, StoreUnavailable, StoreUnusable

_SQLITE: dict[int, type[OutboxError]] = {
    5: StoreUnavailable,  # BUSY
    6: StoreUnavailable,  # LOCKED
    8: ReadOnly,
    10: StoreUnavailable,  # IOERR
    11: StoreUnusable,  # CORRUPT
    13: StoreUnavailable,  # FULL
    14: StoreUnavailable,  # CANTOPEN
    19: ConstraintRefused,
    26: StoreUnusable,  # NOTADB
}

_POSTGRESQL: tuple[tuple[str, type[OutboxError]], ...] = (
    ("08", StoreUnavailable),  # connection
    ("23", ConstraintRefused),
    ("25006", ReadOnly),
    ("28", StoreUnusable),  # authorisation
    ("3D", StoreUnusable),  # no such database
    ("40", StoreUnavailable),  # deadlock, serialisation
    ("53", StoreUnavailable),  # disk full, out of memory, too many connections
    ("55P03", StoreUnavailable),  # lock timeout
    ("57", StoreUnavailable),  # shut down, cancelled
    ("58", StoreUnavailable),  # I/O
)

_MARIADB: dict[int, type[OutboxError]] = dict.fromkeys(
    (0, 1021, 1040, 1053, 1114, 1158, 1159, 1160, 1161, 1205, 1213, 1317, 1927, 1969, 2002, 2003, 2006, 2013),
    StoreUnavailable,
)
_MARIADB |= dict.fromkeys((1044, 1045, 1049, 1698), StoreUnusable)
_MARIADB |= dict.fromkeys((1048, 1062, 1451, 1452, 4025), ConstraintRefused)
_MARIADB |= dict.fromkeys((1290, 1792), ReadOnly)


def translated(error: BaseException | None, dialect: str) -> OutboxError | None:
    """The error as the outbox names it, or None when it is none of those."""
    kind = _kind(error, dialect)
    if kind is None:
        return None
    first_line = str(error).strip().partition("\n")[0]
    return kind(f"{dialect}: {first_line}")


def _kind(error: BaseException | None, dialect: str) -> type[OutboxError] | None:
    if dialect == "sqlite":
        return _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if dialect == "mariadb":
        number = error.args[0] if error is not None and error.args else None
        return _MARIADB.get(number) if isinstance(number, int) else None
    state = getattr(error, "sqlstate", None)
    if state is None:  # libpq gives no code when the connection itself failed
        return StoreUnavailable if type(error).__name__ == "OperationalError" else None
    return next((kind for prefix, kind in _POSTGRESQL if state.startswith(prefix)), None)
