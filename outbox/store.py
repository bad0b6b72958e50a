"""The outbox and its operation ledger: what was decided, and what became of each act that followed.

Rules:
* every function takes the caller's connection first and never commits;
* an event, its effects and what it supersedes are one transaction with the decision itself;
* every change of an effect goes through the delivery table under its fence (`outbox.ledger`), and hands one
  `AuditLine` to `audit` in the same transaction;
* an effect that waits for another has no due time; the transaction that settles the other wakes it;
* whoever changes an effect that nobody has leased locks all effects of its entity first, in one order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import BigInteger, Connection, RowMapping, and_, bindparam, exists, func, insert, or_, select

from outbox import entities
from outbox.clock import now_ms
from outbox.delivery import CONTENT, OPEN, SUPERSEDABLE, Change, Standing, plan_effects, settled, waits
from outbox.errors import IllegalChange, LeaseLost, NoSuchEffect, RevisionConflict
from outbox.lease import SKEW_MS, claim_statement
from outbox.ledger import Audit, Pen, effect_of, effect_row, event_of, event_row, get, locked, of_entity, plain
from outbox.message import Effect, EffectStatus, EntityChange, Intent, Mode, OutboxEvent, Planned
from outbox.outcome import Outcome
from outbox.reducer import Verdict
from outbox.schema import effect, outbox_event

__all__ = [
    "Audit",
    "Counts",
    "acknowledge",
    "claim",
    "counts",
    "due_intents",
    "event",
    "get",
    "listing",
    "next_due_ms",
    "record",
    "release",
    "settle",
    "waive",
]

TOGETHER_MS = 2_000
"""Members of a batch that become due this much later go along: each was settled in a transaction of its own."""

_GROUP_ROWS = 10_000  # more than any batch holds
_FAR_MS = 2**62  # sorts effects without a deadline last

_e, _o = effect.c, outbox_event.c


# --- deciding

_EVENT = select(outbox_event).where(_o.key == bindparam("key"))
_SAME_CHANGE = select(
    exists().where(
        _o.entity == bindparam("entity"),
        _o.revision == bindparam("revision"),
        _o.type == bindparam("type"),
        _o.mode == Mode.LIVE.value,
        _o.key != bindparam("key"),
    )
)


def record(conn: Connection, event: OutboxEvent, effects: Sequence[Planned], *, audit: Audit | None = None) -> bool:
    """Write an event and its effects in the caller's transaction, and supersede what it contradicts.

    Acts that the event's mode may not do are left out; acts that the ledger holds already for this entity,
    revision, intent and mode stay as they are. A LIVE event with a COMMIT or WITHDRAW is a change of its
    entity. False: the key, or the very same change, is known; nothing was planned. RevisionConflict: the
    entity has a newer revision, or another change with this number.
    """
    if conn.execute(_EVENT, {"key": event.key}).first():
        return False
    conn.execute(insert(outbox_event), event_row(event))
    intents = plan_effects(event.mode, {planned.intent for planned in effects})
    if event.mode is Mode.LIVE and CONTENT & set(intents) and not _advanced(conn, event):
        return False
    pen = Pen.of(conn, event.key, audit)
    ledger = of_entity(conn, event.entity)
    for old in ledger:
        if _contradicts(event, old):
            pen.move(old, Change.SUPERSEDED, note=f"superseded by revision {event.revision}")
    _plan(pen, event, [p for i in intents for p in effects if p.intent is i], ledger)
    return True


def _advanced(conn: Connection, event: OutboxEvent) -> bool:
    change = EntityChange(entity=event.entity, revision=event.revision, state=event.type, intent=event.type)
    same = {"entity": event.entity, "revision": event.revision, "type": event.type, "key": event.key}
    before = bool(conn.execute(_SAME_CHANGE, same).scalar())
    verdict = entities.advance(conn, change, cause=event.key, applied_before=before)
    if verdict in {Verdict.STALE, Verdict.CONFLICT}:
        raise RevisionConflict(
            f"{event.entity} cannot take {event.type} as revision {event.revision}: {verdict.value}",
            hint="Read the entity again and decide on its newest revision",
        )
    return verdict is Verdict.APPLIED


def _contradicts(event: OutboxEvent, old: Effect) -> bool:
    """I19. What is in flight was locked with the rest; its settling sees the newer revision and yields."""
    stoppable = OPEN - {EffectStatus.IN_FLIGHT} | {EffectStatus.DEAD_LETTERED}
    older = old.revision < event.revision and event.mode in {Mode.LIVE, old.mode}
    return older and old.intent in SUPERSEDABLE and old.status in stoppable


def _plan(pen: Pen, event: OutboxEvent, effects: Sequence[Planned], ledger: Sequence[Effect]) -> None:
    there = {(old.revision, old.intent, old.mode) for old in ledger}
    new = [one for one in effects if (event.revision, one.intent, event.mode) not in there]
    standing = _standing(ledger, event.mode)
    standing += [Standing(one.intent, event.revision, EffectStatus.PENDING) for one in new]
    rows = [
        effect_row(event, one, at_ms=pen.now_ms, asleep=waits(one.intent, event.revision, standing)) for one in new
    ]
    if rows:
        pen.conn.execute(insert(effect), rows)


def _standing(ledger: Sequence[Effect], mode: Mode) -> list[Standing]:
    return [Standing(one.intent, one.revision, one.status) for one in ledger if one.mode is mode]


# --- carrying out

_DUE_INTENTS = (
    select(_e.intent)
    .where(
        or_(
            _e.next_due_ms <= now_ms(),
            and_(_e.lease_owner.is_not(None), _e.next_due_ms > now_ms() + bindparam("longest_ms", 0, BigInteger)),
        )
    )
    .distinct()
)
_NEWER = select(
    exists().where(
        _e.entity == bindparam("entity"),
        _e.revision > bindparam("revision"),
        or_(_e.mode == Mode.LIVE.value, _e.mode == bindparam("mode")),
    )
)
_other = effect.alias("other")
_LEADERS = (
    _e.intent == bindparam("intent"),
    ~exists().where(
        _other.c.batch_key == _e.batch_key,
        _other.c.intent == _e.intent,
        _other.c.next_due_ms <= now_ms(),
        _other.c.id < _e.id,
    ),
)
_MEMBERS = (_e.intent == bindparam("intent"), _e.batch_key.in_(bindparam("batch_keys", expanding=True)))
_URGENCY = (
    _e.priority,
    func.coalesce(_e.deadline_ms, bindparam("far_ms", _FAR_MS, BigInteger)),
    _e.next_due_ms,
)


def due_intents(conn: Connection, *, lease_ms: int) -> set[Intent]:
    """Intents that have something to claim; empty when idle. Cheap, and needs no write transaction.

    `lease_ms` is the longest lease: one that ends later was given before the clock was set back.
    """
    rows = conn.execute(_DUE_INTENTS, {"longest_ms": lease_ms + SKEW_MS})
    return {Intent(value) for value in rows.scalars()}


def claim(
    conn: Connection, intent: Intent, *, owner: str, lease_ms: int, limit: int, audit: Audit | None = None
) -> list[Effect]:
    """Lease to `owner` the due effects of up to `limit` batches of one intent, most urgent first.

    A batch is led by its first due effect, so that two relays never share one. The effects come back
    IN_FLIGHT; commit before acting. `in_doubt`: an earlier attempt may have happened, look first.
    """
    binds = {"intent": intent.value, "longest_ms": lease_ms + SKEW_MS}
    leaders = _due(conn, _LEADERS, binds | {"row_limit": limit})
    if not leaders:
        return []
    keys = sorted({row["batch_key"] for row in leaders})
    members = _due(conn, _MEMBERS, binds | {"row_limit": _GROUP_ROWS, "batch_keys": keys}, early_ms=TOGETHER_MS)
    if not members:  # the leader was due by a clock that was set back between the two looks
        return []
    pen = Pen(conn, int(members[0]["now_ms"]), owner, audit)
    taken = [_take(pen, effect_of(row), lease_ms) for row in members]
    return [one for one in taken if one is not None]


def _due(
    conn: Connection, where: tuple[Any, ...], binds: dict[str, Any], *, early_ms: int = 0
) -> Sequence[RowMapping]:
    statement = claim_statement(effect, where=where, order_by=_URGENCY, early_ms=early_ms)
    return conn.execute(statement, binds).mappings().all()


def _take(pen: Pen, found: Effect, lease_ms: int) -> Effect | None:
    if _is_contradicted(pen.conn, found):
        pen.move(found, Change.SUPERSEDED, note="superseded while it was in flight")
        return None
    leased = replace(plain(found, Change.CLAIMED), next_due_ms=pen.now_ms + lease_ms)
    return replace(pen.apply(found, leased, lease_owner=pen.actor), in_doubt=found.in_doubt)


def _is_contradicted(conn: Connection, one: Effect) -> bool:
    return one.intent in SUPERSEDABLE and _has_newer(conn, one)


def _has_newer(conn: Connection, one: Effect) -> bool:
    same = {"entity": one.entity, "revision": one.revision, "mode": one.mode.value}
    return bool(conn.execute(_NEWER, same).scalar())


def settle(
    conn: Connection,
    held: Effect,
    outcome: Outcome,
    *,
    chance: float,
    owner_role: str,
    actor: str,
    audit: Audit | None = None,
) -> Effect:
    """Write what became of a claimed effect, and wake what waited for it.

    `owner_role` is who is called if a person is needed. LeaseLost: the lease ended and another relay has the
    effect; nothing was written, drop the outcome.
    """
    ledger = of_entity(conn, held.entity)  # a newer decision that holds the locks commits first, and is seen
    if not any((one.id, one.version) == (held.id, held.version) for one in ledger):
        raise LeaseLost(f"effect {held.id} is no longer at version {held.version}")
    pen = Pen.of(conn, actor, audit)
    contradicted = _is_contradicted(conn, held)
    after = settled(held, outcome, now_ms=pen.now_ms, chance=chance, superseded=contradicted)
    fresh = pen.apply(held, after, owner_role=owner_role)
    _let_others_go(pen, fresh)
    return fresh


def _let_others_go(pen: Pen, done: Effect) -> None:
    """Wake what waited for `done`; a withdrawal that arrived compensates the commits before it."""
    if done.status in OPEN:
        return
    ledger = of_entity(pen.conn, done.entity)
    for one in ledger:
        if _is_undone(one, by=done):
            pen.move(one, Change.COMPENSATED, note=f"withdrawn by revision {done.revision}")
    standing = _standing(ledger, done.mode)
    for one in ledger:
        asleep = one.mode is done.mode and one.status is EffectStatus.PENDING and one.next_due_ms is None
        if asleep and not waits(one.intent, one.revision, standing):
            pen.write(one, replace(one, next_due_ms=pen.now_ms))


def _is_undone(one: Effect, *, by: Effect) -> bool:
    withdrawn = by.intent is Intent.WITHDRAW and by.status is EffectStatus.CONFIRMED
    committed = one.intent is Intent.COMMIT and one.status is EffectStatus.CONFIRMED
    return withdrawn and committed and one.mode is by.mode and one.revision < by.revision


# --- a person's orders


def waive(conn: Connection, effect_id: int, *, actor: str, reason: str, audit: Audit | None = None) -> Effect:
    """Let the world go on without this act; `actor` answers for it. IllegalChange: settled, or in flight."""
    pen = Pen.of(conn, actor, audit)
    fresh = pen.move(locked(conn, effect_id), Change.WAIVED, note=f"{actor}: {reason}")
    _let_others_go(pen, fresh)
    return fresh


def release(conn: Connection, effect_id: int, *, actor: str, reason: str, audit: Audit | None = None) -> Effect:
    """Try a dead-lettered act again, counting from nothing.

    IllegalChange: it is not dead-lettered, or a newer revision of its entity was decided meanwhile.
    """
    pen, found = Pen.of(conn, actor, audit), locked(conn, effect_id)
    if _has_newer(conn, found):
        raise IllegalChange(f"{found.entity} has a newer revision", hint="Waive this effect instead")
    again = replace(plain(found, Change.RELEASED), attempts=0, next_due_ms=pen.now_ms)
    return pen.apply(found, again, note=f"{actor}: {reason}")


def acknowledge(conn: Connection, effect_id: int, *, actor: str, audit: Audit | None = None) -> bool:
    """An owner has seen what stopped. False: somebody acknowledged it before, or nobody was called."""
    pen, found = Pen.of(conn, actor, audit), locked(conn, effect_id)
    if found.owner is None or found.acked_ms is not None:
        return False
    pen.tell(found, pen.write(found, replace(found, acked_ms=pen.now_ms)), "ACKNOWLEDGED")
    return True


# --- reading

_NEXT_DUE = select(func.min(_e.next_due_ms))
_BY_STATUS = select(_e.status, func.count()).group_by(_e.status)
_OPEN = _e.status.in_(sorted(status.value for status in OPEN))
_STOPPED = _e.status == EffectStatus.DEAD_LETTERED.value
_TOP_ROW = select(
    select(func.count()).where(_OPEN, _e.deadline_ms < now_ms()).scalar_subquery(),
    select(func.count()).where(or_(_OPEN, _STOPPED), _e.intent == Intent.WITHDRAW.value).scalar_subquery(),
    select(func.count()).where(and_(_STOPPED, _e.acked_ms.is_(None))).scalar_subquery(),
)


def event(conn: Connection, key: str) -> OutboxEvent:
    """One event; NoSuchEffect."""
    row = conn.execute(_EVENT, {"key": key}).mappings().first()
    if row is None:
        raise NoSuchEffect(f"there is no event {key}")
    return event_of(row)


def listing(
    conn: Connection,
    *,
    statuses: Collection[EffectStatus] = (),
    entity: str | None = None,
    intent: Intent | None = None,
    limit: int = 1000,
) -> list[Effect]:
    """Effects in the order in which they were planned, narrowed by what is given."""
    query = select(effect).order_by(_e.id).limit(limit)
    if statuses:
        query = query.where(_e.status.in_([status.value for status in statuses]))
    if entity is not None:
        query = query.where(_e.entity == entity)
    if intent is not None:
        query = query.where(_e.intent == intent.value)
    return [effect_of(row) for row in conn.execute(query).mappings()]


def next_due_ms(conn: Connection) -> int | None:
    """When the relay next has something to do, or a lease ends; None: nothing is open."""
    due = conn.execute(_NEXT_DUE).scalar()
    return None if due is None else int(due)


def any_leased_to(conn: Connection, name: str) -> bool:
    """Whether a relay whose name begins with `name` holds an effect."""
    held = select(_e.id).where(_e.lease_owner.startswith(name, autoescape=True)).limit(1)
    return conn.execute(held).first() is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The ledger in numbers. `unacknowledged`: dead-lettered, and no owner has looked yet (I16)."""

    by_status: dict[EffectStatus, int]
    past_deadline: int
    compensation_pending: int
    unacknowledged: int


def counts(conn: Connection) -> Counts:
    """How many effects stand where."""
    by_status = {EffectStatus(status): n for status, n in conn.execute(_BY_STATUS)}
    late, pending, unseen = conn.execute(_TOP_ROW).one()
    return Counts(by_status=by_status, past_deadline=late, compensation_pending=pending, unacknowledged=unseen)
