"""What an operator means by an id: a job, a process or an edition, written as short as is unique.

7f3a91, 7F3A91…                        a job's id or its beginning
91C4D2                                 a process's public suffix, or its id or the beginning of it
daily-brief/2026-11-30                 the process of a product and date
daily-brief/2026-11-30/en, …/en@2      the newest revision of an edition, or that one
"""

from __future__ import annotations

import re

from sqlalchemy import Connection, Table, func, or_, select

from orchestrator.core.records import Job, Process
from orchestrator.errors import NotFound
from orchestrator.store import editions, jobs, processes, work_tables
from orchestrator.store.editions import SavedEdition

SHORT = 6  # characters of an id that are shown, where they are unique
FEWEST = 4  # characters that an id may be shortened to
SHOWN = 4  # matches that are named when several fit

Found = Job | Process | SavedEdition

_ID = re.compile(r"[0-9a-f-]{4,36}")
_KEY = re.compile(r"([a-z0-9-]+)/(\d{4}-\d{2}-\d{2})(?:/([a-z]{2})(?:@([1-9][0-9]{0,8}))?)?")
_HINT = "`dateline jobs`, `dateline processes` and `dateline editions` list what there is."


def find(conn: Connection, wanted: str) -> Found:
    """What `wanted` names. NotFound when nothing fits, or more than one thing does: it names them."""
    text = wanted.strip()
    if "/" in text:
        return _by_key(conn, text)
    if not _ID.fullmatch(text.lower()):
        raise NotFound(f'"{text}" is neither an id (at least {FEWEST} characters of it) nor a key', hint=_HINT)
    return _only(conn, text, _matches(conn, text.lower()))


def find_job(conn: Connection, wanted: str) -> Job:
    """The job that `wanted` names; for a process its current job, for an edition the one that made it."""
    found = find(conn, wanted)
    if isinstance(found, Process):
        job = jobs.current(conn, found.id)
    elif isinstance(found, SavedEdition):
        job = jobs.get(conn, found.job_id) if found.job_id else None
    else:
        job = found
    if job is None:
        raise NotFound(f"{wanted} has no job", hint="It was missed, skipped or made by a person.")
    return job


def find_process(conn: Connection, wanted: str) -> Process:
    """The process that `wanted` names, or that owns the job or edition it names."""
    found = find(conn, wanted)
    return found if isinstance(found, Process) else processes.get(conn, found.process_id)


def short(conn: Connection, job_id: str) -> str:
    """The shortest beginning of a job's id, at least `SHORT` characters, that no other job shares."""
    return _shortest(conn, work_tables.job, job_id)


def _by_key(conn: Connection, text: str) -> Found:
    parts = _KEY.fullmatch(text)
    if parts is None:
        raise NotFound(f'"{text}" is not a key: write product/date, product/date/language or …/language@revision')
    product, day, lang, revision = parts.groups()
    process = processes.by_key(conn, product, day)
    if process is None:
        raise NotFound(f"{product} {day} was never planned", hint=_HINT)
    if lang is None:
        return process
    mine = [e for e in editions.of_process(conn, process.id) if e.lang == lang]
    chosen = [e for e in mine if revision is None or e.revision == int(revision)]
    if not chosen:
        raise NotFound(
            f"there is no edition {text}: {product} {day} is in stage {process.stage}",
            hint=f"`dateline explain {product}/{day}` says how it stands.",
        )
    return chosen[-1]


def _matches(conn: Connection, text: str) -> list[Found]:
    job, process = work_tables.job.c, work_tables.process.c
    named = process.id.startswith(text, autoescape=True)
    if len(text) >= SHORT:
        named = or_(named, process.id.endswith(text, autoescape=True))
    job_ids = conn.execute(select(job.id).where(job.id.startswith(text, autoescape=True)).limit(SHOWN)).scalars()
    found: list[Found] = [jobs.get(conn, job_id) for job_id in job_ids.all()]
    process_ids = conn.execute(select(process.id).where(named).limit(SHOWN)).scalars()
    return found + [processes.get(conn, process_id) for process_id in process_ids.all()]


def _only(conn: Connection, text: str, found: list[Found]) -> Found:
    if not found:
        raise NotFound(f"no job and no process is called {text}", hint=_HINT)
    if len(found) > 1:
        names = ", ".join(_named(conn, one) for one in found[:SHOWN])
        raise NotFound(f"{text} can mean several: {names}", hint="Write more of the id.")
    return found[0]


def _named(conn: Connection, found: Found) -> str:
    if isinstance(found, Job):
        return f"job {short(conn, found.id)}"
    return f"process {found.id}"


def _shortest(conn: Connection, table: Table, row_id: str) -> str:
    """The neighbours in the order of ids decide how much is needed: two looks at the index."""
    before = conn.execute(select(func.max(table.c.id)).where(table.c.id < row_id)).scalar()
    after = conn.execute(select(func.min(table.c.id)).where(table.c.id > row_id)).scalar()
    needed = max(SHORT, *(_shared(row_id, str(other)) + 1 for other in (before, after) if other), 0)
    if row_id[needed - 1 : needed] == "-":
        needed += 1
    return row_id[:needed].upper()


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
