"""The provider emulator, ready to start: one implementation for tests, for the loop and for the command.

    with Emulator(EmulatorConfig(), newsroom) as emulator:
        httpx.post(emulator.base_url + "/responses", …)

`start` opens the journal and takes up what an earlier process left; `stop` cuts what is open. A killed process
leaves nothing that the next one would not find again.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from orchestrator.emulator.answers import Newsroom
from orchestrator.emulator.app import App
from orchestrator.emulator.clock import NowMs, OwnClock
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.floor import Floor
from orchestrator.emulator.journal import Journal
from orchestrator.emulator.ledger import Ledger
from orchestrator.emulator.request_log import Entry, RequestLog
from orchestrator.emulator.server import Server
from orchestrator.emulator.webhooks import Sender
from orchestrator.errors import ConfigurationError


class Emulator:
    """One provider on one socket."""

    def __init__(self, config: EmulatorConfig, newsroom: Newsroom) -> None:
        self.config = config
        self.base_url = ""
        self._newsroom = newsroom
        self._journal: Journal | None = None
        self._ledger: Ledger | None = None
        self._log: RequestLog | None = None
        self._server: Server | None = None
        self._sender: Sender | None = None

    def start(self) -> str:
        """Listen; answers the base URL, `http://HOST:PORT/v1`.

        Raises ConfigurationError (port in use, bad secret, unwritable or damaged journal) and JournalInUse,
        which says where the emulator of this journal listens.
        """
        _check(self.config)
        self._journal = Journal(self.config.journal_dir)
        try:
            return self._start(self._journal)
        except ConfigurationError:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop listening and give everything back; safe to call twice."""
        for part in (self._server, self._sender):
            if part is not None:
                part.stop()
        if self._log is not None:
            self._log.close()
        if self._journal is not None:
            self._journal.close()

    @property
    def log(self) -> tuple[Entry, ...]:
        """The requests of this process, oldest first."""
        return self._log.entries() if self._log is not None else ()

    @property
    def violations(self) -> tuple[Entry, ...]:
        """Calls that the script says must not be made."""
        return self._log.violations() if self._log is not None else ()

    def accepted(self, metadata: Mapping[str, str]) -> tuple[str, ...]:
        """Ids of every response whose create carried exactly these metadata, oldest first, deleted ones too."""
        ledger = self._ledger
        if ledger is None:
            return ()
        with ledger.turn:
            return tuple(r.id for r in ledger.responses.values() if dict(r.metadata) == dict(metadata))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self, journal: Journal) -> str:
        config = self.config
        ledger = self._ledger = Ledger(journal)
        own = None if config.clock is not None else _own_clock(config, ledger)
        now_ms: NowMs = config.clock or own or OwnClock()
        floor = Floor(config, ledger=ledger, newsroom=self._newsroom, now_ms=now_ms)
        self._log = RequestLog(config.log_path)
        self._sender = Sender(ledger, now_ms, url=config.webhook_url, secret=config.webhook_secret)
        floor.wake = self._sender.wake
        self._server = Server(
            App(floor, self._log, own),
            host=config.host,
            port=config.port,
            connections=config.connections,
        )
        host = f"[{config.host}]" if ":" in config.host else config.host
        self.base_url = f"http://{host}:{self._server.start()}/v1"
        journal.announce(self.base_url)
        self._sender.start()
        return self.base_url


def _own_clock(config: EmulatorConfig, ledger: Ledger) -> OwnClock:
    """Virtual time goes on where the journal's last fact left it, never before it."""
    return OwnClock(speed=config.speed, offset_ms=ledger.offset_ms, not_before_ms=ledger.last_ms)


def _check(config: EmulatorConfig) -> None:
    if config.speed <= 0:
        raise ConfigurationError(f"The emulator cannot run at speed {config.speed:g}.", hint="Use 1 or more.")
    if not config.webhook_url:
        return
    try:
        Webhook(config.webhook_secret)
    except (ValueError, RuntimeError, EmptyWebhookSecretError) as error:
        raise ConfigurationError(
            f"The webhook secret cannot sign anything: {error}.",
            hint="Give whsec_ and base64, as the provider's dashboard does.",
        ) from error
