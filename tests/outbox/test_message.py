"""Names are bounded, and a chain of causes keeps its root."""

import pytest

from outbox.errors import BadMessage
from outbox.message import Intent, Mode, OutboxEvent, Planned, Provenance, operation_key


def test_what_is_caused_keeps_the_root_and_counts_one_hop():
    first = Provenance(origin="newsroom")
    second = first.caused(by="evt-1", origin="automation-a")
    third = second.caused(by="evt-2", origin="automation-b")
    assert (second.root, second.causation, second.hops) == ("evt-1", "evt-1", 1)
    assert (third.root, third.causation, third.hops) == ("evt-1", "evt-2", 2)
    assert third.origin == "automation-b"


@pytest.mark.parametrize("name", ["", "x" * 191])
def test_names_that_an_engine_could_not_hold_are_refused(name):
    with pytest.raises(BadMessage, match="1 to 190 characters"):
        Planned(intent=Intent.COMMIT, batch_key=name)
    with pytest.raises(BadMessage, match="entity"):
        OutboxEvent(
            key="k",
            type="t",
            entity=name,
            revision=1,
            mode=Mode.LIVE,
            provenance=Provenance(origin="o"),
            decided_ms=0,
        )


def test_the_operation_is_named_by_entity_revision_intent_and_mode():
    key = operation_key("daily-brief/2026-11-30/en", 2, Intent.ANNOUNCE, Mode.LIVE)
    assert key == "daily-brief/2026-11-30/en@2:announce:live"
