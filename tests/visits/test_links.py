"""Links as hashes: each is that of the key that the URL has without rules, in the order of the page."""

from __future__ import annotations

import hashlib
import json
from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_urinorm.engine.texts import bare_key
from scrapy_urinorm.visits import Redaction, visit_from_row
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.links import (
    LINK_CAP,
    LONGEST_LINK,
    NAMED,
    LinkHashes,
    bare_keys,
    hashes_of,
    link_hashes,
    page_links,
    url_hash,
)
from scrapy_urinorm.visits.ruled import Ruled
from tests.core.strategies import any_text, urls

BASE = "http://a.example/wiki/page?x=1#top"

RESOLVED = [
    ("/p?a=1", "http://a.example/p?a=1", "from the root"),
    ("p", "http://a.example/wiki/p", "beside the page"),
    ("?a=1", "http://a.example/wiki/page?a=1", "another query of the page"),
    ("//b.example/x", "http://b.example/x", "another host"),
    ("https://b.example/x", "https://b.example/x", "absolute"),
    ("HTTP://b.example/x", "HTTP://b.example/x", "absolute, in capitals"),
    ("  /p\n", "http://a.example/p", "white space around"),
    ("/a\nb", "http://a.example/ab", "a line break within"),
    ("\\p", "http://a.example/p", "a backslash"),
    ("ns:page", None, "a scheme, though meant as a page"),
    ("#part", None, "a part of the page"),
    ("", None, "nothing"),
    ("mailto:a@b.example", None, "mail"),
    ("javascript:void(0)", None, "a script"),
    ("/" + "x" * LONGEST_LINK, None, "a giant"),
]


@pytest.mark.parametrize(("href", "url"), [row[:2] for row in RESOLVED], ids=[row[2] for row in RESOLVED])
def test_resolved(href: str, url: str | None) -> None:
    assert page_links([href], BASE) == ([] if url is None else [url])


@pytest.mark.parametrize("base", ["http://a.example", "http://a.example/", BASE, "https://a.example:8080/a/b/?c#d/e"])
@pytest.mark.parametrize("href", ["p", "/p", "?q=1", "./p", "../p", "p/../q", "//b.example", "p?q=/r", "p#f"])
def test_resolved_as_the_standard_says(base: str, href: str) -> None:
    (found,) = page_links([href], base)
    assert bare_key(found) == bare_key(urljoin(base, href))


@given(st.lists(any_text | urls, max_size=8))
def test_any_href_gives_one_line_of_http(hrefs: list[str]) -> None:
    found = page_links(hrefs, BASE)
    assert all(url.lower().startswith(("http://", "https://")) for url in found)
    assert len(hashes_of(found)) == 8 * len(found)


@given(st.lists(urls, max_size=8))
@example(["http://a.example/\ud800", "http://a.example/é"])
def test_a_batch_gives_what_single_calls_give(many: list[str]) -> None:
    many = page_links(many, BASE)
    assert hashes_of(many) == b"".join(map(url_hash, many))


def test_a_hash_is_the_start_of_blake2b_of_the_key() -> None:
    key = "http://a.example/p?a=1&b=2"
    assert url_hash("http://A.example:80/x/../p?b=2&a=1#f") == hashlib.blake2b(key.encode(), digest_size=8).digest()


def test_a_page_has_its_links_in_order_each_once() -> None:
    html = (
        '<a href="/b">b</a><map><area href=c></map><p><a href="/b">again</a><a name=x>no</a><a href="/a?PHPSESSID=1">'
    )
    page = page_features(html.encode(), "text/html", None, "http://a.example/x/y")
    assert page.links == ["http://a.example/b", "http://a.example/x/c", "http://a.example/a?PHPSESSID=1"]


def test_what_stands_in_frames_is_no_link() -> None:
    """Few crawls go there, and of one that does the referers say so."""
    html = '<a href=a>x</a><iframe src="/b"></iframe><link rel=next href=/c>'
    page = page_features(html.encode(), "text/html", None, "http://a.example/x/y")
    assert page.links == ["http://a.example/x/a"]
    html = "<base href=/z/><frameset><frame src=toc><frame src=//b.example/c></frameset>"
    assert page_features(html.encode(), "text/html", None, "http://a.example/x/y").links == []


def test_the_base_element_counts() -> None:
    html = '<base href="/other/"><base href="/third/"><a href=p>x</a><a href="?q">y</a>'
    page = page_features(html.encode(), "text/html", None, "http://a.example/x/y")
    assert page.links == ["http://a.example/other/p", "http://a.example/other/?q"]


def test_what_is_no_page_has_no_links() -> None:
    assert page_features(b"x http://a.example/", "text/plain").links is None
    assert page_features(b"", "text/html").links is None


def test_capped_with_the_true_count() -> None:
    links, count = link_hashes([f"http://a.example/{n}" for n in range(LINK_CAP + 5)])
    assert (len(links), count) == (8 * LINK_CAP, LINK_CAP + 5)
    assert links[-8:] == url_hash(f"http://a.example/{LINK_CAP - 1}")


