"""What may be told over HTTP: signed bytes, kept before they are answered; all else is refused with its code."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from threading import Event
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from orchestrator import entropy
from orchestrator.correspondence import FOREIGN, WEBHOOKS
from orchestrator.errors import ConfigurationError
from orchestrator.web.desk_app import WEBHOOK_PATH, DeskApp
from orchestrator.web.hooks import MOST_BYTES
from orchestrator.web.server import WebServer
from outbox import inbox
from outbox.database import Database
from outbox.message import InboxMessage

OLD, NEW, FOREIGN_SECRET = ("whsec_" + base64.b64encode(name * 8).decode() for name in (b"old!", b"new!", b"bad!"))
BODY = b'{"type": "response.completed","data":{"id":"resp_1","n":1.0},\n "created_at": 1796000000}'


class Desk:
    """A desk on a socket, over one store."""

    def __init__(self, db: Database, url: str, told: Event) -> None:
        self.db = db
        self.told = told
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=10)

    def post(self, body: bytes | Iterator[bytes] = BODY, path: str = WEBHOOK_PATH, **headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, content=body, headers=named).status_code

    def kept(self) -> list[InboxMessage]:
        with self.db.read() as conn:
            return inbox.listing(conn)


@pytest.fixture
def desk(sqlite: Database) -> Iterator[Desk]:
    yield from serving(sqlite, [OLD, NEW])


def serving(db: Database, secrets: Sequence[str]) -> Iterator[Desk]:
    app, told = DeskApp(secrets=secrets), Event()
    with WebServer(app.asgi) as server:
        app.begin(db, silent_s=lambda: 0.0, told=told.set)
        desk = Desk(db, server.url, told)
        yield desk
        desk.client.close()
        app.end()


def signed(body: bytes = BODY, *, secret: str = NEW, name: str = "wh_1", age_s: float = 0) -> dict[str, str]:
    """The three headers, as a sender makes them `age_s` seconds ago."""
    moment = entropy.utc_now() - timedelta(seconds=age_s)
    return {
        "webhook_id": name,
        "webhook_timestamp": str(int(moment.timestamp())),
        "webhook_signature": Webhook(secret).sign(name, moment, body.decode()),
    }


def test_the_raw_bytes_are_what_is_signed_and_kept(desk: Desk) -> None:
    body = '{"type": "response.completed","data":{"id":"resp_ñ",  "n":1.0}}'.encode()
    assert desk.post(body, **signed(body)) == 200
    [message] = desk.kept()
    assert (message.source, message.event_id, message.kind) == (WEBHOOKS, "wh_1", "response.completed")
    assert message.payload == body
    assert desk.told.is_set()
    again = json.dumps(json.loads(body), ensure_ascii=False).encode()
    assert desk.post(again, **signed(body)) == 401


@pytest.mark.parametrize("secret", [OLD, NEW])
def test_each_configured_secret_is_good(desk: Desk, secret: str) -> None:
    assert desk.post(**signed(secret=secret)) == 200


@pytest.mark.parametrize("order", [(FOREIGN_SECRET, NEW), (NEW, FOREIGN_SECRET), (OLD, NEW)])
def test_one_good_signature_of_several_suffices_in_any_order(desk: Desk, order: tuple[str, str]) -> None:
    first, second = signed(secret=order[0]), signed(secret=order[1])
    both = f"{first['webhook_signature']} {second['webhook_signature']}"
    assert desk.post(**{**first, "webhook_signature": both}) == 200


@pytest.mark.parametrize("odd", ["v1a,AAAA", "v2,AAAA", "nonsense", "v1,!!!", "v1,AA,AA", "v1,", ",", "v1"])
def test_an_odd_entry_beside_a_good_one_hides_nothing_and_alone_is_refused(desk: Desk, odd: str) -> None:
    good = signed()
    assert desk.post(**{**good, "webhook_signature": odd}) == 401
    assert desk.post(**{**good, "webhook_signature": f"{odd} {good['webhook_signature']}"}) == 200


@pytest.mark.parametrize(("age_s", "code"), [(240, 200), (360, 401), (-240, 200), (-360, 401)])
def test_a_timestamp_is_believed_for_five_minutes_around_this_hosts_clock(
    desk: Desk, age_s: float, code: int
) -> None:
    assert desk.post(**signed(age_s=age_s)) == code
    assert len(desk.kept()) == (code == 200)


def test_a_foreign_secret_a_changed_id_and_a_changed_time_are_refused(desk: Desk) -> None:
    assert desk.post(**signed(secret=FOREIGN_SECRET)) == 401
    assert desk.post(**{**signed(), "webhook_id": "wh_2"}) == 401
    stamp = str(int(signed()["webhook_timestamp"]) - 1)
    assert desk.post(**{**signed(), "webhook_timestamp": stamp}) == 401
    assert desk.kept() == []


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"webhook_signature": ""}, 401),
        ({"webhook_id": ""}, 400),
        ({"webhook_timestamp": "soon"}, 400),
        ({"webhook_timestamp": "nan"}, 400),
        ({"webhook_timestamp": "99999999999999999999"}, 400),
    ],
)
def test_unreadable_headers_are_malformed_and_a_missing_signature_is_none(
    desk: Desk, headers: dict[str, str], code: int
) -> None:
    assert desk.post(**{**signed(), **headers}) == code
    assert desk.kept() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"{}", b'{"type": 1}', b"[" * 100_000])
def test_a_signed_body_that_is_no_event_is_malformed(desk: Desk, body: bytes) -> None:
    assert desk.post(body, **signed(body)) == 400
    assert desk.kept() == []


def test_bytes_that_are_not_text_are_refused(desk: Desk) -> None:
    assert desk.post(b"\xff\xfe", **signed(b"{}")) == 401


def test_a_repeat_is_acknowledged_and_kept_once(desk: Desk) -> None:
    assert [desk.post(**signed()) for _ in range(3)] == [200, 200, 200]
    assert len(desk.kept()) == 1


def test_too_large_a_body_is_refused_by_its_announcement_and_while_it_arrives(desk: Desk) -> None:
    large = b"x" * (MOST_BYTES + 1)
    assert desk.post(large, **signed()) == 413
    assert desk.post(iter([large[:MOST_BYTES], b"xx"]), **signed()) == 413
    assert desk.kept() == []


def test_without_secrets_nothing_is_believed_and_the_answer_says_what_to_set(sqlite: Database) -> None:
    for desk in serving(sqlite, []):
        answer = desk.client.post(WEBHOOK_PATH, content=BODY)
        assert answer.status_code == 503
        assert "DATELINE_PROVIDER__WEBHOOK_SECRETS" in answer.text


def test_a_secret_that_cannot_check_anything_is_refused_at_the_start() -> None:
    for secret in ("whsec_", "whsec_ñ"):
        with pytest.raises(ConfigurationError, match="base64"):
            DeskApp(secrets=[secret])


def cloud_event(**changes: Any) -> bytes:
    plain = {
        "specversion": "1.0",
        "id": "e-1",
        "source": "/cms",
        "type": "page.changed",
        "time": "2026-11-30T06:00:00Z",
    }
    return json.dumps({**plain, **changes}).encode()


def test_a_cloud_event_is_kept_under_its_own_source_and_id(desk: Desk) -> None:
    body = cloud_event(data={"id": "resp_1"})
    assert desk.post(body, "/events", **signed(body)) == 200
    assert desk.post(body, "/events", **signed(body, name="wh_2")) == 200
    [message] = desk.kept()
    assert (message.source, message.event_id, message.kind) == (f"{FOREIGN}/cms", "e-1", "page.changed")
    assert message.source_time_ms == 1_796_018_400_000


@pytest.mark.parametrize(
    "changes",
    [{"specversion": "0.3"}, {"id": ""}, {"source": None}, {"type": 7}, {"time": "today"}, {"id": "x" * 999}],
)
def test_what_is_no_cloud_event_is_malformed(desk: Desk, changes: dict[str, Any]) -> None:
    body = cloud_event(**changes)
    assert desk.post(body, "/events", **signed(body)) == 400
    assert desk.kept() == []


def test_an_unsigned_cloud_event_is_refused(desk: Desk) -> None:
    assert desk.post(cloud_event(), "/events") == 401
