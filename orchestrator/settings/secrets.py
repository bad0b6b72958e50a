"""Secrets: from the environment, or from a file that the environment names. Never printed, never stored."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from orchestrator.errors import ConfigurationError
from orchestrator.settings.workspace import Workspace

EMULATOR_KEY = "emulator"
"""The emulator takes any key; it still gets one, so that the real client's path is the one that runs."""


def api_key(workspace: Workspace) -> str:
    """The provider's key. A server on this machine needs none.

    Errors: `ConfigurationError` when a real provider is configured and no key is, or its file is unreadable.
    """
    provider = workspace.provider
    key = _value("DATELINE_PROVIDER__API_KEY", provider.api_key, provider.api_key_file)
    if key:
        return key
    if provider.is_emulator or provider.is_local:
        return EMULATOR_KEY
    raise ConfigurationError(
        f"no key for the provider at {provider.base_url}",
        hint="set DATELINE_PROVIDER__API_KEY, or DATELINE_PROVIDER__API_KEY_FILE with the path of a file",
    )


def webhook_secrets(workspace: Workspace) -> tuple[str, ...]:
    """The signing secrets that webhooks may use, newest first; empty: webhooks are refused."""
    provider = workspace.provider
    value = _value("DATELINE_PROVIDER__WEBHOOK_SECRETS", provider.webhook_secrets, provider.webhook_secrets_file)
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _value(name: str, secret: SecretStr | None, file: Path | None) -> str:
    if secret is not None:
        return secret.get_secret_value().strip()
    if file is None:
        return ""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{name}_FILE: {file} cannot be read ({error})", hint="check the path") from error
