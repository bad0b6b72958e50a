"""Product files: the two that ship are good, and every mistake is pointed at."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from orchestrator.errors import ConfigurationError, NotFound
from orchestrator.settings.products import find_product, load_products
from orchestrator.settings.workspace import PricesSection, ProviderSection, Workspace, load_workspace

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "content" / "products"


def test_two_products_ship_in_the_order_of_their_priority() -> None:
    products = load_products(SHIPPED)
    assert list(products) == ["daily-brief", "revolution-watch"]
    assert {(p.scout.candidates, p.scout.corroboration, p.languages) for p in products.values()} == {
        (14, 2, ("en", "es"))
    }
    assert all(p.approves_itself and p.owners.recovery for p in products.values())
    assert [p.composition.events_max for p in products.values()] == [8, 6]


@pytest.mark.parametrize("slug", ["daily-brief", "revolution-watch"])
def test_a_product_asks_for_what_the_synthetic_newsroom_covers(slug: str) -> None:
    newsroom = ROOT / "fixtures" / "newsroom"
    stories = tomllib.loads((newsroom / f"{slug}.toml").read_text())
    world = tomllib.loads((newsroom / "world.toml").read_text())
    policy = load_products(SHIPPED)[slug]
    assert set(policy.scout.topics) <= set(stories["topics"])
    assert set(policy.scout.regions) <= {area["code"] for area in world["areas"]}


def test_the_shipped_workspace_is_the_embedded_default() -> None:
    shipped = load_workspace(ROOT / "dateline.toml")
    free = ProviderSection(prices=PricesSection(inspected=shipped.provider.prices.inspected))
    assert shipped == Workspace(root=ROOT, provider=free)
    assert shipped.verify.url == ""


def test_every_mistake_in_every_file_is_told_with_its_key(tmp_path: Path) -> None:
    good = (SHIPPED / "daily-brief.toml").read_text()
    (tmp_path / "daily-brief.toml").write_text(good.replace("Europe/Madrid", "Europe/Madird"))
    (tmp_path / "other.toml").write_text(good.replace('recovery = "night desk"', ""))
    (tmp_path / "third.toml").write_text("slug = 3 = 4")
    (tmp_path / "fourth.toml").write_text(good.replace('slug = "daily-brief"', "").replace("at =", "att ="))
    with pytest.raises(ConfigurationError) as refused:
        load_products(tmp_path)
    told = str(refused.value)
    assert '"Europe/Madird" is not an IANA zone; did you mean "Europe/Madrid"?' in told
    assert 'other.toml: slug: "daily-brief" is not how the file is called' in told
    assert "third.toml: " in told
    assert 'fourth.toml: schedule.att: unknown key; did you mean "at"?' in told
    assert "nothing was changed" in refused.value.hint


def test_missing_owners_are_a_sentence(tmp_path: Path) -> None:
    text = (SHIPPED / "daily-brief.toml").read_text().replace('recovery = "night desk"', "")
    (tmp_path / "daily-brief.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=r"daily-brief\.toml: owners\.recovery: is required"):
        load_products(tmp_path)


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_products_says_where_to_put_them(tmp_path: Path, make: bool) -> None:
    folder = tmp_path / "products"
    if make:
        folder.mkdir()
    with pytest.raises(ConfigurationError) as refused:
        load_products(folder)
    assert "dateline init DIR" in refused.value.hint


def test_an_unknown_product_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound) as refused:
        find_product(load_products(SHIPPED), "daily-breif")
    assert str(refused.value) == 'no product is called "daily-breif"; did you mean "daily-brief"?'
    assert refused.value.hint == "known products: daily-brief, revolution-watch"
