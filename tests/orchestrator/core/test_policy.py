"""Product files: what they may say, and what is answered to one that is wrong."""

from __future__ import annotations

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.limits import OnUnknown
from orchestrator.core.policy import Approval, Phase, ProductPolicy, parse_duration_ms, read_policy
from orchestrator.errors import ConfigurationError
from tests.orchestrator.core.products import policy, product

PLACE = "content/products/daily-brief.toml"


def finding(data: dict[str, object]) -> str:
    with pytest.raises(ConfigurationError) as refused:
        read_policy(data, place=PLACE)
    return str(refused.value)


def test_a_product_file_is_read_with_units_and_defaults() -> None:
    read = policy()
    assert (read.schedule.at, read.schedule.deadline_ms, read.schedule.catch_up_ms) == (
        time(5, 30),
        3_600_000,
        86_400_000,
    )
    assert (read.budgets.age_ms, read.budgets.cost_per_process_micro) == (5_400_000, 1_250_000)
    assert (read.budgets.cost_per_day_micro, read.budgets.supplemental_rounds) == (None, 2)
    assert (read.scout.candidates, read.scout.corroboration) == (14, 2)


def test_the_machine_is_given_the_budgets_of_the_product_and_the_spacing_of_the_provider() -> None:
    machine = policy(budgets={"polls": 5}).machine_policy(poll_ms=(1_000, 3_000), on_unknown=OnUnknown.REPLACE)
    assert (machine.polls, machine.age_ms) == (5, 5_400_000)
    assert (machine.poll_min_ms, machine.poll_max_ms) == (1_000, 3_000)
    assert machine.on_unknown is OnUnknown.REPLACE
    held = policy(budgets={"on_unknown": "hold"}).machine_policy(on_unknown=OnUnknown.REPLACE)
    assert held.on_unknown is OnUnknown.HOLD


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            product(schedule={"timezone": "America/Chigaco"}),
            'schedule.timezone: "America/Chigaco" is not an IANA zone; did you mean "America/Chicago"?',
        ),
        (product(schedule={"at": "5:30"}), 'schedule.at: "5:30" is not a time of day; write it like "05:30"'),
        (product(schedule={"days": ["mon", "lun"]}), 'schedule.days.1: "lun" is not a day'),
        (product(schedule={"days": ["mon", "mon"]}), "schedule.days: mon is named more than once"),
        (product(schedule={"deadline": 45}), 'schedule.deadline: 45 is not a duration; write it like "45m"'),
        (product(schedule={"catchup": "1d"}), 'schedule.catchup: unknown key; did you mean "catch_up"?'),
        (
            product(schedule={"warn_before": "2h"}),
            "schedule: warn_before must be shorter than deadline",
        ),
        (product(owners={"recovery": "  "}), "owners.recovery: "),
        (product(composition={"tools": ["web_search"]}), "composition.tools: unknown key"),
        (product(composition={"events_min": 12}), "composition: events_min is greater than events_max"),
        (product(scout={"required_regions": ["europa"]}), 'did you mean "europe"?'),
        (product(scout={"allowed_domains": ["https://news.example/"]}), "scout.allowed_domains.0: "),
        (product(scout={"candidates": 5}), "composition.events_max is greater than scout.candidates"),
        (product(budgets={"cost_per_day": "3"}), 'budgets.cost_per_day: "3" is not an amount of money'),
        (product(budgets={"cost_per_day": True}), "budgets.cost_per_day: True is not an amount of money"),
        (product(budgets={"polls": 0}), "budgets.polls: "),
        (product(budgets={"output_tokens": 30_000}), "output_tokens is greater than output_ceiling_tokens"),
        (product(titles={"fr": "Bulletin"}), "titles: one is needed for each of en, es, and no other"),
        (product(slug="Daily Brief"), "slug: "),
        (product(approval="perhaps"), "approval: "),
        (product(colour="red"), "colour: unknown key"),
    ],
)
def test_a_wrong_product_file_is_answered_with_place_key_and_reason(data: dict[str, object], expected: str) -> None:
    said = finding(data)
    assert said.startswith(f"{PLACE}: ")
    assert expected in said


def test_missing_owners_are_named_one_by_one() -> None:
    data = product()
    data["owners"] = {"business": "editor"}
    assert finding(data).splitlines() == [
        f"{PLACE}: owners.technical: is required",
        f"{PLACE}: owners.recovery: is required",
    ]


def test_a_person_is_needed_when_the_product_or_its_phase_says_so() -> None:
    assert policy().approves_itself
    assert not policy(approval=Approval.PERSON).approves_itself
    assert not policy(phase=Phase.SUPERVISED).approves_itself


def test_fewer_events_are_allowed_only_on_request() -> None:
    assert policy().events_needed == 5
    assert policy(composition={"fewer_allowed": True}).events_needed == 1


def test_the_digest_follows_the_editorial_part_only() -> None:
    same = [
        policy(owners={"business": "somebody else"}),
        policy(schedule={"at": "06:00"}),
        policy(budgets={"polls": 9}),
        policy(approval="person"),
        policy(scout={"regions": ["europe", "americas", "africa"]}),
    ]
    other = [
        policy(composition={"style": "Dry."}),
        policy(scout={"freshness_days": 2}),
        policy(titles={"en": "The Brief"}),
    ]
    assert {p.policy_digest for p in same} == {policy().policy_digest}
    assert policy().policy_digest not in {p.policy_digest for p in other}


def test_a_policy_survives_its_own_snapshot() -> None:
    read = policy(schedule={"skip": [date(2026, 12, 25)]})
    assert read.schedule.skip == (date(2026, 12, 25),)
    assert ProductPolicy.model_validate(product()) == policy()


@pytest.mark.parametrize(
    ("text", "expected"), [("90s", 90_000), ("45m", 2_700_000), ("1h30m", 5_400_000), ("1d", 86_400_000)]
)
def test_a_duration_is_written_with_its_unit(text: str, expected: int) -> None:
    assert parse_duration_ms(text) == expected


@given(st.text(st.characters(exclude_characters="0123456789"), max_size=8) | st.integers() | st.none())
def test_anything_else_is_not_a_duration(text: object) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration_ms(text)
