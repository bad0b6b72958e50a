"""What must be true whatever happened: asserted from outside on the store, the provider's log and the repository.

Each function is one row of the invariants' table and answers what breaks it; `broken` runs them all. I3 shows in
the audit trail, I12, I14, I15 and I18 have tests of their own.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable

from orchestrator.core.states import JobState
from orchestrator.store.work_tables import WITH_PAYLOAD
from tests.faults.scene import Scene

Found = list[object]


def i1_one_active_job_per_process(scene: Scene) -> Found:
    """I1."""
    several = "SELECT process_id, count(*) FROM job WHERE slot IS NOT NULL GROUP BY process_id HAVING count(*) > 1"
    return [*scene.rows(several), *scene.rows("SELECT id FROM job WHERE slot IS NOT NULL AND slot <> process_id")]


def i2_one_process_and_one_edition(scene: Scene) -> Found:
    """I2."""
    return [
        *scene.rows("SELECT product, target_date FROM process GROUP BY product, target_date HAVING count(*) > 1"),
        *scene.rows(
            "SELECT product, target_date, lang, revision FROM edition"
            " GROUP BY product, target_date, lang, revision HAVING count(*) > 1"
        ),
        *scene.rows(
            "SELECT product, target_date, lang FROM edition WHERE current_slot IS NOT NULL"
            " GROUP BY product, target_date, lang HAVING count(*) > 1"
        ),
    ]


def i3_every_change_has_a_fence_of_its_own(scene: Scene) -> Found:
    """I3: two workers that changed a job from one version would have written one fence twice, by two names."""
    return [
        *scene.rows(
            "SELECT job_id, fence FROM event WHERE job_id IS NOT NULL AND event_type <> 'STALE_WORKER'"
            " GROUP BY job_id, fence HAVING count(DISTINCT event_type) > 1 OR count(DISTINCT actor) > 1"
        )
    ]


def i4_looks_and_creates_are_counted_apart(scene: Scene) -> Found:
    """I4: never more attempts than were opened, never more looks than reached the provider."""
    attempts = dict(scene.rows("SELECT job_id, count(*) FROM create_attempt GROUP BY job_id"))
    asked = [*scene.requests("GET"), *(e for e in scene.requests("POST") if e["path"].endswith("/cancel"))]
    looks = Counter(e["response_id"] for e in asked)  # the answer to a cancel is a look too
    found: Found = []
    counted = "SELECT id, generation_attempts, poll_count + retrieve_count, response_id FROM job"
    for job, tried, looked, response in scene.rows(counted):
        unanswered = scene.one(
            "SELECT count(*) FROM event WHERE job_id = :job AND event_type = 'LOOK_TROUBLED'", job=job
        )
        if tried > attempts.get(job, 0) or looked > looks[response] + unanswered:
            found.append((job, tried, looked))
    return found


def i5_one_live_create_per_generation(scene: Scene) -> Found:
    """I5, in the store and in the provider's log."""
    live = (
        "SELECT fingerprint, generation, count(*) FROM create_attempt"
        " WHERE outcome IS NULL OR outcome <> 'NOT_CREATED' GROUP BY fingerprint, generation HAVING count(*) > 1"
    )
    return [*scene.rows(live), *bought_twice(scene)]


def bought_twice(scene: Scene) -> Found:
    """Accepted creates of one fingerprint and generation, where there are several."""
    bought = Counter(
        (e["metadata"]["fingerprint_prefix"], e["metadata"]["operation_generation"])
        for e in scene.creates()
        if e["accepted"]
    )
    return [(key, times) for key, times in bought.items() if times > 1]


