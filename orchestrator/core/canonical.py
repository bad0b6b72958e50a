"""The one canonical form of a value, and the digests taken from it.

Rules:
* text is NFC with LF line endings, keys too; two keys that become one are refused;
* arrays keep their order, except those marked as sets (`frozenset`, `set` or `SetLike`), which are sorted
  by the canonical bytes of their elements and hold each element once;
* then RFC 8785 (JSON canonicalization), by the `rfc8785` package; integers beyond ±(2^53 - 1), NaN and
  infinities have no canonical form and are refused;
* a digest is written `sha256:<hex>`; a fingerprint is bare hex with a domain of its own.

Source: completed tables §2 (fingerprint inputs and canonical form).
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping

import rfc8785

FINGERPRINT_DOMAIN = b"dateline-response-v1"

Plain = bool | int | float | str | None | list["Plain"] | dict[str, "Plain"]
"""What JSON can say."""


class SetLike(tuple[object, ...]):
    """An array whose order and repetitions mean nothing; for elements that cannot be hashed."""

    __slots__ = ()


def canonical_bytes(value: object) -> bytes:
    """The canonical JSON of a value made of mappings, arrays, sets, text, numbers, booleans and None.

    Errors: TypeError for anything else; ValueError for a number without canonical form, a lone surrogate, or
    keys that are equal after normalisation.
    """
    return rfc8785.dumps(_plain(value))


def digest_bytes(data: bytes) -> str:
    """`sha256:<hex>` of exactly these bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest(value: object) -> str:
    """`sha256:<hex>` of the canonical form."""
    return digest_bytes(canonical_bytes(value))


def fingerprint(contract: Mapping[str, object]) -> str:
    """SHA-256 over the domain and the canonical contract, 64 hexadecimal characters."""
    return hashlib.sha256(FINGERPRINT_DOMAIN + canonical_bytes(contract)).hexdigest()


def _plain(value: object) -> Plain:
    match value:
        case None | bool():
            return value
        case str():
            return _text(value)
        case int():
            return int(value)
        case float():
            return float(value)
        case Mapping():
            return _object(value)
        case SetLike() | frozenset() | set():
            return _sorted_once(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical form")


def _text(value: str) -> str:
    return unicodedata.normalize("NFC", value.replace("\r\n", "\n").replace("\r", "\n"))


def _object(value: Mapping[object, object]) -> dict[str, Plain]:
    plain: dict[str, Plain] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{type(key).__name__} cannot be a key")
        name = _text(key)
        if name in plain:
            raise ValueError(f"two keys are {name!r} after normalisation")
        plain[name] = _plain(item)
    return plain


def _sorted_once(items: Iterable[object]) -> list[Plain]:
    by_form = {rfc8785.dumps(plain): plain for plain in map(_plain, items)}
    return [by_form[form] for form in sorted(by_form)]
