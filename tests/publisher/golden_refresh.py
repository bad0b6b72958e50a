"""The golden site: a small archive whose every byte is kept and compared.

`python -m tests.publisher.golden_refresh` writes it anew. The difference is reviewed like code.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from publisher.content import DictContent, EditionKey
from publisher.site import Site
from tests.publisher.samples import PROFILE, corrected, edition, files_of, notice_files, site

GOLDEN = Path(__file__).parent / "golden" / "site"


def golden_content() -> DictContent:
    """Three dates over a month's end: an edition and its correction, one language held, a withdrawal, a delay."""
    files: dict[str, bytes] = {}
    for lang in ("en", "es"):
        files |= files_of(corrected(EditionKey("daily-brief", "2026-11-30", lang)))
        files |= files_of(edition(EditionKey("revolution-watch", "2026-11-29", lang), late=True))
        files |= notice_files(EditionKey("revolution-watch", "2026-11-30", lang))
        files |= notice_files(EditionKey("daily-brief", "2026-12-02", lang), "DELAYED")
    files |= files_of(edition(EditionKey("daily-brief", "2026-12-01", "en"), fewer_events=True))
    return DictContent(files)


def golden_site() -> Site:
    """The site of the golden archive."""
    return site(PROFILE)


def refresh() -> None:
    """Writes the golden site anew."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for path, body in golden_site().whole(golden_content()):
        file = GOLDEN / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)


if __name__ == "__main__":
    refresh()
