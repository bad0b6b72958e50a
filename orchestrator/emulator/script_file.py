"""Reading a provider script: JSON to `Script`, with errors that name the place and the likely word.

    fixtures/scripts/x.json: rules[2].create[0]: unknown result "ct_after"; did you mean "cut_after_accept"?

A step may name what happens as `result` or, for a provider status, as `status`; both are one vocabulary.
A payload's `file` is looked for beside the script, then in `payloads/` beside it.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from orchestrator.emulator.script import (
    MATCH_FIELDS,
    VOCABULARY,
    HookStep,
    Operation,
    Rule,
    Script,
    Step,
)
from orchestrator.errors import ConfigurationError

RULE_KEYS: Final = ("match", "shared", "webhook", "note", *Operation)
HOOK_KEYS: Final = ("after_s", "event", "times", "signature", "response_id")
HOOK_EVENTS: Final = ("response.completed", "response.failed", "response.cancelled", "response.incomplete")
Raw = Mapping[str, Any]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _headers(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str | int) for v in value.values())


def _http_status(value: object) -> bool:
    return _whole(value) and isinstance(value, int) and 200 <= value <= 599


KINDS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "times": (_whole, "a whole number from 1"),
    "delay_s": (_number, "seconds, 0 or more"),
    "s": (_number, "seconds, 0 or more"),
    "after_s": (_number, "seconds, 0 or more"),
    "status": (_http_status, "an HTTP status, 200 to 599"),
    "headers": (_headers, "an object of header names and values"),
    "accepted": (_flag, "true or false"),
    "reset": (_flag, "true or false"),
    "all": (_flag, "true or false"),
    "code": (_text, "a text"),
    "type": (_text, "a text"),
    "message": (_text, "a text"),
    "body": (_text, "a text"),
    "reason": (_text, "a text"),
    "file": (_text, "a file name"),
    "event": (_text, "a text"),
    "signature": (_text, "a text"),
    "response_id": (_text, "a text"),
}


def read_script(path: Path) -> Script:
    """The script in a file.

    Raises ConfigurationError: unreadable, not JSON (with line and column), or wrong (with the place).
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path}: the script cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    return parse_script(document, name=str(path), folder=path.parent)


def parse_script(document: object, *, name: str = "script", folder: Path | None = None) -> Script:
    """The script in a parsed JSON document. `folder` is where payload files are. Raises as `read_script`."""
    return _Reader(name, folder).script(document)


