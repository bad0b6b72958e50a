"""edition.md and evidence.json: literal on any forge, and read back exactly."""

from __future__ import annotations

import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from publisher.body import parsed_inline, read_inline
from publisher.content import EditionKey
from publisher.edition import Correction, Edition, Sentence
from publisher.errors import BadEdition
from publisher.front_matter import front_matter, take_apart
from publisher.markdown import (
    edition_md,
    evidence_json,
    glance,
    normal_edition,
    normal_evidence,
    read_edition,
    read_evidence,
)
from publisher.prose import markdown_text, plain
from tests.publisher.samples import corrected, edition, event, evidence

KEY = EditionKey("daily-brief", "2026-11-30", "en")

NASTY = [
    "España: \"no\" al plan — 50% #1 'x'",
    "@home and *stars* & 50% off",
    "`code` and _under_ and ~~struck~~ and __init__",
    "- a list? + or * or # or > or 1) or 12. no",
    "1. a numbered list",
    "12) another",
    "[Exclusiva] A | B ] close [ open](https://evil.test) ![img](x)",
    "Human rabies---Virginia",
    "---",
    "***",
    "===",
    "# heading #",
    "> quoted",
    "</title><script>alert(1)</script><!-- -->",
    "AT&T and AT&amp;T and &lt; and &#58; and &copy",
    "from $23 billion to $14 billion, $x$ and $$y$$",
    "\\ backslash \\* \\",
    "{{< shortcode >}} {{ liquid }} {% raw %} {: .class}",
    "https://ex.test/a_(b) www.ex.test mail@ex.test :smile: ver https://ex.test/a!",
    "[^1] and [^2]",
    ": definition",
    "    indented code",
    "Sube 📈 el IPC, «dijo» “so”",
    "Alena González",
    "نص عربي with Arabic inside",
    "line\nbreak\r\nand\ttab\u2028sep",
    "control \x0b \x00 and bidi \u202e and BOM \ufeff and \ufffe and \ud83d fin",
    "|a|b|\n|-|-|",
    "<https://auto.link> &nbsp; end\u00a0",
    "“Quoted,” she said: ‘so’ ... -- and --- dashes",
]


def with_text(text: str) -> Edition:
    told = event(0)
    sentences = (
        told.sentences[0].model_copy(update={"text": text}),
        Sentence(text=text, kind="analysis", claim_ids=("clm-0-1",)),
        Sentence(text=f"x {text}", kind="analysis"),
        told.sentences[1],
    )
    sources = tuple(each.model_copy(update={"title": text, "publisher": text}) for each in told.sources)
    told = told.model_copy(update={"headline": text, "sentences": sentences, "sources": sources})
    note = Correction(at="2026-11-30T09:14:00.000Z", revision=2, note=text)
    return edition(KEY, [told, event(1)], product_title=text, corrections=(note,))


def there_and_back(of: Edition) -> Edition:
    return read_edition(edition_md(of), evidence_json(evidence(of)))


def test_an_edition_is_read_back_exactly() -> None:
    for each in (edition(KEY), corrected(EditionKey("daily-brief", "2026-11-30", "es"))):
        assert there_and_back(each) == each


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_read_back_exactly_in_its_normal_form(text: str) -> None:
    of = with_text(text)
    assert there_and_back(of) == normal_edition(of)


@given(st.text(max_size=60).filter(lambda text: plain(text) != ""))
@settings(deadline=None, max_examples=300)
def test_any_text_is_read_back_exactly_in_its_normal_form(text: str) -> None:
    of = with_text(text)
    assert there_and_back(of) == normal_edition(of)


@given(
    st.text(alphabet="\\`*_{}[]<>#+-.!|~&$^=:@\"'()1a \n;/w?é", max_size=40).filter(lambda text: plain(text) != "")
)
@settings(deadline=None, max_examples=500)
def test_any_run_of_marks_is_read_back_exactly(text: str) -> None:
    of = with_text(text)
    assert there_and_back(of) == normal_edition(of)


