"""Alembic migrations of the store. `env` runs them on a given connection; `freeze` writes the first one's SQL."""
