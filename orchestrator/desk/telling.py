"""The story of a job as a person reads it: what happened, what is safe, what heals it, whose it is.

Rules: sections in the order in which they are needed at three in the morning; times with the offset once in the
head of the story; repeated looks are one line; nothing that the provider wrote is quoted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from orchestrator.core.observations import Phase
from orchestrator.core.records import Overlay
from orchestrator.core.states import Event, JobState
from orchestrator.desk import remedies, words
from orchestrator.desk.clockface import NOTHING, Clockface
from orchestrator.desk.explaining import Creation, Explanation, amount, healing, safe, why
from orchestrator.desk.remedies import Remedy
from orchestrator.store.attempts import Attempt
from orchestrator.store.events import Line

Section = tuple[str, tuple[str, ...]]
"""A label and its lines."""

FIRST, LAST = 2, 6  # lines of a long history that are shown

_CREATION = {
    Creation.KNOWN: "known",
    Creation.AMBIGUOUS: "ambiguous: the provider may have it, and may have charged for it",
    Creation.NOT_SENT: "nothing was created",
}


def headline(explained: Explanation) -> str:
    """`Job 7F3A91, composition of daily-brief 2026-11-30, generation 0: QUARANTINED (creation unknown)`."""
    job, process = explained.job, explained.process
    target = f"{process.product} {process.target_date}"
    if job is None:
        return f"Process {process.suffix}, {target}: {process.overlay} ({words.spoken(process.reason) or 'no job'})"
    stage = job.stage.value.replace("_", " ")
    reason = f" ({words.REASONS[job.quarantine_reason]})" if job.quarantine_reason else ""
    gone = " and given up" if job.abandoned else ""
    return f"Job {explained.short_id}, {stage} of {target}, generation {job.generation}: {job.state}{reason}{gone}"


def story(explained: Explanation, clock: Clockface, known: Collection[str]) -> list[Section]:
    """Every section that has something to say. `known`: the commands that this program has."""
    sections = [
        (f"What happened ({clock.offset()})", tuple(_happened(explained, clock))),
        ("What is safe", tuple(safe(explained))),
        ("What heals it", tuple(_heals(explained, clock, known))),
        ("What comes next", tuple(_next(explained, clock))),
        ("Owner", tuple(_owner(explained, clock))),
        *_facts(explained, clock),
    ]
    return [(label, lines) for label, lines in sections if lines]


def _facts(explained: Explanation, clock: Clockface) -> list[Section]:
    job = explained.job
    cost = f"{amount(explained.cost.reserved_micro)} reserved, {amount(explained.cost.spent_micro)} spent"
    facts = [
        ("Why", why(explained, clock.brief)),
        ("Contract", _contract(explained)),
        ("Creation", _CREATION[explained.creation]),
        ("Evidence", _evidence(explained)),
        ("Verdict", _verdict(explained)),
        ("Process", _process(explained)),
        ("Cost", cost),
    ]
    if job is not None:
        facts += [("Cancel", _allowed(remedies.cancelling(job))), ("Delete", _allowed(remedies.deleting(job)))]
    return [(label, (line,)) for label, line in facts]


# --- what happened


def _happened(explained: Explanation, clock: Clockface) -> Iterator[str]:
    runs = [list(run) for _, run in groupby(explained.history, key=lambda line: line.event_type)]
    told = [_run(run, explained, clock) for run in runs]
    if len(told) <= FIRST + LAST + 1:
        yield from told
        return
    yield from told[:FIRST]
    target = f"{explained.process.product}/{explained.process.target_date}"
    yield f"… {len(told) - FIRST - LAST} more: dateline timeline {target}"
    yield from told[-LAST:]


def _run(run: Sequence[Line], explained: Explanation, clock: Clockface) -> str:
    """One event, or the same one several times; states that were passed in one commit are one event."""
    times = len({line.occurred_ms for line in run})
    at = clock.second(run[-1].occurred_ms)
    said = _said(run[-1], explained)
    return f"{at} {said}" if times == 1 else f"{at} {said} ({times} times since {clock.second(run[0].occurred_ms)})"


def _said(line: Line, explained: Explanation) -> str:
    if line.event_type == Event.DISPATCHED:
        return _dispatched(line, explained)
    if line.event_type in (Event.CREATION_UNKNOWN, Event.NOT_CREATED_RETRYABLE, Event.NOT_CREATED_FINAL):
        return f"{_failed_call(line, explained)}; {words.EVENTS[Event(line.event_type)]}"
    said = words.event(line.event_type)
    code = line.diagnostic_code
    if line.event_type == Event.CREATED and explained.job and explained.job.response_id:
        return f"{said} as {explained.job.response_id}"
    return f"{said} ({code})" if code and code != line.event_type else said


def _dispatched(line: Line, explained: Explanation) -> str:
    version = explained.contract.contract_version if explained.contract else "unknown"
    fingerprint = (line.fingerprint_prefix or "")[:8]
    return (
        f"dispatched with contract {version} (fingerprint {fingerprint}), fence {line.fence}, worker {line.actor}"
    )


def _failed_call(line: Line, explained: Explanation) -> str:
    """`connection closed (ReadError) after the request was sent, before an answer`, from the attempt's record."""
    tried = _attempt_at(explained.attempts, line.occurred_ms)
    if tried is None or tried.phase is None:
        return f"{line.diagnostic_code or 'the lease ended'} while it was on its way"
    what = f"HTTP {tried.http_status}" if tried.http_status else f"the call broke off ({tried.error_class})"
    return f"{what} {words.PHASES[Phase(tried.phase)]}"


