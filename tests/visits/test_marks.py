"""What recognizes a program, and what of it must not be kept."""

from __future__ import annotations

import pytest

from scrapy_urinorm.rulesets.platforms import markers
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.marks import LONGEST, MOST, SEARCHED, SEARCHED_AT_END, marks, marks_of_line

ROWS = [
    ("WordPress 6.4", [], [], b"", ("generator:WordPress 6.4",), "a generator"),
    (" a \n b ", [], [], b"", ("generator:a b",), "white space in a generator"),
    (None, ["X-Pingback", "Date", "X-PINGBACK"], [], b"", ("header:x-pingback",), "headers not all servers send"),
    (None, [], ["DokuWiki", ""], b"", ("cookie:DokuWiki",), "names of cookies"),
    (None, [], ["wp_in_d41d8cd98f00b204e9800998ecf8427e"], b"", ("cookie:wp_in_*",), "what is drawn by lot in a name"),
    (None, [], [], b"<link href=/WP-content/x.css>", ("marker:wp-content",), "a text in the page"),
    (None, [], [], b" " * SEARCHED + b"/wp-content/" + b" " * SEARCHED_AT_END, (), "no text far down"),
    (None, [], [], b" " * SEARCHED + b'<div class="foot">lighttpd/1.4', ("marker:lighttpd",), "a text at the end"),
    (None, [], [], b"", (), "nothing"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("generator", "headers", "cookies", "body", "expected"), [row[:5] for row in ROWS], ids=[row[5] for row in ROWS]
)
def test_marks(
    generator: str | None, headers: list[str], cookies: list[str], body: bytes, expected: tuple[str, ...]
) -> None:
    assert marks(generator, headers, cookies, body) == expected


@pytest.mark.parametrize("name", markers())
def test_each_marker_is_found(name: str) -> None:
    assert f"marker:{name}" in marks(None, (), (), b"<p>" + markers()[name].upper() + b"</p>")


def test_a_site_cannot_make_marks_without_end() -> None:
    found = marks("g" * 10_000, [f"x-{'y' * 999}{n}" for n in range(999)], [f"c{n}" for n in range(999)], b"")
    assert len(found) <= MOST + 1
    assert max(map(len, found)) <= LONGEST + len("generator:")


def test_the_generator_of_a_page() -> None:
    page = b"<meta name=description content=x><meta name=Generator content='DokuWiki'><meta name=generator content=y>"
    assert page_features(page, "text/html").generator == "DokuWiki"


LINES = [
    ('{"url":"http://a.example/","marks":["generator:A","cookie:b[x]"],"crawl":"c"}', ["generator:A", "cookie:b[x]"]),
    ('{"url":"http://a.example/"}', []),
    ('{"url":"http://a.example/?q=\\"marks\\":[","marks":["generator:\u00fc"]}', ["generator:\u00fc"]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_the_marks_of_a_line(line: str, expected: list[str]) -> None:
    assert marks_of_line(line.encode()) == expected
