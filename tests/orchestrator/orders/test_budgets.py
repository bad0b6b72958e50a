"""Money and tokens: reserved before sending, settled from usage, and refused before anything is sent."""

from __future__ import annotations

from pathlib import Path

from orchestrator.authorisation import INPUT_TOO_LARGE
from orchestrator.core.records import JobStage
from orchestrator.core.states import JobState, Reason
from orchestrator.store import costs
from tests.orchestrator.orders.newsroom import PRODUCTS, Newsroom, newsroom

S = JobState
PRICES = '[provider.prices]\ninspected = "2026-11-30"\ninput = 1.0\noutput = 1.0\nsearch = 0.01\n'
PER_PROCESS = "cost_per_process = 3.00"


def totals(room: Newsroom) -> costs.Totals:
    with room.house.db.read() as conn:
        return costs.totals(conn, process_id=room.process().id)


def test_a_request_estimated_above_its_input_ceiling_is_never_sent_and_can_be_released(tmp_path: Path) -> None:
    with newsroom(tmp_path, change=("[budgets]", "[budgets]\ninput_tokens = 500")) as room:
        room.plan()
        job = room.until(S.QUARANTINED)
        assert (job.quarantine_reason, job.diagnostic) == (Reason.COST_CEILING, INPUT_TOO_LARGE)
        assert room.calls("POST") == 0
        assert totals(room) == costs.Totals(reserved_micro=0, spent_micro=0)
    with newsroom(tmp_path) as room:
        assert room.done("release", job.id).endswith("NO_JOB now")
        assert room.until(S.ACCEPTED).id == job.id


def test_without_room_for_the_reservation_nothing_is_bought_until_the_ceiling_is_raised(tmp_path: Path) -> None:
    with newsroom(tmp_path, provider=PRICES, change=(PER_PROCESS, "cost_per_process = 0.10")) as room:
        room.plan()
        job = room.until(S.QUARANTINED)
        assert (job.quarantine_reason, job.resume_state) == (Reason.COST_CEILING, S.NO_JOB)
        assert room.calls("POST") == 0
    with newsroom(tmp_path, provider=PRICES) as room:
        room.done("release", job.id)
        room.until(S.ACCEPTED)
        reserved = totals(room)
        assert (reserved.reserved_micro, reserved.spent_micro) == (484_000, 0)
        room.forward(60_000)
        room.sweep()
        with room.house.db.read() as conn:
            settled = costs.totals(conn, job_id=job.id)
        assert settled.reserved_micro == 0
        assert 0 < settled.spent_micro < 484_000


def test_a_further_round_that_nobody_can_pay_for_is_not_opened(tmp_path: Path) -> None:
    """What was accepted waits for its owner instead of a job that would be refused."""
    demanding = ("corroboration = 2", "corroboration = 40")
    with newsroom(tmp_path, provider=PRICES, change=demanding) as room:
        room.plan()
        room.until(S.ACCEPTED)
        policy = tmp_path / "products" / "daily-brief.toml"
        policy.write_text(policy.read_text().replace(PER_PROCESS, "cost_per_process = 0.50"))
    tight = policy.read_text()
    with newsroom(tmp_path, provider=PRICES, change=(_shipped(), tight)) as room:
        job = room.until(S.QUARANTINED)
        assert job.quarantine_reason is Reason.CONFIGURATION_DRIFT  # the ceiling is part of what was bought
        room.done("release", job.id, under_recorded_contract=True)
        room.sweep()
        assert {job.stage for job in room.jobs()} == {JobStage.RESEARCH_PRIMARY}
        assert room.process().reason == "EVIDENCE_DEFICIT"


def test_where_a_product_asks_for_it_the_provider_counts_the_input_before_each_create(tmp_path: Path) -> None:
    with newsroom(tmp_path, change=("[budgets]", "[budgets]\ncount_input = true")) as room:
        room.plan()
        room.until(S.ACCEPTED)
        assert room.house.emulator is not None
        posts = [str(e["path"]) for e in room.house.emulator.log if e["method"] == "POST"]
        assert posts == ["/v1/responses/input_tokens", "/v1/responses"]


def _shipped() -> str:
    return (PRODUCTS / "daily-brief.toml").read_text()
