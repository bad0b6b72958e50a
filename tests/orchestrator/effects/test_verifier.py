"""The verifier looks as long as there is time, whatever the readers' place does."""

from __future__ import annotations

from orchestrator.effects.verifier import LATER, LOOKS_S, Verifier
from outbox.database import Database
from outbox.message import Effect, EffectStatus, Intent, Mode
from outbox.outcome import Retryable
from publisher.profile import Profile

PROFILE = Profile(
    titles={"en": "Dateline"},
    base_url="https://news.example.org",
    authority="example.org",
    authority_since="2026",
    languages=("en",),
    products=(),
)


def verification(number: int) -> Effect:
    entity = f"daily-brief/2026-11-{number:02}/en"
    return Effect(
        id=number,
        event_key=f"{entity}@1:published",
        entity=entity,
        revision=1,
        intent=Intent.VERIFY,
        mode=Mode.LIVE,
        status=EffectStatus.IN_FLIGHT,
        version=1,
        batch_key=entity,
        idempotency_key=f"{entity}@1:verify:live",
    )


def test_a_slow_place_does_not_hold_a_lease_past_its_end_and_the_rest_comes_again_uncounted(
    sqlite: Database,
) -> None:
    passed_s = 0.0

    def slow(_address: str) -> bytes | None:
        nonlocal passed_s
        passed_s += LOOKS_S / 3
        return None

    verifier = Verifier(sqlite, PROFILE, url="", branch=slow, monotonic_s=lambda: passed_s)
    outcomes = verifier([verification(number) for number in range(1, 6)])
    verifier.close()
    assert [type(outcomes[number]) for number in (1, 2)] == [Retryable, Retryable]
    assert [outcomes[number] for number in (3, 4, 5)] == [LATER] * 3
