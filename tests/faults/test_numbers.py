"""Every fault by its number has a test, or is named as one that belongs elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

ELSEWHERE = {27, 28, 29}


def test_every_fault_by_its_number_has_a_test() -> None:
    text = "".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
    names = re.findall(r"^def test_((?:f[0-9]{2}_)+)", text, re.MULTILINE)
    numbers = {int(number) for name in names for number in re.findall(r"[0-9]{2}", name)}
    assert numbers == set(range(1, 31)) - ELSEWHERE
