"""`make bench`: every measurement, each with its aim, as ratios within one run.

Absolute numbers depend on the machine and on what else it does; a ratio compares two things measured side by side.
`python -m tests.bench transitions` runs one of them.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable

from tests.bench import loop, publishing, transitions

BENCHES: dict[str, Callable[[], None]] = {
    "transitions": transitions.main,
    "publishing": publishing.main,
    "loop": loop.main,
}


def main(names: list[str]) -> int:
    """Run the named ones, or all."""
    unknown = set(names) - BENCHES.keys()
    if unknown:
        print(f"no bench named {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for name in names or BENCHES:
        print(f"\n— {name}")
        BENCHES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
