"""Web addresses: when two are the same page, and which may be cited at all.

Comparison is conservative (completed tables §7): lower-case scheme and host, IDNA, default port dropped,
fragment dropped, the provider's own `utm_source` value dropped, recorded redirects applied. Nothing else is
equated: not a trailing slash, not the order of parameters, not http with https.

`refusal` answers why an address may not be cited, as a detail class, or None. Host rules follow what
browsers do, not what the string looks like: `http://0x7f.1/` is loopback.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import SplitResult, urlsplit

import idna

MAX_LENGTH = 2_000
MAX_HOST = 253  # RFC 1035

_PORTS = {"http": "80", "https": "443"}
_PROVIDER_UTM = frozenset({"utm_source=openai", "utm_source=chatgpt.com"})
_NO_REDIRECTS: Mapping[str, str] = MappingProxyType({})
_MAX_HOPS = 5

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\\<>\"`{}|^]")
_PRIVATE_SUFFIXES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "onion")
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\Z")
_NUMERIC_LABEL = re.compile(r"(?:\d+|0[xX][0-9a-fA-F]*)\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FRONT_PAGES = _words(
    "index.html index.htm index.php default.aspx home inicio portada en es en-us en-gb es-es es-mx"
)
_LISTINGS = _words(
    "tag tags category categories categoria categorias etiqueta etiquetas author authors autor autores search "
    "buscar page archive archives archivo"
)
_SECTIONS = _words(
    "news noticias world mundo international internacional politics politica business economy economia section "
    "sections seccion secciones topic topics tema temas sports deportes opinion blog latest ultimas"
)
_DATED = re.compile(r"\d{4,}")
_LATIN_LOOKALIKES = frozenset("аеорсухіјѕԁԛԝһӏвнкмтαονρτυικ")


def comparison_key(url: str, redirects: Mapping[str, str] = _NO_REDIRECTS) -> str | None:
    """The form under which two addresses are the same page; None when it is no address at all.

    `redirects` maps keys to the keys they were seen to lead to.
    """
    key = _key(url)
    for _ in range(_MAX_HOPS):
        if key is None or key not in redirects:
            break
        key = redirects[key]
    return key


@lru_cache(maxsize=4_096)
def _key(url: str) -> str | None:
    parts = _split(url)
    return None if parts is None else _rebuilt(parts)


def host_of(url: str) -> str:
    """The ASCII host, lower-case; "" when there is none."""
    parts = _split(url)
    return (_ascii_host(parts.hostname or "") or "") if parts is not None else ""


def in_domains(host: str, domains: tuple[str, ...]) -> bool:
    """Whether the host is one of the domains or below one; no domains means every host."""
    return not domains or any(host == d or host.endswith("." + d) for d in map(_domain, domains))


def refusal(url: str) -> str | None:
    """Why this address may not be cited (a detail class), or None when it may."""
    if len(url) > MAX_LENGTH:
        return "TOO_LONG"
    if _FORBIDDEN.search(url):
        return "FORBIDDEN_CHARACTER"
    parts = _split(url)
    if parts is None:
        return "UNREADABLE"
    if parts.scheme.lower() not in _PORTS:
        return "SCHEME"
    if "@" in parts.netloc:
        return "CREDENTIALS"
    return _host_refusal(parts.hostname or "") or _path_refusal(parts)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        return None
    return parts if parts.scheme and parts.netloc else None


def _rebuilt(parts: SplitResult) -> str | None:
    scheme = parts.scheme.lower()
    host = _ascii_host(parts.hostname or "")
    if not host:
        return None
    host = f"[{host}]" if ":" in host else host
    user, at, _ = parts.netloc.rpartition("@")
    port = "" if parts.port is None or str(parts.port) == _PORTS.get(scheme) else f":{parts.port}"
    query = "&".join(p for p in parts.query.split("&") if p not in _PROVIDER_UTM)
    return f"{scheme}://{user}{at}{host}{port}{parts.path}" + (f"?{query}" if query else "")


def _ascii_host(host: str) -> str | None:
    if len(host) > MAX_HOST:
        return None
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except UnicodeError:  # idna's own errors are children of it
        return None


def _domain(domain: str) -> str:
    return (_ascii_host(domain.strip().strip(".")) or "").lower()


def _host_refusal(raw: str) -> str | None:
    host = _ascii_host(raw.rstrip("."))
    if not host or (":" not in host and not _HOST.match(host)):
        return "HOST"
    if _is_address(host):
        return "HOST_IS_ADDRESS"
    if "." not in host or any(host == s or host.endswith("." + s) for s in _PRIVATE_SUFFIXES):
        return "PRIVATE_HOST"
    return "MIXED_SCRIPT_HOST" if _deceives(host) else None


def _is_address(host: str) -> bool:
    """An address in any of its spellings: no newspaper lives at a number, and loopback hides there."""
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return _NUMERIC_LABEL.match(host.rpartition(".")[2]) is not None
    return True


def _deceives(host: str) -> bool:
    try:
        labels = [idna.decode(label) if label.startswith("xn--") else label for label in host.split(".")]
    except UnicodeError:
        return True
    return any(_label_deceives(label) for label in labels)


def _label_deceives(label: str) -> bool:
    letters = [c for c in label if c.isalpha()]
    scripts = {unicodedata.name(c, "UNKNOWN").split()[0] for c in letters}
    # Japanese mixes three scripts by nature, and so does no forger of Latin names.
    mixed = "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}
    return bool(mixed) or (bool(letters) and all(c in _LATIN_LOOKALIKES for c in letters))


def _path_refusal(parts: SplitResult) -> str | None:
    if parts.path.count("(") != parts.path.count(")"):
        return "UNBALANCED"  # a Markdown link's closing bracket was copied along
    segments = [s for s in parts.path.lower().split("/") if s]
    while segments and segments[0] in _FRONT_PAGES:
        segments = segments[1:]
    if not segments:
        return None if _names_article(parts.query) else "HOMEPAGE"
    return "CATEGORY_PAGE" if _is_listing(segments) else None


def _names_article(query: str) -> bool:
    """`/?p=123`: some sites address articles by a number in the query."""
    return any(value.isdigit() for name, _, value in (p.partition("=") for p in query.split("&")) if name)


def _is_listing(segments: list[str]) -> bool:
    first, last = segments[0], segments[-1]
    if len(segments) == 1:
        return first in _LISTINGS or first in _SECTIONS
    if first in _LISTINGS:
        return len(segments) == 2 or not _reads_like_article(last)
    return first in _SECTIONS and len(segments) == 2 and not _reads_like_article(last) and "-" not in last


def _reads_like_article(segment: str) -> bool:
    return _DATED.search(segment) is not None or segment.count("-") >= 2 or "." in segment
