"""An edition as Markdown and its evidence as JSON, and both read back.

The file: front matter with the structure (ids, kinds, which claims carry which sentence), then a body that
is the edition as people read it and the one home of its prose. Numbered `##` headings are the headlines; a
paragraph is a sentence of fact, a quoted paragraph one of analysis, each ending in its footnotes; all else
in the body (date, kicker, labels, sources) is written for the reader and derived.

Rules: `read_edition(edition_md(e), evidence_json(v)) == normal_edition(e)` for every edition whose claims and
sources stand in its evidence. A person's edit of a headline or sentence is read; what cannot be read as an
edition raises BadEdition with the line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from pydantic import ValidationError

from publisher.body import Prose, Written, first_headline, read_body
from publisher.citations import note_numbers, notes_of
from publisher.edition import Edition, Event, Evidence, Sentence
from publisher.errors import BadEdition
from publisher.front_matter import Document, front_matter, take_apart
from publisher.prose import address, markdown_text, plain, safe_url, scraped
from publisher.words import Words, words_of

FORMAT = "dateline-edition-1"


def normal_edition(edition: Edition) -> Edition:
    """The edition with every text in its normal form (`publisher.prose`): what is stored is exactly this."""
    return Edition.model_validate(_normal(edition.model_dump(mode="json")))


def normal_evidence(evidence: Evidence) -> Evidence:
    """The same for evidence."""
    return Evidence.model_validate(_normal(evidence.model_dump(mode="json")))


_FIELDS = {"url": address, "title": scraped, "publisher": scraped}


def _normal(value: Any, form: Callable[[str], str] = plain) -> Any:
    match value:
        case str():
            return form(value)
        case dict():
            return {plain(key): _normal(item, _FIELDS.get(key, plain)) for key, item in value.items()}
        case list() | tuple():
            return [_normal(item) for item in value]
        case _:
            return value


def evidence_json(evidence: Evidence) -> bytes:
    """`evidence.json`: sorted keys, two spaces, one line end at the end; one spelling on every machine."""
    fields = normal_evidence(evidence).model_dump(mode="json")
    return (json.dumps(fields, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def read_evidence(file: bytes) -> Evidence:
    """The evidence in an evidence.json. BadEdition when it holds none."""
    try:
        return Evidence.model_validate_json(file)
    except ValidationError as error:
        raise BadEdition(f"evidence.json: {_first(error)}") from None


def edition_md(edition: Edition) -> bytes:
    """`edition.md`. BadEdition without events, for an empty text, or for a citation that leads nowhere."""
    edition = normal_edition(edition)
    _refuse_empty(edition)
    text = front_matter(_fields(edition)) + "\n" + "\n\n".join(_blocks(edition)) + "\n"
    return text.encode()


def _refuse_empty(edition: Edition) -> None:
    texts = [event.headline for event in edition.events]
    texts += [sentence.text for event in edition.events for sentence in event.sentences]
    if not all(texts):
        raise BadEdition(f"{edition.key}: a headline or sentence is empty")
    if not edition.events:
        raise BadEdition(f"{edition.key}: no events")


def _fields(edition: Edition) -> dict[str, object]:
    stored = edition.model_dump(mode="json")
    del stored["date"], stored["lang"]
    stored["events"] = [_event_fields(event) for event in edition.events]
    return {
        "title": f"{edition.product_title}, {words_of(edition.lang).date(edition.date)}",
        "date": edition.date,
        "lastmod": edition.revised_at,
        "lang": edition.lang,
        "slug": f"{edition.product}-{edition.date}",
        "dateline": {"format": FORMAT, **stored},
    }


def _event_fields(event: Event) -> dict[str, object]:
    return {
        "id": event.event_id,
        "region": event.region,
        "topics": list(event.topics),
        "update": event.update,
        "claims": [claim.claim_id for claim in event.claims],
        "sources": [source.source_id for source in event.sources],
        "sentences": [{"kind": sentence.kind, "claims": list(sentence.claim_ids)} for sentence in event.sentences],
    }


def _blocks(edition: Edition) -> Iterator[str]:
    words = words_of(edition.lang)
    yield f"# {markdown_text(words.date(edition.date))}"
    yield (
        f"**{markdown_text(edition.product_title)}** · {words.say.number} {edition.number} · "
        + words.say.published_at.format(time=words.time(edition.published_at))
    )
    yield from (f"> {markdown_text(line)}" for line in notice_lines(edition, words))
    numbers = note_numbers(edition)
    for place, event in enumerate(edition.events):
        yield f"## {place + 1}. {markdown_text(event.headline)}"
        if kicker := kicker_of(event, words):
            yield f"*{markdown_text(kicker)}*"
        yield from _prose(event, numbers[place], words)
    yield f"## {words.say.sources}"
    yield from _sources(edition, numbers, words)


def notice_lines(edition: Edition, words: Words) -> list[str]:
    """What stands above the contents: synthetic, late, fewer events, corrections; empty on a plain day."""
    lines = [
        said
        for holds, said in (
            (edition.synthetic, words.say.synthetic),
            (edition.late, words.say.late),
            (edition.fewer_events, words.say.fewer_events),
        )
        if holds
    ]
    return lines + [f"{words.corrected(each.at, edition.date)}: {each.note}" for each in edition.corrections]


def kicker_of(event: Event, words: Words) -> str:
    """`Europe · energy, trade · Update`."""
    topics = ", ".join(words.name(topic) for topic in event.topics)
    parts = [words.name(event.region), topics, words.say.update if event.update else ""]
    return " · ".join(part for part in parts if part)


def _prose(event: Event, numbers: Mapping[str, int], words: Words) -> Iterator[str]:
    for kind, run in groupby(event.sentences, key=lambda sentence: sentence.kind):
        if kind == "fact":
            yield from (_cited(sentence, event, numbers) for sentence in run)
        else:
            label = f"> **{words.say.analysis}.** "
            yield label + "\n>\n> ".join(_cited(sentence, event, numbers) for sentence in run)


def _cited(sentence: Sentence, event: Event, numbers: Mapping[str, int]) -> str:
    notes = notes_of(sentence.claim_ids, event, numbers)
    return markdown_text(sentence.text) + "".join(f"[^{number}]" for number in notes)


def _sources(edition: Edition, numbers: list[dict[str, int]], words: Words) -> Iterator[str]:
    for event, notes in zip(edition.events, numbers, strict=True):
        for source in event.sources:
            title = markdown_text(source.title)
            url = safe_url(source.url)
            linked = f"[{title}](<{url}>)" if url else f"{title} ({markdown_text(source.url)})"
            kind = words.say.primary if source.kind == "primary" else words.say.report
            dated = words.short_date(source.published_at)
            yield f"[^{notes[source.source_id]}]: {linked}. {markdown_text(source.publisher)}, {dated} ({kind})."


@lru_cache(maxsize=16)
def _taken(edition_md: bytes) -> Document:
    """A glance at an edition is often followed by the whole reading."""
    return take_apart(edition_md)


def read_edition(edition_md: bytes, evidence_json: bytes) -> Edition:
    """The edition in the two files. BadEdition, with the line where there is one."""
    return edition_with(edition_md, read_evidence(evidence_json))


def edition_with(edition_md: bytes, evidence: Evidence) -> Edition:
    """The same with evidence that was read before."""
    document = _taken(edition_md)
    fields = document.fields
    stored = _stored(fields)
    events = stored.get("events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise BadEdition("line 1: front matter: events are missing")
    written = read_body(document.body, document.body_line)
    if len(written) != len(events):
        raise BadEdition(
            f"line {document.body_line}: {len(written)} numbered headlines,"
            f" and {len(events)} events in the front matter"
        )
    claims = {claim.claim_id: claim for claim in evidence.claims}
    sources = {source.source_id: source.model_dump(exclude={"payload_digest"}) for source in evidence.sources}
    joined = [_event(event, prose, claims, sources) for event, prose in zip(events, written, strict=True)]
    given = {name: value for name, value in stored.items() if name not in ("format", "events")}
    edition = _valid(given | {"date": fields.get("date"), "lang": fields.get("lang"), "events": joined})
    _check_notes(edition, written)
    return edition


class Glance(NamedTuple):
    """What a list says of an edition."""

    headline: str
    late: bool
    synthetic: bool
    revised_at: str


def glance(edition_md: bytes) -> Glance:
    """The first headline and what lists say beside it, without reading the rest. BadEdition as `read_edition`."""
    document = _taken(edition_md)
    stored = _stored(document.fields)
    headline = first_headline(document.body, document.body_line)
    late, synthetic = stored.get("late") is True, stored.get("synthetic") is True
    return Glance(headline, late, synthetic, str(stored.get("revised_at")))


def _stored(fields: Mapping[str, Any]) -> dict[str, Any]:
    stored = fields.get("dateline")
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise BadEdition("line 1: not a Dateline edition", hint=f"`dateline: format:` must be {FORMAT}")
    return stored


def _event(
    event: dict[str, Any], prose: Written, claims: Mapping[str, Any], sources: Mapping[str, Any]
) -> dict[str, Any]:
    structure = event.get("sentences") or []
    kinds = [sentence.get("kind") if isinstance(sentence, dict) else None for sentence in structure]
    if kinds != [sentence.kind for sentence in prose.sentences]:
        raise BadEdition(
            f"line {prose.line}: the sentences are not those of the front matter ({', '.join(map(str, kinds))})",
            hint="sentences can be reworded in the body; to add or remove one, change `sentences` as well",
        )
    return {
        "event_id": event.get("id"),
        "region": event.get("region"),
        "topics": event.get("topics"),
        "update": event.get("update", False),
        "headline": prose.headline,
        "sentences": [
            {"text": said.text, "kind": said.kind, "claim_ids": part.get("claims") or ()}
            for said, part in zip(prose.sentences, structure, strict=True)
        ],
        "claims": _found(event.get("claims"), claims, prose.line),
        "sources": _found(event.get("sources"), sources, prose.line),
    }


def _found(ids: object, known: Mapping[str, Any], line: int) -> list[Any]:
    wanted: Iterable[Any] = ids if isinstance(ids, list) else ()
    try:
        return [known[each] for each in wanted]
    except (KeyError, TypeError) as missing:
        raise BadEdition(f"line {line}: {missing} is not in evidence.json") from None


def _valid(fields: dict[str, Any]) -> Edition:
    try:
        return Edition.model_validate(fields)
    except ValidationError as error:
        raise BadEdition(f"line 1: front matter: {_first(error)}") from None


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _check_notes(edition: Edition, written: list[Written]) -> None:
    for event, numbers, prose in zip(edition.events, note_numbers(edition), written, strict=True):
        for sentence, said in zip(event.sentences, prose.sentences, strict=True):
            _check_sentence(said, notes_of(sentence.claim_ids, event, numbers))


def _check_sentence(said: Prose, expected: list[int]) -> None:
    if list(said.notes) != expected:
        should = "".join(f"[^{number}]" for number in expected) or "none"
        raise BadEdition(
            f"line {said.line}: the notes do not follow from the sentence's claims; they would be {should}",
            hint="a sentence's claims stand in the front matter, its notes follow from them",
        )
