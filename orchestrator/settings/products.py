"""Product files: `content/products/<slug>.toml`, each one publication's policy (`core.policy`).

Rules: a file is named after its slug; every mistake in every file is told at once, with file, key and what was
meant; nothing is opened but the files themselves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

from orchestrator.core.policy import ProductPolicy, read_policy
from orchestrator.errors import ConfigurationError, NotFound

CORRECT_IT = "Correct the file; nothing was changed."


def load_products(folder: Path) -> Mapping[str, ProductPolicy]:
    """Every product of the workspace by its slug, in the order of their priority.

    Errors: `ConfigurationError`, one line per mistake; also when the folder is missing or holds no product.
    """
    products: list[ProductPolicy] = []
    mistakes: list[str] = []
    for file in _files(folder):
        try:
            products.append(_read(file))
        except ConfigurationError as error:
            mistakes.append(str(error))
    if mistakes:
        raise ConfigurationError("\n".join(mistakes), hint=CORRECT_IT)
    return MappingProxyType({p.slug: p for p in sorted(products, key=lambda p: (p.priority, p.slug))})


def find_product(products: Mapping[str, ProductPolicy], slug: str) -> ProductPolicy:
    """The product called `slug`; NotFound names the known ones, and the one that was probably meant."""
    if slug in products:
        return products[slug]
    close = get_close_matches(slug, sorted(products), n=1)
    meant = f'; did you mean "{close[0]}"?' if close else ""
    raise NotFound(f'no product is called "{slug}"{meant}', hint=f"known products: {', '.join(products) or 'none'}")


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise ConfigurationError(
            f"{_shown(folder)} is no folder of product files",
            hint="Name it in [content] products, or make a workspace with `dateline init DIR`.",
        )
    files = sorted(file for file in folder.glob("*.toml") if not file.name.startswith("."))
    if not files:
        raise ConfigurationError(
            f"{_shown(folder)} holds no product", hint="Write one as <slug>.toml; `dateline init DIR` makes two."
        )
    return files


def _read(file: Path) -> ProductPolicy:
    place = _shown(file)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{place}: {error}", hint=CORRECT_IT) from error
    slug = data.setdefault("slug", file.stem)
    if slug != file.stem:
        raise ConfigurationError(f'{place}: slug: "{slug}" is not how the file is called', hint=CORRECT_IT)
    return read_policy(data, place=place)


def _shown(path: Path) -> str:
    """As a person in the current folder would name it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
