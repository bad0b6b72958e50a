"""The whole site and the change of a site: what the pages branch holds for a content tree.

Rules: a site is a function of the content snapshot, the profile and the renderer (templates, assets, code
and the libraries that write its bytes); the digests of the last two name them. For any sequence of changes
the files of `change`, laid over the earlier ones, are the files of `whole`. Templates and assets are read
once, here, from the folders that are given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from jinja2 import DictLoader, Environment, StrictUndefined

from publisher.archive import Archive, Memory
from publisher.content import Content, EditionKey
from publisher.errors import PathCollision, PublisherError
from publisher.pages import Pages
from publisher.plan import Part, affected, everything
from publisher.profile import Profile
from publisher.renderer import Renderer

_MODULES = (
    "addresses",
    "archive",
    "body",
    "citations",
    "content",
    "edition",
    "feeds",
    "front_matter",
    "markdown",
    "notice",
    "pages",
    "phrases",
    "plan",
    "profile",
    "prose",
    "renderer",
    "site",
    "sitemap",
    "words",
)
_LIBRARIES = ("babel", "feedgen", "jinja2", "lxml", "markdown-it-py", "pydantic", "PyYAML")


@dataclass(frozen=True)
class Templates:
    """Template sources by name, as read from one folder."""

    sources: dict[str, str]

    @classmethod
    def load(cls, folder: Path) -> Templates:
        """Every `*.j2` of a folder. PublisherError when there is none."""
        sources = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.j2"))}
        if not sources:
            raise PublisherError(f"no templates in {folder}", hint="point at the folder site/templates")
        return cls(sources)

    def environment(self) -> Environment:
        """Autoescape is on by name: what jinja2 selects by extension is off for `.html.j2`."""
        return Environment(
            loader=DictLoader(self.sources),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )


@dataclass(frozen=True)
class Assets:
    """The style sheet and the icon, under names that carry their digest, so that caches may keep them."""

    style: str
    icon: str
    by_path: dict[str, bytes]

    @classmethod
    def load(cls, folder: Path) -> Assets:
        """`style.css` and `icon.svg` of a folder."""
        named = {name: _named(folder / name) for name in ("style.css", "icon.svg")}
        return cls(named["style.css"][0], named["icon.svg"][0], dict(named.values()))


def _named(file: Path) -> tuple[str, bytes]:
    body = file.read_bytes()
    return f"assets/{file.stem}.{hashlib.sha256(body).hexdigest()[:8]}{file.suffix}", body


class Site:
    """One site. Not for use by two threads at once."""

    def __init__(self, profile: Profile, templates: Path, assets: Path) -> None:
        """PathCollision when the profile's products cannot stand beside the site's own pages."""
        profile.refuse_collisions()
        sources, shipped = Templates.load(templates), Assets.load(assets)
        pages = Pages(sources.environment(), profile, style=shipped.style, icon=shipped.icon)
        self.profile = profile
        self.profile_digest = profile.digest
        self.renderer_digest = _renderer_digest(sources, shipped)
        self._renderer = Renderer(pages, profile, shipped.by_path)
        self._memory = Memory()

    def whole(self, content: Content, *, share: int = 0, shares: int = 1) -> Iterator[tuple[str, bytes]]:
        """Every file of the site, path by path; with `shares` one of that many disjoint shares of it.

        PathCollision when two parts claim one path, BadEdition when a file of the tree cannot be read.
        """
        archive = Archive(content, self._memory)
        parts = everything(archive, self.profile, share=share, shares=shares)
        for path, body in self._files(parts, archive):
            if body is not None:
                yield path, body

    def change(self, content: Content, keys: Collection[EditionKey]) -> dict[str, bytes | None]:
        """The files that a change of `keys` can alter, `content` being the tree after it; None deletes."""
        archive = Archive(content, self._memory)
        return dict(self._files(affected(archive, self.profile, keys), archive))

    def _files(
        self, parts: Collection[Part] | Iterator[Part], archive: Archive
    ) -> Iterator[tuple[str, bytes | None]]:
        claimed: set[str] = set()
        for part in parts:
            for path, body in self._renderer.render(part, archive):
                if path in claimed:
                    raise PathCollision(f"two pages claim {path}")
                claimed.add(path)
                yield path, body


def _renderer_digest(templates: Templates, assets: Assets) -> str:
    known = hashlib.sha256()
    for name, source in sorted(templates.sources.items()):
        known.update(f"{name}\0{source}\0".encode())
    for path in sorted(assets.by_path):
        known.update(f"{path}\0".encode())
    package = files("publisher")
    for module in _MODULES:
        known.update(package.joinpath(f"{module}.py").read_bytes())
    for library in _LIBRARIES:
        known.update(f"{library} {version(library)}\0".encode())
    return f"sha256:{known.hexdigest()}"
