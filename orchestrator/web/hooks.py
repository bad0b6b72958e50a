"""What the world may tell us over HTTP: the provider's webhooks, and CloudEvents of other systems.

    POST /webhooks/openai   Standard Webhooks: the event goes to the inbox, the loop acts on it
    POST /events            CloudEvents 1.0 in structured JSON, the same signatures; kept, nothing acts on them

Rules:
* the signature is over the raw bytes as they came; several secrets, several signatures, unknown versions ignored;
* a timestamp is believed for five minutes around this host's clock, whatever the emulator's virtual time is;
* 2xx only after the row is committed, also for a repeat; 400 malformed, 401 not signed by a secret we hold, or too
  old, 413 too large (counted while it arrives), 503 without secrets or store;
* nothing is judged here: a message is an observation, which the loop applies under its fence.
Source: Standard Webhooks 1.0; CloudEvents 1.0.2 §3.1; completed tables §3 (I15), §8 (F23, F24).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError, WebhookVerificationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from orchestrator.core.instants import parse_rfc3339
from orchestrator.correspondence import FOREIGN, WEBHOOKS
from orchestrator.errors import ConfigurationError
from outbox import inbox
from outbox.database import Database
from outbox.errors import BadMessage, StoreUnavailable
from outbox.message import Provenance

MOST_BYTES = 256 * 1024
"""A webhook names a response in a few hundred bytes; events of other systems may say more."""

RETRY_AFTER_S = 30

_TIMESTAMP = re.compile(r"[0-9]{1,12}")
_ID = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A verified message, ready for the inbox."""

    source: str
    event_id: str
    kind: str
    payload: bytes
    source_time_ms: int | None


class Refused(Exception):  # read as an outcome, as the error trees are
    """The answer that is not 2xx, and its sentence."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Signatures:
    """Checks Standard Webhooks signatures against every secret that is configured.

    Errors: `ConfigurationError` at construction for a secret that cannot sign.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._webhooks = [_webhook(secret) for secret in secrets]

    def check(self, request: Request, body: bytes) -> str:
        """The message's id. Errors: `Refused` 400, 401 or 503."""
        if not self._webhooks:
            raise Refused(503, "no webhook secret is configured here: set DATELINE_PROVIDER__WEBHOOK_SECRETS")
        headers = _signing_headers(request)
        if not any(_signed_by(webhook, body, headers) for webhook in self._webhooks):
            raise Refused(401, "the signature is not one of ours, or is too old")
        return headers["webhook-id"]


class Hooks:
    """The two endpoints. `told` is called after a message was committed."""

    def __init__(self, signatures: Signatures, *, database: Callable[[], Database | None]) -> None:
        self._signatures = signatures
        self._database = database
        self.told: Callable[[], None] = _nobody

    async def webhook(self, request: Request) -> Response:
        """POST /webhooks/openai."""
        return await self._answer(request, read_webhook)

    async def event(self, request: Request) -> Response:
        """POST /events."""
        return await self._answer(request, read_event)

    async def _answer(self, request: Request, read: Callable[[str, bytes], Message]) -> Response:
        try:
            body = await bounded_body(request)
            message = read(self._signatures.check(request, body), body)
            fresh = await run_in_threadpool(self._keep, message)
        except Refused as refused:
            headers = {"retry-after": str(RETRY_AFTER_S)} if refused.status == 503 else {}
            return PlainTextResponse(f"{refused}\n", status_code=refused.status, headers=headers)
        except ClientDisconnect:
            return PlainTextResponse("", status_code=400)
        self.told()
        return PlainTextResponse("kept\n" if fresh else "kept before\n")

    def _keep(self, message: Message) -> bool:
        """Commit the message; False: it is there already."""
        database = self._database()
        if database is None:
            raise Refused(503, "not ready yet")
        try:
            with database.write() as conn:
                return inbox.append(
                    conn,
                    source=message.source,
                    event_id=message.event_id,
                    kind=message.kind,
                    payload=message.payload,
                    source_time_ms=message.source_time_ms,
                    provenance=Provenance(origin="http"),
                )
        except BadMessage as error:
            raise Refused(400, str(error)) from error
        except StoreUnavailable as error:
            raise Refused(503, "the store cannot be written at the moment") from error


