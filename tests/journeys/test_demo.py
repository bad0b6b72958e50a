"""The main job, from the schedule to the reader, as a stranger runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from tests.journeys.workspace import Workspace

TRAILERS = {
    "Action",
    "Edition-Key",
    "Edition-Revision",
    "Edition-Digest",
    "Evidence-Digest",
    "Outbox-Event",
    "Actor",
    "Reason-Code",
}


def test_three_days_of_two_products_in_two_languages_are_verified_complete(published: Workspace) -> None:
    editions = published.json("editions")
    assert len(editions) == 12
    assert {edition["outcome"] for edition in editions} == {"VERIFIED_COMPLETE"}
    outcomes = published.json("status")["outcomes"]
    assert (outcomes.pop("accepted"), outcomes.pop("verified_complete")) == (12, 12)
    assert not any(outcomes.values())


def test_a_second_demo_creates_nothing(published: Workspace, tmp_path: Path) -> None:
    shutil.copytree(published.root, tmp_path / "copy")
    again = Workspace(tmp_path / "copy")
    counted = (
        "SELECT (SELECT count(*) FROM process), (SELECT count(*) FROM job), (SELECT count(*) FROM create_attempt)"
    )
    before = (again.rows(counted), again.git("rev-parse", "main", "gh-pages"), len(again.requests()))
    report = again.json("demo")
    assert report["verified_complete"] == 12
    assert (again.rows(counted), again.git("rev-parse", "main", "gh-pages"), len(again.requests())) == before


def test_without_anybody_serving_the_editions_stay_unreconciled(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path / "newsroom", DATELINE_VERIFY__URL="http://127.0.0.1:9")
    report = workspace.json("demo", "--days", "1", code=1)
    assert (report["accepted"], report["verified_complete"]) == (4, 0)
    assert {edition["outcome"] for edition in report["editions"]} == {"EFFECTS_CONFIRMED"}


def test_every_edition_revision_has_exactly_one_publishing_commit_with_all_trailers(published: Workspace) -> None:
    separator = "%x00"
    log = published.git("log", f"--format=%(trailers:unfold=true){separator}", "main")
    commits = [dict(line.split(": ", 1) for line in entry.strip().splitlines()) for entry in log.split("\0")[:-1]]
    assert len(commits) == 12
    assert all(set(commit) == TRAILERS for commit in commits)
    keys = Counter((c["Edition-Key"], c["Edition-Revision"]) for c in commits if c["Action"] == "publish")
    assert len(keys) == 12
    assert set(keys.values()) == {1}


def test_the_trailers_digests_are_those_of_the_committed_files(published: Workspace) -> None:
    for edition in published.json("editions"):
        product, day, lang = edition["key"].split("/")
        folder = f"{edition['source_commit']}:{product}/{day.replace('-', '/')}/{lang}"
        shown = subprocess.run(
            ["git", f"--git-dir={published.repository}", "cat-file", "blob", f"{folder}/edition.md"],
            capture_output=True,
            check=True,
        )
        digest = (
            subprocess.run(["sha256sum"], input=shown.stdout, capture_output=True, check=True).stdout[:64].decode()
        )
        assert edition["digest"] == f"sha256:{digest}"


def test_the_repository_is_sound_and_the_oldest_edition_can_be_reverted(
    published: Workspace, tmp_path: Path
) -> None:
    assert published.git("fsck", "--strict") == ""
    clone = tmp_path / "clone"
    run = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*run, "clone", "-q", str(published.repository), str(clone)], check=True)
    oldest = published.git("rev-list", "--reverse", "main").split()[0]
    subprocess.run([*run, "-C", str(clone), "revert", "--no-edit", oldest], check=True, capture_output=True)


def test_deleting_the_pages_and_rebuilding_gives_the_same_tree_anywhere(
    published: Workspace, tmp_path: Path
) -> None:
    shutil.copytree(published.root, tmp_path / "copy")
    copy = Workspace(tmp_path / "copy", {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "LANG": "es_ES.UTF-8"})
    tree = copy.git("rev-parse", "gh-pages^{tree}")
    copy.git("update-ref", "-d", "refs/heads/gh-pages")
    assert copy.json("rebuild")["changed"] is True
    assert copy.git("rev-parse", "gh-pages^{tree}") == tree
    assert copy.json("rebuild")["changed"] is False


def test_nothing_is_bought_twice_and_everything_is_named(published: Workspace) -> None:
    creates = [r for r in published.requests() if r["method"] == "POST" and r["path"] == "/v1/responses"]
    bought = Counter(
        (c["metadata"]["fingerprint_prefix"], c["metadata"]["operation_generation"], c["metadata"]["stage"])
        for c in creates
        if c["accepted"]
    )
    assert len(bought) == 12
    assert set(bought.values()) == {1}
    assert all(c["client_request_id"] for c in creates)
    named = {
        "workflow",
        "process_suffix",
        "stage",
        "revision",
        "operation_generation",
        "fingerprint_prefix",
        "contract_version",
        "product",
        "date",
    }
    assert all(set(c["metadata"]) == named for c in creates)


def test_every_response_is_deleted_and_only_after_its_payload_is_stored(published: Workspace) -> None:
    stored = dict(
        published.rows(
            "SELECT job.response_id, min(event.occurred_ms) FROM job JOIN event ON event.job_id = job.id"
            " WHERE event.to_state = 'RETRIEVED_NOT_VALIDATED' GROUP BY job.id"
        )
    )
    deleted = dict(published.rows("SELECT response_id, deleted_ms FROM job WHERE state = 'DELETED'"))
    calls = [r for r in published.requests() if r["method"] == "DELETE"]
    assert Counter(call["response_id"] for call in calls) == Counter(stored.keys())
    assert deleted.keys() == stored.keys()
    assert all(stored[response] <= deleted[response] for response in stored)
    order = [(r["method"], r["response_id"]) for r in published.requests() if r["response_id"]]
    for response in stored:
        assert order.index(("GET", response)) < order.index(("DELETE", response))


def test_evidence_alone_leads_from_each_sentence_to_its_stored_answer(published: Workspace) -> None:
    paths = published.git("ls-tree", "-r", "--name-only", "main").split()
    payloads = {digest for (digest,) in published.rows("SELECT digest FROM document WHERE kind = 'PAYLOAD'")}
    for path in (p for p in paths if p.endswith("evidence.json")):
        evidence = json.loads(published.git("show", f"main:{path}"))
        claims = {claim["claim_id"]: claim for claim in evidence["claims"]}
        sources = {source["source_id"]: source for source in evidence["sources"]}
        for sentence in (s for s in evidence["sentences"] if s["kind"] == "fact"):
            cited = [claims[claim] for claim in sentence["claim_ids"]]
            assert cited
            for source in (sources[name] for claim in cited for name in claim["source_ids"]):
                assert source["url"].startswith("https://")
                assert source["payload_digest"] in payloads


def test_a_repository_that_the_database_does_not_know_is_refused_before_anything_is_bought(
    published: Workspace, tmp_path: Path
) -> None:
    shutil.copytree(published.root, tmp_path / "copy")
    orphaned = Workspace(tmp_path / "copy")
    shutil.rmtree(orphaned.root / "var")
    tips = orphaned.git("rev-parse", "main", "gh-pages")
    said = orphaned.run("demo", code=3).stderr
    assert "holds editions that the database does not know" in said
    assert "--fresh" in said
    assert (orphaned.requests(), orphaned.git("rev-parse", "main", "gh-pages")) == ([], tips)


def test_an_edition_that_waits_for_a_person_is_named_with_the_order_that_lets_it_out(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path / "newsroom", products=["daily-brief"])
    file = workspace.root / "content" / "products" / "daily-brief.toml"
    file.write_text(file.read_text().replace('approval = "auto"', 'approval = "person"'))
    workspace.run("demo", "--days", "1", code=1)
    status = workspace.run("status").stdout
    (process,) = workspace.json("status")["processes"]
    assert process["next_action"] == "AWAIT_APPROVAL"
    assert f"dateline approve daily-brief/{process['target_date']}" in status