def i6_custody(scene: Scene) -> Found:
    """I6: where a payload is promised its bytes are there, and every stored document is what its digest says."""
    promised = ", ".join(f"'{state.value}'" for state in WITH_PAYLOAD)
    without = scene.rows(
        "SELECT job.id FROM job LEFT JOIN document ON kind = payload_kind AND digest = payload_digest"
        f" WHERE state IN ({promised}) AND body IS NULL"
    )
    bodies = scene.rows("SELECT kind, digest, body FROM document")
    return [
        *without,
        *((kind, digest) for kind, digest, body in bodies if digest.split(":")[-1] != _sha256(bytes(body))),
    ]


def i7_i8_published_is_validated_and_of_the_accepted_evidence(scene: Scene) -> Found:
    """I7, I8."""
    return [
        *scene.rows(
            "SELECT edition.id FROM edition JOIN process ON process.id = edition.process_id"
            " WHERE edition.published_ms IS NOT NULL AND package_digest <> evidence_digest"
        ),
        *scene.rows(
            "SELECT edition.id FROM edition LEFT JOIN job ON job.id = edition.job_id WHERE provenance = 'PROVIDER'"
            " AND (job.stage <> 'composition' OR job.report_digest IS NULL OR NOT report_passed)"
        ),
    ]


def i9_i11_committed_once_and_never_when_replaced(scene: Scene) -> Found:
    """I9, I11."""
    return [
        *scene.rows(
            "SELECT job_id, count(*) FROM event"
            " WHERE event_type IN ('EVIDENCE_MERGED', 'EDITIONS_SAVED', 'SALVAGED')"
            " GROUP BY job_id HAVING count(*) > 1"
        ),
        *scene.rows(
            "SELECT id FROM job WHERE (superseded_by IS NOT NULL OR abandoned)"
            " AND (slot IS NOT NULL OR result_commit_key IS NOT NULL)"
        ),
    ]


def i10_nothing_is_deleted_before_custody(scene: Scene) -> Found:
    """I10, by the provider's log: a DELETE comes after the payload, or a person or policy gave the answer up."""
    found: Found = []
    for entry in scene.requests("DELETE"):
        rows = scene.rows(
            "SELECT id, payload_digest IS NOT NULL OR discard_ordered_ms IS NOT NULL OR abandoned"
            " OR superseded_by IS NOT NULL, delete_requested_ms IS NOT NULL FROM job WHERE response_id = :response",
            response=entry["response_id"],
        )
        if len(rows) != 1 or not (rows[0][1] and rows[0][2]):
            found.append((entry["response_id"], rows))
    return found


def i13_each_revision_is_committed_once(scene: Scene) -> Found:
    """I13, and the repository is sound."""
    if not scene.git("for-each-ref", "refs/heads/main"):
        return []
    keys = scene.git(
        "log", "--format=%(trailers:key=Edition-Key,valueonly,separator=)@"
        "%(trailers:key=Edition-Revision,valueonly,separator=) %(trailers:key=Action,valueonly,separator=)", "main"
    ).splitlines()  # fmt: skip
    wrong = scene.git("fsck", "--strict", "--no-dangling")
    return [(key, times) for key, times in Counter(keys).items() if times > 1] + ([wrong] if wrong else [])


def i16_what_waits_has_an_owner(scene: Scene) -> Found:
    """I16."""
    parked = JobState.QUARANTINED.value
    return [
        *scene.rows(
            f"SELECT id FROM job WHERE state = '{parked}' AND (owner IS NULL OR owner_deadline_ms IS NULL"
            " OR quarantine_reason IS NULL)"
        ),
        *scene.rows(
            "SELECT id FROM effect WHERE status = 'DEAD_LETTERED' AND (owner IS NULL OR owner_deadline_ms IS NULL)"
        ),
        *scene.rows("SELECT id FROM process WHERE overlay = 'QUARANTINED' AND owner IS NULL"),
    ]