async def bounded_body(request: Request, most: int = MOST_BYTES) -> bytes:
    """The raw body. Errors: `Refused` 413 as soon as more than `most` bytes are announced or have come."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise Refused(413, f"more than {most} bytes")
    parts, total = [], 0
    async for part in request.stream():
        total += len(part)
        if total > most:
            raise Refused(413, f"more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


def read_webhook(message_id: str, body: bytes) -> Message:
    """A provider's event, named by the delivery's id. Errors: `Refused` 400 when it is no event object."""
    event = _object(body)
    kind, created = event.get("type"), event.get("created_at")
    if not isinstance(kind, str):
        raise Refused(400, "the event has no type")
    seconds = created if isinstance(created, int) and not isinstance(created, bool) else None
    return Message(
        source=WEBHOOKS,
        event_id=message_id,
        kind=kind,
        payload=body,
        source_time_ms=seconds * 1000 if seconds is not None and 0 <= seconds < 2**40 else None,
    )


def read_event(_message_id: str, body: bytes) -> Message:
    """A CloudEvent, named by its own source and id. Errors: `Refused` 400 when it is none."""
    event = _object(body)
    if event.get("specversion") != "1.0":
        raise Refused(400, "not a CloudEvent of specversion 1.0")
    named = {name: event.get(name) for name in ("id", "source", "type")}
    for name, value in named.items():
        if not isinstance(value, str) or not value:
            raise Refused(400, f"the event's {name} is missing")
    return Message(
        source=f"{FOREIGN}{named['source']}",
        event_id=str(named["id"]),
        kind=str(named["type"]),
        payload=body,
        source_time_ms=_instant(event.get("time")),
    )


def _instant(text: object) -> int | None:
    if text is None:
        return None
    try:
        return parse_rfc3339(str(text))
    except ValueError as error:
        raise Refused(400, "the event's time is not RFC 3339") from error


def _object(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "the body is not JSON") from error
    if not isinstance(event, dict):
        raise Refused(400, "the body is not a JSON object")
    return event


def _webhook(secret: str) -> Webhook:
    try:
        return Webhook(secret)
    except (ValueError, RuntimeError, EmptyWebhookSecretError) as error:
        raise ConfigurationError(
            "a webhook secret cannot check anything: it is not base64",
            hint="copy it from the provider's dashboard, with its whsec_",
        ) from error


def _signing_headers(request: Request) -> dict[str, str]:
    """The three headers, with only such signatures as the library can read.

    It splits each entry at its comma and decodes it before it looks at its version, so that one odd entry would
    hide a good one. Errors: `Refused` 401 without any signature, 400 without a readable id or timestamp.
    """
    entries = " ".join(request.headers.getlist("webhook-signature")).split()
    if not entries:
        raise Refused(401, "the message is not signed")
    ids, stamps = request.headers.getlist("webhook-id"), request.headers.getlist("webhook-timestamp")
    if len(ids) != 1 or not _ID.fullmatch(ids[0]):
        raise Refused(400, "webhook-id is missing or unreadable")
    if len(stamps) != 1 or not _TIMESTAMP.fullmatch(stamps[0]):
        raise Refused(400, "webhook-timestamp is missing or unreadable")
    readable = [entry for entry in entries if _is_readable(entry)]
    return {
        "webhook-id": ids[0],
        "webhook-timestamp": stamps[0],
        "webhook-signature": " ".join(readable) or "v1,",
    }


def _is_readable(entry: str) -> bool:
    version, _, signature = entry.partition(",")
    if version != "v1" or not signature or "," in signature:
        return False
    try:
        base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _signed_by(webhook: Webhook, body: bytes, headers: dict[str, str]) -> bool:
    try:
        webhook.verify(body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):  # ValueError: bytes that are no text, or what it cannot read
        return False
    return True


def _nobody() -> None:
    return None
