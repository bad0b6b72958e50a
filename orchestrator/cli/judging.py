"""Commands that judge text and answers: parity, check-payload, revalidate. They change nothing and call nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy import Connection

from orchestrator.assembly import editorial_of
from orchestrator.cli.house import FINDING, Session, session
from orchestrator.cli.options import Id, Json, a_date
from orchestrator.contracts.contract import contract_for
from orchestrator.contracts.package import EvidencePackage
from orchestrator.core.records import Job, JobStage, Process
from orchestrator.desk import finding
from orchestrator.editorial import Editorial
from orchestrator.errors import ConfigurationError, NotFound, RefusedByState
from orchestrator.evidence.candidate import all_patched
from orchestrator.evidence.comparison import Comparison, Verdict, compare_strangers
from orchestrator.evidence.identity import published_stories
from orchestrator.evidence.package import read_package
from orchestrator.evidence.reading import Finding
from orchestrator.evidence.report import ValidationReport
from orchestrator.evidence.validation import Subject, validate
from orchestrator.examination import examine, package_of, standing
from orchestrator.store import documents, jobs, processes
from orchestrator.store.codes import DocumentKind


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("parity", parity, "dateline parity en.txt es.txt"),
        (
            "check-payload",
            check_payload,
            "dateline check-payload answer.json --stage composition --product P --date D",
        ),
        ("revalidate", revalidate, "dateline revalidate 7F3A --json"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


def parity(
    ctx: typer.Context,
    english: Annotated[Path | None, typer.Argument(metavar="EN.txt", help="The English text.")] = None,
    spanish: Annotated[Path | None, typer.Argument(metavar="ES.txt", help="The Spanish text.")] = None,
    *,
    pairs: Annotated[
        Path | None, typer.Option("--pairs", metavar="FILE.jsonl", help="Many pairs: a line {en, es} each.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare an English and a Spanish text; exit 1 when they do not say the same.

    One finding a line: code, where it stands in each text, the values compared. What cannot be judged is no
    failure. With --pairs, one JSON line a pair.
    """
    here = session(ctx)
    if pairs is not None:
        _many(here, pairs)
        return
    if english is None or spanish is None:
        raise typer.BadParameter("give an English and a Spanish file, or --pairs FILE.jsonl")
    texts = (_text(english), _text(spanish))
    comparison = compare_strangers(*texts)
    if as_json:
        here.out.json(comparison_json(comparison))
    else:
        for one in comparison.findings:
            here.out.line(_line(one))
        if not comparison.findings:
            here.out.line(f"{comparison.verdict.value}")
    if comparison.verdict is Verdict.DIFFER:
        raise typer.Exit(FINDING)


def _many(here: Session, pairs: Path) -> None:
    differ = False
    for english, spanish in read_pairs(pairs):
        comparison = compare_strangers(english, spanish)
        differ = differ or comparison.verdict is Verdict.DIFFER
        here.out.raw(json.dumps(comparison_json(comparison), ensure_ascii=False))
    if differ:
        raise typer.Exit(FINDING)


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """The pairs of a JSON-lines file; other keys are passed over, empty lines too.

    Errors: `ConfigurationError` with file and line.
    """
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigurationError(f"{path}:{number}: not JSON: {error.msg}", hint=_PAIR) from error
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("en", "es")):
            raise ConfigurationError(f"{path}:{number}: no pair", hint=_PAIR)
        yield row["en"], row["es"]


_PAIR = 'A line is one JSON object: {"en": "…", "es": "…"}.'


def comparison_json(comparison: Comparison) -> Mapping[str, Any]:
    """INTERFACE: verdict and findings. Spans are character offsets in each text after NFC; null: nowhere."""
    return {
        "verdict": comparison.verdict.value,
        "findings": [
            {
                "code": one.code.value,
                "detail": one.detail,
                "en": list(one.english) if one.english else None,
                "es": list(one.spanish) if one.spanish else None,
                "values": {"en": one.values[0], "es": one.values[1]},
            }
            for one in comparison.findings
        ],
    }


def _line(one: Finding) -> str:
    places = [_place("en", one.english), _place("es", one.spanish)]
    values = " | ".join(value or "–" for value in one.values)
    return "  ".join([one.code.value, one.detail, *places, values])


def _place(lang: str, span: tuple[int, int] | None) -> str:
    return f"{lang} {span[0]}–{span[1]}" if span else f"{lang} –"


