"""Pages read by the module in C: what it says is what the walk over the tree says."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.engine import native
from scrapy_urinorm.visits import markup
from scrapy_urinorm.visits.links import stems
from scrapy_urinorm.visits.marks import plain_texts_in
from scrapy_urinorm.visits.redaction import Redaction, plain_names
from tests.effort import some
from tests.visits import pages
from tests.visits.grids import ages, grids
from tests.visits.pages import ADDRESSES, taken

URL = "http://a.example/d/p"

TAKEN = {
    "nothing": "",
    "text alone": "a b",
    "blocks, inline, ids": "<div id=main><p>a <b>b</b></p><p id=x1>c<p>d</div><ul><li>e<li>f</ul>",
    "letters of other scripts as an id": "<p id=straße>a</p><p id=東京>b</p><p id='a&amp;é'>c",
    "pictures": "<img src=/1.png alt=x><img data-src=2 src=3 alt=' '><iframe src='a&amp;b'>x</iframe><video><a href=v>",
    "escaped": "<p>&amp;lt; &nbsp;&lt;&gt;&quot;</p><a href='?a=1&amp;b=&quot;'>x</a>",
    "canonical links": "<link rel=canonical><link rel='X Canonical' href=/c><link rel=canonical href=/d>",
    "a generator": "<meta name=Generator content=''><meta name=GENERATOR content='x&amp;y'>",
    "bases": "<base><base href='http://[x/'><base href=/b/><base href=/c/><a href=y>x</a>",
    "links in a template are none": "<template><a href=/t>x</a></template><a href=/u>y</a>",
    "scripts": "<script>if (a < b) '<a href=/s>'</script><script><!-- x\n//--></script>a",
    "instructions": "<p>a<?php echo 1 ?>b",
    "frames": "<frameset><frame src=/a href=/b><frame data-src=c></frameset>",
    "frames in the page": "<p>a<iframe src=/a href=/b></iframe><iframe src></iframe>",
    "objects": "<p>a<object data=/1.pdf><p>none<a href=/b>x</a></object><object data='' src=2></object><embed data=3>",
    "fields": "".join(
        f"<input type={kind} value='{value}'>"
        for kind in ("''", "TEXT", "hidden")
        for value in pages.VALUES
        if "'" not in value and len(value) < 99
    )
    + "<button value='two words'>",
    "texts in drawings": "<p>a<svg id=me><title>no</title><g><text>b<tspan>c</tspan> d</text><desc>no<b>no</b></desc>"
    "</g></svg>e<svg><foreignObject><div>f</div><template>no</template></foreignObject><svg>g</svg></svg>"
    "<math><mi>h</mi>=<mn>1</mn></math>",
    "drawings": "<svg><style>a{}</style><a href=/s><path></path></a></svg><math><mi>x</mi></math>a",
    "texts as they are": "<xmp>&lt;a&gt;</xmp><noembed><b></noembed>",
    "unusual links": "<a href='a\tb'>x</a><a href='..\\c'>y</a>",
    "more lines than are kept": "<p>" + "x y<br>" * 600,
    "a title in the body": "<![x[]>text<title>a</title><p><title>b</title></p><title>c</title>",
    "pictures behind a text": "<p>a <b style='x: url(/1.png)'>b</b> c<p style='x: url(&quot;/2&quot;)'>d<p data-bg=/3>"
    "<i id=me data-video-id=7></i><div data-id=8></div><div data-id=9>x</div><img data-id=1 src=2 style='a:url(b)'>",
    "pictures that scripts load": "<img data-src=1 src=2><img src=/b.gif data-original=/1><img data-lazy=true src=2>"
    "<img src=data:,x srcset='a 1x'><img src=data:,x><img srcset='a 1x'><video poster=/p><source>"
    "<source src=/v></video>"
    "<video src=/w poster=/p><source src=/v></video><audio><p><source src=no></p><source src=/a><source src=/b>"
    "</audio>",
    "styles": "<style>a{b:url(/1) url(</style><body><style>url(c) x url(d)</style><style>x</style>"
    "<style id=me>url(e)</style>",
    "tips of empty elements": "<p><i title=a></i><i title=b>x</i><i title=c><!----></i><hr title=d>"
    "<xmp title=e></b></xmp>",
    "areas": "<map><area alt=a title=b href=/x><area title=c><area></map>",
    "empty cells": "<table><tr><td class=a><td class=b>x<td class=c><tr><th class=a><td><table><tr><td class=d>"
    "</table>"
    "<td class=e></table>",
    "shapes": "<svg viewBox='0 0 100 100'><path d=M1 /><g transform=a><rect x=1 y=2 /></g><use href=#a />"
    "<title x=9></title>"
    "<svg><path d=M2 /></svg><path d=M3 /></svg><svg aria-hidden=true><path d=M4 /></svg><svg width=64>"
    "<path d=M5 /></svg>"
    "<svg width=65><path d=M6 /></svg><svg viewBox='0 0 24 24'><path d=M7 /></svg><svg class='an-icon'>"
    "<path d=M8 /></svg>"
    "<math><mi x=1>a</mi></math>",
    "ages": "<p>by <a href=/u>b</a> <a title='11/27/2026 01:49 PM' href=/x> 20 minutes&nbsp;</a> ago <time datetime="
    "2026-11-27T13:49Z>5m</time><i title='2026-11-27 13:49'>5m</i><time datetime=2026-11-27 title='2026-11-27 13:49' "
    "data-utime=1764251342>1 &lt;hour</time><span data-time=1764251342000>7 h<!-- --></span><small data-time=x "
    "data-utime=1764251342 data-timestamp=1764251343>9 h</small><span title='2026-11-27 13:49'>Page 5</span>",
    "links of all kinds": "".join(
        f"<a href='{href}'>x</a>" for href in pages.VALUES if "'" not in href and len(href) < 99
    ),
}
NOT_TAKEN = {
    "an empty canonical link": "<link rel=canonical href=''><link rel=canonical href=/c>",
    "a script in a comment of a script": "<script><!--<script></script>--></script>x",
    "the end of markup": "<plaintext>a<b",
    "pictures in drawings": "<svg><desc><img src=1></desc></svg>",
    "markup in the style of a drawing": "<svg><style>&lt;a href=1></style></svg>",
    "deeper than a walk goes": "<div>" * 1100 + "<a href=/deep>x</a>",
    "a drawing deeper than a walk goes": "<p>a<svg>" + "<g>" * 1100 + "<text>b</text>",
    "deeper than anything": "<div>" * 5000,
    "more elements than are counted": "<p><br>".join(f"<x{n}>" for n in range(70_000)),
}


@pytest.mark.parametrize("page", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("url", ADDRESSES[:-1])
def test_a_page_in_c_is_that_in_python(page: str, url: str) -> None:
    assert taken(page.encode(), url)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=name, marks=[pytest.mark.slow] * (len(page) > 500_000)) for name, page in NOT_TAKEN.items()],
)
def test_what_might_mean_two_trees_is_left_to_the_walk(page: str) -> None:
    assert not taken(page.encode(), URL)


@given(st.integers(0))
def test_any_page_in_c_is_that_in_python(seed: int) -> None:
    chance = random.Random(seed)
    for page in (*pages.pages(20, chance), *grids(5, chance), *ages(5, chance)):
        taken(page, chance.choice(ADDRESSES))


@pytest.mark.slow
@pytest.mark.hypothesis  # tries more where laws do
def test_the_pages_of_this_machine() -> None:
    """Of what programs write as documentation nothing is left to the walk."""
    found = sorted(Path("/usr/share/doc").glob("**/*.html"))[:300]
    for path in filter(Path.is_file, some(found, 2)):
        assert taken(path.read_bytes(), URL), path


@pytest.mark.parametrize(
    "html", ["", "a", "<", "</html>", "<!---->", "<html", "<html>", "<html></p>", "<html></html>a", "<p>"]
)
def test_what_no_parser_writes_is_not_taken(html: str) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    assert compiled.page(html, *stems(URL)) is None


def test_the_attributes_that_are_read_stand_together_by_their_first_letters() -> None:
    """The module looks no further than the last of a letter: one that stood elsewhere would never be read."""
    source = Path(markup.__file__).with_suffix(".c").read_text(encoding="utf-8")
    table = re.search(r"octet length, place;\n\} names\[\] = \{(.*?)\n\};", source, re.DOTALL)
    assert table is not None
    names = re.findall(r'\{"([^"]+)", (\d+), \w+\}', table[1])
    assert len(names) > 30
    letters = [letter for letter, _ in itertools.groupby(names, lambda row: row[0][0])]
    assert len(letters) == len(set(letters))
    assert [len(name) for name, _ in names] == [int(length) for _, length in names]
    longest = re.search(r"LONGEST_ATTRIBUTE = (\d+)", source)
    assert longest is not None
    assert int(longest[1]) == max(len(name) for name, _ in names)


def test_an_instruction_gives_no_page_up() -> None:
    features = pytest.importorskip("scrapy_urinorm.visits.features", exc_type=ImportError)
    page = b"<p>a<?php x ?>b"
    assert features.page_features(page, "text/html").words == 1


def test_of_an_attribute_without_a_value_nothing_of_what_follows_is_taken() -> None:
    """As a parser of before 2025 writes it, where ours writes an empty value."""
    compiled = native.module or pytest.skip("needs the C module")
    page = '<html><head></head><body><p><input{}><area href="/u">a</p></body></html>'
    given = stems("http://a.example/")
    assert compiled.page(page.format(" disabled"), *given) is None
    assert compiled.page(page.format(' disabled id="x"'), *given) is None
    found = compiled.page(page.format(' disabled=""'), *given)
    assert found is not None
    assert found[-1] == "http://a.example/u\n"


@pytest.mark.parametrize(
    ("given", "error"),
    [((), TypeError), (("",), TypeError), ((None, "", "", "", ""), TypeError), (("", "", "", "", 1), TypeError)],
    ids=repr,
)
def test_wrong_arguments_are_errors(given: tuple[Any, ...], error: type[Exception]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises(error):
        compiled.page(*given)


@given(st.lists(st.sampled_from(["abcd", "abce", "bcdabcd", "cdab", "éabc"]), max_size=6), st.binary(max_size=40))
def test_texts_found_in_c_are_those_found_in_python(texts: list[str], noise: bytes) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    octets = noise + b"ABCDabceBcDaBcD" + noise
    sought = tuple(text.encode() for text in texts)
    assert compiled.found(octets, sought) == plain_texts_in(octets, sought)


LETTERS = st.text("abA", max_size=60).map(str.encode)


@given(LETTERS, st.lists(st.text("ab", min_size=4, max_size=14).map(str.encode), max_size=9).map(tuple))
def test_texts_of_any_length_are_found_at_any_place(octets: bytes, sought: tuple[bytes, ...]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    for at in range(len(octets)):
        assert compiled.found(octets[at:], sought) == plain_texts_in(octets[at:], sought)


@pytest.mark.parametrize(
    ("given", "error"),
    [((), TypeError), ((b"", []), TypeError), ((b"", (b"abc",)), ValueError), ((b"", (b"abcd",) * 257), ValueError)],
    ids=lambda given: repr(given)[:40],
)
def test_wrong_texts_are_errors(given: tuple[Any, ...], error: type[Exception]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises(error):
        compiled.found(*given)


PIECES = (
    "http://a.example/",
    "?",
    "&",
    "=",
    "sid=",
    "token",
    "a",
    "0123456789abcdef" * 2,
    "@",
    "%3D",
    "/(S(x))",
    ";",
    "x" * 210,
)


@given(st.lists(st.sampled_from((*PIECES, "\n", "#", "/", "é", "ab", " ", "\x1c", "\ud800")), max_size=20).map("".join))
def test_names_in_c_are_those_in_python(text: str) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    found = compiled.names(text, 15)
    if found is not None:
        assert set(filter(None, found)) == plain_names(text)
        assert len(set(found)) == len(found)
    else:
        assert not text.isascii() or plain_names(text) is None


def test_of_very_many_names_there_is_no_list() -> None:
    compiled = native.module or pytest.skip("needs the C module")
    assert compiled.names("&".join(f"a{n}=1" for n in range(65)), 15) is None


@pytest.mark.parametrize("given", [(), (b"", 1), ("", "1"), ("", -1)], ids=repr)
def test_wrong_names_are_errors(given: tuple[Any, ...]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises((TypeError, OverflowError)):
        compiled.names(*given)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), max_size=6))
def test_many_urls_are_redacted_as_each(urls: list[str]) -> None:
    each = list(map(Redaction(b"salt"), urls))
    assert Redaction(b"salt").all(urls) == each
    # more than are looked at together
    assert Redaction(b"salt").all(300 * urls) == 300 * each
