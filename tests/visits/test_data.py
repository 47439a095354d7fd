"""The data that a page hands to its scripts: what of it tells one page from another."""

from __future__ import annotations

import pytest

from scrapy_urinorm.content.frame import DATA_SLOT
from scrapy_urinorm.visits.data import data_hash
from scrapy_urinorm.visits.features import page_features

JSON = '<script type="application/json">{}</script>'

SAME = [
    ('{"name": "a chair of oak", "price": 7}', '{"name": "a chair of oak", "price": 8}', "numbers"),
    ('{"name": "a chair of oak", "key": "x7"}', '{"key": "y8", "name": "a chair of oak"}', "keys, in any order"),
    ('{"a": "one chair", "b": "two chairs"}', '{"a": "two chairs", "b": "one chair"}', "the order of texts"),
    ('{"n": "a chair", "u": "https://a.example/a?b=c"}', '{"n": "a chair", "u": "https://a.example/"}', "addresses"),
    ('{"n": "a chair", "t": "2026-11-25 22:13"}', '{"n": "a chair", "t": "2026-11-25 22:14"}', "times"),
    ('{"n": "a chair", "t": "Wed, 25 Nov 2026 22:13"}', '{"n": "a chair", "t": "26 Nov 2026 01:00 UTC"}', "dates"),
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
    ('{"text": "a"}', '{"text": "a chair"}', "none and one"),
]


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in SAME], ids=[row[2] for row in SAME])
def test_the_same(one: str, other: str) -> None:
    found = {data_hash(JSON.format(data).encode()) for data in (one, other)}
    assert len(found) == 1
    assert found != {0}


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in OTHER], ids=[row[2] for row in OTHER])
def test_another(one: str, other: str) -> None:
    assert data_hash(JSON.format(one).encode()) != data_hash(JSON.format(other).encode())


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
    ],
)
def test_the_time_is_linear(unit: bytes) -> None:
    """A quadratic one would not end."""
    for head in (b"", b'<script type="application/json">', b"<script>window.a = {", b"<script>"):
        for tail in (b"", b"</script>"):
            data_hash(head + unit * (400_000 // len(unit)) + tail)