@given(st.text(max_size=60))
def test_the_normal_form_of_normal_text_is_itself(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(st.text(alphabet="\\`*_{}[]<>#+-.!|~&$^=:@1a ;/w?é", min_size=1, max_size=40).map(plain).filter(bool))
@settings(deadline=None, max_examples=500)
def test_commonmark_and_gfm_show_the_text_letter_by_letter(text: str) -> None:
    for preset in ("commonmark", "gfm-like"):
        reader = MarkdownIt(preset)
        tokens = reader.parse(f"{markdown_text(text)}\n")
        assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        children = tokens[1].children or []
        assert {token.type for token in children} <= {"text"}
        assert "".join(token.content for token in children) == text


@given(st.text(alphabet="\\*_[]<&!~^1a .\n", max_size=30).map(str.strip))
@settings(deadline=None, max_examples=500)
def test_the_quick_reader_of_inline_text_agrees_with_markdown_it(content: str) -> None:
    def result(read: object) -> object:
        try:
            return read(content, 1)  # type: ignore[operator]
        except BadEdition:
            return "refused"

    assert result(read_inline) == result(parsed_inline)


def test_front_matter_is_the_same_to_yaml_and_to_the_quick_reader() -> None:
    for text in NASTY:
        file = edition_md(with_text(text))
        block = file.decode().split("---\n")[1] if "---" not in plain(text) else None
        if block is not None:
            assert yaml.safe_load(block) == take_apart(file).fields
        as_a_person_saves_it = file.replace(b"\nlang:", b"\n# a comment\nlang:", 1)
        assert take_apart(as_a_person_saves_it).fields == take_apart(file).fields


def test_other_tools_read_the_front_matter() -> None:
    of = with_text("España: \"no\" al plan — 50% #1 'x' --- y")
    post = frontmatter.loads(edition_md(of).decode())
    assert post["title"] == "España: \"no\" al plan — 50% #1 'x' --- y, Monday, 30 November 2026"
    assert (post["date"], post["lang"]) == ("2026-11-30", "en")
    assert post["slug"] == "daily-brief-2026-11-30"


def test_a_byte_order_mark_crlf_and_unquoted_dates_of_an_editor_are_accepted() -> None:
    of = edition(KEY)
    file = edition_md(of).replace(b'date: "2026-11-30"', b"date: 2026-11-30").replace(b"\n", b"\r\n")
    assert read_edition(b"\xef\xbb\xbf" + file, evidence_json(evidence(of))) == of


def test_composed_and_decomposed_letters_give_one_file() -> None:
    one, other = with_text("Alena Gonz\u00e1lez"), with_text("Alena Gonza\u0301lez")
    assert edition_md(one) == edition_md(other)


def test_a_scraped_title_loses_its_entities_and_other_text_keeps_them() -> None:
    told = event(0)
    sources = tuple(each.model_copy(update={"title": "AT&amp;T"}) for each in told.sources)
    of = edition(KEY, [told.model_copy(update={"sources": sources, "headline": "AT&amp;T"})])
    back = there_and_back(of)
    assert back.events[0].sources[0].title == "AT&T"
    assert back.events[0].headline == "AT&amp;T"
    assert "[AT&T](<" in edition_md(of).decode()


def test_a_link_that_readers_must_not_follow_is_text() -> None:
    told = event(0)
    for url in ("javascript:alert(1)", "JaVaScRiPt:x", "java\tscript:x", "data:text/html,x", "//ex.test/x"):
        sources = tuple(each.model_copy(update={"url": url}) for each in told.sources)
        written = edition_md(edition(KEY, [told.model_copy(update={"sources": sources})])).decode()
        html = MarkdownIt("gfm-like").render(written.split("---\n", 2)[2])
        assert "href" not in html


def test_a_persons_rewording_is_read_from_the_body() -> None:
    of = edition(KEY)
    file = edition_md(of).decode()
    told = of.events[0]
    edited = file.replace(told.headline, "Harbour of Ostra reopens").replace("the first since", "the first\nsince")
    back = read_edition(edited.encode(), evidence_json(evidence(of)))
    assert back.events[0].headline == "Harbour of Ostra reopens"
    assert back.events[0].sentences == told.sentences
    assert glance(edited.encode()).headline == "Harbour of Ostra reopens"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\ntitle", "title", "line 1: no front matter"),
        ('date: "2026-11-30"', 'date: "2026-11-30', "front matter is not YAML"),
        ('format: "dateline-edition-1"', 'format: "other"', "not a Dateline edition"),
        ("revision: 1", "revision: one", "revision"),
        ("## 2. Parliament", "## 3. Parliament", "does not begin with its number, 2"),
        ("said that 14", "said *that* 14", "em in the prose"),
        ("said that 14", "said [that](https://evil.test) 14", "link in the prose"),
        ("Velmark’s parliament", "# Velmark’s parliament", "a heading that is no headline"),
        ("The bank did not change", "- The bank did not change", "list among the sentences"),
        ("12 September.[^1]", "12 September.[^2]", "notes do not follow"),
        ("12 September.[^1]", "12 September.[^1] More.", "text after the notes"),
        ("> **Analysis.** The opposition", "The opposition", "sentences are not those of the front matter"),
        ('"clm-0-0"', '"clm-9-9"', "clm-9-9"),
    ],
)
def test_what_cannot_be_read_as_an_edition_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    of = edition(KEY)
    file = edition_md(of).decode()
    assert old in file
    with pytest.raises(BadEdition, match=r"line [0-9]+") as refused:
        read_edition(file.replace(old, new, 1).encode(), evidence_json(evidence(of)))
    assert said in str(refused.value)


def test_the_line_of_a_refusal_is_the_line_of_the_file() -> None:
    of = edition(KEY)
    lines = edition_md(of).decode().split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("The bank did not"))
    lines[place] = lines[place].replace("bank", "*bank*")
    with pytest.raises(BadEdition, match=f"line {place + 1}: em in the prose"):
        read_edition("\n".join(lines).encode(), evidence_json(evidence(of)))


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(BadEdition, match="line 2: not UTF-8"):
        take_apart(b"---\n\xff\n---\n")


def test_an_edition_that_cites_nothing_it_carries_is_never_written() -> None:
    told = event(0)
    dangling = told.model_copy(update={"claims": told.claims[:1]})
    with pytest.raises(BadEdition, match="clm-0-1"):
        edition_md(edition(KEY, [dangling]))
    with pytest.raises(BadEdition, match="empty"):
        edition_md(edition(KEY, [told.model_copy(update={"headline": "\u200e "})]))


def test_evidence_is_canonical_and_read_back() -> None:
    of = evidence(with_text("a\ud83d\x00b"))
    file = evidence_json(of)
    assert file.endswith(b"}\n")
    assert read_evidence(file) == normal_evidence(of)
    assert evidence_json(read_evidence(file)) == file
    with pytest.raises(BadEdition, match=r"evidence\.json"):
        read_evidence(b"{}")


def test_front_matter_fences_are_whole_lines() -> None:
    file = (front_matter({"title": "a\n---\nb"}) + "body\n\n---\n\nNota: x\n").encode()
    document = take_apart(file)
    assert document.fields == {"title": "a\n---\nb"}
    assert document.body == "body\n\n---\n\nNota: x\n"
    assert document.body_line == 4
