"""A tree with changes over it answers as the tree that those changes make."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from publisher.content import DictContent
from publisher.folders import FolderContent, OverlayContent

NAMES = st.sampled_from(["a", "b", "2026", "11", "30", "en"])
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)


class Folders(FolderContent):
    """A tree in a dict."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def folders(self, path: str) -> list[str]:
        return sorted({rest.split("/")[0] for rest in self._below(path) if "/" in rest})

    def names(self, path: str) -> list[str]:
        return sorted(rest for rest in self._below(path) if "/" not in rest)

    def file(self, path: str) -> bytes | None:
        return self._files.get(path)

    def _below(self, path: str) -> list[str]:
        prefix = f"{path}/" if path else ""
        return [name[len(prefix) :] for name in self._files if name.startswith(prefix)]


def _is_tree(paths: set[str]) -> bool:
    """No path is a folder of another."""
    return not any(other.startswith(f"{path}/") for path in paths for other in paths)


@given(
    st.dictionaries(PATHS, st.binary(max_size=2), max_size=8),
    st.dictionaries(PATHS, st.none() | st.binary(max_size=2), max_size=8),
)
def test_an_overlay_is_the_tree_that_it_makes(base: dict[str, bytes], files: dict[str, bytes | None]) -> None:
    made = {name: data for name, data in {**base, **files}.items() if data is not None}
    if not _is_tree({*base, *files}):
        return
    overlay, plain = OverlayContent(Folders(base), files), Folders(made)
    folders = {
        "",
        *(path.rpartition("/")[0] for path in {*base, *files}),
        *(p.split("/")[0] for p in {*base, *files}),
    }
    for folder in folders:
        assert overlay.folders(folder) == plain.folders(folder)
        assert overlay.names(folder) == plain.names(folder)
    for path in {*base, *files}:
        assert overlay.file(path) == plain.file(path)


def test_folders_and_a_dict_answer_the_same() -> None:
    slots = ("daily-brief/2026/11/30/en", "daily-brief/2025/01/02/es", "revolution-watch/2026/12/01/en")
    files = {f"{slot}/edition.md": b"x" for slot in slots}
    folders, known = Folders(files), DictContent(files)
    assert folders.products() == known.products()
    for product in known.products():
        assert folders.years(product) == known.years(product)
        for year in known.years(product):
            assert folders.months(product, year) == known.months(product, year)
            for month in known.months(product, year):
                assert folders.days(product, year, month) == known.days(product, year, month)
    assert folders.languages("daily-brief", "2026-11-30") == known.languages("daily-brief", "2026-11-30") == ["en"]


def test_only_numbers_as_paths_spell_them_are_dates() -> None:
    files = {f"p/{name}/x/y/z": b"" for name in ("2026", "226", "02026", "٢٠٢٦", "²026", "year")}
    assert Folders(files).years("p") == [2026]
