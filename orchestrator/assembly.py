"""The composition root: one workspace's parts, put together, opened in order and closed in reverse.

Nothing else in the program makes a database, a provider, a repository or a relay; everything else is given them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy import Connection

from orchestrator import entropy
from orchestrator.core.limits import OnUnknown
from orchestrator.core.policy import ProductPolicy
from orchestrator.correspondence import Correspondence
from orchestrator.editorial import Editorial, Prices
from orchestrator.effects.press import Press
from orchestrator.effects.verifier import Verifier
from orchestrator.emulator.config import EmulatorConfig
from orchestrator.emulator.emulator import Emulator
from orchestrator.emulator.journal import JournalInUse
from orchestrator.emulator.newsroom import load_newsroom
from orchestrator.emulator.presence import is_emulator_at
from orchestrator.emulator.script import NO_SCRIPT
from orchestrator.emulator.script_file import read_script
from orchestrator.errors import ConfigurationError, RefusedByState
from orchestrator.orders import Orders
from orchestrator.outcomes import Outcomes
from orchestrator.provider.client import Provider
from orchestrator.provider.config import ProviderConfig
from orchestrator.settings.products import load_products
from orchestrator.settings.secrets import api_key
from orchestrator.settings.workspace import Workspace
from orchestrator.shipped import shipped
from orchestrator.store import editions, pause
from orchestrator.store.open import open_store
from orchestrator.supervisor import Supervisor
from orchestrator.ticker import Ticker
from orchestrator.worker import Worker
from outbox.clock import read_now_ms
from outbox.database import Database
from outbox.message import Effect, Intent
from outbox.relay import Relay
from publisher.content import key_of_slot
from publisher.fast_import import Identity
from publisher.profile import ProductProfile, Profile
from publisher.repository import ContentRepository
from publisher.site import Site

log = structlog.get_logger("dateline")

RELAY_LEASE_MS = 120_000
"""How soon another relay takes over from a killed one. A rebuild may take longer: it holds the repository's own
lease, and whoever comes meanwhile waits for it and then adopts what it made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where the embedded emulator sends its webhooks, and the secret that it signs them with."""

    url: str = ""
    secret: str = ""


NO_WEBHOOKS = WebhookTarget()


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Everything one loop works with. `name` is this process's, the start of every lease owner's name."""

    workspace: Workspace
    name: str
    db: Database
    editorial: Editorial
    provider: Provider
    emulator: Emulator | None
    profile: Profile
    press: Press
    verifier: Verifier
    ticker: Ticker
    supervisor: Supervisor
    worker: Worker
    relay: Relay
    correspondence: Correspondence
    orders: Orders

    @property
    def lease_ms(self) -> int:
        """How long one step may take."""
        return round(self.workspace.loop.lease_s * 1000)


def editorial_of(workspace: Workspace) -> Editorial:
    """The running configuration.

    Errors: `ConfigurationError` from the product files, or for a cost ceiling that nothing can be compared with.
    """
    provider = workspace.provider
    prices, products = provider.prices, load_products(workspace.products)
    _refuse_unpriced(workspace, products)
    return Editorial(
        products=products,
        model=provider.model,
        prices=Prices(input=prices.input, output=prices.output, search=prices.search),
        poll_ms=(round(provider.poll_s[0] * 1000), round(provider.poll_s[1] * 1000)),
        on_unknown=OnUnknown(provider.on_unknown),
        background=provider.background,
        synthetic=_is_synthetic(workspace),
    )


def _refuse_strangers(workspace: Workspace, db: Database) -> None:
    """Make the content repository, or refuse one whose editions this database does not know.

    Publishing on would buy and publish every date a second time. Errors: `NotOurs`; `RefusedByState`.
    """
    with repository_of(workspace) as repository, db.read() as conn:
        if repository.main is not None and not editions.listing(conn, limit=1):
            raise RefusedByState(
                f"{workspace.content.repository} holds editions that the database does not know",
                hint="restore the database that belongs to it, or name another repository; "
                "`dateline demo --fresh` begins a demonstration again",
            )


def _is_synthetic(workspace: Workspace) -> bool:
    """Whether what is bought comes out of an emulator, ours or one that runs on its own."""
    return workspace.provider.is_emulator or is_emulator_at(workspace.provider.base_url)


def _refuse_unpriced(workspace: Workspace, products: Mapping[str, ProductPolicy]) -> None:
    """A ceiling without prices would never be reached: a real provider needs them."""
    if workspace.provider.is_emulator or workspace.provider.prices.inspected:
        return
    for policy in products.values():
        budgets = policy.budgets
        if (budgets.cost_per_process_micro, budgets.cost_per_day_micro) != (None, None):
            raise ConfigurationError(
                f"{policy.slug} has a cost ceiling, but [provider.prices] holds no price list",
                hint="write input, output and search per million and the day they were inspected, "
                "or remove cost_per_process and cost_per_day",
            )


def profile_of(workspace: Workspace, editorial: Editorial) -> Profile:
    """What the site says of itself."""
    site = workspace.site
    products = tuple(
        ProductProfile(
            slug=policy.slug,
            titles=dict(policy.titles),
            languages=policy.languages,
            feed_length=policy.feed_length,
        )
        for policy in editorial.products.values()
    )
    return Profile(
        titles=dict(site.title),
        base_url=site.base_url,
        authority=site.authority,
        authority_since=site.authority_since,
        languages=site.languages,
        products=products,
        identity=workspace.content.identity.name,
        # from the configuration alone: what is rendered must not depend on who happens to be running
        synthetic=workspace.provider.is_emulator,
    )


