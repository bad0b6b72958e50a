"""From a request to an answer: routes, keys, the headers that every answer carries, and the log line.

POST   /v1/responses                     create
POST   /v1/responses/input_tokens        count
GET    /v1/responses/{id}                look
GET    /v1/responses/{id}/input_items    the input, in pages
POST   /v1/responses/{id}/cancel         cancel
DELETE /v1/responses/{id}                delete
GET    /emulator                         who this is
GET    /emulator/clock                   virtual time; POST {"offset_ms"} or {"advance_ms"} moves an own clock
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Mapping
from typing import Any, Final

from orchestrator.emulator import creation, looking, removal
from orchestrator.emulator.api_error import ApiError, bad_request
from orchestrator.emulator.clock import OwnClock
from orchestrator.emulator.floor import Floor, Outcome, json_reply, refusal
from orchestrator.emulator.request_log import RequestLog, instant
from orchestrator.emulator.wire import HttpRequest, Manner, Reply

PREFIXES: Final = ("/v1/", "/openai/v1/")
WORK_MS: Final = "7"  # openai-processing-ms; a constant, so that answers are the same in every run
ALWAYS: Final = (
    ("openai-version", "2020-10-01"),
    ("openai-organization", "dateline-emulator"),
    ("openai-processing-ms", WORK_MS),
    ("x-ratelimit-limit-requests", "10000"),
    ("x-ratelimit-limit-tokens", "2000000"),
    ("x-ratelimit-remaining-requests", "9999"),
    ("x-ratelimit-remaining-tokens", "1999000"),
    ("x-ratelimit-reset-requests", "6ms"),
    ("x-ratelimit-reset-tokens", "30ms"),
)


class App:
    """Answers requests. Safe to call from many threads."""

    def __init__(self, floor: Floor, log: RequestLog, clock: OwnClock | None) -> None:
        self._floor = floor
        self._log = log
        self._clock = clock
        self._boot = floor.ledger.records
        self._numbers = itertools.count(1)

    def __call__(self, request: HttpRequest) -> Reply:
        """The answer; logged before it is returned."""
        request_id = self._request_id()
        try:
            outcome = self._route(request)
        except ApiError as error:
            outcome = self._refused(request, error)
        self._log.append(self._entry(request, outcome, request_id))
        headers = (*ALWAYS, ("x-request-id", request_id), *outcome.reply.headers)
        return dataclasses.replace(outcome.reply, headers=headers)

    def _route(self, request: HttpRequest) -> Outcome:
        prefix = next((one for one in PREFIXES if request.path.startswith(one)), None)
        if prefix is None:
            return self._admin(request)
        _check_key(request.headers)
        parts = request.path.removeprefix(prefix).strip("/").split("/")
        match request.method, parts:
            case "POST", ["responses"]:
                return creation.create(self._floor, request.body)
            case "POST", ["responses", "input_tokens"]:
                return creation.count_tokens_of(request.body)
            case "GET", ["responses", response_id]:
                return looking.retrieve(self._floor, response_id)
            case "GET", ["responses", response_id, "input_items"]:
                return looking.input_items(self._floor, response_id, dict(request.query))
            case "POST", ["responses", response_id, "cancel"]:
                return removal.cancel(self._floor, response_id)
            case "DELETE", ["responses", response_id]:
                return removal.delete(self._floor, response_id)
            case _:
                raise _no_such_url(request)

    def _refused(self, request: HttpRequest, error: ApiError) -> Outcome:
        response_id = next((part for part in request.path.split("/") if part.startswith("resp_")), None)
        metadata = self._floor.known_metadata(response_id) if response_id else {}
        accepted = False if request.method == "POST" and request.path.endswith("/responses") else None
        result = "not_found" if error.status == 404 else "refused"
        return Outcome(
            reply=refusal(error),
            result=result,
            response_id=response_id,
            metadata=metadata,
            accepted=accepted,
        )

    def _entry(self, request: HttpRequest, outcome: Outcome, request_id: str) -> dict[str, Any]:
        answered = outcome.reply.manner in (Manner.WHOLE, Manner.DRIP)
        return {
            "at": instant(self._floor.now_ms()),
            "method": request.method,
            "path": request.path,
            "client_request_id": request.headers.get("x-client-request-id"),
            "x_request_id": request_id,
            "response_id": outcome.response_id,
            "metadata": dict(outcome.metadata),
            "rule": outcome.rule,
            "result": outcome.result,
            "status": outcome.reply.status if answered else None,
            "accepted": outcome.accepted,
            "violation": outcome.violation,
        }

    def _request_id(self) -> str:
        number = next(self._numbers)
        return "req_" + hashlib.sha256(f"{self._boot}\n{number}".encode()).hexdigest()[:32]

    def _admin(self, request: HttpRequest) -> Outcome:
        match request.method, request.path.rstrip("/"):
            case "GET", "/emulator":
                violations = len(self._log.violations())
                return _told({"emulator": "dateline", "violations": violations, **self._time()})
            case "GET", "/emulator/clock":
                return _told(self._time())
            case "POST", "/emulator/clock":
                return self._move_clock(creation.read_object(request.body))
            case _:
                raise _no_such_url(request)

    def _time(self) -> dict[str, Any]:
        offset_ms = self._clock.offset_ms if self._clock is not None else None
        return {"offset_ms": offset_ms, "now": instant(self._floor.now_ms())}

    def _move_clock(self, order: Mapping[str, Any]) -> Outcome:
        if self._clock is None:
            raise ApiError(409, "This emulator follows the clock of its database; move that one.")
        with self._floor.ledger.turn:
            offset_ms = order.get("offset_ms", self._clock.offset_ms)
            by_ms = order.get("advance_ms", 0)
            if not isinstance(offset_ms, int) or not isinstance(by_ms, int):
                raise bad_request("Milliseconds are integers.", param="offset_ms", code="invalid_type")
            self._clock.offset_ms = offset_ms + by_ms
            number = self._floor.ledger.record("clock", offset_ms=self._clock.offset_ms)
        self._floor.ledger.sync(number)
        self._floor.wake()
        return _told(self._time())


def _told(document: Mapping[str, Any]) -> Outcome:
    return Outcome(reply=json_reply(document), result="admin")


def _check_key(headers: Mapping[str, str]) -> None:
    """Any key will do, but there must be one."""
    bearer = headers.get("authorization", "").removeprefix("Bearer").strip()
    if not bearer and not headers.get("api-key", "").strip():
        raise ApiError(
            401,
            "You didn't provide an API key. You need to provide your API key in an Authorization header "
            "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
            code="invalid_api_key",
        )


def _no_such_url(request: HttpRequest) -> ApiError:
    return ApiError(404, f"Invalid URL ({request.method} {request.path})", code="unknown_url")
