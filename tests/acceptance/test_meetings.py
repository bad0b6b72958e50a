"""Two of the loop's parts in the same moment, on engines where transactions run side by side (F21)."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, Thread

from sqlalchemy import Connection

from orchestrator.core.states import JobState as S
from orchestrator.outcomes import Outcomes
from orchestrator.ticker import Ticker
from outbox import store as ledger
from outbox.database import Database
from outbox.message import AuditLine, Effect, Evidence, Intent
from outbox.outcome import Confirmed
from outbox.relay import Handler
from tests.acceptance.conftest import Night
from tests.acceptance.shift import DAY, PRODUCT

WHILE_IT_WAITS_S = 0.5
"""Long enough for the other thread to come to where it waits for this one's transaction, or to be done."""


def test_two_schedulers_that_plan_one_date_in_the_same_moment_leave_one_obligation_and_no_error(
    night: Night, store: Database
) -> None:
    shift = night(store)
    other, planned = Ticker(shift.house.db, shift.house.editorial), list[int]()
    other.begins = DAY
    thread = Thread(target=lambda: planned.append(other.tick()))
    with shift.house.db.write() as conn:
        shift.house.ticker.planned(conn, PRODUCT, DAY)
        thread.start()
        thread.join(WHILE_IT_WAITS_S)
    thread.join()
    assert planned == [0]
    assert shift.rows("SELECT count(*) FROM process") == [(1,)]


def test_two_relays_that_confirm_the_two_languages_in_the_same_moment_complete_the_publication(
    night: Night, store: Database
) -> None:
    shift = night(store)
    shift.plan()
    shift.until(S.PUBLISHED)
    handlers: dict[Intent, Handler] = dict(shift.house.relay.handlers)
    del handlers[Intent.VERIFY]
    relay = replace(shift.house.relay, handlers=handlers)
    while relay.step():
        pass
    with shift.house.db.write() as conn:
        first, second = ledger.claim(conn, Intent.VERIFY, owner="relay", lease_ms=60_000, limit=1)
    done = Event()

    def settle_second() -> None:
        seen(shift.house.db, second, Outcomes().settled)
        done.set()

    def settled(conn: Connection, line: AuditLine) -> None:
        Outcomes().settled(conn, line)
        thread.start()
        done.wait(WHILE_IT_WAITS_S)

    thread = Thread(target=settle_second)
    seen(shift.house.db, first, settled)
    thread.join()
    assert shift.process().verified_ms is not None


def seen(db: Database, held: Effect, audit: ledger.Audit) -> None:
    """Confirm that readers see it, as a relay of its own."""
    outcome = Confirmed(held.entity, Evidence.HTTP)
    with db.write() as conn:
        ledger.settle(conn, held, outcome, chance=0.5, owner_role="night desk", actor="relay", audit=audit)
