"""What the one door to the provider needs to know, checked before the first call.

Rules:
* everything that would make every call fail is refused here, with a sentence that says what to change;
* the key never appears in a message, a repr or an address;
* a loopback server (the emulator, a local model) needs no key and is never reached through a proxy.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import httpx

from orchestrator.errors import ConfigurationError

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110 §5.6.2
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_OWN_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-client-request-id",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderConfig:
    """Where the provider is and how to speak to it.

    `base_url` ends in `/v1`. `key_header` "authorization" sends `Bearer KEY`, any other name the key as it is.
    `query` goes on every address. `timeout_s` is the total of one call. `background` is what request bodies
    ask for; the client reads both kinds of answer alike.

    Raises ConfigurationError when a value could not work.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    key_header: str = "authorization"
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 90.0
    background: bool = True

    def __post_init__(self) -> None:
        url = _checked_url(self.base_url)
        _check_key(self.api_key, needed=not is_loopback(url.host))
        _check_key_header(self.key_header)
        _check_query(self.query)
        if not (math.isfinite(self.timeout_s) and self.timeout_s > 0):
            raise ConfigurationError("provider.timeout_s must be a number of seconds above 0")
        object.__setattr__(self, "query", MappingProxyType(dict(self.query)))

    @property
    def url(self) -> httpx.URL:
        """`base_url`, parsed."""
        return httpx.URL(self.base_url)

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        return is_loopback(self.url.host)

    def key_headers(self) -> dict[str, str]:
        """The header that carries the key; empty without one."""
        if not self.api_key:
            return {}
        bearer = self.key_header.lower() == "authorization"
        return {self.key_header: f"Bearer {self.api_key}" if bearer else self.api_key}


def is_loopback(host: str) -> bool:
    """Whether a host name or address literal means this machine, by its text alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _checked_url(text: str) -> httpx.URL:
    hint = "write it like https://api.openai.com/v1, or use the word emulator"
    if not _PRINTABLE.fullmatch(text):
        raise ConfigurationError("provider.base_url is empty or holds spaces or non-ASCII text", hint=hint)
    try:
        url = httpx.URL(text)
        url.host.encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        raise ConfigurationError("provider.base_url is not a valid address", hint=hint) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError("provider.base_url must begin with http:// or https:// and a host", hint=hint)
    if url.userinfo:
        raise ConfigurationError(
            "provider.base_url holds a user name or password",
            hint="put the key into DATELINE_PROVIDER__API_KEY",
        )
    if url.query or url.fragment:
        raise ConfigurationError(
            "provider.base_url holds a query or fragment", hint="put parameters into provider.query"
        )
    return url


def _check_key(key: str, *, needed: bool) -> None:
    hint = "set DATELINE_PROVIDER__API_KEY, or DATELINE_PROVIDER__API_KEY_FILE to the name of a file"
    if not key and needed:
        raise ConfigurationError("the provider's key is missing", hint=hint)
    if key and not _PRINTABLE.fullmatch(key):
        raise ConfigurationError(
            "the provider's key holds spaces, line ends or characters outside ASCII", hint=hint
        )


def _check_key_header(name: str) -> None:
    if not _TOKEN.fullmatch(name) or name.lower() in _OWN_HEADERS:
        raise ConfigurationError(
            "provider.key_header is not a header name that can carry a key",
            hint='use "authorization", or "api-key" for Azure',
        )


def _check_query(query: Mapping[str, str]) -> None:
    for name, value in query.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise ConfigurationError("provider.query must map names to texts", hint="quote numbers")
        if not _PRINTABLE.fullmatch(name) or (value and not _PRINTABLE.fullmatch(value)):
            raise ConfigurationError("provider.query holds spaces or characters outside ASCII")
