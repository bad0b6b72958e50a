"""Text before it is written: one normal form, Markdown that shows it literally, addresses that may be links.

Rules: text is hostile until it passed `plain`. Normal text is NFC on one line, without characters that XML
1.0 does not allow, without control and bidirectional marks, without a byte order mark. Nothing in it acts:
not as Markdown, HTML, front matter, a shortcode, a template tag or an automatic link.
"""

from __future__ import annotations

import html
import re
import unicodedata
from html.entities import html5
from urllib.parse import urlsplit

_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029]")
# C0 and C1 controls, bidi marks, embeddings, overrides and isolates, lone surrogates, the BOM, non-characters.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# What acts in CommonMark, GFM, kramdown, a Hugo shortcode or Liquid. A backslash before it makes it literal
# in each of them; whatever else a text may hold is left readable.
_ACTS = re.compile(
    r"""[\\`*_{}\[\]<>\#|~^]                # wherever it stands
      | \$(?![0-9])                         # mathematics; it cannot end before a digit, so money is left alone
      | &(?=\#|[A-Za-z][A-Za-z0-9]*;)       # would be read as an entity
      | :(?=//|[a-z0-9_+-]+:)               # an address that links itself, an emoji code
      | (?<!:)/(?=/) | (?<=www)\. | @       # the same, without a scheme, for www. and mail
      | -(?=-) | (?<=-)-                    # typographic dashes, rules
      | ^[-+=:]                             # a list, the line under a heading, a definition
    """,
    re.VERBOSE,
)
_LIST_NUMBER = re.compile(r"^([0-9]+)([.)])")
_BAD_IN_ADDRESS = re.compile(
    '[\\s\\\\<>"`{}|^\x00-\x20\x7f-\x9f\ud800-\udfff\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd]'
)


def plain(text: str) -> str:
    """The normal form of any text; the normal form of normal text is itself."""
    one_line = _BREAKS.sub(" ", text)
    return unicodedata.normalize("NFC", _UNSAFE.sub("", one_line)).strip()


def scraped(text: str) -> str:
    """Like `plain`, for titles that come from pages and may carry entities: `AT&amp;T` is AT&T."""
    while (decoded := _ENTITY.sub(_decoded, text)) != text:
        text = decoded
    return plain(text)


def _decoded(found: re.Match[str]) -> str:
    name = found[1]
    return html.unescape(found[0]) if name.startswith("#") else html5.get(f"{name};", found[0])


def address(url: str) -> str:
    """The normal form of an address: itself, or with every character that no text may hold made visible.

    Taking such a character out would make a link to somewhere else.
    """
    return url if safe_url(url) else plain(_UNSAFE.sub("\ufffd", url))


def markdown_text(text: str) -> str:
    """`text` (normal) as Markdown that any forge shows letter by letter."""
    return _LIST_NUMBER.sub(r"\1\\\2", _ACTS.sub(r"\\\g<0>", text), count=1)


def safe_url(url: str) -> str | None:
    """`url` itself when a reader may be sent there: absolute http or https, no credentials; else None."""
    if _BAD_IN_ADDRESS.search(url):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc:
        return None
    return url
