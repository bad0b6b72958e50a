"""The safety layer: text that would act instead of being read.

Two strictnesses: `prose` is what a composer wrote and readers get, one plain line of text; `record` is what a
source is called or says, which may look like Markdown (a title such as "`x` *y*" is a title) but may not hide
characters, HTML or orders to the reader. Nothing is repaired here; a failing text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from orchestrator.evidence.failure import Code, Failure, Place

_HTML = re.compile(
    r"<\s*[A-Za-z/!?]|&(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);|\bjavascript\s*:", re.IGNORECASE
)
_TEMPLATE = re.compile(r"\{\{|\{%|\{#|<%|\$\{")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_ZERO_WIDTH = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]|[\U000e0000-\U000e007f]")
_PLANES = "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
# Controls, line separators, half characters, private and non-characters; not letters too new to be known.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uf8ff\ufdd0-\ufdef\ufffd\U000f0000-\U0010ffff" + _PLANES + "]"
)
# Letters, marks and signs of European text and emoji; only what lies outside is looked at closely.
_ODD_CHARACTERS = re.compile(
    "[^ -~\u00a0-\u00ac\u00ae-\u036f\u2010-\u2027\u202f-\u205f\u2070-\u2bff\U0001f300-\U0001faff]"
)
_JOINERS = re.compile("[\u200c\u200d]")
_MARKDOWN = (
    ("HEADING", re.compile(r"\s*#{1,6}\s")),
    ("QUOTE_BLOCK", re.compile(r"\s*>")),
    ("LIST", re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")),
    ("RULE", re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|\+{3,})")),
    ("FENCE", re.compile(r".*(?:```|~~~)", re.DOTALL)),
    ("TABLE", re.compile(r"\s*\|.*\|")),
    ("LINK", re.compile(r".*\]\s*[(\[:]", re.DOTALL)),
    ("EMPHASIS", re.compile(r".*(?:\*\*|__|(?<!\w)[*_][^\s*_][^*_]*[*_](?!\w)|`)", re.DOTALL)),
)
_ORDERS = re.compile(
    # English: what comes before is to be forgotten
    r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,25}\b(?:previous|prior|above|earlier|preceding|your|"
    r"all (?:the )?|these|system)\b.{0,25}\b(?:instructions?|prompts?|rules|directives|guidelines|messages?)\b"
    r"|\b(?:ignore|disregard|forget) (?:everything |all |what is )?(?:the )?above\b"
    r"|\b(?:you are now|from now on,? you|you must now)\b|\bnew instructions?:|\bdo not (?:tell|reveal"
    r"|mention) .{0,20}\buser\b"
    # Spanish
    r"|\b(?:ignor[aeá]|ignor(?:ad|en|ar)|olvid[aeá]|olvid(?:ad|en|ar)|descart[ae]|omit[ae]"
    r"|haz caso omiso de|desobedec\w+)\b"
    r".{0,25}\b(?:instrucciones|indicaciones|órdenes|directrices|reglas)\b.{0,15}\b(?:anteriores"
    r"|previas|recibidas|de arriba|"
    r"del sistema)\b|\b(?:ignora|ignore|olvida|olvide) (?:todo )?lo anterior\b|\bignor[ae] (?:tus|sus"
    r"|mis|estas) instrucciones\b"
    r"|\b(?:ahora eres|a partir de ahora eres|a partir de ahora responde)\b|\bnuevas instrucciones:"
    # the machine speaks of itself
    r"|\b(?:system|developer) prompt\b|\bprompt del sistema\b|\bas an? (?:AI )?(?:language )?model, I\b"
    r"|\bas an AI, I\b"
    r"|\bcomo modelo de lenguaje\b|\bcomo (?:una )?(?:IA|inteligencia artificial), no puedo\b"
    r"|<\|[a-z_]{2,20}\|>|\[/?INST\]|\A\s*#{0,3}\s*(?:system|assistant|user|instructions?)\s*:"
    # links and words that somebody wants in
    r"|\b(?:add|insert|include) (?:a|the|this|the following) link\b|\b(?:añade|inserta|incluye) (?:un"
    r"|el|este|el siguiente) enlace\b",
    re.IGNORECASE | re.DOTALL,
)
_PREAMBLE = re.compile(
    r"\A\W*(?:(?:sure|certainly|of course|okay|ok|absolutely)[,.!]+ )?here(?:'s|’s| is| are| you go)\b.{0,25}"
    r"\b(?:translat\w+|spanish|english|summary|text|version|article|headline|json|edition)\b"
    r"|\A\W*(?:(?:claro|por supuesto|desde luego|con gusto)[,.!]+ )?(?:aquí|a continuación)\b.{0,25}"
    r"\b(?:traduc\w+|texto|versión|resumen|artículo|titular|edición)\b.{0,15}:"
    r"|\A\W*aquí (?:está|tiene|tienes|va) (?:la|el|tu|una|su) (?:traducción|texto|versión|resumen)\b"
    r"|\A\W*(?:translation|translated text|spanish(?: version| translation)?|english(?: version"
    r"| translation)?|traducción"
    r"|texto traducido|versión (?:en español|traducida|española)|en español|in spanish)\s*:"
    r"|\b(?:translator|traductor(?:a)?)(?:['’]s)? note\b|\bnota (?:del traductor|de la traducción)\b"
    r"|\A\W*(?:I['’]m sorry,? but I|I (?:cannot|can['’]t) (?:help|assist|translate)"
    r"|lo siento,? (?:pero )?no puedo)\b"
    r"|\b(?:let me know if|avísame si|espero que (?:esto )?te sirva|hope this helps)\b",
    re.IGNORECASE,
)
# A word of two scripts pretends to be another word; µ and Ω stand in units.
_FOREIGN = "\u0370-\u03a8\u03aa-\u03bb\u03bd-\u03ff\u0400-\u04ff"
_MIXED = re.compile(f"[A-Za-z][{_FOREIGN}]|[{_FOREIGN}][A-Za-z]")

# What has to stand in a text before the slow patterns can find anything; most texts have none of it.
_MARKUP_SIGNS = re.compile(r"[<&{$]|javascript", re.IGNORECASE)
_STRUCTURE_SIGNS = re.compile(r"[#>*_`~|\]]|\A\s*[-+=\d]")
_ORDER_SIGNS = (
    *("ignor", "disregard", "forget", "overrid", "bypass", "skip", "olvid", "descart", "omit", "desobed", "prompt"),
    *("instruc", "as an ai", "language model", "modelo de lenguaje", "como ia", "como una i", "como inteligencia"),
    *(
        "<|",
        "inst]",
        " link",
        " enlace",
        "you are now",
        "now on",
        "must now",
        "ahora eres",
        "a partir de ahora",
        "user",
    ),
    *("system", "assistant"),
)
_PREAMBLE_SIGNS = (
    *("transl", "traduc", "here", "aquí", "a continuación", "spanish", "español", "english", "sorry", "siento"),
    *("i cannot", "i can't", "i can’t", "let me know", "avísame", "espero que", "hope this", "en español"),
)

Check = Callable[[str, Place], Iterator[Failure]]


def record_failures(text: str, place: Place) -> list[Failure]:
    """What is wrong with a text that is kept as data: a title, a publisher, a claim."""
    return [failure for check in _RECORD for failure in check(text, place)]


def prose_failures(text: str, place: Place) -> list[Failure]:
    """What is wrong with a text that readers get."""
    return [failure for check in _PROSE for failure in check(text, place)]


def _characters(text: str, place: Place) -> Iterator[Failure]:
    if text.isascii() and text.isprintable():
        return
    if not _ODD_CHARACTERS.search(text):
        return
    if _MIXED.search(text):
        yield place.fails(Code.HOMOGLYPH)
    if _BIDI.search(text):
        yield place.fails(Code.BIDI_CHARACTER)
    if _CONTROL.search(text):
        yield place.fails(Code.CONTROL_CHARACTER, "CONTROL")
    elif _ZERO_WIDTH.search(text) or any(_hides(text, m.start()) for m in _JOINERS.finditer(text)):
        yield place.fails(Code.CONTROL_CHARACTER, "ZERO_WIDTH")


def _hides(text: str, at: int) -> bool:
    """A joiner belongs between letters of scripts that join, and in emoji; beside ASCII it only hides."""
    around = text[max(0, at - 1) : at] + text[at + 1 : at + 2]
    return len(around) < 2 or any(c.isascii() for c in around)


def _html(text: str, place: Place) -> Iterator[Failure]:
    if _MARKUP_SIGNS.search(text) and _HTML.search(text):
        yield place.fails(Code.HTML_IN_TEXT)


def _template(text: str, place: Place) -> Iterator[Failure]:
    if _MARKUP_SIGNS.search(text) and _TEMPLATE.search(text):
        yield place.fails(Code.TEMPLATE_SYNTAX)


def _orders(text: str, place: Place) -> Iterator[Failure]:
    low = text.lower()
    if any(sign in low for sign in _ORDER_SIGNS) and _ORDERS.search(text):
        yield place.fails(Code.INJECTION_MARKER, "ORDER")
    elif any(sign in low for sign in _PREAMBLE_SIGNS) and _PREAMBLE.search(text):
        yield place.fails(Code.INJECTION_MARKER, "PREAMBLE")


def _markdown(text: str, place: Place) -> Iterator[Failure]:
    if not _STRUCTURE_SIGNS.search(text):
        return
    found = next((name for name, pattern in _MARKDOWN if pattern.match(text)), None)
    if found is not None:
        yield place.fails(Code.MARKDOWN_STRUCTURE, found)


_RECORD: tuple[Check, ...] = (_characters, _html, _template, _orders)
_PROSE: tuple[Check, ...] = (*_RECORD, _markdown)
