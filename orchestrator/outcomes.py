"""What an effect's settlement means for its process: the audit line, and VERIFIED_COMPLETE.

The relay calls `Outcomes.settled` inside the transaction that settles an effect. A process counts as verified when
the newest revision of every one of its languages was seen over HTTP as readers get it, and not before.
"""

from __future__ import annotations

from sqlalchemy import Connection

from orchestrator.core.records import Overlay, Process
from orchestrator.recording import write_status
from orchestrator.store import editions, events, jobs, processes
from orchestrator.store.codes import ActorType
from outbox import store as ledger
from outbox.message import AuditLine, EffectStatus, Evidence, Intent
from publisher.content import key_of_slot


class Outcomes:
    """Audits effects and follows verification, in the name of one relay."""

    def __init__(self, *, actor: str = "relay") -> None:
        self._actor = actor

    def settled(self, conn: Connection, line: AuditLine) -> None:
        """Write the audit line of an effect's transition; mark the process where it was the last one needed."""
        process = _process_of(conn, line)
        entry = events.Entry(
            occurred_ms=line.at_ms,
            event_type=f"EFFECT_{line.intent.value}",
            actor_type=ActorType.RELAY,
            actor=line.actor,
            process_id=process.id if process else None,
            process_revision=process.revision if process else None,
            fence=line.fence,
            stage_code=process.stage.value if process else None,
            from_state=line.from_status.value,
            to_state=line.to_status.value,
            diagnostic_code=f"{line.entity}@{line.revision} {line.code}",
        )
        events.append(conn, entry)
        confirmed = line.intent is Intent.VERIFY and line.to_status is EffectStatus.CONFIRMED
        if confirmed and process is not None and process.verified_ms is None:
            # relays that confirm two languages at once take turns here, so that the last of them sees both
            self._verify(conn, processes.get(conn, process.id, locked=True), line.at_ms)

    def _verify(self, conn: Connection, process: Process, now_ms: int) -> None:
        if process.verified_ms is not None or not all(
            seen_by_readers(conn, f"{process.product}/{process.target_date}/{lang}") for lang in process.languages
        ):
            return
        overlay = Overlay.NONE if process.overlay is Overlay.DELAYED else process.overlay
        verified = processes.update(
            conn,
            process,
            now_ms=now_ms,
            event_type="VERIFIED_COMPLETE",
            actor_type=ActorType.RELAY,
            actor=self._actor,
            verified_ms=now_ms,
            progress_ms=now_ms,
            overlay=overlay,
        )
        write_status(conn, verified, jobs.current(conn, process.id))


def seen_by_readers(conn: Connection, key: str) -> bool:
    """Whether the current revision of this key was verified over HTTP."""
    edition = editions.current(conn, key)
    if edition is None:
        return False
    looks = ledger.listing(conn, entity=key, intent=Intent.VERIFY, statuses=(EffectStatus.CONFIRMED,))
    return any(look.revision == edition.revision and look.evidence is Evidence.HTTP for look in looks)


def _process_of(conn: Connection, line: AuditLine) -> Process | None:
    try:
        key = key_of_slot(line.entity)
    except ValueError:
        return None
    return processes.by_key(conn, key.product, key.date)
