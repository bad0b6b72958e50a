"""For any order of decisions the pages that grew are the pages that a rebuild makes, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.content import EditionKey
from publisher.profile import ProductProfile, Profile
from publisher.repository import Change, ContentRepository
from publisher.site import Site
from tests.publisher.changes import LANGUAGES, key, opened, published, sound, tree, withdrawn
from tests.publisher.samples import short_edition, site

SEQUENCES = 100
NEARBY = (0, 1, 2, 9, 10, 11, 12, 40, 41, 42, 43, 400)  # months, years and gaps meet here

PROFILE = Profile(
    titles={"en": "Dateline", "es": "Dateline"},
    base_url="https://news.example",
    authority="news.example",
    authority_since="2026",
    languages=LANGUAGES,
    products=(ProductProfile(slug="daily-brief", titles={"en": "Brief"}, languages=LANGUAGES, feed_length=2),),
)


def _steps(chance: random.Random) -> Iterator[list[Change]]:
    """Batches of days that were not there before, of one language or both; now and then a second revision."""
    standing: list[EditionKey] = []
    for day in chance.sample(NEARBY, chance.randint(2, 3)):
        keys = [key(day, lang) for lang in chance.choice([LANGUAGES, LANGUAGES, ("en",), ("es",)])]
        batch = [published(short_edition(each, chance)) for each in keys]
        if standing and chance.random() < 0.3:
            slot = standing.pop(chance.randrange(len(standing)))
            corrected = short_edition(slot, chance).model_copy(update={"revision": 2})
            batch.append(withdrawn(slot) if chance.random() < 0.5 else published(corrected, action="correct"))
        standing += keys
        yield batch


def _run(repository: ContentRepository, renderer: Site, seed: int) -> None:
    for batch in _steps(random.Random(seed)):
        repository.publish(batch, renderer)


@pytest.fixture(scope="module")
def renderer() -> Site:
    return site(PROFILE)


@pytest.mark.parametrize("block", range(10))
def test_pages_that_grew_are_the_pages_of_a_rebuild(tmp_path: Path, renderer: Site, block: int) -> None:
    path = tmp_path / "c.git"
    for seed in range(block, SEQUENCES, 10):
        branches = {"main": f"main-{seed}", "pages": f"grown-{seed}"}
        with opened(path, **branches) as repository:
            _run(repository, renderer, seed)
        with opened(path, main=branches["main"], pages=f"rebuilt-{seed}") as repository:
            repository.render(renderer)
        assert tree(path, f"grown-{seed}") == tree(path, f"rebuilt-{seed}"), f"seed {seed}"
    sound(path)
