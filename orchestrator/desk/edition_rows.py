"""Editions and how far each has come: what was saved, joined with the ledger's rows of the same revision.

Rules: what an edition reached is `outbox.outcome.ladder` of those rows, never a column that could disagree with
it; a publication counts as seen when every language of it was seen over HTTP.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from orchestrator.core.records import Process
from orchestrator.desk.listings import EVERYTHING, in_chunks, processes_of
from orchestrator.desk.shapes import Json, instant
from orchestrator.store.codes import EditionStatus
from orchestrator.store.schema import edition as table
from outbox.ledger import effect_of
from outbox.message import Effect, EffectStatus, Evidence, Intent, Mode
from outbox.outcome import Reached, facts, ladder
from outbox.schema import effect as ledger
from publisher import addresses
from publisher.content import EditionKey

_LIGHT = tuple(
    table.c[name]
    for name in (
        "process_id", "job_id", "product", "target_date", "lang", "revision", "number", "status", "provenance",
        "digest", "approved_by", "saved_ms", "published_ms",
    )
)  # fmt: skip
"""Everything but the texts, which may be long."""

_Slot = tuple[str, int]  # entity, revision


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionRow:
    """One revision of an edition, what it reached, and what it left outside."""

    key: EditionKey
    revision: int
    number: int
    digest: str
    status: EditionStatus
    provenance: str
    process_id: str
    job_id: str | None
    approved_by: str | None
    saved_ms: int
    published_ms: int | None
    reached: Reached
    effects: tuple[Effect, ...]

    def reference(self, *intents: Intent) -> str | None:
        """What the confirmed act of one of these intents left outside."""
        done = (e.reference for e in self.effects if e.intent in intents and e.reference is not None)
        return next(done, None)


def edition_rows(conn: Connection, *, process_id: str | None = None, limit: int | None = None) -> list[EditionRow]:
    """Every revision of every edition, newest date first; of one process where it is given."""
    order = (table.c.target_date.desc(), table.c.product, table.c.lang, table.c.revision.desc())
    query = select(*_LIGHT).order_by(*order).limit(EVERYTHING if limit is None else limit + 1)
    if process_id is not None:
        query = query.where(table.c.process_id == process_id)
    rows = conn.execute(query).mappings().all()
    owners = processes_of(conn, {row["process_id"] for row in rows})
    slots = _slots(conn, sorted(owners))
    acts = _effects(conn, sorted({entity for found in slots.values() for entity, _ in found}))
    return [_row(row, owners[row["process_id"]], slots[row["process_id"]], acts) for row in rows]


def edition_json(row: EditionRow, base_url: str) -> Json:
    """One revision, as the interface names it."""
    return {
        "key": row.key.slot,
        "revision": row.revision,
        "number": row.number,
        "digest": row.digest,
        "outcome": row.reached.level.value,
        "verified": row.reached.verified,
        "evidence": row.reached.evidence.value if row.reached.evidence else None,
        "status": row.status.value,
        "provenance": row.provenance,
        "source_commit": row.reference(Intent.COMMIT, Intent.WITHDRAW),
        "pages_commit": row.reference(Intent.RENDER),
        "url": url_of(row.key, base_url),
        "process": row.process_id,
        "job": row.job_id,
        "approved_by": row.approved_by,
        "published_at": instant(row.published_ms),
    }


def url_of(key: EditionKey, base_url: str) -> str:
    """Where readers find it."""
    return f"{base_url.rstrip('/')}/{addresses.edition(key)}"


def _slots(conn: Connection, process_ids: Sequence[str]) -> Mapping[str, list[_Slot]]:
    """Every (entity, revision) of these processes, also those that a limit left out."""
    found: dict[str, list[_Slot]] = defaultdict(list)
    columns = (table.c.process_id, table.c.product, table.c.target_date, table.c.lang, table.c.revision)
    for some in in_chunks(process_ids):
        for process_id, product, day, lang, revision in conn.execute(
            select(*columns).where(table.c.process_id.in_(some))
        ):
            found[process_id].append((f"{product}/{day}/{lang}", revision))
    return found


def _effects(conn: Connection, entities: Sequence[str]) -> Mapping[_Slot, list[Effect]]:
    """The acts of these entities by revision: those that were meant for readers, where there are any."""
    found: dict[_Slot, list[Effect]] = defaultdict(list)
    for some in in_chunks(entities):
        for row in conn.execute(select(ledger).where(ledger.c.entity.in_(some)).order_by(ledger.c.id)).mappings():
            effect = effect_of(row)
            found[effect.entity, effect.revision].append(effect)
    return {slot: _of_one_mode(effects) for slot, effects in found.items()}


def _of_one_mode(effects: list[Effect]) -> list[Effect]:
    mode = Mode.LIVE if any(e.mode is Mode.LIVE for e in effects) else effects[0].mode
    return [effect for effect in effects if effect.mode is mode]


def _row(
    row: RowMapping, process: Process, slots: Sequence[_Slot], acts: Mapping[_Slot, list[Effect]]
) -> EditionRow:
    key = EditionKey(row["product"], row["target_date"], row["lang"])
    effects = tuple(acts.get((key.slot, row["revision"]), ()))
    status = EditionStatus(row["status"])
    known = facts(
        effects,
        saved=True,
        every_language=_everywhere(row["revision"], process, slots, acts),
        superseded=status is EditionStatus.SUPERSEDED,
    )
    kept: dict[str, Any] = {
        name: row[name] for name in ("number", "digest", "process_id", "job_id", "approved_by", "published_ms")
    }
    return EditionRow(
        key=key,
        revision=row["revision"],
        status=status,
        provenance=row["provenance"],
        saved_ms=row["saved_ms"],
        reached=ladder(known),
        effects=effects,
        **kept,
    )


def _everywhere(
    revision: int, process: Process, slots: Sequence[_Slot], acts: Mapping[_Slot, list[Effect]]
) -> bool:
    """Whether each language of this revision was seen over HTTP; a first revision has all of them."""
    siblings = [slot for slot in slots if slot[1] == revision]
    complete = revision > 1 or len(siblings) == len(process.languages)
    return complete and all(_was_seen(acts.get(slot, ())) for slot in siblings)


def _was_seen(effects: Sequence[Effect]) -> bool:
    return any(
        e.intent is Intent.VERIFY and e.status is EffectStatus.CONFIRMED and e.evidence is Evidence.HTTP
        for e in effects
    )
