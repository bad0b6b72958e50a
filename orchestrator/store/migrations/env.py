"""Alembic's environment: migrates the connection it is given, inside that connection's transaction."""

from __future__ import annotations

from alembic import context

from orchestrator.store.schema import ALL_METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=list(ALL_METADATA),
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
