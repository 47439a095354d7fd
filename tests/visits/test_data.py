"""The data that a page hands to its scripts: what of it tells one page from another."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.content.frame import DATA_SLOT
from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.data import DATA_CAP, hash_of_data, scripts
from scrapy_urinorm.visits.features import BARE_WORDS, page_features
from scrapy_urinorm.visits.values import plain_values, values

JSON = '<script type="application/json">{}</script>'

SAME = [
    ('{"name": "a chair of oak", "price": 7}', '{"name": "a chair of oak", "price": 8}', "numbers"),
    ('{"name": "a chair of oak", "key": "x7"}', '{"key": "y8", "name": "a chair of oak"}', "keys, in any order"),
    ('{"a": "one chair", "b": "two chairs"}', '{"a": "two chairs", "b": "one chair"}', "the order of texts"),
    ('{"n": "a chair", "u": "https://a.example/a?b=c"}', '{"n": "a chair", "u": "https://a.example/"}', "addresses"),
    ('{"n": "a chair", "t": "2026-11-25 22:13"}', '{"n": "a chair", "t": "2026-11-25 22:14"}', "times"),
    ('{"n": "a chair", "t": "Wed, 25 Nov 2026 22:13"}', '{"n": "a chair", "t": "26 Nov 2026 01:00 UTC"}', "dates"),
    (
        '{"n": "a chair", "t": "2026年11月25日星期三"}',
        '{"n": "a chair", "t": "2026年11月26日星期四"}',
        "dates in Chinese",
    ),
    ('{"n": "a chair", "t": "deadbeef"}', '{"n": "a chair", "t": "cafe"}', "hexadecimal numbers"),
    ('{"n": "a chair", "t": "dGhpc2lz"}', '{"n": "a chair", "t": "X7F"}', "tokens"),
    ('{"n": "a chair", "pageType": 1}', '{"n": "a chair", "theme" : 1}', "keys of one word"),
    ('{"n": "a chair", "t": "\\ud83d\\ude00"}', '{"n": "a chair", "t": "\\ud83d\\ude01"}', "signs"),
    ('{"n": "a chair", "t": "November 25, 2026"}', '{"n": "a chair", "t": "May 1, 2027"}', "dates in words"),
]
OTHER = [
    (
        '["{\\"name\\": \\"a chair of oak\\", \\"id\\": 1}"]',
        '["{\\"name\\": \\"a chair of ash\\", \\"id\\": 1}"]',
        "JSON in a text",
    ),
    ('{"name": "a chair of oak"}', '{"name": "a chair of ash"}', "a name"),
    ('{"name": "a \\"chair\\" of oak"}', '{"name": "a \\"chair\\" of ash"}', "a name with quotes"),
    ('["Stühle aus Holz"]', '["Tische aus Holz"]', "other letters"),
    ('["胡桃木椅子"]', '["白蜡木椅子"]', "a text without spaces"),
    ('["2026年11月25日胡桃木椅子发布"]', '["2026年11月25日白蜡木椅子发布"]', "such a text with a number"),
    ('["\\u80e1\\u6843\\u6728"]', '["\\u767d\\u8721\\u6728"]', "such a text in numbers of its letters"),
    ('{"name": "chair"}', '{"name": "table"}', "a word"),
    ('{"name": "Стул"}', '{"name": "Стол"}', "a word in other letters"),
    (
        '{"name": "\\u0421\\u0442\\u0443\\u043b"}',
        '{"name": "\\u0421\\u0442\\u043e\\u043b"}',
        "a word in numbers of its letters",
    ),
    ('["{\\"name\\": \\"chair\\"}"]', '["{\\"name\\": \\"table\\"}"]', "a word in a text"),
    ('{"text": "a"}', '{"text": "a chair"}', "none and one"),
]


HEADING = "<script type=application/json>%s</script>"
ASKED = [
    (
        '{"t": "<a href=\\"/a?conversion=%s&time=\\" title=x>Rent</a>"}',
        "at_cost",
        "units",
        False,
        "what a visit has set",
    ),
    ("[\"<a class=x href='/a?sort=%s#top'>A chair</a>\"]", "price", "name", False, "another quote, and a place in it"),
    ('["\\u003ca href=\\"\\/a?x=1\\u0026sort=%s\\"\\u003eA chair"]', "price", "name", False, "as PHP and Rails write"),
    ('["{\\"t\\": \\"<a href=\\\\\\"/a?by=%s\\\\\\">A chair</a>\\"}"]', "price", "name", False, "JSON in a text"),
    ('["<a href=\\"/a?back=%s.html\\">A chair</a>"]', "/x", "/y", False, "the way back"),
    (
        '["$\\",\\"__PAGE__?{\\"list\\":\\"%s\\"}", "A chair"]',
        "All products",
        "The home page",
        True,
        "an echo of Next.js: a script may draw what was asked for",
    ),
    ('["<a href=\\"/%s?x=y\\">The file</a>"]', "one.pdf", "two.pdf", True, "another file"),
    ('["<a href=\\"/file?sort=up&name=%s\\">The file</a>"]', "one.pdf", "two.pdf", True, "a file by its name"),
    ('["<a href=\\"/scan?nr=%s&sort=up\\">The scan</a>"]', "17", "18", True, "a scan by its number"),
    ('["<a href=\\"/wiki?%s\\">The next page</a>"]', "Chair", "Table", True, "a page by its name"),
    ('["<img src=\\"/one?v=%s\\" alt=x>"]', "chair", "table", True, "a picture"),
    ('["<a href=\\"/a?x=y\\">%s</a> is sold"]', "A chair", "A table", True, "the text of a link"),
    ('["__PAGE__", {"list":"%s"}]', "All products", "The home page", True, "words that are none"),
]


def data_hash(markup: bytes, *, bare: bool = False, url: str = "") -> int:
    return hash_of_data(markup, list(scripts(markup)), values(markup, DATA_CAP), bare=bare, url=url)


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in SAME], ids=[row[2] for row in SAME])
def test_the_same(one: str, other: str) -> None:
    found = {data_hash(JSON.format(data).encode()) for data in (one, other)}
    assert len(found) == 1
    assert found != {0}


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in OTHER], ids=[row[2] for row in OTHER])
def test_another(one: str, other: str) -> None:
    assert data_hash(JSON.format(one).encode()) != data_hash(JSON.format(other).encode())


@pytest.mark.parametrize("form", [HEADING, "<script>window.state = %s</script>", "<x :p='%s'>"])
@pytest.mark.parametrize(("data", "one", "other", "differ"), [row[:4] for row in ASKED], ids=[row[4] for row in ASKED])
def test_what_an_address_asked_for(data: str, one: str, other: str, differ: bool, form: str) -> None:
    # an attribute ends at the quote that it began with
    pages = [((HEADING if "'" in data else form) % (data % value)).encode() for value in (one, other)]
    asked = [
        "http://a.example/a?time=&"
        + "&".join(f"{name}={quote(value)}" for name in ("conversion", "sort", "by", "name", "nr"))
        + f"&back={value}.html&{value}"
        for value in (one, other)
    ]
    found = [data_hash(page, url=url) for page, url in zip(pages, asked, strict=True)]
    assert 0 not in found
    assert (found[0] != found[1]) is differ
    # a player, a map or an offer: what the page's own address does not ask for is what it shows
    shown = [data_hash(page, url="http://a.example/a?time=&back=/x.html") for page in pages]
    assert shown[0] != shown[1]
    # the whole of a page with hardly a word may be drawn by it
    bare = [data_hash(page, bare=True) for page in pages]
    assert bare[0] != bare[1]


PARTS = [
    ("""<x :p="{'n': 'no'}">""", """<x :p="{'n': 'yes'}">""", False),
    ("""<x :p='{"n": "a chair"}'>""", """<x :p='{"n": "a table"}'>""", True),
    ('<x p="{&quot;n&quot;: &quot;a chair&quot;}">', '<x p="[&quot;a table&quot;]">', True),
    ('<x p="{&#34;n&#34;: &#34;a chair&#34;}">', '<x p="[&#34;a table&#34;]">', True),
    ("""<x :p='{"mode": "dark"}'>""", """<x :p='{"mode": "light"}'>""", False),
    (f"<x data-pgn='{'Nf3 d5 c4 ' * 5}'>", f"<x data-pgn='{'Nf3 d5 d4 ' * 5}'>", True),
    (f"<x pgn='{'Nf3 d5 c4 ' * 5}'>", f"<x pgn='{'Nf3 d5 d4 ' * 5}'>", False),
    ("<x data-tip='a tip'>", "<x data-tip='a hint'>", False),
    ('<meta name="description" content="a chair">', '<meta name="description" content="a table">', True),
    ("<meta content='chair' property=og:title >", "<meta content='table' property=og:title >", True),
    ('<meta name="csrf-token" content="a chair">', '<meta name="csrf-token" content="a table">', False),
]


@pytest.mark.parametrize(("one", "other", "differ"), PARTS)
def test_parts_of_a_page_with_hardly_a_word(one: str, other: str, differ: bool) -> None:
    found = [page_features(f"<body>{part}<p>text".encode(), "text/html").lines for part in (one, other)]
    assert (found[0] != found[1]) is differ


def test_the_description_of_a_page_with_more_words_is_not_looked_at() -> None:
    page = "<meta name=description content='of a chair'><p>" + "word " * BARE_WORDS
    found = [page_features(f"{page}{more}".encode(), "text/html").lines for more in ("", "more")]
    assert [len(lines or b"") for lines in found] == [32, 16]


@given(
    st.lists(st.sampled_from(["=", '"', "'", "{", "[", "data-x", "a" * 39, "b" * 61, " ", "é"]), max_size=20),
    st.integers(0, 99),
)
def test_values_found_in_c_are_those_found_in_python(parts: list[str], most: int) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    markup = "".join(parts).encode()
    assert compiled.values(markup, most) == plain_values(markup, most)


@pytest.mark.parametrize("given", [(), (b"",), ("", 1), (b"", "")], ids=repr)
def test_wrong_arguments_are_errors(given: tuple[Any, ...]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises(TypeError):
        compiled.values(*given)


@pytest.mark.parametrize(
    ("script", "read"),
    [
        ('<script id="__NEXT_DATA__" type="application/json">{"a": "two words"}</script>', True),
        ("<script type='application/ld+json'>[\"two words\"]</script>", True),
        ('<script>window.__STATE__ = {"a": "two words"};</script>', True),
        ('<script nonce="x">\n self["state"]=[{"a": "two words"}]</script>', True),
        ('<script>self.__next_f.push([1,"{\\"a\\": \\"two words\\"}"])</script>', True),
        ('<script>(self.__next_f=self.__next_f||[]).push([1,"two words"])</script>', False),
        ('<script>window.__STATE__ = JSON.parse("{\\"a\\": \\"two words\\"}")</script>', True),
        ('<script>window.__NUXT__=(function(a,b){return {a:"two words"}})(1,2)</script>', True),
        ('<script>\n{\n__sveltekit_1a = {base: ""};\nconst data = [{name: "two words"}];}</script>', True),
        ('<script>{ alert("two words") }</script>', False),
        ('<script>{ __other_1a = {a: "two words"} }</script>', False),
        ('<script id=serverApp-state type="application/json">{&q;a&q;:&q;two words&q;}</script>', True),
        ('<script type="application/json">{&q;a&q;:&q;a1b2&q;}</script>', False),
        ('<script>var x = 1; alert("two words")</script>', False),
        ('<script>var shown = {id: 7, name: "two words"}; show(shown);</script>', True),
        ('<script>\n// <![CDATA[\nconst $marks=[["two words", 52.1, 13.2]]</script>', True),
        ('<script>/* <![CDATA[ */ var shown = JSON.parse("{\\"a\\": \\"two words\\"}")</script>', True),
        ('<script><!--\nlet shown = ["two words"];</script>', True),
        ('<script>function f() { var shown = {a: "two words"} }</script>', False),
        ('<script>if (window.x == {}) alert("two words")</script>', False),
        ('<script type="text/template">{"a": "two words"}</script>', False),
        ('<script type="application/json">{"a": "two words"}', False),
        ("<p>no script</p>", False),
    ],
)
def test_which_scripts_hold_data(script: str, read: bool) -> None:
    assert (data_hash(script.encode()) != 0) is read
    lines = page_features(f"<title>x</title>{script}<p>text".encode(), "text/html").lines
    assert lines is not None
    assert (DATA_SLOT in memoryview(lines).cast("Q").tolist()[::2]) is read


@pytest.mark.parametrize(
    "unit",
    [
        *(
            b"<script",
            b"<script>",
            b'<script type="application/json">',
            b'"',
            b'\\"',
            b'"a b',
            b'" ',
            b"window.a={",
            b"A ",
        ),
        *(b" ", b"/*", b"//\n", b"var "),
        *(
            b'href="',
            b"href=\\",
            b'href="a?',
            b'href="a?b=c&',
            b'href="a?\\',
            b'"a b href=\\"a?b.',
            b"\\",
        ),
        b'="{',
        # as that, with the other quote and bracket
        pytest.param(b"='[", marks=pytest.mark.slow),
        *(b"=", b" data-a='", b"<meta ", b'"abcd', b'"abcd" ', b'"\\u4e2d', "中".encode(), b"{&quot;"),
    ],
)
def test_the_time_is_linear(unit: bytes) -> None:
    """A quadratic one would not end."""
    for head in (
        b"",
        b'<a b="{',
        b"<a data-b='",
        b'<script type="application/json">',
        b"<script>window.a = {",
        b'<script>window.a = {"a b href=\\"a?',
        b"<script>",
    ):
        for tail in (b"", b"</script>"):
            for bare in (False, True):
                data_hash(head + unit * (200_000 // len(unit)) + tail, bare=bare, url="http://a.example/?b=c")
