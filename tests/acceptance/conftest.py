"""`night`: begins a shift on the store that the test names; everything is closed with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from outbox.database import Database
from tests.acceptance.shift import Rule, Shift, begin

Night = Callable[..., Shift]


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    with ExitStack() as stack:

        def open_shift(store: Database | str, *rules: Rule, root: Path = tmp_path, **options: Any) -> Shift:
            return stack.enter_context(begin(root, store, rules, **options))

        yield open_shift
