"""Titles: which of them tell pages apart whose texts are equal."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import pytest

from scrapy_urinorm.content import Titles
from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.content.titles import ADDRESSES, OWN_TITLES, SHELL_WORDS
from scrapy_urinorm.visits.features import page_features


@dataclass
class Shown:
    label: int
    title: int
    words: int | None = 30
    sketches: tuple[bytes, ...] = (b"alike",)


def told(pages: list[Shown]) -> list[int]:
    """The labels of pages, once their titles were looked at."""
    titles = Titles()
    for page in pages:
        titles.add(page)
    for page in pages:
        titles.forget_shell(page)
    return [page.label for page in pages]


@pytest.mark.parametrize(
    "html",
    [
        "<html><head><title>A name</title></head><body><p>text</p></body></html>",
        "<!doctype html><meta charset=utf-8><title>A name</title><p>text",
        '<html id=top><head><link rel=icon href=x><script>1</script><title>A name</title></head><body class="x">text',
    ],
)
def test_a_title_stands_in_its_slot(html: str) -> None:
    lines = page_features(html.encode(), "text/html").lines
    assert lines is not None
    assert array("Q", lines)[0] == TITLE_SLOT


def test_a_text_under_titles_of_its_own_may_be_any_page() -> None:
    pages = [Shown(1, title) for title in (11, 12, 13, 14, 14)]
    assert told(pages) == [-1] * 5
    assert all(page.sketches == () for page in pages)


def test_a_form_is_known_under_its_own_title_though_others_have_titles_of_pages() -> None:
    """A form to log in is shown for each page to edit, too, under the title of that."""
    pages = [*(Shown(1, 11) for _ in range(ADDRESSES)), *(Shown(1, 20 + n) for n in range(9))]
    assert told(pages) == [1] * ADDRESSES + [-1] * 9


def test_two_shells_name_each_others_pages_no_more() -> None:
    """A product and what is said of it, both drawn by a script, have one title."""
    assert told([Shown(label, 10 + n) for n in range(9) for label in (1, 2)]) == [-1] * 18


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param([Shown(1, 10 + n) for n in range(OWN_TITLES - 1)], id="of so few"),
        pytest.param([Shown(1, 10 + n, SHELL_WORDS + 1) for n in range(9)], id="where the text is long"),
        pytest.param([Shown(1, 10 + n) for n in range(9)] + [Shown(2 + n, 10 + n) for n in range(9)], id="of others"),
        pytest.param([Shown(1, 11) for _ in range(ADDRESSES)] + [Shown(2, 12)], id="at many addresses under one"),
        pytest.param([Shown(1, 0) for _ in range(9)], id="where titles are part of the text"),
        pytest.param([Shown(1, 11)] * 9, id="under one title"),
        pytest.param([Shown(-1, 10 + n) for n in range(9)], id="of which nothing is known"),
    ],
)
def test_it_is_one_page_under_titles(pages: list[Shown]) -> None:
    assert told(pages) == [page.label for page in pages]


def test_of_a_form_nothing_is_known_where_the_page_of_its_title_was_not_seen() -> None:
    """So it is in the first part of a crawl: that costs a rule."""
    seen = [Shown(2 + n, 11 + n) for n in range(3)]
    assert told([*(Shown(1, 11 + n) for n in range(8)), *seen])[:8] == [1, 1, 1, -1, -1, -1, -1, -1]
