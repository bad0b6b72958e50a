"""Immutable bytes by digest: contracts, requests, payloads, reports, packages, policies."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, select

from orchestrator.errors import InvariantBroken, NotFound
from orchestrator.store.codes import DocumentKind
from orchestrator.store.rows import insert_missing
from orchestrator.store.work_tables import document
from outbox.clock import read_now_ms


def digest_of(data: bytes) -> str:
    """`sha256:<64 hex>` of the bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def put(conn: Connection, kind: DocumentKind, data: bytes) -> str:
    """Store the bytes unless they are there; answers their digest."""
    digest = digest_of(data)
    row = {"kind": kind, "digest": digest, "body": data, "stored_ms": read_now_ms(conn)}
    insert_missing(conn, document, row)
    return digest


def get(conn: Connection, kind: DocumentKind, digest: str) -> bytes:
    """The bytes that `digest` names.

    NotFound: not stored. InvariantBroken: the stored bytes are not the ones that were put (I6).
    """
    query = select(document.c.body).where(document.c.kind == str(kind), document.c.digest == digest)
    body: bytes | None = conn.execute(query).scalar()
    if body is None:
        raise NotFound(f"no {kind} document {digest} is stored")
    if digest_of(body) != digest:
        raise InvariantBroken(f"the {kind} document {digest} was changed in the store")
    return body
