"""A process that publishes one day and prints the tips: REPOSITORY DAY [NOW].

The parent puts a `git` of its own first in PATH, which kills this process at the point it wants to see. With NOW
the host's clock says that.
"""

from __future__ import annotations

import sys
from pathlib import Path

from freezegun import freeze_time

from tests.publisher.changes import ListSite, opened, pair
from tests.publisher.samples import site


def main(path: str, day: str, now: str = "") -> None:
    """Publish, and print the tips."""
    with opened(Path(path)) as repository:
        if now:
            with freeze_time(now):
                done = repository.publish(pair(int(day)), site())
        else:
            done = repository.publish(pair(int(day)), ListSite())
    print(done.main, done.pages)


if __name__ == "__main__":
    main(*sys.argv[1:])
