"""A relay that dies. Run: python -m tests.outbox.dying_relay URL FILE WHEN

It appends one line to FILE per act that is not in FILE yet. WHEN says when the process exits without a word:
`before` or `after` its first act, or a number n: in the middle of its n-th commit.
"""

import os
import sys
from pathlib import Path

from sqlalchemy import event

from outbox.database import Database
from outbox.message import Intent
from outbox.outcome import Confirmed
from outbox.relay import Relay

LEASE_MS = 60_000


def act_once(log: Path, effects):
    """An idempotent act: look first, adopt what is there."""
    for one in effects:
        if one.idempotency_key not in log.read_text().splitlines():
            with log.open("a") as out:
                out.write(f"{one.idempotency_key}\n")
    return {one.id: Confirmed("adopted or done") for one in effects}


def die(*_args):
    os._exit(137)


def main(url: str, file: str, when: str) -> None:
    log, db = Path(file), Database.open(url)

    def handler(effects):
        if when == "before":
            die()
        outcomes = act_once(log, effects)
        if when == "after":
            die()
        return outcomes

    relay = Relay(
        db,
        dict.fromkeys(Intent, handler),
        owner="relay-that-dies",
        lease_ms=LEASE_MS,
        chance=lambda: 0.5,
        owner_role=lambda _: "recovery",
    )
    if when.isdigit():
        die_in_commit(db, int(when))
    while relay.step():
        pass


def die_in_commit(db: Database, number: int) -> None:
    """Everything of the n-th transaction has been sent, and its COMMIT has not."""
    left = iter(range(number - 1))
    event.listen(db.writer, "commit", lambda _conn: next(left, None) is None and die())


if __name__ == "__main__":
    main(*sys.argv[1:])
