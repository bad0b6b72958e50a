"""The one door to the provider: every call goes through here, once, and comes back as an observation.

    create     → `proof.create_outcome`  Created | NotCreated | CreationUnknown
    retrieve   → `looks.look_outcome`    Polled | Garbled | Missing | Throttled | Unreachable
    cancel     → the same as retrieve
    delete     → `looks.delete_outcome`  RemoteDeleted | Throttled | Unreachable
    input_tokens → `looks.count_outcome` int | Throttled | Unreachable

Rules:
* creates use a fresh connection each: a server that closes a reused one may have read the whole request;
* no redirects, no hidden retries, no cookies; one total deadline per call;
* the wire is recorded as observations, never as log lines.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from urllib.parse import quote, urlencode

import httpx

from orchestrator.core.observations import Throttled, Unreachable
from orchestrator.provider.answers import well_formed_id
from orchestrator.provider.config import ProviderConfig
from orchestrator.provider.exchange import Reply, exchange
from orchestrator.provider.looks import (
    DeleteOutcome,
    LookOutcome,
    count_outcome,
    delete_outcome,
    look_outcome,
)
from orchestrator.provider.proof import CreateOutcome, create_outcome
from orchestrator.provider.transport import BoundedTransport

KEEPALIVE = 16
"""Idle connections kept for everything but creates."""

_CLIENT_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,512}")
_JSON = {"content-type": "application/json"}


class Provider:
    """Calls the provider. Shared by all workers of a process; safe to use from several threads.

    `transport` replaces the network in tests. Raises ConfigurationError at construction, never at a call.
    """

    def __init__(self, config: ProviderConfig, *, transport: httpx.BaseTransport | None = None) -> None:
        _silence_wire_logs()
        self.config = config
        self._base = config.base_url.rstrip("/")
        self._creates = _client(config, transport or BoundedTransport(config, keepalive=0))
        self._others = _client(config, transport or BoundedTransport(config, keepalive=KEEPALIVE))

    def create(self, body: bytes, *, client_request_id: str) -> CreateOutcome:
        """POST the request body, once. The outcome's type is its proof class.

        Raises ValueError for a client request id that is not 1–512 printable ASCII characters.
        """
        if not _CLIENT_REQUEST_ID.fullmatch(client_request_id):
            raise ValueError("a client request id is 1-512 printable ASCII characters")
        # Between an answer's end and the pool's sweep an idle connection could be picked up by another thread;
        # after `Connection: close` it cannot.
        headers = {**_JSON, "x-client-request-id": client_request_id, "connection": "close"}
        request = self._creates.build_request("POST", self._url(), content=body, headers=headers)
        return create_outcome(exchange(self._creates, request, timeout_s=self.config.timeout_s))

    def retrieve(self, response_id: str, *, include: Sequence[str] = ()) -> LookOutcome:
        """GET a response. `include` names what the server leaves out unless asked, as in the create."""
        extra = [("include[]", name) for name in include]
        return look_outcome(self._send("GET", self._url(response_id, extra=extra)), asked=response_id)

    def cancel(self, response_id: str) -> LookOutcome:
        """Ask for an end of the work. A response that had ended comes back as it is."""
        return look_outcome(self._send("POST", self._url(response_id, "cancel")), asked=response_id)

    def delete(self, response_id: str) -> DeleteOutcome:
        """Delete the provider's copy. A response that is gone, or a server without DELETE, is a success."""
        return delete_outcome(self._send("DELETE", self._url(response_id)))

    def input_tokens(self, body: bytes) -> int | Throttled | Unreachable:
        """How many input tokens a request body has, counted by the provider."""
        return count_outcome(self._send("POST", f"{self._base}/responses/input_tokens{self._query()}", body))

    def close(self) -> None:
        """Close every connection. Calls after it are a bug and raise."""
        self._creates.close()
        self._others.close()

    def __enter__(self) -> Provider:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, method: str, url: str, body: bytes | None = None) -> Reply:
        headers = {} if body is None else _JSON
        request = self._others.build_request(method, url, content=body, headers=headers)
        return exchange(self._others, request, timeout_s=self.config.timeout_s)

    def _url(
        self, response_id: str | None = None, action: str = "", *, extra: Sequence[tuple[str, str]] = ()
    ) -> str:
        """The address of a response or of the collection. Raises ValueError for an id that is not well formed."""
        if response_id is None:
            return f"{self._base}/responses{self._query()}"
        if not well_formed_id(response_id):
            raise ValueError("not a well-formed response id")
        tail = f"/{action}" if action else ""
        return f"{self._base}/responses/{quote(response_id, safe='')}{tail}{self._query(extra)}"

    def _query(self, extra: Sequence[tuple[str, str]] = ()) -> str:
        pairs = [*self.config.query.items(), *extra]
        return f"?{urlencode(pairs)}" if pairs else ""


def _client(config: ProviderConfig, transport: httpx.BaseTransport) -> httpx.Client:
    """A client without the environment, cookies or redirects; the key goes with every request."""
    headers = {
        "accept": "application/json",
        "accept-encoding": "identity",  # what is stored and digested is what was sent
        "user-agent": "dateline",
        **config.key_headers(),
    }
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(
        transport=transport, headers=headers, cookies=no_cookies, trust_env=False, follow_redirects=False
    )


def _silence_wire_logs() -> None:
    """httpx logs addresses, httpcore headers. An operator who sets these loggers' levels keeps that choice."""
    for name in ("httpx", "httpcore"):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)
