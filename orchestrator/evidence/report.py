"""The validation report: immutable, machine readable, without article text.

Its bytes are canonical JSON, so the same payload under the same validator has the same report digest.
Source: Daily Brief workflow, "The local validation report"; INTERFACE, `show ID --report`.
"""

from __future__ import annotations

import re

from orchestrator.contracts.contract import Versioned
from orchestrator.contracts.models import ContractModel
from orchestrator.core.canonical import canonical_bytes, digest, digest_bytes
from orchestrator.evidence.failure import CODES, Failure

VALIDATION_VERSION = "dateline-validation-2026-11"
"""Raised with every change of what is refused; the validator's digest covers codes, layers and costs."""

VALIDATOR = Versioned(
    version=VALIDATION_VERSION,
    digest=digest({code.value: [layer.value, cost.value] for code, (layer, cost) in CODES.items()}),
)

FEEDBACK_LINES = 20
_POINTER = re.compile(r"(?:/[A-Za-z0-9_]{1,40}){0,8}\Z")


class ValidationReport(ContractModel):
    """What was found in one payload. `counts` are by name; `failures` in the order of layers and places."""

    validation_version: str
    operation_id: str
    result_digest: str
    accepted: bool
    failures: tuple[Failure, ...]
    counts: dict[str, int]


def report_bytes(report: ValidationReport) -> bytes:
    """What is stored as the `report` document."""
    return canonical_bytes(report.model_dump(mode="json"))


def report_digest(report: ValidationReport) -> str:
    """`sha256:…` of the stored bytes."""
    return digest_bytes(report_bytes(report))


def read_report(stored: bytes) -> ValidationReport:
    """The report that `report_bytes` wrote."""
    return ValidationReport.model_validate_json(stored)


def feedback_of(report: ValidationReport) -> tuple[str, ...]:
    """What the next attempt may be told: codes and places, nothing that a provider or a page has written."""
    lines = dict.fromkeys(_line(failure) for failure in report.failures)
    return tuple(lines)[:FEEDBACK_LINES]


def _line(failure: Failure) -> str:
    place = failure.path if _POINTER.match(failure.path) else ""
    return " at ".join(part for part in (failure.code.value, place) if part)
