"""Choice without chance: a keyed hash decides, so the same question has the same answer on every machine.

Every question is a tuple of words; SHA-256 over them is the only source. No state, no clock, no seed but the
one in the fixtures. The bias of a modulo over 64 bits is far below anything that a reader of fixtures could see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")

_SEPARATOR = "\x1f"  # occurs in no word, so ("ab", "c") and ("a", "bc") differ


@dataclass(frozen=True, slots=True)
class Chance:
    """Answers questions under one key; `under` makes a narrower one."""

    key: str

    def under(self, *words: str) -> Chance:
        """Chance for a part of the work, independent of every other part."""
        return Chance(_SEPARATOR.join((self.key, *words)))

    def below(self, limit: int, *words: str) -> int:
        """An integer of 0 … limit - 1."""
        digest = hashlib.sha256(_SEPARATOR.join((self.key, *words)).encode()).digest()
        return int.from_bytes(digest[:8], "big") % limit

    def pick(self, items: Sequence[Item], *words: str) -> Item:
        """One of the items."""
        return items[self.below(len(items), *words)]

    def shuffled(self, items: Sequence[Item], *words: str) -> list[Item]:
        """All items, in an order of this question's own."""
        order = sorted(range(len(items)), key=lambda index: self.below(1 << 62, *words, str(index)))
        return [items[index] for index in order]

    def tag(self, *words: str) -> str:
        """Six hexadecimal characters that tell addresses apart."""
        return f"{self.below(1 << 24, 'tag', *words):06x}"
