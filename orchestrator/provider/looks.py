"""What the reply to anything but a create means. None of these calls can cost twice, so nothing here is proof;
a reply that says nothing certain is `Unreachable`, and the machine asks again.

Rules:
* 404 counts as `Missing` in the provider's own envelope only: a proxy's error page says nothing about a response;
* a 2xx that is no Response object, or another one, is `Garbled`: kept, and fails validation;
* DELETE believes any 404: nothing of ours can be lost by it.
"""

from __future__ import annotations

from orchestrator.core.observations import (
    Garbled,
    Missing,
    Polled,
    ProviderStatus,
    RemoteDeleted,
    Throttled,
    Unreachable,
)
from orchestrator.provider.answers import (
    envelope_of,
    failure_code_of,
    input_token_count,
    metadata_of,
    parse_object,
    says_not_deleted,
    status_of,
    usage_of,
)
from orchestrator.provider.exchange import Answer, Failure, Reply
from orchestrator.provider.hints import hint_of

LookOutcome = Polled | Garbled | Missing | Throttled | Unreachable
DeleteOutcome = RemoteDeleted | Throttled | Unreachable

NO_DELETE = (405, 501)
"""Statuses of a server that does not know DELETE."""


def look_outcome(reply: Reply, *, asked: str) -> LookOutcome:
    """The observation of a retrieve or cancel of the response id `asked`."""
    match reply:
        case Answer(accepted=True):
            return _read(reply, asked)
        case Answer(status=404) if envelope_of(reply.body) is not None:
            return Missing(call=reply.call)
        case _:
            return _trouble(reply)


def delete_outcome(reply: Reply) -> DeleteOutcome:
    """The observation of a DELETE."""
    match reply:
        case Answer(accepted=True) if says_not_deleted(reply.body):
            return Unreachable(call=reply.call, code="not_deleted")
        case Answer(accepted=True):
            return RemoteDeleted(call=reply.call, how="deleted")
        case Answer(status=404):
            return RemoteDeleted(call=reply.call, how="missing")
        case Answer(status=status) if status in NO_DELETE:
            return RemoteDeleted(call=reply.call, how="unsupported")
        case _:
            return _trouble(reply)


def count_outcome(reply: Reply) -> int | Throttled | Unreachable:
    """The number of input tokens, or why it is not known."""
    match reply:
        case Answer(accepted=True):
            count = input_token_count(reply.body)
            return Unreachable(call=reply.call, code="no_count") if count is None else count
        case _:
            return _trouble(reply)


def _read(answer: Answer, asked: str) -> Polled | Garbled:
    if not answer.whole:
        return Garbled(call=answer.call, body=answer.body, code="too_large")
    response = parse_object(answer.body)
    if response is None:
        return Garbled(call=answer.call, body=answer.body, code="not_a_json_object")
    if response.get("id") != asked:
        return Garbled(call=answer.call, body=answer.body, code="wrong_id")
    status = status_of(response)
    return Polled(
        call=answer.call,
        status=status,
        body=answer.body,
        error_code=failure_code_of(response) if status is ProviderStatus.FAILED else None,
        usage=usage_of(response),
        metadata=metadata_of(response),
    )


def _trouble(reply: Reply) -> Throttled | Unreachable:
    if isinstance(reply, Failure):
        return Unreachable(call=reply.call, code=reply.code)
    envelope = envelope_of(reply.body)
    code = (envelope and (envelope.code or envelope.kind)) or f"http_{reply.status}"
    kind = Throttled if reply.status == 429 else Unreachable
    return kind(call=reply.call, code=code, hint_ms=hint_of(reply.headers))
