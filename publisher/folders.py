"""Content trees by their folders: what every tree of the content branch answers, from two questions only.

A tree says which folders stand below a path and what a file holds; `FolderContent` turns that into products,
years, months, days and languages (`publisher.content.Content`). `OverlayContent` lays a batch of changes over
another tree: what the branch will hold after the commit that is being made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class FolderContent(ABC):
    """The questions of `publisher.content.Content`, answered from `folders` and `file`."""

    @abstractmethod
    def folders(self, path: str) -> list[str]:
        """Names of the folders directly below `path` ("" is the root), sorted; a folder is never empty."""

    @abstractmethod
    def names(self, path: str) -> list[str]:
        """Names of the files directly below `path`, sorted."""

    @abstractmethod
    def file(self, path: str) -> bytes | None:
        """The file's bytes, or None."""

    def products(self) -> list[str]:
        """Slugs that have at least one file."""
        return self.folders("")

    def years(self, product: str) -> list[int]:
        """Years of the product, ascending."""
        return _numbers(self.folders(product), 4)

    def months(self, product: str, year: int) -> list[int]:
        """Months of the year, ascending."""
        return _numbers(self.folders(f"{product}/{year:04}"), 2)

    def days(self, product: str, year: int, month: int) -> list[int]:
        """Days of the month, ascending."""
        return _numbers(self.folders(f"{product}/{year:04}/{month:02}"), 2)

    def languages(self, product: str, date: str) -> list[str]:
        """Languages that have a file on that date."""
        return self.folders(f"{product}/{date.replace('-', '/')}")


def _numbers(names: list[str], digits: int) -> list[int]:
    """Names that are numbers written as paths write them; `7` and `٠٧` beside `07` are somebody else's."""
    return [int(name) for name in names if len(name) == digits and name.isascii() and name.isdigit()]


class OverlayContent(FolderContent):
    """`base` with `files` over it; None takes a file away. A lookup costs the same in a batch of any size."""

    def __init__(self, base: FolderContent, files: Mapping[str, bytes | None]) -> None:
        self._base = base
        self._files = files
        self._below: dict[str, dict[str, None]] = {"": {}}
        for path in files:
            self._enter(path)

    def _enter(self, path: str) -> None:
        while path:
            folder, _, name = path.rpartition("/")
            known = self._below.setdefault(folder, {})
            if name in known:
                return
            known[name] = None
            path = folder

    def folders(self, path: str) -> list[str]:
        """As the base has them, with folders that the changes fill and without those that they empty."""
        touched = {name for name in self._below.get(path, ()) if _joined(path, name) in self._below}
        base = self._base.folders(path)
        kept = [name for name in base if name not in touched]
        return sorted([*kept, *(name for name in touched if self._holds_any(_joined(path, name)))])

    def file(self, path: str) -> bytes | None:
        """The file's bytes, or None."""
        return self._files[path] if path in self._files else self._base.file(path)

    def names(self, path: str) -> list[str]:
        """Names of the files directly below `path`, sorted."""
        mine = {
            name: self._files[full]
            for name in self._below.get(path, ())
            if (full := _joined(path, name)) in self._files
        }
        added = [name for name, data in mine.items() if data is not None]
        return sorted({*added, *(name for name in self._base.names(path) if name not in mine)})

    def _holds_any(self, path: str) -> bool:
        return bool(self.names(path)) or any(self._holds_any(_joined(path, name)) for name in self.folders(path))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
