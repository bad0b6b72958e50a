"""`dateline.toml` and its overrides `DATELINE_<SECTION>__<NAME>` (pydantic-settings).

Rules:
* the environment wins over the file; unknown keys are refused, so that a typo cannot be silent;
* secrets come from the environment or from a file named by `…_FILE`, never from the TOML;
* relative paths are taken from the file's folder.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from orchestrator.errors import ConfigurationError
from orchestrator.settings.pointed import pointed

FILE_NAME = "dateline.toml"
SECRETS = {"api_key", "api_key_file", "webhook_secrets", "webhook_secrets_file"}
LEASE_MARGIN_S = 30  # a lease must outlive the longest call by this much (completed tables §4)


class Section(BaseModel):
    """Closed and frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SiteSection(Section):
    """What links and feeds say; `authority` is frozen at the first publication."""

    title: dict[str, str] = {"en": "Dateline", "es": "Dateline"}
    base_url: str = "http://127.0.0.1:8000"
    authority: str = "example.org"
    authority_since: str = "2026"
    languages: tuple[str, ...] = ("en", "es")

    @property
    def base_path(self) -> str:
        """The path of `base_url` without its last slash: empty, or `/repository` on a project site."""
        return urlsplit(self.base_url).path.rstrip("/")


class StoreSection(Section):
    """Where the work's state is kept."""

    url: str = "sqlite:///var/dateline.db"


class IdentitySection(Section):
    """Who commits say made them."""

    name: str = "Dateline"
    email: str = "dateline@example.org"


class ContentSection(Section):
    """Product files and the content repository."""

    products: Path = Path("content/products")
    repository: Path = Path("content/published.git")
    branch: str = "main"
    pages_branch: str = "gh-pages"
    remote: str = ""
    identity: IdentitySection = IdentitySection()


class PricesSection(Section):
    """Per million tokens and per search, in one currency; needed wherever a cost ceiling is set."""

    inspected: str = ""
    input: float = 0.0
    output: float = 0.0
    search: float = 0.0


class ProviderSection(Section):
    """Whom the work is bought from. `emulator` starts one in process; a URL is used as it is."""

    base_url: str = "emulator"
    model: str = "synthetic-newsroom-1"
    key_header: Literal["authorization", "api-key"] = "authorization"
    query: dict[str, str] = {}
    background: bool = True
    timeout_s: Annotated[float, Field(gt=0)] = 90.0
    on_unknown: Literal["hold", "replace"] = "hold"
    poll_s: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (20.0, 60.0)
    prices: PricesSection = PricesSection()
    # from the environment only
    api_key: SecretStr | None = None
    api_key_file: Path | None = None
    webhook_secrets: SecretStr | None = None
    webhook_secrets_file: Path | None = None

    @property
    def is_emulator(self) -> bool:
        """Whether this program starts the provider itself."""
        return self.base_url == "emulator"

    @property
    def is_local(self) -> bool:
        """Whether the provider is a server on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")


class LoopSection(Section):
    """How the loop works."""

    workers: Annotated[int, Field(ge=1, le=64)] = 4
    tick_s: Annotated[float, Field(gt=0)] = 5.0
    lease_s: Annotated[float, Field(gt=0)] = 120.0


class VerifySection(Section):
    """Where readers look. Empty: the pages branch only, which never earns RECONCILED."""

    url: str = ""


class AlertsSection(Section):
    """What is run or called with one JSON line per incident."""

    command: tuple[str, ...] = ()
    url: str = ""


class OperatorsSection(Section):
    """Who may give orders; empty: anyone who can run the command."""

    allow: tuple[str, ...] = ()


class RetentionSection(Section):
    """How long payload bodies are kept."""

    payload_days: Annotated[int, Field(ge=30)] = 400


class Workspace(BaseSettings):
    """One workspace. `root` is the folder of its `dateline.toml`."""

    model_config = SettingsConfigDict(
        env_prefix="DATELINE_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    root: Path
    site: SiteSection = SiteSection()
    store: StoreSection = StoreSection()
    content: ContentSection = ContentSection()
    provider: ProviderSection = ProviderSection()
    loop: LoopSection = LoopSection()
    verify: VerifySection = VerifySection()
    alerts: AlertsSection = AlertsSection()
    operators: OperatorsSection = OperatorsSection()
    retention: RetentionSection = RetentionSection()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  the hook's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first, then the file."""
        return env_settings, init_settings

    @model_validator(mode="after")
    def _lease_outlives_call(self) -> Self:
        needed = self.provider.timeout_s + LEASE_MARGIN_S
        if self.loop.lease_s < needed:
            raise ValueError(
                f"loop.lease_s: a lease of {self.loop.lease_s:g} s ends before a call of "
                f"provider.timeout_s = {self.provider.timeout_s:g} s is settled; write at least {needed:g}"
            )
        return self

    @property
    def var(self) -> Path:
        """Where the emulator's journal and other run-time files live."""
        return self.root / "var"

    @property
    def repository(self) -> Path:
        """The content repository's path."""
        return self.root / self.content.repository

    @property
    def products(self) -> Path:
        """The folder of product files."""
        return self.root / self.content.products

    @property
    def store_url(self) -> str:
        """The store's URL, a relative SQLite path made absolute."""
        head, mark, path = self.store.url.partition("sqlite:///")
        if head or not mark or path.startswith("/"):
            return self.store.url
        return f"sqlite:///{self.root / path}"


def load_workspace(file: Path) -> Workspace:
    """The workspace of this `dateline.toml`.

    Errors: `ConfigurationError` naming file, key and remedy. Nothing is opened or made.
    """
    values = _read_toml(file)
    secrets = sorted(SECRETS & set(values.get("provider", {})))
    if secrets:
        raise ConfigurationError(
            f"{file}: provider.{secrets[0]}: a secret stands in the file",
            hint=f"remove it and set DATELINE_PROVIDER__{secrets[0].upper()} in the environment",
        )
    try:
        return Workspace(root=file.resolve().parent, **values)
    except ValidationError as error:
        raise pointed(str(file), error) from error


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"{file} does not exist", hint="run `dateline init DIR` to make a workspace, or pass --config FILE"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigurationError(f"{file}: {error}", hint="correct the file; nothing was changed") from error
