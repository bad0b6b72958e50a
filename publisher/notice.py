"""What a slot says while no edition stands there: withdrawn, delayed or missed, as `notice.md`.

Rules: a present edition.md wins over a notice. The file says what, when, who and why; pages repeat it
without the actor.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from publisher.content import EditionKey
from publisher.edition import Date, Instant, Lang, Model, Slug
from publisher.errors import BadEdition
from publisher.front_matter import front_matter, take_apart
from publisher.prose import markdown_text, plain
from publisher.words import words_of


class Notice(Model):
    """One notice. `at` is the decision's time; `reason` is a reason code; `revision` that of the slot."""

    kind: Literal["WITHDRAWN", "DELAYED", "MISSED"]
    product: Slug
    product_title: str
    date: Date
    lang: Lang
    at: Instant
    actor: str
    reason: str
    revision: int
    synthetic: bool = False

    @property
    def key(self) -> EditionKey:
        """Its slot."""
        return EditionKey(self.product, self.date, self.lang)


def notice_md(notice: Notice) -> bytes:
    """The file: everything in the front matter, one sentence for a person in the body."""
    words = words_of(notice.lang)
    title = f"{plain(notice.product_title)}, {words.date(notice.date)}"
    fields = {"title": title} | {
        name: plain(value) if isinstance(value, str) else value
        for name, value in notice.model_dump(mode="json").items()
    }
    said = words.notices[notice.kind].format(moment=words.moment(notice.at))
    body = f"# {markdown_text(title)}\n\n{markdown_text(said)}\n"
    return (front_matter(fields) + "\n" + body).encode()


def read_notice(file: bytes) -> Notice:
    """The notice in a notice.md; its body is decoration. BadEdition when it holds none."""
    fields = take_apart(file).fields
    fields.pop("title", None)
    try:
        return Notice.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadEdition(f"notice: {where}: {first['msg']}", hint="see the other notices of the archive") from None
