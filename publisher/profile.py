"""The site's profile: what `dateline.toml` and the product files say to readers.

Rules: pages are a function of the content tree, this profile and the renderer, and of nothing else; so every
setting that a page, feed or sitemap shows stands here, and `digest` names it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from publisher.edition import Lang, Model, Slug
from publisher.errors import PathCollision
from publisher.prose import safe_url

_RESERVED = frozenset({"about"})  # `/<lang>/about/` is a page of the site

Authority = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.@_-]+$")]
Since = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]


class ProductProfile(Model):
    """One publication. `feed_length` is how many editions its feeds hold, per language."""

    slug: Slug
    titles: dict[str, str]
    languages: tuple[Lang, ...]
    feed_length: int = Field(default=14, ge=1)


class Profile(Model):
    """The whole site. `authority` and `authority_since` make feed ids and are frozen at the first publication.

    `identity` is the publisher's name in feeds; `synthetic` puts the banner on every page, also on those that
    show no edition.
    """

    titles: dict[str, str]
    base_url: str
    authority: Authority
    authority_since: Since
    languages: tuple[Lang, ...] = Field(min_length=1)
    products: tuple[ProductProfile, ...]
    identity: str = "Dateline"
    synthetic: bool = False

    @model_validator(mode="after")
    def _possible(self) -> Profile:
        if safe_url(self.base_url) is None or urlsplit(self.base_url).query:
            raise ValueError("base_url must be an absolute http or https address without a query")
        slugs = [product.slug for product in self.products]
        if len(set(slugs)) < len(slugs) or len(set(self.languages)) < len(self.languages):
            raise ValueError("a product or language stands twice")
        if foreign := {lang for product in self.products for lang in product.languages} - set(self.languages):
            raise ValueError(f"a product has languages that the site lacks: {', '.join(sorted(foreign))}")
        return self

    @property
    def digest(self) -> str:
        """`sha256:…` over the canonical JSON; the trailer `Profile-Digest`."""
        fields = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
        return f"sha256:{hashlib.sha256(fields.encode()).hexdigest()}"

    @property
    def base_path(self) -> str:
        """The path of base_url without its last slash: `""`, or `/repository` on a project site."""
        return urlsplit(self.base_url).path.rstrip("/")

    @property
    def origin(self) -> str:
        """Scheme and host of base_url."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    def title(self, lang: str) -> str:
        """The site's title in a language, else in the first that has one."""
        return _title(self.titles, lang)

    def product(self, slug: str) -> ProductProfile | None:
        """The publication with that slug, None when the profile does not know it."""
        return next((product for product in self.products if product.slug == slug), None)

    def product_title(self, slug: str, lang: str) -> str:
        """The publication's title in a language."""
        product = self.product(slug)
        return _title(product.titles, lang) if product else slug

    def products_in(self, lang: str) -> list[ProductProfile]:
        """Publications that appear in a language, in the profile's order."""
        return [product for product in self.products if lang in product.languages]

    def refuse_collisions(self) -> None:
        """PathCollision when a product's pages would stand where the site's own do."""
        for product in self.products:
            if product.slug in _RESERVED:
                raise PathCollision(
                    f"product {product.slug!r} collides with the page of that name", hint="choose another slug"
                )


def _title(titles: dict[str, str], lang: str) -> str:
    return titles.get(lang) or next(iter(titles.values()), "Dateline")
