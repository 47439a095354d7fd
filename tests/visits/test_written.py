"""Pages whose tree is what stands there, written by the module in C: the octets are those that the parser writes."""

from __future__ import annotations

import importlib.util
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.engine import native
from tests.effort import some
from tests.visits import pages

lexbor = pytest.importorskip("selectolax.lexbor")

TAKEN = {
    "elements in each other": "<html><head><title>x</title></head><body><div><p>a <b>b</b></p></div></body></html>",
    "no html, head and body": "<title>x</title><p>a",
    "spaces, comments": "<!--a-->\n<html> <!--b--> <head> </head> <!--c--> <body> a </body></html>\n<!--d-->",
    "paragraphs that end by themselves": "<p>a<p>b<div>c</div><p>d<ul></ul><p>e<hr><h1>f</h1>",
    "the end of a paragraph that never began": "<div></p></div>",
    "items and terms that end by themselves": "<ul><li>a<li>b<p>c<li>d</ul><dl><dt>a<dd>b<dt>c</dl>",
    "lists in items": "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>",
    "a table of cells alone": "<table><td>a<td>b<tr><th>c</table>",
    "a table with all its parts": "<table><caption>a</caption><col><thead><tr><th>b<tbody><tr><td>c<tfoot></table>",
    "a table in a cell": "<table><tr><td>a<table><tr><td>b</table></table>",
    "options": "<select><optgroup><option>a<option>b<optgroup><option>c</select>",
    "scripts, styles, frames": "<script>a<b && '</p>'</script><style>a>b</style><iframe>a&b</iframe>",
    "titles and fields": "<body><title>a<b>&amp;</title><textarea>\n\n<p></textarea>",
    "a line break at the start": "<pre>\n\na</pre>",
    "attributes in any quotes": "<a href=/x/ class='a\"b' ID=\"c'd\" x checked data-é>y</a>".replace("é", "e"),
    "attributes that end themselves": "<br/><img src=a /><p/>",
    "ampersands": "<a href='?a=1&b=2&copy=3&c'>AT&T a & b &amp; &lt; &#65; &#x20AC; &eacute;</a>",
    "spaces that do not break": "<p title='\u00a0&nbsp;'>\u00a0&nbsp;",
    "breaks of lines of any system": "<p title='a\r\nb'>c\rd\r\n",
    "drawings": "<p><svg viewBox='0 0 1 1' aria-hidden=true><title>a</title><g><path d='M0 0'/></g></svg>b",
    "elements of nobody": "<x-y><z>a</z></x-y>",
    "what is open at the end": "<div><p>a<span>b</body>\n</html>",
    "text alone in a body": "<body>a",
}
NOT_TAKEN = {
    "nothing": "",
    "text alone": "a",
    "a link in a link": "<a>b<a>c",
    "the end of another element": "<b><i>a</b></i>",
    "inline elements that a paragraph leaves open": "<p><b>a<p>b",
    "text in front of a table": "<table>a<tr><td>b</table>",
    "an element in front of a table": "<table><div>a</div></table>",
    "a table in a paragraph, which says what kind of page it is": "<p><table></table>",
    "a heading in a heading": "<h1>a<h2>b",
    "a form in a form": "<form><form>",
    "a button in a button": "<button><button>",
    "an item in what is no list": "<ul><li><div><li>",
    "attributes twice": "<p id=a ID=b>",
    "no character": "<p>a\0",
    "no UTF-8": b"<p>\xff",
    "names of characters that are rare, or have no end": "<p>&CounterClockwiseContourIntegral; &copy",
    "a line break at the start, as a number": "<pre>&#10;a</pre>",
    "one in a field": "<textarea>&#x0a;a</textarea>",
    "numbers of no character": "<p>&#128; &#0; &#xD800;",
    "the end of a comment that is none": "<p><!-- a --!> b -->",
    "what ends within a tag": "<p><a href='x",
    "a second body": "<body><p>a</p><body class=b>",
    "a comment behind the body": "<body>a</body><!--b--></html>",
    "templates": "<template><p>a</template>",
    "frames": "<frameset><frame></frameset>",
    "HTML in a drawing": "<svg><foreignObject><p>a</p></foreignObject></svg>",
    "other spellings in a drawing": "<svg viewbox='0 0 1 1'></svg>",
    "a script in a comment of a script": "<script><!--<script></script>--></script>x",
    "deeper than what somebody writes": "<div>" * 201,
    "capitals": "<P>a</P>",
}


def is_taken(page: bytes) -> bool:
    """Whether the module writes a page; then these are the octets of the parser."""
    compiled = native.module or pytest.skip("needs the C module")
    written = compiled.written(page)
    if written is not None:
        root = lexbor.LexborHTMLParser(page).root
        assert written == (root.html or "").encode(), page
    return written is not None


@pytest.mark.parametrize("page", TAKEN.values(), ids=TAKEN)
def test_a_page_is_written_as_its_parser_writes_it(page: str) -> None:
    assert is_taken(page.encode())


@pytest.mark.parametrize("page", NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_what_would_be_straightened_out_is_left_to_the_parser(page: str | bytes) -> None:
    assert not is_taken(page if isinstance(page, bytes) else page.encode())


@given(st.integers(0))
def test_any_page_is_written_as_its_parser_writes_it(seed: int) -> None:
    chance = random.Random(seed)
    for page in (*pages.nested(40, chance), *pages.pages(5, chance)):
        is_taken(page)


@given(st.integers(0))
def test_a_page_says_the_same_without_its_tree(seed: int) -> None:
    chance = random.Random(seed)
    for page in pages.nested(20, chance):
        url = chance.choice(pages.ADDRESSES)
        said = pages.markup.said_without_tree(page, url)
        assert said is None or said == pages.markup.walked(lexbor.LexborHTMLParser(page).root, url), (page, url)


def test_the_pages_of_this_machine() -> None:
    """What programs write as documentation is written as its parser writes it, or left to the parser: which of them is
    the machine's business, as a manual in XHTML is left.
    """
    for path in filter(Path.is_file, some(sorted(Path("/usr/share/doc").glob("**/*.html"))[:300], 2)):
        is_taken(path.read_bytes())


@given(st.integers(0))
def test_a_page_with_a_piece_of_another_one_is_none_of_its_parser_s_or_the_same(seed: int) -> None:
    chance = random.Random(seed)
    some_pages = list(pages.nested(12, chance))
    for page, other in itertools.pairwise(some_pages):
        at, begin = chance.randrange(len(page) + 1), chance.randrange(len(other) + 1)
        is_taken(page[:at] + other[begin : begin + chance.randrange(60)] + page[at + chance.randrange(20) :])


def test_a_module_that_is_imported_again_and_again_writes_pages() -> None:
    """Each interpreter of a process fills the tables that all have in common; more than were full went on for ever."""
    compiled = native.module or pytest.skip("needs the C module")
    spec = importlib.util.spec_from_file_location(compiled.__name__, compiled.__file__)
    assert spec is not None
    assert spec.loader is not None
    for _ in range(5):
        again = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(again)
    assert again.written(b"<x-y>a") == b"<html><head></head><body><x-y>a</x-y></body></html>"


@pytest.mark.parametrize("given", [(), ("",), (b"", b"")], ids=repr)
def test_wrong_arguments_are_errors(given: tuple[Any, ...]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises(TypeError):
        compiled.written(*given)
