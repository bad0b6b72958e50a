"""notice.md: what a slot says while no edition stands there."""

from __future__ import annotations

import pytest

from publisher.content import EditionKey, key_of_path, key_of_slot
from publisher.errors import BadEdition
from publisher.notice import notice_md, read_notice
from tests.publisher.samples import notice_files

KEY = EditionKey("daily-brief", "2026-11-30", "es")


@pytest.mark.parametrize("kind", ["WITHDRAWN", "DELAYED", "MISSED"])
def test_a_notice_is_read_back_and_written_the_same(kind: str) -> None:
    file = notice_files(KEY, kind)[KEY.notice_path]
    notice = read_notice(file)
    assert (notice.kind, notice.key, notice.reason, notice.revision) == (kind, KEY, "FACTUAL_ERROR", 2)
    assert notice_md(notice) == file
    assert file.startswith(b"---\ntitle: ")


def test_what_is_no_notice_is_refused() -> None:
    file = notice_files(KEY)[KEY.notice_path]
    with pytest.raises(BadEdition, match="kind"):
        read_notice(file.replace(b"WITHDRAWN", b"GONE"))
    with pytest.raises(BadEdition, match="line 1"):
        read_notice(b"hello")


def test_keys_and_paths_lead_to_each_other() -> None:
    assert KEY.slot == "daily-brief/2026-11-30/es"
    assert key_of_slot(KEY.slot) == KEY
    for path in (KEY.edition_path, KEY.evidence_path, KEY.notice_path):
        assert key_of_path(path) == KEY
    for path in ("", "daily-brief/2026/11/30/es/", "Daily/2026/11/30/es/edition.md", "a/2026/02/30/es/notice.md"):
        assert key_of_path(path) is None
