"""Addresses: what is the same page, and what may be cited."""

from __future__ import annotations

import pytest

from orchestrator.evidence.urls import comparison_key, host_of, in_domains, refusal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTPS://Ex.Test/A", "https://ex.test/A"),
        ("https://ex.test:443/a", "https://ex.test/a"),
        ("http://ex.test:80/a", "http://ex.test/a"),
        ("https://ex.test/a#part", "https://ex.test/a"),
        ("https://ex.test/a?utm_source=openai", "https://ex.test/a"),
        ("https://ex.test/a?utm_source=chatgpt.com", "https://ex.test/a"),
        ("https://ex.test/a?x=1&utm_source=openai&y=2", "https://ex.test/a?x=1&y=2"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("https://BÜCHER.example/a", "https://bücher.example/a"),
    ],
)
def test_two_forms_of_one_address_have_one_key(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://ex.test/a", "http://ex.test/a"),
        ("https://ex.test/a", "https://ex.test/a/"),
        ("https://ex.test/a", "https://ex.test/A"),
        ("https://ex.test/a", "https://www.ex.test/a"),
        ("https://ex.test/a?x=1&y=2", "https://ex.test/a?y=2&x=1"),
        ("https://ex.test/a?utm_source=newsletter", "https://ex.test/a"),
        ("https://ex.test/a?id=1", "https://ex.test/a"),
        ("https://ex.test/%7Ea", "https://ex.test/~a"),
        ("https://ex.test:8443/a", "https://ex.test/a"),
    ],
)
def test_nothing_else_is_equated(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


def test_recorded_redirects_are_followed_and_a_circle_ends() -> None:
    seen = {"https://a.test/x": "https://b.test/x", "https://b.test/x": "https://a.test/x"}
    assert comparison_key("https://a.test/x", {"https://a.test/x": "https://c.test/y"}) == "https://c.test/y"
    assert comparison_key("https://a.test/x", seen) in seen


@pytest.mark.parametrize("url", ["", "nonsense", "https://", "https://ex.test:port/", "https://[::1/a", "/a/b"])
def test_what_is_no_address_has_no_key(url: str) -> None:
    assert comparison_key(url) is None
    assert refusal(url) is not None


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("javascript:alert(1)", "UNREADABLE"),
        ("JaVaScRiPt://x.test/%0aalert(1)", "SCHEME"),
        ("javascript&#58;x", "UNREADABLE"),
        ("java\tscript:x", "FORBIDDEN_CHARACTER"),
        ("data:text/html,x", "UNREADABLE"),
        ("ftp://ex.test/a", "SCHEME"),
        ("//ex.test/x", "UNREADABLE"),
        ("https://user:pw@ex.test/a-b-c", "CREDENTIALS"),
        ("https://ex.test@evil.test/a-b-c", "CREDENTIALS"),
        ("https://ex.test\\@evil.test/a", "FORBIDDEN_CHARACTER"),
        ("https://ex.test/a\nb", "FORBIDDEN_CHARACTER"),
        ("https://ex.test/a b", "FORBIDDEN_CHARACTER"),
        ("https://ex.test/\u202ea", "FORBIDDEN_CHARACTER"),
        ("https://ex.test/a\u200bb", "FORBIDDEN_CHARACTER"),
        ("https://ex.test/" + "a" * 2_000, "TOO_LONG"),
        ("http://127.0.0.1/a-b-c", "HOST_IS_ADDRESS"),
        ("http://127.1/a-b-c", "HOST_IS_ADDRESS"),
        ("http://2130706433/a-b-c", "HOST_IS_ADDRESS"),
        ("http://0x7f.1/a-b-c", "HOST_IS_ADDRESS"),
        ("http://[::1]/a-b-c", "HOST_IS_ADDRESS"),
        ("http://10.0.0.7/a-b-c", "HOST_IS_ADDRESS"),
        ("http://localhost/a-b-c", "PRIVATE_HOST"),
        ("http://news.localhost./a-b-c", "PRIVATE_HOST"),
        ("http://printer.local/a-b-c", "PRIVATE_HOST"),
        ("http://wiki/a-b-c", "PRIVATE_HOST"),
        ("https://аpple.example/a-b-c", "MIXED_SCRIPT_HOST"),
        ("https://xn--80ak6aa92e.com/a-b-c", "MIXED_SCRIPT_HOST"),
        ("https://ex.test", "HOMEPAGE"),
        ("https://ex.test/", "HOMEPAGE"),
        ("https://ex.test/en/", "HOMEPAGE"),
        ("https://ex.test/index.html", "HOMEPAGE"),
        ("https://ex.test/?lang=en", "HOMEPAGE"),
        ("https://ex.test/world", "CATEGORY_PAGE"),
        ("https://ex.test/es/noticias/", "CATEGORY_PAGE"),
        ("https://ex.test/tag/elections", "CATEGORY_PAGE"),
        ("https://ex.test/author/jane-doe", "CATEGORY_PAGE"),
        ("https://ex.test/world/europe", "CATEGORY_PAGE"),
        ("https://ex.test/a))", "UNBALANCED"),
    ],
)
def test_an_address_that_may_not_be_cited_says_why(url: str, why: str) -> None:
    assert refusal(url) == why


@pytest.mark.parametrize(
    "url",
    [
        "https://ex.test/2026/11/30/a-story",
        "https://ex.test/?p=123",
        "https://es.wikipedia.org/wiki/Foo_(bar)",
        "https://ex.test/world/europe/2026/nov/30/a-story",
        "https://ex.test/world/a-story-in-words",
        "https://www.theverge.com/podcast/838932/openai-chatgpt-code-red-vergecast",
        "https://vercel.com/blog/series-f",
        "https://www.mexc.com/en-NG/news/77540",
        "https://bücher.example/2026/a-b-c",
        "https://пример.испытание/2026/новость",
        "https://ex.test:8443/a-story",
    ],
)
def test_an_article_may_be_cited(url: str) -> None:
    assert refusal(url) is None


def test_a_domain_covers_itself_and_what_is_below_it_only() -> None:
    assert in_domains("news.ex.test", ("ex.test",))
    assert in_domains("ex.test", ("ex.test", "other.test"))
    assert not in_domains("notex.test", ("ex.test",))
    assert in_domains("anything.test", ())
    assert host_of("https://News.Ex.test:443/a") == "news.ex.test"
