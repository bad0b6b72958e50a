"""The legitimate copy of the synthetic newsroom passes, day after day, and its supplements close what is open."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from orchestrator.contracts.task import PublishedStory, supplement_task, task_bytes
from orchestrator.core.records import JobStage
from orchestrator.emulator.newsroom import SyntheticNewsroom, load_newsroom
from orchestrator.evidence.candidate import accepted_record, all_patched
from orchestrator.evidence.deficits import deficits
from orchestrator.evidence.identity import published_stories
from orchestrator.evidence.package import freeze_package, package_bytes, package_digest
from tests.orchestrator.evidence.newsroom_desk import PRODUCTS, ROOT, Answer, Desk, product

FIRST = date(2026, 11, 28)


@pytest.fixture(scope="module")
def newsroom() -> SyntheticNewsroom:
    return load_newsroom(ROOT / "fixtures" / "newsroom")


@pytest.mark.parametrize("slug", PRODUCTS)
def test_every_edition_of_a_week_is_researched_and_composed_without_a_failure(
    newsroom: SyntheticNewsroom, slug: str
) -> None:
    policy = product(slug)
    published: tuple[PublishedStory, ...] = ()
    for offset in range(7):
        desk = Desk(newsroom, policy, (FIRST + timedelta(days=offset)).isoformat())
        research = desk.research(published)
        assert (research.code, research.report.failures) == ("VALID", ())
        assert deficits(research.candidates, policy, target_date=desk.day) == ()
        package = freeze_package(research.candidates, policy, target_date=desk.day)
        assert len(package.events) == policy.composition.events_max
        composition = desk.run(JobStage.COMPOSITION, package_bytes(package), package=package)
        assert (composition.code, composition.report.failures) == ("VALID", ())
        published = (*published, *published_stories(package))


def test_three_invented_addresses_cost_three_candidates_and_one_supplement(newsroom: SyntheticNewsroom) -> None:
    policy = product("daily-brief")
    desk = Desk(newsroom, policy, FIRST.isoformat())

    def invent(answer: Answer) -> None:
        for number in (1, 6, 12):
            answer["candidates"][number]["sources"][0]["url"] += "-invented"

    first = desk.research(change=invent)
    assert (first.code, len(first.candidates)) == ("VALID", 11)
    before = [candidate.model_dump_json() for candidate in first.candidates]
    task = supplement_task(
        policy,
        desk.day,
        deficits=deficits(first.candidates, policy, target_date=desk.day, rejected=first.rejected),
        accepted=tuple(map(accepted_record, first.candidates)),
        rejected=first.rejected,
    )
    second = desk.run(JobStage.RESEARCH_SUPPLEMENTAL, task_bytes(task), known=first.candidates)
    assert second.code == "VALID"
    everyone = all_patched((*first.candidates, *second.candidates), second.patches)
    assert deficits(everyone, policy, target_date=desk.day, rejected=second.rejected) == ()
    assert [candidate.model_dump_json() for candidate in everyone[:11]] == before
    package = freeze_package(everyone, policy, target_date=desk.day)
    composition = desk.run(JobStage.COMPOSITION, package_bytes(package), package=package)
    assert composition.code == "VALID"
    assert package_digest(package).startswith("sha256:")
