"""A look that finds nothing costs the same however much was done before."""

from __future__ import annotations

from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from orchestrator.store import jobs
from orchestrator.store.work_tables import job
from outbox import lease
from outbox.database import Database


def test_the_claim_and_the_sleep_use_the_due_index_alone(sqlite: Database) -> None:
    compiled = lease.claim_statement(job, order_by=jobs.ORDER).compile(dialect=sqlite.writer.dialect)
    binds = compiled.construct_params({"longest_ms": 1, "row_limit": 1})
    values = tuple(binds[name] for name in compiled.positiontup or ())
    with sqlite.read() as conn:
        plan = [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values).all()]
        sleep = conn.exec_driver_sql("EXPLAIN QUERY PLAN SELECT min(next_due_ms) FROM job").all()[0][3]

    looks = [step for step in plan if "job" in step]
    assert looks
    assert all("USING INDEX ix_job_next_due_ms" in step for step in looks), plan
    assert "ix_job_next_due_ms" in sleep


def test_the_claim_is_the_same_statement_on_every_engine_but_for_the_lock() -> None:
    mariadb = mysql.dialect(is_mariadb=True)
    mariadb.name = "mariadb"
    texts = [
        " ".join(str(lease.claim_statement(job, order_by=jobs.ORDER).compile(dialect=dialect)).split())
        for dialect in (sqlite_dialect(), postgresql.dialect(), mariadb)
    ]
    order = "ORDER BY job.priority, coalesce(job.deadline_ms,"

    assert all(order in text for text in texts)
    assert ["SKIP LOCKED" in text for text in texts] == [False, True, True]
