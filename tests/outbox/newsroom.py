"""Events and handlers that the outbox tests share: one publication in two languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from outbox import store
from outbox.clock import advance, read_now_ms
from outbox.database import Database
from outbox.message import AuditLine, Effect, EffectStatus, Intent, Mode, OutboxEvent, Planned, Provenance
from outbox.outcome import Confirmed, Outcome
from outbox.relay import Handler, Relay

DAY = "daily-brief/2026-11-30"
EN, ES = f"{DAY}/en", f"{DAY}/es"
PUBLICATION = (Intent.COMMIT, Intent.RENDER, Intent.PUSH, Intent.VERIFY, Intent.ANNOUNCE)
WITHDRAWAL = (Intent.WITHDRAW, Intent.RENDER, Intent.PUSH, Intent.VERIFY)
LEASE_MS = 60_000


def decided(
    entity: str = EN,
    revision: int = 1,
    *,
    kind: str = "edition.published",
    mode: Mode = Mode.LIVE,
    key: str | None = None,
    hops: int = 0,
) -> OutboxEvent:
    return OutboxEvent(
        key=key or f"{entity}@{revision}/{mode.lower()}",
        type=kind,
        entity=entity,
        revision=revision,
        mode=mode,
        provenance=Provenance(origin="newsroom", hops=hops),
        payload={"digest": "sha256:" + "0" * 64, "headline": "Año nuevo: 5 € — ¿sí?"},
        decided_ms=1_796_000_000_000,
    )


def planned(
    intents: Sequence[Intent] = PUBLICATION, *, batch: str = DAY, deadline_ms: int | None = None
) -> list[Planned]:
    return [Planned(intent=one, batch_key=batch, deadline_ms=deadline_ms) for one in intents]


def publish(
    db: Database,
    *entities: str,
    revision: int = 1,
    kind: str = "edition.published",
    intents: Sequence[Intent] = PUBLICATION,
    audit: store.Audit | None = None,
) -> None:
    with db.write() as conn:
        for entity in entities:
            event = decided(entity, revision, kind=kind)
            assert store.record(conn, event, planned(intents, batch=f"{DAY}@{revision}"), audit=audit)


def statuses(db: Database, entity: str = EN, *, revision: int = 1) -> dict[Intent, EffectStatus]:
    return {one.intent: one.status for one in effects(db, entity) if one.revision == revision}


def effects(db: Database, entity: str | None = None) -> list[Effect]:
    with db.read() as conn:
        return store.listing(conn, entity=entity)


def the(db: Database, intent: Intent, entity: str = EN, *, revision: int = 1) -> Effect:
    [found] = [e for e in effects(db, entity) if e.intent is intent and e.revision == revision]
    return found


def later(db: Database, by_ms: int) -> int:
    with db.write() as conn:
        return advance(conn, by_ms)


def now(db: Database) -> int:
    with db.read() as conn:
        return read_now_ms(conn)


@dataclass
class World:
    """What is out there: acts that happened, in order; and what it answers when asked to act."""

    done: list[tuple[Intent, str, int]] = field(default_factory=list)
    calls: list[list[Effect]] = field(default_factory=list)
    answers: dict[Intent, Callable[[Effect], Outcome]] = field(default_factory=dict)

    def handler(self, intent: Intent) -> Handler:
        def act(batch: Sequence[Effect]) -> Mapping[int, Outcome]:
            self.calls.append(list(batch))
            return {one.id: self._one(one) for one in batch}

        assert intent in Intent
        return act

    def _one(self, one: Effect) -> Outcome:
        if one.intent in self.answers:
            return self.answers[one.intent](one)
        act = (one.intent, one.entity, one.revision)
        if act not in self.done:
            self.done.append(act)
        return Confirmed(f"ref-{one.id}")


@dataclass
class Trail:
    """An audit trail in memory."""

    lines: list[AuditLine] = field(default_factory=list)

    def __call__(self, conn: Connection, line: AuditLine) -> None:
        assert conn.in_transaction()
        self.lines.append(line)

    def told(self) -> list[tuple[Intent, str, EffectStatus]]:
        return [(line.intent, line.code, line.to_status) for line in self.lines]


def relay_of(db: Database, world: World, *, owner: str = "relay-1", audit: store.Audit | None = None) -> Relay:
    return Relay(
        db,
        {intent: world.handler(intent) for intent in Intent},
        owner=owner,
        lease_ms=LEASE_MS,
        chance=lambda: 0.5,
        owner_role=lambda effect: f"recovery of {effect.entity.split('/')[0]}",
        audit=audit,
    )


def run(relay: Relay) -> int:
    handled = 0
    while step := relay.step():
        handled += step
    return handled
