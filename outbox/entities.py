"""The newest accepted revision of every entity, guarded so that an older writer can never undo a newer one."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, insert, select, update

from outbox.clock import read_now_ms
from outbox.errors import StaleFence
from outbox.message import EntityChange
from outbox.reducer import EntityState, Verdict, reduce
from outbox.schema import entity_state

_c = entity_state.c
_BY_NAME = select(_c.entity, _c.revision, _c.state).where(_c.entity == bindparam("entity"))
_BY_NAME_LOCKED = _BY_NAME.with_for_update()
_RAISE = (
    update(entity_state)
    .where(_c.entity == bindparam("name"), _c.revision < bindparam("above"))
    .values({column: bindparam(column.name) for column in (_c.revision, _c.state, _c.cause, _c.updated_ms)})
)


def current(conn: Connection, entity: str) -> EntityState | None:
    """The entity's newest accepted revision; None when it has none."""
    return _read(conn, entity, locked=False)


def advance(conn: Connection, change: EntityChange, *, cause: str, applied_before: bool) -> Verdict:
    """Judge a change and, when it is APPLIED, make it the entity's state. `cause` is the message's key.

    StaleFence: another writer moved the entity between the look and the write. Two writers that meet a new
    entity at once get ConstraintRefused for the second.
    """
    known = _read(conn, change.entity, locked=True)
    verdict = reduce(change, known, delivered_before=False, applied_before=applied_before)
    if verdict is Verdict.APPLIED:
        _write(conn, change, cause, new=known is None)
    return verdict


def _read(conn: Connection, entity: str, *, locked: bool) -> EntityState | None:
    row = conn.execute(_BY_NAME_LOCKED if locked else _BY_NAME, {"entity": entity}).first()
    return None if row is None else EntityState(entity=row.entity, revision=row.revision, state=row.state)


def _write(conn: Connection, change: EntityChange, cause: str, *, new: bool) -> None:
    values = {
        "revision": change.revision,
        "state": change.state,
        "cause": cause,
        "updated_ms": read_now_ms(conn),
    }
    if new:
        conn.execute(insert(entity_state), {"entity": change.entity} | values)
        return
    guard = {"name": change.entity, "above": change.revision}
    if conn.execute(_RAISE, values | guard).rowcount == 0:
        raise StaleFence(f"{change.entity} moved past revision {change.revision} meanwhile")
