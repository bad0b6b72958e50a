"""The body of an edition.md, read as CommonMark: headlines and sentences with their lines.

Rules: read with markdown-it-py, raw HTML off. From the first numbered second-level heading to the next
unnumbered one, every paragraph is a sentence; a quoted one is analysis, and may begin with a label in bold.
An emphasised paragraph right under a headline is its kicker. Prose is plain text: marks that a person means
literally take a backslash. Whatever stands outside the events is decoration and never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, NoReturn

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from publisher.errors import BadEdition
from publisher.prose import plain

_FIRST_HEADLINE = re.compile(r"^## 1\. ", re.MULTILINE)
_END = re.compile(r"^## (?!\d{1,6}\. )", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{1,6})\. ")
_KICKER = re.compile(r"\*(?:[^*\\\n]|\\.)+\*")
_LABEL = re.compile(r"\*\*(?:[^*\\\n]|\\.)+[.:]\*\*\s*")
_NOTE = re.compile(r"\[\^(\d{1,6})\]")
# Inline text in which nothing acts but a backslash, then notes: what `markdown_text` writes, and most of
# what people type. It is read in one step, and a test holds that markdown-it reads it the same.
_LITERAL = re.compile(r"((?:[^\\`*_\[\]<&!~\n]|\\[!-/:-@\[-`{-~]|&(?![#A-Za-z]))*)((?:\[\^\d{1,6}\])*)")
_ESCAPED = re.compile(r"\\(.)")


class Prose(NamedTuple):
    """One sentence as it stands in the body."""

    text: str
    kind: Literal["fact", "analysis"]
    notes: tuple[int, ...]
    line: int


class Written(NamedTuple):
    """One event as it stands in the body."""

    headline: str
    line: int
    sentences: list[Prose]


class _Block(NamedTuple):
    """A heading or paragraph with its Markdown; `quoted` when it stands in a quotation."""

    tag: str
    quoted: bool
    content: str
    line: int


class Inline(NamedTuple):
    """An inline run: its text and the notes at its end."""

    text: str
    notes: tuple[int, ...]


def _note(state: StateInline, silent: bool) -> bool:
    """An inline rule for `[^3]`, which CommonMark alone reads as text."""
    found = _NOTE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("note", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _reader(*, blocks_only: bool) -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False})
    reader.disable(["reference", "html_block", "html_inline"])
    if blocks_only:
        reader.core.ruler.disable(["inline", "text_join"])
    reader.inline.ruler.before("link", "note", _note)
    return reader


_BLOCKS = _reader(blocks_only=True)
_INLINE = _reader(blocks_only=False)


def read_body(body: str, first_line: int) -> list[Written]:
    """The events of `body`, whose first line is `first_line` of its file. BadEdition with the line."""
    part, line = _events_part(body, first_line)
    events: list[Written] = []
    for block in _blocks(part, line):
        if block.tag == "h2":
            events.append(_headline(block, len(events) + 1))
        elif not (_is_kicker(block) and not events[-1].sentences):
            events[-1].sentences.append(_sentence(block))
    return events


def first_headline(body: str, first_line: int) -> str:
    """The first event's headline, without reading the rest. BadEdition when there is none."""
    begin = _FIRST_HEADLINE.search(body)
    if begin is None:
        _refuse(first_line, "no numbered headline")
    end = body.find("\n", begin.end())
    line = first_line + body.count("\n", 0, begin.start())
    heading = next(_blocks(body[begin.start() : None if end < 0 else end], line))
    return _headline(heading, 1).headline


def _events_part(body: str, first_line: int) -> tuple[str, int]:
    begin = _FIRST_HEADLINE.search(body)
    if begin is None:
        return "", first_line
    end = _END.search(body, begin.end())
    return body[begin.start() : end.start() if end else None], first_line + body.count("\n", 0, begin.start())


def _blocks(part: str, first_line: int) -> Iterator[_Block]:
    quotes, tag, line = 0, "", first_line
    for token in _BLOCKS.parse(part):
        if token.map:
            line = token.map[0] + first_line
        match token.type:
            case "blockquote_open" | "blockquote_close":
                quotes += token.nesting
            case "heading_open" | "paragraph_open":
                tag = token.tag
                if tag not in ("h2", "p") or (tag == "h2" and quotes):
                    _refuse(line, "a heading that is no headline")
            case "inline":
                yield _Block(tag, quotes > 0, token.content, line)
            case "heading_close" | "paragraph_close":
                pass
            case other:
                _refuse(line, f"{_named(other)} among the sentences")


def _headline(block: _Block, expected: int) -> Written:
    numbered = _NUMBERED.match(block.content)
    if numbered is None or int(numbered[1]) != expected:
        _refuse(block.line, f"a headline that does not begin with its number, {expected}")
    text, notes = read_inline(block.content[numbered.end() :], block.line)
    if notes or not text:
        _refuse(block.line, "a headline that is empty or carries notes")
    return Written(text, block.line, [])


def _is_kicker(block: _Block) -> bool:
    return not block.quoted and _KICKER.fullmatch(block.content) is not None


def _sentence(block: _Block) -> Prose:
    content = (
        _LABEL.sub("", block.content, count=1) if block.quoted and block.content[:2] == "**" else block.content
    )
    text, notes = read_inline(content, block.line)
    if not text:
        _refuse(block.line, "an empty sentence")
    return Prose(text, "analysis" if block.quoted else "fact", notes, block.line)


def read_inline(content: str, line: int) -> Inline:
    """Normal text and notes of inline Markdown. BadEdition where anything but plain text stands in it."""
    literal = _LITERAL.fullmatch(content)
    if literal is not None:
        notes = tuple(int(number) for number in _NOTE.findall(literal[2]))
        return Inline(plain(_ESCAPED.sub(r"\1", literal[1])), notes)
    return parsed_inline(content, line)


def parsed_inline(content: str, line: int) -> Inline:
    """The same by way of markdown-it, for all that CommonMark knows."""
    text: list[str] = []
    notes: list[int] = []
    for token in _INLINE.parseInline(content)[0].children or []:
        said = {"text": token.content, "softbreak": " ", "hardbreak": " ", "note": ""}.get(token.type)
        if said is None:
            _refuse(line, f"{_named(token.type)} in the prose")
        if token.type == "note":
            notes.append(int(token.content))
        elif notes and said.strip():
            _refuse(line, "text after the notes")
        text.append(said)
    return Inline(plain("".join(text)), tuple(notes))


def _named(token_type: str) -> str:
    return token_type.removesuffix("_open").replace("_", " ")


def _refuse(line: int, what: str) -> NoReturn:
    raise BadEdition(
        f"line {line}: {what}", hint="prose is plain text in paragraphs; a backslash makes a mark literal"
    )
