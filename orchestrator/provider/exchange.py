"""One request and what came back of it: an `Answer` that was read to its end, or a `Failure`.

Rules:
* nothing is decided here; `proof` and `looks` turn a reply into an observation;
* an answer is read within the call's total time and up to `MAX_BODY_BYTES`;
* no exception object leaves this module, only its class: exceptions of httpx carry headers and bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from orchestrator.core.observations import Call, Phase
from orchestrator.provider.deadline import CURRENT, Progress

MAX_BODY_BYTES = 32 * 1024 * 1024
CONNECT_TIMEOUT_S = 10.0  # for one address; a name with a dead first address still leaves time for the second

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A final answer. `whole` is False when the body went beyond the bound; `body` is then its beginning."""

    call: Call
    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True

    @property
    def accepted(self) -> bool:
        """2xx."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No complete answer. `error` is the transport error's class; `sent` whether a byte of the request left."""

    call: Call
    error: type[Exception]
    sent: bool

    @property
    def code(self) -> str:
        """The error's class by name: a bounded set."""
        return self.error.__name__


Reply = Answer | Failure


def exchange(client: httpx.Client, request: httpx.Request, *, timeout_s: float) -> Reply:
    """Send `request` once and read the answer, all within `timeout_s`. Redirects are answers, not followed."""
    progress = Progress(timeout_s)
    request.extensions = {
        **request.extensions,
        "trace": progress.on_trace,
        "timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)).as_dict(),
    }
    token = CURRENT.set(progress)
    response: httpx.Response | None = None
    try:
        response = client.send(request, stream=True, follow_redirects=False)
        body, whole = _read(response, progress)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Failure(call=_call(progress, response, type(error)), error=type(error), sent=progress.sent)
    finally:
        if response is not None:
            response.close()
        CURRENT.reset(token)
    progress.phase = Phase.DONE
    call = _call(progress, response)
    return Answer(call=call, status=response.status_code, headers=response.headers, body=body, whole=whole)


def _read(response: httpx.Response, progress: Progress) -> tuple[bytes, bool]:
    """The body and whether it is whole. The check between chunks serves transports without bounded sockets."""
    progress.phase = Phase.READ
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return bytes(body[:MAX_BODY_BYTES]), False
        if progress.remaining_s() <= 0:
            raise httpx.ReadTimeout("the call's total time is over")
    return bytes(body), True


def _call(progress: Progress, response: httpx.Response | None, error: type[Exception] | None = None) -> Call:
    return Call(
        phase=progress.phase,
        elapsed_ms=progress.elapsed_ms(),
        http_status=None if response is None else response.status_code,
        error_class=None if error is None else error.__name__,
        x_request_id=None if response is None else _request_id(response.headers),
    )


def _request_id(headers: Mapping[str, str]) -> str | None:
    found = headers.get("x-request-id", "")
    return found if _REQUEST_ID.fullmatch(found) else None
