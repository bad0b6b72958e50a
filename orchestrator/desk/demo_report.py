"""What a demonstration, or a run until idle, came to: counted in the store, not remembered by the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from orchestrator.core.records import Process
from orchestrator.core.states import JobState
from orchestrator.desk.edition_rows import EditionRow, edition_json, edition_rows
from orchestrator.desk.shapes import Json
from orchestrator.settings.workspace import Workspace
from orchestrator.store import attempts
from orchestrator.store.work_tables import job as jobs
from outbox.delivery import OPEN
from outbox.schema import effect as ledger

HOPELESS = 3
"""Attempts after which an effect waits for something outside, and no longer for this loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures. `bought_twice` counts fingerprints and generations with more than one accepted create."""

    editions: Sequence[EditionRow]
    unverified: Sequence[Process]
    bought: int
    bought_twice: int

    @property
    def verified(self) -> int:
        """Editions that readers see."""
        return sum(row.reached.verified for row in self.editions)

    def lines(self, seconds: float, workspace: Workspace) -> list[str]:
        """The closing lines, one an edition and then the sum."""
        waiting = [f"  open   {p.product} {p.target_date} stands in {p.stage.value}" for p in self.unverified]
        figures = (
            f"  {len(self.editions)} editions accepted, {self.verified} verified as readers see them, "
            f"{len(self.unverified)} open. {self.bought} responses bought, {self.bought_twice} twice. "
            f"{seconds:.0f} s."
        )
        history = f"git --git-dir={workspace.content.repository} log --oneline"
        read = "make serve" if (workspace.root / "Makefile").exists() else "dateline serve"
        return [*waiting, figures, f"  Read them:  {read:<17} History:  {history}"]

    def json(self, base_url: str) -> Json:
        """For machines."""
        return {
            "editions": [edition_json(row, base_url) for row in self.editions],
            "accepted": len(self.editions),
            "verified_complete": self.verified,
            "open": [f"{p.product}/{p.target_date}" for p in self.unverified],
            "responses_bought": self.bought,
            "bought_twice": self.bought_twice,
        }


def read_report(conn: Connection, rows: Sequence[Process]) -> Report:
    """The figures of these processes."""
    wanted = {row.id for row in rows}
    bought, twice = attempts.accepted_counts(conn)
    return Report(
        editions=[row for row in reversed(edition_rows(conn)) if row.process_id in wanted],
        unverified=[row for row in rows if row.verified_ms is None],
        bought=bought,
        bought_twice=twice,
    )


def nothing_open(conn: Connection) -> bool:
    """Whether no job and no effect is left that a loop could still move by itself.

    A clean-up that the provider refuses, and an act that failed `HOPELESS` times, wait for something outside.
    """
    deleting = jobs.c.state == JobState.CLEANUP_PENDING.value
    job = select(jobs.c.id).where(jobs.c.next_due_ms.is_not(None), ~(deleting & (jobs.c.delete_count > 0)))
    acting = ledger.c.status.in_([status.value for status in OPEN])
    # an act without a due time waits for another one, which is then the one that counts
    effect = select(ledger.c.id).where(acting, ledger.c.next_due_ms.is_not(None), ledger.c.attempts < HOPELESS)
    return all(conn.execute(query.limit(1)).first() is None for query in (job, effect))