class _Reader:
    def __init__(self, name: str, folder: Path | None) -> None:
        self._name = name
        self._folder = folder

    def script(self, document: object) -> Script:
        raw = self._object(document, "")
        self._known(raw, ("rules", "note"), "", noun="key")
        rules = raw.get("rules", [])
        if not isinstance(rules, list):
            raise self._wrong("rules", "must be a list of rules")
        return Script(tuple(self._rule(rule, number) for number, rule in enumerate(rules)))

    def _rule(self, document: object, number: int) -> Rule:
        place = f"rules[{number}]"
        raw = self._object(document, place)
        self._known(raw, RULE_KEYS, place, noun="key")
        match, calls = self._match(raw.get("match", {}), f"{place}.match")
        steps = {op: self._steps(raw[op], op, f"{place}.{op}") for op in Operation if op in raw}
        hooks = self._hooks(raw["webhook"], f"{place}.webhook") if "webhook" in raw else None
        key = hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()[:12]
        return Rule(
            number=number,
            key=key,
            match=match,
            calls=calls,
            shared=bool(raw.get("shared", False)),
            steps=steps,
            hooks=hooks,
        )

    def _match(self, document: object, place: str) -> tuple[dict[str, tuple[str, ...]], frozenset[int]]:
        raw = dict(self._object(document, place))
        self._known(raw, (*MATCH_FIELDS, "call"), place, noun="field")
        calls = _several(raw.pop("call", []))
        if not all(_whole(call) for call in calls):
            raise self._wrong(f"{place}.call", "must be a call number from 1, or a list of them")
        for name, value in raw.items():
            if not all(isinstance(one, str | int) for one in _several(value)):
                raise self._wrong(f"{place}.{name}", "must be a text, or a list of texts")
        match = {name: tuple(str(one) for one in _several(value)) for name, value in raw.items()}
        return match, frozenset(calls)

    def _steps(self, document: object, operation: Operation, place: str) -> tuple[Step, ...]:
        if not isinstance(document, list) or not document:
            raise self._wrong(place, "must be a list with at least one step")
        return tuple(self._step(raw, operation, f"{place}[{n}]") for n, raw in enumerate(document))

    def _step(self, document: object, operation: Operation, place: str) -> Step:
        raw = dict(self._object(document, place))
        result = self._result(raw, operation, place)
        if result == "payload":
            _rename_file(raw)
        keys = VOCABULARY[operation][result]
        self._known(raw, ("times", *sorted(keys)), place, noun=f'key for "{result}"')
        self._check_kinds(raw, place)
        if result == "payload":
            raw["payload"] = self._payload(raw.pop("file", None), place)
        if "headers" in raw:
            raw["headers"] = tuple((name, str(value)) for name, value in raw["headers"].items())
        return Step(result=result, **raw)

    def _result(self, raw: dict[str, Any], operation: Operation, place: str) -> str:
        """Take the result's name out of a raw step."""
        if "result" in raw:
            name = raw.pop("result")
        elif isinstance(raw.get("status"), str):
            name = raw.pop("status")
        elif "status" in raw:
            name = "http"
        elif operation is Operation.RETRIEVE:
            name = "payload" if {"file", "name", "payload"} & raw.keys() else "completed"
        else:
            name = "ok"
        if operation is Operation.RETRIEVE and name == "ok":
            name = "completed"
        self._known((name,), VOCABULARY[operation], place, noun="result")
        return str(name)

    def _payload(self, file: object, place: str) -> bytes:
        if not isinstance(file, str) or self._folder is None:
            raise self._wrong(place, 'a payload needs "file", the name of a fixture beside the script')
        for path in (self._folder / file, self._folder / "payloads" / file):
            if path.is_file():
                return path.read_bytes()
        raise self._wrong(f"{place}.file", f'there is no fixture "{file}" beside the script')

    def _hooks(self, document: object, place: str) -> tuple[HookStep, ...]:
        if not isinstance(document, list):
            raise self._wrong(place, "must be a list of webhooks")
        return tuple(self._hook(raw, f"{place}[{n}]") for n, raw in enumerate(document))

    def _hook(self, document: object, place: str) -> HookStep:
        raw = self._object(document, place)
        self._known(raw, HOOK_KEYS, place, noun="key")
        self._check_kinds(raw, place)
        self._known((raw.get("event", HOOK_EVENTS[0]),), HOOK_EVENTS, f"{place}.event", noun="event")
        self._known((raw.get("signature", "ok"),), ("ok", "bad", "old"), f"{place}.signature", noun="value")
        self._known((raw.get("response_id", "own"),), ("own", "unknown"), f"{place}.response_id", noun="value")
        return HookStep(**raw)

    def _check_kinds(self, raw: Raw, place: str) -> None:
        for name, value in raw.items():
            fits, description = KINDS[name]
            if not fits(value):
                raise self._wrong(f"{place}.{name}", f"must be {description}, not {json.dumps(value)}")

    def _object(self, document: object, place: str) -> Raw:
        if not isinstance(document, dict):
            raise self._wrong(place, "must be an object")
        return document

    def _known(self, names: Iterable[object], known: Iterable[str], place: str, *, noun: str) -> None:
        allowed = [str(name) for name in known]
        for name in names:
            if name in allowed:
                continue
            near = difflib.get_close_matches(str(name), allowed, n=1, cutoff=0.5)
            ask = f'; did you mean "{near[0]}"?' if near else ""
            raise self._wrong(place, f'unknown {noun} "{name}"{ask}', hint=f"Known: {', '.join(allowed)}.")

    def _wrong(self, place: str, what: str, *, hint: str = "") -> ConfigurationError:
        return ConfigurationError(f"{self._name}: {place + ': ' if place else ''}{what}", hint=hint)


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _rename_file(raw: dict[str, Any]) -> None:
    """`name` and `payload` are accepted for `file`."""
    for other in ("name", "payload"):
        if other in raw:
            raw["file"] = raw.pop(other)
