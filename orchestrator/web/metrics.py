"""`/metrics` for Prometheus: the outcomes first, then jobs, effects and the loop, counted when they are asked for.

Rules: the numbers are read from the store in one snapshot, so that every process says the same; nothing is counted
in memory, nothing is written, nobody is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.responses import PlainTextResponse, Response

from orchestrator.desk.status import Status, read_status
from orchestrator.web.status import SILENT_S
from outbox import store as ledger
from outbox.database import Database
from outbox.errors import OutboxError

OUTCOMES: Mapping[str, str] = {
    "accepted": "Editions that were promised.",
    "verified_complete": "Editions that readers were seen to get.",
    "unreconciled": "Editions that readers were not seen to get yet.",
    "past_deadline": "Unreconciled editions whose deadline has passed.",
    "unknown_outcome": "Creates and acts whose outcome is not known.",
    "compensation_pending": "Withdrawals that have not arrived yet.",
    "quarantined_without_owner": "Quarantined or dead-lettered, and nobody has acknowledged it.",
}


class StoreMetrics(Collector):
    """Collects from one snapshot of the store."""

    def __init__(self, database: Database, *, silent_s: float | None) -> None:
        self._database = database
        self._silent_s = silent_s

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The families, in the order of the dashboard."""
        with self._database.read() as conn:
            status, effects = read_status(conn), ledger.counts(conn)
        yield from _outcomes(status)
        yield _by("dateline_jobs", "Provider executions by state.", "state", status.jobs)
        yield _by("dateline_effects", "Outward acts by status.", "status", effects.by_status)
        yield _one("dateline_paused", "Whether the loop is paused.", status.paused is not None)
        yield _one("dateline_provider_gate_closed", "Whether calls wait.", status.gate_until_ms is not None)
        alive = self._silent_s is not None and self._silent_s <= SILENT_S
        yield _one("dateline_loop_alive", "Whether the loop of this process goes round.", alive)
        yield _one("dateline_loop_silent_seconds", "Since the loop last went round.", self._silent_s or 0.0)


def metrics(database: Database | None, *, silent_s: Callable[[], float | None]) -> Response:
    """GET /metrics."""
    if database is None:
        return PlainTextResponse("not ready yet\n", status_code=503)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(StoreMetrics(database, silent_s=silent_s()))
    try:
        body = generate_latest(registry)
    except OutboxError:
        return PlainTextResponse("the store does not answer\n", status_code=503)
    return Response(body, headers={"content-type": CONTENT_TYPE_LATEST, "cache-control": "no-store"})


def _outcomes(status: Status) -> Iterator[GaugeMetricFamily]:
    for name, words in OUTCOMES.items():
        yield _one(f"dateline_{name}", words, getattr(status.outcomes, name))
    oldest_s = status.outcomes.oldest_unreconciled_s
    yield _one("dateline_oldest_unreconciled_seconds", "Age of the oldest unreconciled edition.", oldest_s or 0)


def _one(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=float(value))


def _by(name: str, words: str, label: str, counts: Mapping[Any, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, words, labels=[label])
    for code, number in sorted(counts.items()):
        family.add_metric([str(code)], number)
    return family