def i17_within_the_budget(scene: Scene) -> Found:
    """I17: reserved and spent, per process and per day, and nobody's account is negative."""
    ceiling = 3_000_000  # of the shipped products, in millionths
    return [
        *scene.rows(
            "SELECT process_id, sum(amount_micro) FROM cost_entry GROUP BY process_id"
            f" HAVING sum(amount_micro) > {ceiling} OR sum(amount_micro) < 0"
        ),
        *scene.rows(f"SELECT day FROM cost_entry GROUP BY day HAVING sum(amount_micro) > {20 * ceiling}"),
        *scene.rows("SELECT job_id FROM cost_entry WHERE kind = 'SPENT' GROUP BY job_id HAVING count(*) > 1"),
    ]


def i19_no_pending_effect_of_an_older_revision(scene: Scene) -> Found:
    """I19."""
    return [
        *scene.rows(
            "SELECT old.id FROM effect old JOIN effect new"
            " ON new.entity = old.entity AND new.revision > old.revision"
            " WHERE old.status IN ('PENDING', 'RETRYABLE') AND old.intent IN ('PUSH', 'ANNOUNCE', 'VERIFY')"
        )
    ]


def no_call_that_must_not_be_made(scene: Scene) -> Found:
    """The provider saw nothing that its script forbids."""
    return [dict(entry) for entry in scene.requests() if entry["violation"]]


ALL: tuple[Callable[[Scene], Found], ...] = (
    i1_one_active_job_per_process,
    i2_one_process_and_one_edition,
    i3_every_change_has_a_fence_of_its_own,
    i4_looks_and_creates_are_counted_apart,
    i5_one_live_create_per_generation,
    i6_custody,
    i7_i8_published_is_validated_and_of_the_accepted_evidence,
    i9_i11_committed_once_and_never_when_replaced,
    i10_nothing_is_deleted_before_custody,
    i13_each_revision_is_committed_once,
    i16_what_waits_has_an_owner,
    i17_within_the_budget,
    i19_no_pending_effect_of_an_older_revision,
    no_call_that_must_not_be_made,
)


def broken(scene: Scene) -> dict[str, Found]:
    """Every invariant that does not hold, with what breaks it."""
    return {check.__name__: found for check in ALL if (found := check(scene))}


def assert_whole(scene: Scene, *, editions: int = 2) -> None:
    """Everything is published and seen by readers, nothing is held or open, and every invariant holds."""
    assert broken(scene) == {}
    stages = scene.rows("SELECT stage, overlay, verified_ms IS NOT NULL FROM process")
    assert {(stage, overlay, bool(seen)) for stage, overlay, seen in stages} <= {
        ("PUBLISHED", "NONE", True), ("PUBLISHED", "DELAYED", True)
    }, stages  # fmt: skip
    assert scene.one("SELECT count(*) FROM edition WHERE status = 'PUBLISHED'") == editions
    states = {state for (state,) in scene.rows("SELECT DISTINCT state FROM job")}
    assert states == {"DELETED"}, states
    assert scene.rows("SELECT id, status FROM effect WHERE status <> 'CONFIRMED'") == []
    for table in ("job", "effect"):
        assert scene.rows(f"SELECT id FROM {table} WHERE lease_owner IS NOT NULL") == []
    committed = scene.git("log", "--format=%(trailers:key=Edition-Key,valueonly,separator=)", "main").split()
    assert len(committed) == len(set(committed)) == editions


def content(scene: Scene) -> dict[str, str]:
    """What main holds, instants aside: they differ between two runs."""
    found = {}
    for path in scene.git("ls-tree", "-r", "--name-only", "main").splitlines():
        found[path] = without_instants(scene.git("show", f"main:{path}"))
    return found


def without_instants(text: str) -> str:
    """The text with every instant replaced, and what is derived from a run's own ids and digests left out."""
    text = re.sub(r"\b([a-z]{3})-[0-9a-f]{6}-([0-9a-f]{8})", r"\1-\2", text)  # the process's own part of an id
    text = re.sub(r"\b\d\d:\d\d UTC", "<time>", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<instant>", text)
    return re.sub(r"(sha256:)?[0-9a-f]{64}", "<digest>", text)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
