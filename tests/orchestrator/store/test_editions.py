"""Editions and the evidence they rest on, on every engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.errors import NotFound, RefusedByState
from orchestrator.store import documents, editions, evidence
from orchestrator.store.codes import DocumentKind, EditionStatus
from orchestrator.store.editions import SavedEdition
from outbox.database import Database
from outbox.errors import ConstraintRefused
from tests.orchestrator.store.rows import a_job, a_process, an_edition, put, uid

KEY = "daily-brief/2026-11-01/en"


@pytest.fixture
def desk(store: Database) -> Database:
    with store.write() as conn:
        put(conn, a_process(1), a_job(1), a_process(2), a_job(2, process=2))
    return store


def _save(desk: Database, process: int = 1, **changes: object) -> SavedEdition:
    with desk.write() as conn:
        return editions.insert(conn, an_edition(conn, process, **changes), now_ms=5)


def _publish(desk: Database, edition: SavedEdition) -> SavedEdition:
    with desk.write() as conn:
        return editions.publish(conn, edition, now_ms=9, approved_by="policy")


def _current(desk: Database, key: str = KEY) -> SavedEdition | None:
    with desk.read() as conn:
        return editions.current(conn, key)


def test_a_saved_edition_is_read_as_it_was_written_and_not_yet_current(desk: Database) -> None:
    saved = _save(desk, content='{"text": "' + "ñ" * 70_000 + '"}')

    assert saved.status is EditionStatus.SAVED
    assert _current(desk) is None
    with desk.read() as conn:
        assert editions.by_key_revision(conn, KEY, 1) == saved
        assert editions.by_key_revision(conn, KEY, 2) is None


def test_publishing_makes_it_current_and_supersedes_the_one_before(desk: Database) -> None:
    first = _publish(desk, _save(desk))
    assert _current(desk) == first
    second = _publish(desk, _save(desk, revision=2))

    assert (_current(desk), second.status) == (second, EditionStatus.PUBLISHED)
    with desk.read() as conn:
        older = editions.by_key_revision(conn, KEY, 1)
    assert older == replace(first, status=EditionStatus.SUPERSEDED, ended_ms=9)


def test_an_edition_is_published_once_and_never_below_a_newer_one(desk: Database) -> None:
    first, second = _save(desk), _save(desk, revision=2)
    _publish(desk, second)
    for edition in (first, second):
        with pytest.raises(RefusedByState):
            _publish(desk, edition)
    assert _current(desk) == replace(second, status=EditionStatus.PUBLISHED, approved_by="policy", published_ms=9)


def test_a_withdrawn_edition_is_current_no_more(desk: Database) -> None:
    published = _publish(desk, _save(desk))
    with desk.write() as conn:
        gone = editions.withdraw(conn, KEY, now_ms=11)

    assert gone == replace(published, status=EditionStatus.WITHDRAWN, ended_ms=11)
    assert _current(desk) is None
    with pytest.raises(NotFound), desk.write() as conn:
        editions.withdraw(conn, KEY, now_ms=12)


def test_both_languages_of_a_date_share_a_number_and_the_next_date_gets_the_next(desk: Database) -> None:
    with desk.read() as conn:
        assert editions.next_number(conn, "daily-brief", "2026-11-01") == 1
    _save(desk, number=1)
    with desk.read() as conn:
        assert editions.next_number(conn, "daily-brief", "2026-11-01") == 1
        assert editions.next_number(conn, "daily-brief", "2026-11-02") == 2
        assert editions.next_number(conn, "daily-brief") == 2
        assert editions.next_number(conn, "revolution-watch") == 1


def test_editions_are_listed_and_counted(desk: Database) -> None:
    _publish(desk, _save(desk))
    later = _publish(desk, _save(desk, 2))
    spanish = _save(desk, lang="es")
    with desk.read() as conn:
        assert [e.key for e in editions.listing(conn)] == [later.key, KEY, spanish.key]
        assert editions.listing(conn, status=EditionStatus.SAVED) == [spanish]
        assert [e.lang for e in editions.of_process(conn, uid(1))] == ["en", "es"]
        assert (editions.count_newer(conn, KEY), editions.count_newer(conn, later.key)) == (1, 0)


def _evidence(digest: str) -> evidence.Evidence:
    ids = {"process_id": uid(1)}
    return evidence.Evidence(
        candidates=(
            evidence.Candidate(
                **ids, id="evt-2", position=1, identity="b", job_id=uid(1), process_revision=1, content="{}"
            ),
            evidence.Candidate(
                **ids, id="evt-1", position=2, identity="a", job_id=uid(1), process_revision=1, content="{}"
            ),
        ),
        claims=(evidence.Claim(**ids, id="clm-1", candidate_id="evt-1", position=1, content="{}"),),
        sources=(
            evidence.Source(
                **ids, id="src-1", candidate_id="evt-1", position=1, payload_digest=digest, content="{}"
            ),
        ),
    )


def test_evidence_is_kept_in_its_order_and_patches_are_added_to_it(desk: Database) -> None:
    with desk.write() as conn:
        digest = documents.put(conn, DocumentKind.PAYLOAD, b"{}")
        evidence.insert(conn, _evidence(digest))
    patch = evidence.Patch(
        process_id=uid(1), id="pat-1", candidate_id="evt-2", job_id=uid(1), process_revision=2, content="{}"
    )
    added = evidence.Claim(
        process_id=uid(1), id="clm-2", candidate_id="evt-2", position=2, content="{}", patch_id="pat-1"
    )
    with desk.write() as conn:
        evidence.insert(conn, evidence.Evidence(patches=(patch,), claims=(added,)))
    with desk.read() as conn:
        found = evidence.of_process(conn, uid(1))
        assert evidence.counts(conn, uid(1)) == (2, 1)
        assert evidence.of_process(conn, uid(2)) == evidence.Evidence()

    whole = _evidence(digest)
    assert found == replace(whole, patches=(patch,), claims=(*whole.claims, added))


def test_a_story_enters_a_process_once_and_a_source_needs_its_stored_answer(desk: Database) -> None:
    with desk.write() as conn:
        digest = documents.put(conn, DocumentKind.PAYLOAD, b"{}")
        evidence.insert(conn, _evidence(digest))
    (twin, _) = _evidence(digest).candidates
    (source,) = _evidence(digest).sources
    for wrong in (
        evidence.Evidence(candidates=(replace(twin, id="evt-9"),)),
        evidence.Evidence(sources=(replace(source, id="src-9", payload_digest="sha256:" + "0" * 64),)),
        evidence.Evidence(sources=(replace(source, id="src-9", candidate_id="evt-9"),)),
    ):
        with pytest.raises(ConstraintRefused), desk.write() as conn:
            evidence.insert(conn, wrong)


def test_a_document_that_was_tampered_with_is_not_handed_out(sqlite: Database) -> None:
    from orchestrator.errors import InvariantBroken

    with sqlite.write() as conn:
        digest = documents.put(conn, DocumentKind.PAYLOAD, b"first")
        trigger = conn.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE name = 'document_no_update'"
        ).scalar_one()
        conn.exec_driver_sql("DROP TRIGGER document_no_update")
        conn.exec_driver_sql("UPDATE document SET body = x'00'")
        conn.exec_driver_sql(trigger)
    with sqlite.read() as conn, pytest.raises(InvariantBroken):
        documents.get(conn, DocumentKind.PAYLOAD, digest)
