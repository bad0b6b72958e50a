"""Where the folders that travel with the program are: in the wheel, or in the checkout it runs from."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The path of `site`, `fixtures`, `content/products` or `dateline.toml` as this program was installed."""
    carried = _PACKAGE / "_shipped" / name
    return carried if carried.exists() else _PACKAGE.parent / name