def _attempt_at(attempts: Sequence[Attempt], at_ms: int) -> Attempt | None:
    return next((a for a in reversed(attempts) if a.settled_ms is not None and a.started_ms <= at_ms), None)


# --- what to do


def _heals(explained: Explanation, clock: Clockface, known: Collection[str]) -> list[str]:
    found = healing(explained, known, said=clock.second)
    width = max((len(remedy.command) for remedy in found if remedy.command), default=0)
    return [_remedy(remedy, width) for remedy in found]


def _remedy(remedy: Remedy, width: int) -> str:
    return f"  dateline {remedy.command:<{width}}  {remedy.words}" if remedy.command else remedy.words


def _next(explained: Explanation, clock: Clockface) -> Iterator[str]:
    job = explained.job
    if job is None or job.state is JobState.QUARANTINED:
        return
    if job.next_due_ms is None:
        yield f"{words.STATES[job.state]}; nothing is due"
    elif job.lease_owner is not None:
        yield f"{words.STATES[job.state]}; {job.lease_owner} has it until {clock.second(job.next_due_ms)}"
    else:
        yield f"{words.STATES[job.state]}; next step {clock.until(job.next_due_ms)}"


def _owner(explained: Explanation, clock: Clockface) -> Iterator[str]:
    job, process = explained.job, explained.process
    if job is not None and job.owner is not None and job.state is JobState.QUARANTINED:
        seen = f"acknowledged {clock.brief(job.acked_ms)}" if job.acked_ms else "not acknowledged"
        yield f"recovery: {job.owner} · answer due {clock.brief(job.owner_deadline_ms)} · {seen}"
    elif process.owner is not None and process.verified_ms is None:
        yield f"recovery: {process.owner} · deadline {clock.brief(process.deadline_ms)}"


# --- facts


def _contract(explained: Explanation) -> str:
    contract, job = explained.contract, explained.job
    if contract is None or job is None:
        return NOTHING
    return f"{contract.contract_version}, fingerprint {(job.fingerprint or NOTHING)[:12]}, model {contract.model}"


def _process(explained: Explanation) -> str:
    process = explained.process
    taken = "advanced by its result" if explained.advanced else "not advanced by it"
    if process.overlay is Overlay.NONE:
        return taken
    reason = f": {words.spoken(process.reason)}" if process.reason else ""
    return f"{taken} · {process.overlay}{reason}"


def _evidence(explained: Explanation) -> str:
    job = explained.job
    parts = [
        f"{words.counted(explained.candidates, 'accepted event')} on {words.counted(explained.sources, 'source')}"
    ]
    if job is not None and job.response_id is not None:
        parts.append(f"response {job.response_id}")
    if job is not None and job.payload_digest is not None:
        parts.append(f"answer stored, {job.payload_digest[:15]}…")
    return " · ".join(parts)


def _verdict(explained: Explanation) -> str:
    report = explained.report
    if report is None:
        return "not checked yet"
    if not report.failures:
        return "accepted: every check passed"
    codes = sorted({failure.code.value for failure in report.failures})
    verb = "accepted" if report.accepted else "refused"
    more = ", …" if codes[5:] else ""
    return f"{verb}: {words.counted(len(report.failures), 'finding')} ({', '.join(codes[:5])}{more})"


def _allowed(allowed: remedies.Allowed) -> str:
    return f"{'yes' if allowed.now else 'no'}: {allowed.why}"
