"""What a create's reply proves. **Here, and only here, is decided whether a response may exist.**

Three classes (completed tables §5), tried against raw sockets:

* `Created`          2xx and a well-formed id;
* `NotCreated`       proven: the request never left (`NEVER_SENT`, `LOCAL_ERRORS` before the first byte), the
                     provider refused it in its own envelope (`REFUSALS`), or it was redirected (3xx);
* `CreationUnknown`  everything else, a timeout after connecting among it. Nothing unknown is ever re-sent.

Adding a line to `NEVER_SENT` or `REFUSALS` claims a proof: name the evidence.
"""

from __future__ import annotations

from types import MappingProxyType

import httpx

from orchestrator.core.looks import QUOTA_CODES
from orchestrator.core.observations import Created, CreationUnknown, NotCreated, ProviderStatus
from orchestrator.core.states import Reason
from orchestrator.provider.answers import (
    TERMINAL,
    Envelope,
    envelope_of,
    failure_code_of,
    parse_object,
    status_of,
    usage_of,
    well_formed_id,
)
from orchestrator.provider.exchange import Answer, Failure, Reply
from orchestrator.provider.hints import hint_of

NEVER_SENT: tuple[type[Exception], ...] = (
    httpx.ConnectError,  # refused, no route, no such name, TLS handshake failed
    httpx.ConnectTimeout,  # neither TCP nor TLS came up in time
    httpx.PoolTimeout,  # no connection was free
    httpx.ProxyError,  # the proxy refused the CONNECT; the request itself was never written
)
"""Errors that can only happen before the request line is written."""

LOCAL_ERRORS: tuple[type[Exception], ...] = (
    httpx.LocalProtocolError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)
"""Errors of our own making; proof only while no byte of the request was written."""

REFUSALS = MappingProxyType(
    {
        400: Reason.PROVIDER_REJECTED,
        401: Reason.CREDENTIALS_REJECTED,
        403: Reason.CREDENTIALS_REJECTED,
        404: Reason.PROVIDER_REJECTED,
        413: Reason.PROVIDER_REJECTED,
        415: Reason.PROVIDER_REJECTED,
        422: Reason.PROVIDER_REJECTED,
        429: None,  # throttled: waiting helps, unless the code says that the quota is used up
    }
)
"""Statuses that prove a refusal when they come in the provider's envelope, and why it is final."""

CreateOutcome = Created | NotCreated | CreationUnknown


def create_outcome(reply: Reply) -> CreateOutcome:
    """The observation that a create's reply proves."""
    match reply:
        case Failure():
            return _failed(reply)
        case Answer(accepted=True):
            return _accepted(reply)
        case Answer(status=status) if 300 <= status < 400:
            return NotCreated(call=reply.call, code=f"http_{status}", final=Reason.PROVIDER_REJECTED)
        case Answer(status=status):
            envelope = envelope_of(reply.body) if reply.whole else None
            if envelope is not None and status in REFUSALS:
                return _refused(reply, envelope)
            return CreationUnknown(call=reply.call, code=(envelope and envelope.code) or f"http_{status}")


def _failed(failure: Failure) -> NotCreated | CreationUnknown:
    """The proof class of a transport error or timeout."""
    if issubclass(failure.error, NEVER_SENT):
        return NotCreated(call=failure.call, code=failure.code, throttled=True)
    if issubclass(failure.error, LOCAL_ERRORS) and not failure.sent:
        return NotCreated(call=failure.call, code=failure.code, final=Reason.PROVIDER_REJECTED)
    return CreationUnknown(call=failure.call, code=failure.code)


def _accepted(answer: Answer) -> Created | CreationUnknown:
    if not answer.whole:
        return CreationUnknown(call=answer.call, code="too_large")
    response = parse_object(answer.body)
    if response is None:
        return CreationUnknown(call=answer.call, code="not_a_json_object")
    response_id = response.get("id")
    if not isinstance(response_id, str) or not well_formed_id(response_id):
        return CreationUnknown(call=answer.call, code="no_well_formed_id")
    status = status_of(response)
    ended = status in TERMINAL
    return Created(
        call=answer.call,
        response_id=response_id,
        status=status,
        body=answer.body if ended else None,
        usage=usage_of(response) if ended else None,
        error_code=failure_code_of(response) if status is ProviderStatus.FAILED else None,
    )


def _refused(answer: Answer, envelope: Envelope) -> NotCreated:
    """Decided on the code first: one status serves both a full bucket and an empty account."""
    code = envelope.code or envelope.kind or f"http_{answer.status}"
    if QUOTA_CODES & {envelope.code, envelope.kind}:
        return NotCreated(call=answer.call, code=code, final=Reason.QUOTA_EXHAUSTED)
    final = REFUSALS[answer.status]
    if final is not None:
        return NotCreated(call=answer.call, code=code, final=final)
    return NotCreated(call=answer.call, code=code, hint_ms=hint_of(answer.headers), throttled=True)
