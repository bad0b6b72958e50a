"""Commands that make: a workspace, the files of one edition, the pages branch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from orchestrator.assembly import editorial_of, profile_of, repository_of, site_of
from orchestrator.cli.house import session
from orchestrator.cli.options import Json
from orchestrator.errors import ConfigurationError, NotFound
from orchestrator.settings.pointed import pointed
from orchestrator.settings.workspace import FILE_NAME, load_workspace
from orchestrator.shipped import shipped
from publisher.content import DictContent, key_of_slot
from publisher.edition import Edition, Evidence
from publisher.markdown import edition_md, evidence_json


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command, example in (
        ("init", init, "dateline init newsroom"),
        ("render", render, "dateline render edition.json --out site"),
        ("rebuild", rebuild, "dateline rebuild"),
    ):
        app.command(name, epilog=f"Example: {example}")(command)


def init(ctx: typer.Context, folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Make a new workspace, ready to run with the built-in emulator."""
    here, file = session(ctx), folder / FILE_NAME
    if file.exists() or (folder.exists() and any(folder.iterdir())):
        raise ConfigurationError(f"{folder} is not empty", hint="name a new folder; nothing was changed")
    try:
        (folder / "content").mkdir(parents=True)
        shutil.copytree(shipped("content/products"), folder / "content" / "products")
        shutil.copyfile(shipped(FILE_NAME), file)
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written ({error.strerror})", hint="check its owner"
        ) from error
    load_workspace(file)
    here.out.line(f"{folder} is ready")
    here.out.line(f"  cd {folder} && dateline demo      to see it work")
    here.out.line("  then set [provider], [site] and [verify] in dateline.toml, and: dateline doctor")


def render(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="As `show KEY --edition --json` prints it.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the files go.")],
    as_json: Json = False,
) -> None:
    """Turn one edition's JSON into Markdown, evidence, page and feeds. Needs no database and no repository."""
    here = session(ctx)
    edition, evidence = _read(file)
    key = key_of_slot(edition.key)
    tree = {key.edition_path: edition_md(edition)}
    if evidence is not None:
        tree[key.evidence_path] = evidence_json(evidence)
    site = site_of(profile_of(here.workspace, editorial_of(here.workspace)))
    files = {**{f"main/{path}": data for path, data in tree.items()}, **dict(site.whole(DictContent(tree)))}
    for path, data in files.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    if as_json:
        here.out.json(sorted(files))
    else:
        here.out.line(f"{len(files)} files in {out}")


def rebuild(ctx: typer.Context, as_json: Json = False) -> None:
    """Make the pages branch again from the content branch; no commit where it is current."""
    here = session(ctx)
    workspace = here.workspace
    with repository_of(workspace) as repository:
        before = repository.pages
        done = repository.render(site_of(profile_of(workspace, editorial_of(workspace))))
    if as_json:
        here.out.json({"main": done.main, "pages": done.pages, "changed": done.pages != before})
    elif done.main is None:
        here.out.line("nothing is published yet")
    elif done.pages == before:
        here.out.line(f"the pages are current: {done.pages}")
    else:
        here.out.line(f"rebuilt from {done.main}: {done.pages}")


def _read(file: Path) -> tuple[Edition, Evidence | None]:
    """An edition, bare or as {"edition", "evidence"}."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"{file} does not exist") from error
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file}: {error}", hint="it must hold an edition's JSON") from error
    whole = document if isinstance(document, dict) and "edition" in document else {"edition": document}
    try:
        edition = Edition.model_validate(whole["edition"])
        evidence = Evidence.model_validate(whole["evidence"]) if whole.get("evidence") else None
    except ValidationError as error:
        raise pointed(str(file), error) from error
    return edition, evidence
