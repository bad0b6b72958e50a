"""Time: hosts that disagree, a clock that is stepped, daylight saving, three days asleep, deadlines in a storm.

The database is the clock. A host's own clock is moved here inside a child process; SQLite's, whose now is the
host's, by the stored offset that every process shares.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from orchestrator.daemon import Loop
from orchestrator.settings.workspace import load_workspace
from tests.faults.boundaries import Moment
from tests.faults.conftest import Stage
from tests.faults.invariants import assert_whole, broken
from tests.faults.scene import DAY, Scene
from tests.faults.test_meetings import await_state, continued, everything

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_two_hosts_two_hours_apart_behave_as_one(stage: Stage, engine: str) -> None:
    scene = stage(engine)
    for _ in range(12):
        together = [scene.start(mode="sweep", host_clock_s=ahead_s) for ahead_s in (3600, -3600)]
        assert [running.ended() for running in together] == [0, 0]
        with scene.house() as house:
            standing = Loop(house).standing()
        if standing.next_due_ms is None:
            break
        assert standing.next_due_ms - standing.now_ms <= 61_000, "a lease or a poll of the wrong clock"
        scene.move(max(1, standing.next_due_ms - standing.now_ms))
    assert_whole(scene)
    assert {attempt for (attempt,) in scene.rows("SELECT attempt FROM create_attempt")} == {1}
    assert len(scene.creates()) == 2


@pytest.mark.parametrize("step_ms", [-HOUR_MS, HOUR_MS], ids=["back", "forward"])
def test_a_clock_that_is_stepped_under_a_lease_strands_and_doubles_nothing(scene: Scene, step_ms: int) -> None:
    scene.shift(until=lambda: scene.rows("SELECT state FROM job") == [("ACCEPTED",)])
    scene.move(61_000)
    sleeper = scene.start(moment=Moment(name="look answered", how="freeze"), mode="sweep")
    await_state(sleeper.pid, "T")
    scene.move(step_ms)
    moved_ms = scene.shift(operator=False)
    assert moved_ms < 2 * HOUR_MS, "nothing waits for the clock to come round again"
    assert_whole(scene)
    before = continued(scene, sleeper)
    assert everything(scene) == before
    assert len(scene.creates()) == 2


def test_a_clock_stepped_back_between_ticks_plans_nothing_twice(scene: Scene) -> None:
    scene.shift()
    for step_ms in (-HOUR_MS, 2 * HOUR_MS, -3 * HOUR_MS, 2 * HOUR_MS):
        scene.move(step_ms)
        scene.shift()
    assert_whole(scene)
    assert scene.one("SELECT count(*) FROM process") == 1


# --- the calendar


def rescheduled(scene: Scene, *lines: str) -> None:
    """Change lines `key = value` of the product's schedule."""
    file = scene.root / "content" / "products" / "daily-brief.toml"
    text = file.read_text()
    for line in lines:
        key = line.split(" = ")[0]
        old = next(each for each in text.splitlines() if each.startswith(f"{key} = "))
        text = text.replace(old, line)
    file.write_text(text)
    scene.workspace = load_workspace(scene.file)


def set_clock(scene: Scene, moment: datetime) -> None:
    """The store's time becomes this instant."""
    scene.move(int(moment.timestamp() * 1000) - scene.now_ms())


def ticked(scene: Scene) -> list[tuple[object, ...]]:
    """The real ticker, once; what stands in the store then."""
    with scene.house() as house:
        house.ticker.tick()
    return scene.rows(
        "SELECT target_date, overlay, reason, backfill, scheduled_ms FROM process ORDER BY target_date"
    )


GAP, OVERLAP = date(2027, 3, 28), date(2026, 10, 25)  # Europe/Madrid


@pytest.mark.parametrize(
    ("day", "due"),
    [(GAP, datetime(2027, 3, 28, 1, 0, tzinfo=UTC)), (OVERLAP, datetime(2026, 10, 25, 0, 30, tzinfo=UTC))],
    ids=["the hour that does not exist", "the hour that comes twice"],
)
def test_daylight_saving_runs_a_local_time_once(scene: Scene, day: date, due: datetime) -> None:
    rescheduled(scene, 'at = "02:30"')
    set_clock(scene, datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=6))
    ticked(scene)  # the day before is due by then
    planned: list[tuple[object, ...]] = []
    for minutes in range(-30, 120, 15):  # through the hour, its end, and its repetition
        set_clock(scene, due + timedelta(minutes=minutes))
        planned = [row for row in ticked(scene) if row[0] == day.isoformat()]
        assert len(planned) == (0 if minutes < 0 else 1)
    assert planned[0][1:4] == ("NONE", "ON_TIME", 0)
    assert planned[0][4] == int(due.timestamp() * 1000)


def test_after_three_days_asleep_one_catch_up_a_product_and_the_rest_is_recorded_as_missed(stage: Stage) -> None:
    scene = stage(products=("daily-brief", "revolution-watch"))
    for slug in ("daily-brief", "revolution-watch"):
        file = scene.root / "content" / "products" / f"{slug}.toml"
        file.write_text(file.read_text().replace('catch_up = "3d"', 'catch_up = "1d"'))
    scene.workspace = load_workspace(scene.file)
    scene.move(12 * HOUR_MS)  # the evening of the first day: both were due
    scene.shift()
    bought = len(scene.creates(stage="research_primary"))
    scene.move(4 * DAY_MS)
    scene.shift()
    rows = scene.rows("SELECT product, target_date, overlay, reason FROM process ORDER BY product, target_date")
    for slug in ("daily-brief", "revolution-watch"):
        told = [row[1:] for row in rows if row[0] == slug]
        assert [day for day, *_ in told] == [(DAY + timedelta(days=n)).isoformat() for n in range(5)]
        assert [row[1:] for row in told[1:4]] == [("MISSED", "OLDER_THAN_CATCH_UP")] * 3
        assert told[4][1] != "MISSED"
    assert len(scene.creates(stage="research_primary")) == bought + 2, "one paid catch-up a product"
    assert broken(scene) == {}


def test_today_goes_before_what_is_made_good(scene: Scene) -> None:
    scene.shift()
    scene.move(3 * DAY_MS)
    scene.shift()
    dispatched = scene.rows(
        "SELECT process.target_date FROM event JOIN process ON process.id = event.process_id"
        " WHERE event_type = 'DISPATCHED' AND event.stage_code = 'research_primary' ORDER BY event.id"
    )
    days = [(DAY + timedelta(days=n)).isoformat() for n in range(4)]
    assert [day for (day,) in dispatched][:2] == [days[0], days[3]]
    assert sorted(day for (day,) in dispatched) == days
    assert broken(scene) == {}
    assert scene.one("SELECT count(*) FROM edition WHERE status = 'PUBLISHED'") == 8


def test_in_a_storm_of_429_the_nearest_deadline_goes_first(stage: Stage) -> None:
    refusal = {"result": "http", "status": 429, "code": "rate_limit_exceeded", "headers": {"retry-after": "5"}}
    storm = {
        "match": {"stage": "research_primary"},
        "shared": True,
        "create": [{**refusal, "times": 8}, {"result": "ok"}],
    }
    scene = stage(rules=[storm])
    days = [DAY + timedelta(days=n) for n in range(6)]
    for day in reversed(days):
        scene.plan(day=day)
    scene.shift()
    accepted = [e["metadata"]["date"] for e in scene.creates(stage="research_primary") if e["accepted"]]
    assert accepted == [day.isoformat() for day in days]
    assert_whole(scene, editions=12)
    assert {n for (n,) in scene.rows("SELECT generation_attempts FROM job")} == {1}
