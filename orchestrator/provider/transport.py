"""The httpx transport that keeps the total deadline: httpcore's pool on bounded sockets.

Rules:
* no retries, HTTP/1.1 only, errors mapped by name onto httpx's own tree;
* a proxy from the environment is used unless the server is on this machine or `NO_PROXY` names it.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpcore
import httpx

from orchestrator.errors import ConfigurationError
from orchestrator.provider.config import ProviderConfig
from orchestrator.provider.deadline import BoundedBackend

MAX_CONNECTIONS = 64
KEEPALIVE_EXPIRY_S = 5.0  # shorter than the idle limits of common load balancers (60 s) and uvicorn (5 s)


class BoundedTransport(httpx.BaseTransport):
    """Sends one request over a pool; `keepalive` idle connections are kept, 0 means one per request."""

    def __init__(self, config: ProviderConfig, *, keepalive: int) -> None:
        trust_env = not config.loopback
        secure = config.url.scheme == "https"
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=trust_env) if secure else None,
            proxy=_proxy(config) if trust_env else None,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=keepalive,
            keepalive_expiry=KEEPALIVE_EXPIRY_S,
            network_backend=BoundedBackend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer's head and an open body. Raises httpx.TransportError."""
        wire = httpcore.Request(
            method=request.method,
            url=_core_url(request.url),
            headers=request.headers.raw,
            content=cast("httpx.SyncByteStream", request.stream),
            extensions=request.extensions,
        )
        with _httpx_errors():
            answer = self._pool.handle_request(wire)
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(cast("Any", answer.stream)),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """An answer's body; its errors are httpx's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _httpx_errors():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """httpcore names its errors as httpx does; an unknown one stays what it is."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise _renamed(error) from error
    except (httpcore.ProxyError, httpcore.UnsupportedProtocol) as error:
        raise _renamed(error) from error


def _renamed(error: Exception) -> httpx.TransportError:
    name = type(error).__name__
    return cast("httpx.TransportError", getattr(httpx, name)(name))


def _core_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _proxy(config: ProviderConfig) -> httpcore.Proxy | None:
    """The environment's proxy for this server, or None. Raises ConfigurationError for kinds we cannot speak."""
    host = config.url.host
    found = urllib.request.getproxies()
    address = found.get(config.url.scheme) or found.get("all")
    if not address or urllib.request.proxy_bypass(host):
        return None
    try:
        proxy = httpx.Proxy(address)
    except (httpx.InvalidURL, ValueError):
        proxy = None
    if proxy is None or proxy.url.scheme not in ("http", "https"):
        raise ConfigurationError(
            "the proxy named by the environment is neither http nor https",
            hint="correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or name the provider in NO_PROXY",
        )
    return httpcore.Proxy(_core_url(proxy.url), auth=proxy.raw_auth, headers=proxy.headers.raw)