def test_one_page_under_two_spellings_is_one_link() -> None:
    assert link_hashes(["http://a.example/?a=1&b=2", "http://a.example/?b=2&a=1"])[1] == 1


def test_secrets_are_masked_before_they_are_hashed() -> None:
    redact = Redaction(b"salt")
    hashes = LinkHashes(redact.all)
    links = ["http://u:p@a.example/?PHPSESSID=0123456789abcdef", "http://a.example/"]
    for _ in range(2):
        assert hashes(links) == (hashes_of(list(map(redact, links))), 2, b"")
    assert Redaction(b"other")(links[0]) != redact(links[0])


def test_what_is_remembered_is_bounded_in_bytes() -> None:
    hashes = LinkHashes(Redaction(b"").all)
    for n in range(1_500):
        hashes([f"http://a.example/{n}/{'x' * 8_000}"])
    assert sum(map(len, hashes._known)) <= 8 << 20


RULED = [
    pytest.param(["/a?x=1", "/b"], ["/a", "/b"], id="one is changed"),
    pytest.param(["/b", "/a", "/A"], None, id="none is"),
    pytest.param(["/a?x=1", "/a?x=2", "/a"], ["/a", "/a", "/a"], id="three are one page"),
    pytest.param(["/a?z=2&y=1", "/b?x="], ["/a?y=1&z=2", "/b"], id="sorted alone is not changed"),
    pytest.param(["/a?PHPSESSID=0123456789abcdef&x=1"], ["/a?PHPSESSID=0123456789abcdef"], id="a secret stays one"),
    pytest.param(["/a\ud800?x=1", "/b?x=1"], ["/a\ud800?x=1", "/b"], id="no text"),
    pytest.param([], None, id="no link"),
]


@pytest.mark.parametrize(("links", "keys"), RULED)
def test_what_links_are_under_the_rules_of_the_crawl(links: list[str], keys: list[str] | None) -> None:
    redact = Redaction(b"salt")
    hashes = LinkHashes(redact.all, Ruled([{"site": {"a.example": {"remove_params": ["x"]}}}], "safe"))
    links = [f"http://a.example{link}" for link in links]
    expected = b"".join(url_hash(redact(f"http://a.example{key}")) for key in keys or ())
    for _ in range(2):
        assert hashes(links) == (hashes_of(list(map(redact, links))), len(links), expected)


@given(st.lists(urls | any_text), st.sampled_from(["safe", "recommended", "loose"]))
def test_law_keys_without_rules_that_are_known_change_nothing(links: list[str], preset: str) -> None:
    ruled = Ruled([{"rules": {"remove_params": ["a", "x"]}}], preset)
    links = [link for link in links if "\n" not in link]
    assert ruled.changed(links, bare_keys(links)) == ruled.changed(links)


def test_keys_of_links_are_capped_as_links_are() -> None:
    hashes = LinkHashes(Redaction(b"").all, Ruled([], "recommended"))
    links, _, keys = hashes([f"http://a.example/{n}?utm_source=x" for n in range(LINK_CAP + 5)])
    assert len(links) == len(keys) == 8 * LINK_CAP
    assert keys[-8:] == url_hash(f"http://a.example/{LINK_CAP - 1}")


def test_links_that_no_page_had_before_are_named_once_and_without_secrets() -> None:
    redact = Redaction(b"salt")
    hashes = LinkHashes(redact.all)
    secret = "http://a.example/?PHPSESSID=0123456789abcdef"
    hashes([secret, "http://a.example/"])
    assert (hashes.take_new(), hashes.take_new()) == ([redact(secret), "http://a.example/"], [])
    hashes(["http://a.example/", "http://a.example/new"])
    assert hashes.take_new() == ["http://a.example/new"]


@pytest.mark.parametrize(("length", "named"), [(0, LINK_CAP), (8_000, NAMED // 8_020)], ids=["many", "long"])
def test_of_a_page_of_many_links_the_first_are_named(length: int, named: int) -> None:
    hashes = LinkHashes(Redaction(b"").all)
    hashes([f"http://a.example/{'x' * length}/{n}" for n in range(LINK_CAP + 5)])
    found = hashes.take_new()
    assert found[-1].endswith(f"/{named - 1}")
    assert sum(map(len, found)) <= NAMED


LISTS = [
    pytest.param(["/p", "q", "/p", "http://b.example/"], None, id="as in the page"),
    pytest.param(["http://a.example/p", "http://a.example/wiki/q", "http://b.example/"], None, id="resolved"),
    pytest.param(["p", "/wiki/q", "//b.example/"], "http://a.example/p?", id="resolved against where it was answered"),
]


@pytest.mark.parametrize(("links", "final_url"), LISTS)
def test_rows_may_list_urls(links: list[str], final_url: str | None) -> None:
    visit = visit_from_row(json.loads(json.dumps({"url": BASE, "final_url": final_url, "links": links})))
    expected = ["http://a.example/p", "http://a.example/wiki/q", "http://b.example/"]
    assert (visit.links, visit.links_count) == (hashes_of(expected), 3)
