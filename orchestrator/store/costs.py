"""The ledger: reservations, releases and spending, in millionths; their sum is reserved + spent.

The sum is taken and the new line written in one transaction, under a lock on the day's row, so that no two
reservations pass a ceiling together (I17). An unknown create keeps its reservation until it is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, case, func, insert, select

from orchestrator.errors import InvariantBroken
from orchestrator.store.codes import CostKind
from orchestrator.store.rows import lock_row, plain
from orchestrator.store.schema import cost_day
from orchestrator.store.schema import cost_entry as table
from outbox.clock import read_now_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What is still reserved and what was spent, in millionths."""

    reserved_micro: int
    spent_micro: int


_SPENT = table.c.kind == str(CostKind.SPENT)
_TOTALS = select(
    func.coalesce(func.sum(case((_SPENT, 0), else_=table.c.amount_micro)), 0),
    func.coalesce(func.sum(case((_SPENT, table.c.amount_micro), else_=0)), 0),
)


def reserve(
    conn: Connection,
    *,
    process_id: str,
    job_id: str,
    day: str,
    amount_micro: int,
    process_ceiling: int | None,
    day_ceiling: int | None,
) -> bool:
    """Reserve the most that the job may cost. False: a ceiling leaves no room; nothing was written.

    `day` is the ledger's day, `YYYY-MM-DD`; a ceiling of None means none.
    """
    lock_row(conn, cost_day, {"day": day})
    for ceiling, scope in ((process_ceiling, _process(process_id)), (day_ceiling, table.c.day == day)):
        if ceiling is not None and _sum(conn, scope) + amount_micro > ceiling:
            return False
    _write(conn, process_id, job_id, day, {CostKind.RESERVED: amount_micro})
    return True


def has_room(
    conn: Connection,
    *,
    process_id: str,
    day: str,
    amount_micro: int,
    process_ceiling: int | None,
    day_ceiling: int | None,
) -> bool:
    """Whether `amount_micro` more would fit under the ceilings now. Only `reserve` makes sure of it."""
    scopes = ((process_ceiling, _process(process_id)), (day_ceiling, table.c.day == day))
    return all(ceiling is None or _sum(conn, scope) + amount_micro <= ceiling for ceiling, scope in scopes)


def hold(
    conn: Connection,
    *,
    process_id: str,
    job_id: str,
    day: str,
    amount_micro: int,
    process_ceiling: int | None,
    day_ceiling: int | None,
) -> bool:
    """Whether the job may be sent within the ceilings now; a reservation that was given back is taken again."""
    if amount_micro and not totals(conn, job_id=job_id).reserved_micro:
        return reserve(
            conn,
            process_id=process_id,
            job_id=job_id,
            day=day,
            amount_micro=amount_micro,
            process_ceiling=process_ceiling,
            day_ceiling=day_ceiling,
        )
    return affordable(
        conn, process_id=process_id, day=day, process_ceiling=process_ceiling, day_ceiling=day_ceiling
    )


def affordable(
    conn: Connection, *, process_id: str, day: str, process_ceiling: int | None, day_ceiling: int | None
) -> bool:
    """Whether what is reserved and spent is within the ceilings now."""
    return has_room(
        conn,
        process_id=process_id,
        day=day,
        amount_micro=0,
        process_ceiling=process_ceiling,
        day_ceiling=day_ceiling,
    )


def settle(conn: Connection, job_id: str, *, spent_micro: int) -> bool:
    """Replace the job's reservation by what it cost, on the day it was reserved.

    False: it was settled before; nothing was written. A second answer costs what it costs: see `spend`.
    """
    if conn.execute(select(table.c.id).where(table.c.job_id == job_id, _SPENT).limit(1)).first():
        return False
    spend(conn, job_id, spent_micro=spent_micro)
    release(conn, job_id)
    return True


def spend(conn: Connection, job_id: str, *, spent_micro: int) -> None:
    """Add what a job cost, whatever the ceilings say: usage is charged, not refused."""
    process_id, day = _reserved_for(conn, job_id)
    _write(conn, process_id, job_id, day, {CostKind.SPENT: spent_micro})


def release(conn: Connection, job_id: str) -> int:
    """Give back what is still reserved for the job; answers how much."""
    open_micro = totals(conn, job_id=job_id).reserved_micro
    if open_micro:
        process_id, day = _reserved_for(conn, job_id)
        _write(conn, process_id, job_id, day, {CostKind.RELEASED: -open_micro})
    return open_micro


def totals(
    conn: Connection, *, process_id: str | None = None, job_id: str | None = None, day: str | None = None
) -> Totals:
    """The sums of a process, a job or a day, or of the whole ledger."""
    query = _TOTALS
    for column, value in ((table.c.process_id, process_id), (table.c.job_id, job_id), (table.c.day, day)):
        if value is not None:
            query = query.where(column == value)
    reserved, spent = conn.execute(query).one()
    return Totals(reserved_micro=int(reserved), spent_micro=int(spent))


def _process(process_id: str) -> ColumnElement[bool]:
    return table.c.process_id == process_id


def _sum(conn: Connection, scope: ColumnElement[bool]) -> int:
    return int(conn.execute(select(func.coalesce(func.sum(table.c.amount_micro), 0)).where(scope)).scalar_one())


def _reserved_for(conn: Connection, job_id: str) -> tuple[str, str]:
    lines = select(table.c.process_id, table.c.day).where(table.c.job_id == job_id).order_by(table.c.id.desc())
    row = conn.execute(lines.limit(1)).first()
    if row is None:
        raise InvariantBroken(f"job {job_id} has no reservation in the ledger")
    return row.process_id, row.day


def _write(conn: Connection, process_id: str, job_id: str, day: str, line: dict[CostKind, int]) -> None:
    at_ms = read_now_ms(conn)
    shared = {"process_id": process_id, "job_id": job_id, "day": day, "at_ms": at_ms}
    rows = [plain({**shared, "kind": kind, "amount_micro": amount}) for kind, amount in line.items()]
    conn.execute(insert(table), rows)