def site_of(profile: Profile) -> Site:
    """The renderer, with the templates that came with this program."""
    return Site(profile, templates=shipped("site") / "templates", assets=shipped("site") / "assets")


def repository_of(workspace: Workspace) -> ContentRepository:
    """The content repository, made where there is none. Errors: `publisher.errors.NotOurs`."""
    content = workspace.content
    return ContentRepository(
        workspace.repository,
        identity=Identity(content.identity.name, content.identity.email),
        main=content.branch,
        pages=content.pages_branch,
        on_stale_lock=lambda path: log.warning("stale lock removed", path=path.name),
    )


@contextmanager
def open_house(
    workspace: Workspace,
    *,
    verify_url: str | None = None,
    script: Path | None = None,
    webhook: WebhookTarget | None = None,
) -> Iterator[House]:
    """Everything a loop needs, closed on the way out.

    `verify_url` overrides `[verify] url`; `script` and `webhook` are for the embedded emulator.
    Errors: `ConfigurationError` and `Unavailable`, before anything was bought or published.
    """
    key = api_key(workspace)
    editorial = editorial_of(workspace)
    profile = profile_of(workspace, editorial)
    with ExitStack() as stack:
        db = open_store(workspace.store_url)
        stack.callback(db.close)
        _refuse_strangers(workspace, db)  # before anything is bought
        base_url, emulator = _provider_address(workspace, db, script, stack, webhook=webhook or NO_WEBHOOKS)
        provider = Provider(_provider_config(workspace, base_url, key))
        stack.callback(provider.close)
        yield _furnish(
            workspace,
            db=db,
            editorial=editorial,
            profile=profile,
            provider=provider,
            emulator=emulator,
            verify_url=verify_url,
            stack=stack,
        )


def _furnish(
    workspace: Workspace,
    *,
    db: Database,
    editorial: Editorial,
    profile: Profile,
    provider: Provider,
    emulator: Emulator | None,
    verify_url: str | None,
    stack: ExitStack,
) -> House:
    name = f"dl-{entropy.new_token()[:8]}"
    press = Press(db, lambda: repository_of(workspace), site_of(profile))
    stack.callback(press.close)
    ticker = Ticker(db, editorial)
    correspondence = Correspondence(db, provider, editorial, name=name)
    url = workspace.verify.url if verify_url is None else verify_url
    verifier = Verifier(db, profile, url=url, branch=press.page)
    stack.callback(verifier.close)
    return House(
        workspace=workspace,
        name=name,
        db=db,
        editorial=editorial,
        provider=provider,
        emulator=emulator,
        profile=profile,
        press=press,
        verifier=verifier,
        ticker=ticker,
        supervisor=Supervisor(db, editorial, name=name),
        worker=Worker(db, provider, editorial, name=name, timeout_s=workspace.provider.timeout_s),
        relay=Relay(
            db,
            {Intent.COMMIT: press.commit, Intent.RENDER: press.render, Intent.VERIFY: verifier},
            owner=f"{name}-relay",
            lease_ms=RELAY_LEASE_MS,
            chance=entropy.chance,
            owner_role=lambda effect: editorial.policy(key_of_slot(effect.entity).product).owners.recovery,
            report=_report,
            audit=Outcomes().settled,
            admits=_not_paused,
        ),
        correspondence=correspondence,
        orders=orders_of(workspace, db, editorial, correspondence=correspondence),
    )


def orders_of(
    workspace: Workspace, db: Database, editorial: Editorial, *, correspondence: Correspondence | None = None
) -> Orders:
    """Who carries orders out; without `correspondence`, those that ask the provider stay open."""
    return Orders(
        db,
        correspondence,
        editorial,
        lease_ms=round(workspace.loop.lease_s * 1000),
        timeout_ms=round(workspace.provider.timeout_s * 1000),
        plan=Ticker(db, editorial).planned,
    )


def _provider_address(
    workspace: Workspace, db: Database, script: Path | None, stack: ExitStack, *, webhook: WebhookTarget
) -> tuple[str, Emulator | None]:
    """Where the provider is. The embedded one is started, or shared with the process that has started it."""
    if not workspace.provider.is_emulator:
        return workspace.provider.base_url, None

    def now_ms() -> int:
        with db.read() as conn:
            return read_now_ms(conn)

    config = EmulatorConfig(
        journal_dir=workspace.var / "emulator",
        log_path=workspace.var / "emulator" / "requests.jsonl",
        clock=now_ms,
        script=read_script(script) if script else NO_SCRIPT,
        webhook_url=webhook.url,
        webhook_secret=webhook.secret,
    )
    emulator = Emulator(config, load_newsroom(shipped("fixtures") / "newsroom"))
    try:
        stack.enter_context(emulator)
    except JournalInUse as other:
        return other.base_url, None
    return emulator.base_url, emulator


def _provider_config(workspace: Workspace, base_url: str, key: str) -> ProviderConfig:
    provider = workspace.provider
    return ProviderConfig(
        base_url=base_url,
        api_key=key,
        key_header=provider.key_header,
        query=dict(provider.query),
        timeout_s=provider.timeout_s,
        background=provider.background,
    )


def _report(error: Exception, effects: Sequence[Effect]) -> None:
    log.error("effect failed", error=type(error).__name__, detail=str(error), effects=[e.id for e in effects])


def _not_paused(conn: Connection) -> bool:
    return pause.read(conn) is None
