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
        return _numbers(self.folders(product))

    def months(self, product: str, year: int) -> list[int]:
        """Months of the year, ascending."""
        return _numbers(self.folders(f"{product}/{year:04}"))

    def days(self, product: str, year: int, month: int) -> list[int]:
        """Days of the month, ascending."""
        return _numbers(self.folders(f"{product}/{year:04}/{month:02}"))

    def languages(self, product: str, date: str) -> list[str]:
        """Languages that have a file on that date."""
        return self.folders(f"{product}/{date.replace('-', '/')}")


def _numbers(names: list[str]) -> list[int]:
    return [int(name) for name in names if name.isdigit()]


class OverlayContent(FolderContent):
    """`base` with `files` over it; None takes a file away."""

    def __init__(self, base: FolderContent, files: Mapping[str, bytes | None]) -> None:
        self._base = base
        self._files = files

    def folders(self, path: str) -> list[str]:
        """As the base has them, with folders that the changes fill and without those that they empty."""
        prefix = f"{path}/" if path else ""
        touched = {
            f[len(prefix) :].split("/")[0] for f in self._files if f.startswith(prefix) and "/" in f[len(prefix) :]
        }
        kept = [name for name in self._base.folders(path) if name not in touched]
        return sorted([*kept, *(name for name in touched if self._holds_any(prefix + name))])

    def file(self, path: str) -> bytes | None:
        """The file's bytes, or None."""
        return self._files[path] if path in self._files else self._base.file(path)

    def names(self, path: str) -> list[str]:
        """Names of the files directly below `path`, sorted."""
        prefix = f"{path}/"
        mine = {f[len(prefix) :]: data for f, data in self._files.items() if f.startswith(prefix)}
        added = [name for name, data in mine.items() if data is not None and "/" not in name]
        return sorted({*added, *(name for name in self._base.names(path) if name not in mine)})

    def _holds_any(self, path: str) -> bool:
        return bool(self.names(path)) or any(self._holds_any(f"{path}/{name}") for name in self.folders(path))
