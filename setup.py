"""Carries the folders that are not packages into the wheel: templates, assets, fixtures, product files.

Everything else about the build stands in pyproject.toml; `orchestrator/shipped.py` finds what is carried here.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("site", "fixtures", "content/products", "dateline.toml")


class BuildWithFolders(build_py):
    """`build_py`, and then the shipped folders below `orchestrator/_shipped/`."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        shutil.rmtree(self._carried, ignore_errors=True)  # an earlier build's
        for name in SHIPPED:
            source, target = Path(name), self._carried / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)

    @property
    def _carried(self) -> Path:
        return Path(self.build_lib, "orchestrator", "_shipped")


setup(cmdclass={"build_py": BuildWithFolders})
