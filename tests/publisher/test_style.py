"""The style sheet: contrast in both schemes, and no request beyond itself."""

from __future__ import annotations

import re

import pytest

from tests.publisher.samples import ROOT

SHEET = (ROOT / "site" / "assets" / "style.css").read_text("utf-8")
AA, AAA = 4.5, 7.0  # WCAG 2.2, success criteria 1.4.3 and 1.4.6


def schemes() -> list[dict[str, str]]:
    blocks = re.findall(r":root \{([^}]*)\}", SHEET)[:2]
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks]


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark"])
def test_text_reaches_aaa_and_links_reach_aa_on_paper_and_tint(scheme: dict[str, str]) -> None:
    for ground in ("paper", "tint"):
        assert contrast(scheme["ink"], scheme[ground]) >= AAA
        assert contrast(scheme["accent"], scheme[ground]) >= AA
    assert contrast(scheme["soft"], scheme["paper"]) >= AAA


def test_the_sheet_loads_nothing_and_is_one_small_request() -> None:
    assert "url(" not in SHEET
    assert "@import" not in SHEET
    assert len(SHEET.encode()) < 10_000
