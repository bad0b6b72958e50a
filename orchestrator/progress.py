"""A process being moved inside one transaction: stage by stage, each move legal, fenced and audited."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from orchestrator.core.records import Overlay, Process, ProcessStage
from orchestrator.core.stages import check_move, check_overlay
from orchestrator.store import processes
from orchestrator.store.codes import ActorType


class Progress:
    """Holds the process as it stands now in the transaction. Every write is its last version plus one."""

    def __init__(
        self, conn: Connection, process: Process, *, now_ms: int, actor: str, actor_type: ActorType
    ) -> None:
        self.process = process
        self.now_ms = now_ms
        self._conn = conn
        self._actor = actor
        self._actor_type = actor_type

    def move(self, stage: ProcessStage, *, code: str | None = None, **changes: Any) -> None:
        """Go to `stage`, writing `changes` with it.

        Errors: `IllegalTransition` for a move that the table does not have; `StaleFence`.
        """
        check_move(self.process.stage, stage)
        self._write("STAGE_ENTERED", code, stage=stage, progress_ms=self.now_ms, **changes)

    def overlay(self, overlay: Overlay, *, reason: str) -> None:
        """Lay something over the stage, which stays."""
        check_overlay(self.process.overlay, overlay)
        self._write(f"OVERLAY_{overlay.value}", reason, overlay=overlay, reason=reason, acked_ms=None)

    def _write(self, event_type: str, code: str | None, **changes: Any) -> None:
        self.process = processes.update(
            self._conn,
            self.process,
            now_ms=self.now_ms,
            event_type=event_type,
            actor_type=self._actor_type,
            actor=self._actor,
            diagnostic_code=code,
            **changes,
        )
