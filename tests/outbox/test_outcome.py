"""How far an edition has come, by what is proven about it."""

from dataclasses import replace

import pytest

from outbox.message import Effect, EffectStatus, Evidence, Intent, Mode
from outbox.outcome import ENDS, RUNGS, Facts, Level, facts, ladder

SEEN = Facts(
    saved=True,
    committed=True,
    rendered=True,
    outward_settled=True,
    seen=Evidence.HTTP,
    every_language=True,
)


def row(intent, status=EffectStatus.CONFIRMED, **more):
    return Effect(
        id=1,
        event_key="k",
        entity="e",
        revision=1,
        intent=intent,
        mode=Mode.LIVE,
        status=status,
        version=1,
        batch_key="b",
        idempotency_key="i",
        **more,
    )


def test_every_rung_needs_its_own_fact_and_all_below():
    climbed = Facts()
    assert ladder(climbed).level is Level.WORK_ACCEPTED
    below = Level.WORK_ACCEPTED
    for rung, fact in RUNGS[:-1]:
        assert ladder(replace(SEEN, **{fact: False})).level is below
        climbed = replace(climbed, **{fact: True})
        assert ladder(climbed).level is rung
        below = rung


def test_seen_over_http_in_every_language_is_verified_complete():
    assert ladder(SEEN).level is Level.VERIFIED_COMPLETE
    assert ladder(SEEN).verified


def test_the_branch_alone_never_reaches_reconciled():
    reached = ladder(replace(SEEN, seen=Evidence.BRANCH))
    assert (reached.level, reached.evidence, reached.verified) == (
        Level.EFFECTS_CONFIRMED,
        Evidence.BRANCH,
        False,
    )


def test_one_language_alone_is_not_reconciled():
    assert ladder(replace(SEEN, every_language=False)).level is Level.EFFECTS_CONFIRMED


def test_an_open_effect_keeps_a_reconciled_edition_from_being_complete():
    assert ladder(replace(SEEN, open=True)).level is Level.RECONCILED


@pytest.mark.parametrize(("end", "fact"), ENDS)
def test_every_other_end_has_its_fact(end, fact):
    assert ladder(Facts(saved=True, **{fact: True})).level is end


def test_a_superseded_revision_counts_as_verified_only_if_it_was():
    assert ladder(replace(SEEN, superseded=True)).verified
    assert not ladder(replace(SEEN, superseded=True, seen=None)).verified


def test_a_waived_verification_is_not_a_verification():
    rows = [row(Intent.COMMIT), row(Intent.RENDER), row(Intent.VERIFY, EffectStatus.WAIVED)]
    reached = ladder(facts(rows, saved=True, every_language=True))
    assert (reached.level, reached.verified) == (Level.HUMAN_WAIVED, False)


def test_the_ledger_of_a_published_edition_is_verified_complete():
    rows = [
        row(Intent.COMMIT),
        row(Intent.RENDER),
        row(Intent.PUSH),
        row(Intent.VERIFY, evidence=Evidence.HTTP),
        row(Intent.ANNOUNCE, EffectStatus.WAIVED),
    ]
    assert ladder(facts(rows, saved=True, every_language=True)).level is Level.VERIFIED_COMPLETE


def test_the_ledger_of_a_withdrawn_edition_is_compensated():
    rows = [row(Intent.COMMIT, EffectStatus.COMPENSATED), row(Intent.RENDER)]
    assert ladder(facts(rows, saved=True, superseded=True)).level is Level.COMPENSATED


def test_the_ledger_of_a_withdrawal_is_committed_by_its_notice():
    assert ladder(facts([row(Intent.WITHDRAW)], saved=True)).level is Level.COMMITTED


def test_a_dead_letter_requires_its_owner():
    rows = [row(Intent.COMMIT), row(Intent.RENDER), row(Intent.PUSH, EffectStatus.DEAD_LETTERED)]
    assert ladder(facts(rows, saved=True)).level is Level.QUARANTINED_REQUIRES_OWNER


def test_a_push_under_way_leaves_the_edition_at_rendered():
    rows = [row(Intent.COMMIT), row(Intent.RENDER), row(Intent.PUSH, EffectStatus.UNKNOWN_OUTCOME)]
    assert ladder(facts(rows, saved=True)).level is Level.RENDERED
