"""Columns and checks that the tables are made of, portable over the three engines.

Instants are `*_ms` BIGINT, money is `*_micro` BIGINT, codes are VARCHAR with a CHECK generated from their enum,
digests read `sha256:<64 hex>`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from orchestrator.store.codes import DocumentKind
from outbox.schema import NAMING

metadata = MetaData(naming_convention=NAMING)
"""The orchestrator's tables; the outbox's have their own."""

SERVERS = ("mysql", "mariadb")

LongText: TypeEngine[str] = Text().with_variant(mysql.LONGTEXT(), *SERVERS)
LongBytes: TypeEngine[bytes] = LargeBinary().with_variant(mysql.LONGBLOB(), *SERVERS)
RowId: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")
"""Counts up by itself; SQLite does that for INTEGER only (which is 64 bits there)."""


def serial() -> Column[Any]:
    """`id`, counted up by the database."""
    return Column("id", RowId, primary_key=True, autoincrement=True)


def uid(name: str = "id", *, key: bool = False, null: bool = False) -> Column[Any]:
    """A UUID as text, or another short id."""
    return Column(name, String(64), primary_key=key, nullable=null)


def ref(name: str, target: str, *, null: bool = False) -> Column[Any]:
    """A foreign key on a text id."""
    return Column(name, String(64), ForeignKey(target), nullable=null)


def code(name: str, *, null: bool = False) -> Column[Any]:
    """A bounded code; give it a `one_of` check where its enum is closed."""
    return Column(name, String(64), nullable=null)


def text(name: str, length: int = 200, *, null: bool = True) -> Column[Any]:
    """Short text."""
    return Column(name, String(length), nullable=null)


def digest(name: str, *, null: bool = True) -> Column[Any]:
    """`sha256:<64 hex>`."""
    return Column(name, String(80), nullable=null)


def instant(name: str, *, null: bool = True) -> Column[Any]:
    """UTC epoch milliseconds of the database's clock."""
    return Column(name, BigInteger, nullable=null)


def micro(name: str, *, null: bool = True) -> Column[Any]:
    """Money in millionths."""
    return Column(name, BigInteger, nullable=null)


def number(name: str, *, null: bool = False) -> Column[Any]:
    """A small integer."""
    return Column(name, Integer, nullable=null)


def one_of(column: str, codes: type[StrEnum]) -> CheckConstraint:
    """CHECK that the column holds a value of the enum (or NULL where it may)."""
    return CheckConstraint(f"{column} IN ({quoted(codes)})", name=column)


def quoted(codes: type[StrEnum] | frozenset[Any] | tuple[Any, ...]) -> str:
    """The values as a SQL list, sorted."""
    return ", ".join(f"'{value}'" for value in sorted(str(c) for c in codes))


def document(column: str, kind: DocumentKind) -> tuple[Column[str], CheckConstraint, ForeignKeyConstraint]:
    """The constant beside a digest column and the foreign key over both; NULL digests name nothing."""
    constant = column.removesuffix("_digest") + "_kind"
    return (
        Column(constant, String(64), nullable=False, server_default=kind.value),
        CheckConstraint(f"{constant} = '{kind.value}'", name=constant),
        ForeignKeyConstraint([constant, column], ["document.kind", "document.digest"]),
    )