def check_payload(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A whole Response object.")],
    *,
    stage: Annotated[JobStage, typer.Option("--stage", metavar="S", help="Which stage it answers.")],
    product: Annotated[str, typer.Option("--product", metavar="P", help="For which product.")],
    date: Annotated[str, typer.Option("--date", metavar="D", help="For which date.")],
    package: Annotated[
        Path | None, typer.Option("--package", metavar="FILE", help="The frozen package, where the store has none.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what validation would make of a provider's answer; exit 1 when it would be refused.

    Judged under the running configuration, with the evidence that the store holds for this product and date.
    """
    here = session(ctx)
    day = a_date(date) or date
    editorial = editorial_of(here.workspace)
    with here.snapshot() as conn:
        subject = _subject(conn, editorial, stage, product=product, day=day, package=package)
    _report(here, validate(_bytes(file), subject, asked_id=None).report, as_json=as_json)


def _subject(
    conn: Connection, editorial: Editorial, stage: JobStage, *, product: str, day: str, package: Path | None
) -> Subject:
    policy = editorial.policy(product)
    process = processes.by_key(conn, product, day)
    evidence_digest = process.evidence_digest if process and stage is JobStage.COMPOSITION else None
    contract = contract_for(
        stage,
        editorial.running(product),
        target_date=day,
        process_revision=process.revision if process else 0,
        evidence_digest=evidence_digest,
    )
    known = all_patched(*standing(conn, process.id)) if process and stage is not JobStage.RESEARCH_PRIMARY else ()
    stories = processes.published_evidence(conn, before=day, limit=policy.scout.compared_editions)
    packages = (read_package(documents.get(conn, DocumentKind.PACKAGE, digest)) for digest in stories)
    return Subject(
        operation_id=f"check-{product}-{day}",
        process_suffix=process.suffix if process else "000000",
        contract=contract,
        policy=policy,
        package=_package(conn, process, package, day=day) if stage is JobStage.COMPOSITION else None,
        known=known,
        published=tuple(story for one in packages for story in published_stories(one)),
    )


def _package(conn: Connection, process: Process | None, package: Path | None, *, day: str) -> EvidencePackage:
    if package is not None:
        try:
            return read_package(_bytes(package))
        except ValueError as error:
            raise ConfigurationError(f"{package}: no evidence package: {_first_line(error)}") from error
    if process is None or process.evidence_digest is None:
        raise RefusedByState(
            f"no package is frozen for {day}, and a composition is judged against one",
            hint="Give it with --package FILE, as `dateline show PROCESS --evidence` prints it.",
        )
    return package_of(conn, process)


def revalidate(ctx: typer.Context, wanted: Id, as_json: Json = False) -> None:
    """Validate a stored answer again, with today's rules; exit 1 when they refuse it.

    From the store alone, under the contract it was bought with. The stored report stays as it is.
    """
    here = session(ctx)
    editorial = editorial_of(here.workspace)
    with here.snapshot() as conn:
        job = _judged_job(conn, wanted)
        report = examine(conn, editorial, job).validation.report
    _report(here, report, as_json=as_json)


def _judged_job(conn: Connection, wanted: str) -> Job:
    """The job named, or the newest of a process or edition that has an answer."""
    found = finding.find(conn, wanted)
    if isinstance(found, Job):
        chosen: Job | None = found
    else:
        process = finding.find_process(conn, wanted)
        chosen = next((job for job in reversed(jobs.of_process(conn, process.id)) if job.payload_digest), None)
    if chosen is None or chosen.payload_digest is None:
        raise NotFound(f"no answer of {wanted} is stored", hint=f"`dateline explain {wanted}` says how it stands.")
    return chosen


def _report(here: Session, report: ValidationReport, *, as_json: bool) -> None:
    if as_json:
        here.out.json(report.model_dump(mode="json"))
    else:
        rows = [(one.code.value, one.detail_class, one.path, one.entity_id) for one in report.failures]
        if rows:
            here.out.table(("CODE", "DETAIL", "PATH", "ENTITY"), rows)
        verdict = "accepted" if report.accepted else "refused"
        here.out.line(f"{verdict} under {report.validation_version}: {len(rows)} failure(s)")
    if not report.accepted:
        raise typer.Exit(FINDING)


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 at byte {error.start}") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
