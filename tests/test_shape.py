"""The code's shape: sizes, parameters and names as the style asks, with the offender named.

How a function is counted:
* its lines are those from `def` to its end, the docstring left out: explaining is no fault;
* parameters that may be given by position count; `self`, `cls` and the caller's transaction `conn` do not;
* a public function takes three of them, a private one, whose callers stand in the same file, four;
* where a library dictates the signature (typer reads a command's, a base class gives an override's), it is free.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from statistics import quantiles

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("orchestrator", "outbox", "publisher")

MODULE_LINES = 400
FUNCTION_LINES = 60
P90_LINES = 35
MEDIAN_LINES = 9
PUBLIC_POSITIONAL = 3
PRIVATE_POSITIONAL = 4

NOT_COUNTED = {"self", "cls", "conn"}
DICTATED = {
    "connect_tcp": "httpcore.NetworkBackend",
    "settings_customise_sources": "pydantic_settings.BaseSettings",
}
ON_PURPOSE = {
    "orchestrator/core/machine.py decide": "the design's own signature: job, observation, policy, now",
    "outbox/lease.py fenced_update": "reads like its statement: UPDATE table WHERE id AND version SET changes",
    "outbox/message.py operation_key": "the unique key of the ledger, in its order",
    "publisher/addresses.py month": "the parts of an address, from the broadest to the narrowest",
    "publisher/feeds.py channel_id": "the parts of a tag, in its order",
    "publisher/pages.py year": "a page's address, and what it shows",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[str, str]:
    """The source of every module of the three packages, by its path."""
    found = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in found}


@cache
def trees() -> dict[str, ast.Module]:
    """The same, parsed."""
    return {name: ast.parse(source) for name, source in modules().items()}


@cache
def functions() -> list[tuple[str, Function]]:
    """`file name`, and the function."""
    return [
        (f"{name} {node.name}", node)
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    ]


def lines(node: Function) -> int:
    """How many lines a function has, its docstring left out."""
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def positional(node: Function) -> int:
    """How many parameters may be given by position, those that do not count left out."""
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return len([name for name in names if name not in NOT_COUNTED])


def is_dictated(node: Function) -> bool:
    """Whether a library reads or gives this signature."""
    notes = [each.annotation for each in node.args.args if each.annotation is not None]
    return node.name in DICTATED or any(ast.unparse(note) == "typer.Context" for note in notes)


def test_no_module_is_longer_than_400_lines() -> None:
    long = {name: n for name, source in modules().items() if (n := len(source.splitlines())) > MODULE_LINES}
    assert not long


def test_no_function_is_longer_than_60_lines() -> None:
    long = [f"{name} ({lines(node)})" for name, node in functions() if lines(node) > FUNCTION_LINES]
    assert not long


def test_functions_are_short_at_the_median_and_at_the_ninetieth_percentile() -> None:
    deciles = quantiles([lines(node) for _, node in functions()], n=10)
    assert (deciles[4] <= MEDIAN_LINES, deciles[8] <= P90_LINES) == (True, True), deciles


def test_parameters_beyond_the_third_are_keyword_only() -> None:
    wide = [
        f"{name} ({positional(node)})"
        for name, node in functions()
        if positional(node) > (PRIVATE_POSITIONAL if node.name.startswith("_") else PUBLIC_POSITIONAL)
        and not is_dictated(node)
        and name not in ON_PURPOSE
    ]
    assert not wide


def test_every_exception_that_is_made_on_purpose_still_exists() -> None:
    assert not set(ON_PURPOSE) - {name for name, node in functions() if positional(node) > PUBLIC_POSITIONAL}


def test_every_module_says_what_it_is_for() -> None:
    assert not [name for name, tree in trees().items() if modules()[name].strip() and not ast.get_docstring(tree)]


def test_no_module_has_a_name_for_anything() -> None:
    banned = {"utils", "util", "helpers", "common", "misc", "manager", "types"}
    assert not [name for name in modules() if Path(name).stem in banned]


def test_only_entropy_opens_the_doors_to_chance_and_new_ids() -> None:
    doors = {"random", "secrets", "uuid"}
    offenders = [
        f"{name}:{node.lineno}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        and doors & {getattr(node, "module", None), *(each.name for each in node.names)}
    ]
    assert not [offender for offender in offenders if not offender.startswith("orchestrator/entropy.py")]


def swallows_everything(node: ast.AST) -> bool:
    """Whether a handler catches what it cannot know, and does not raise it again."""
    if not isinstance(node, ast.ExceptHandler) or isinstance(node.body[-1], ast.Raise):
        return False
    return node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")


def test_nothing_swallows_every_error_but_the_loop_and_the_relay() -> None:
    swallowing = {name for name, tree in trees().items() if any(map(swallows_everything, ast.walk(tree)))}
    assert swallowing == {"orchestrator/daemon.py", "outbox/relay.py"}


def test_nothing_is_left_for_later() -> None:
    words = ("TODO", "FIXME", "XXX")
    assert not [f"{name}: {word}" for name, source in modules().items() for word in words if word in source]
