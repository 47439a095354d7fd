"""What elements show besides texts: which of it tells one page from another."""

from __future__ import annotations

import pytest

from scrapy_urinorm.visits.features import page_features

OTHER = {
    "a picture that a script loads": "<img src=/blank.gif data-original=/{}.jpg>",
    "another such": "<img src=/blank.gif data-lazy-src=/{}.jpg>",
    "a picture of several sizes": "<img srcset='/{}.jpg 1x'>",
    "sources of a picture": "<picture><source srcset='/{}.webp 800w'><img></picture>",
    "the first picture of a film": "<video poster=/{}.jpg></video>",
    "the source of a film": "<video poster=/a.jpg><source src=/{}.mp4></video>",
    "a picture of a newer element": "<amp-img src=/{}.jpg></amp-img>",
    "a picture behind a text": "<div style='color: red; background: url(/{}.jpg)'>text</div>",
    "one within a line": "<p>a <b style='background: url(/{}.jpg)'>text</b></p>",
    "one that a script loads": "<div data-bg=/{}.jpg>text</div>",
    "one of a style": "<style>p {{ color: red }} .top {{ background: url('/{}.jpg') }}</style>",
    "a film by its number": "<div class=youtube data-id={}></div>",
    "a picture in a drawing": "<svg><image href=/{}.jpg /></svg>",
    "a drawing": "<svg viewBox='0 0 100 100'><path d='M0 {}L3 3' /></svg>",
    "the bars of a chart": "<svg width=200><g><rect x=0 y=0 height={} /></g></svg>",
    "cells": "<table><tr><td class=a{}></td><td class=b></td></table>",
    "tips of empty elements": "<i title='tip {}'></i>",
    "places on a map": "<map><area alt='place {}'></map>",
    "tips of places": "<map><area title='place {}'></map>",
    "numbers in fields": "<input type=number value={}>",
    "such numbers in words": "<input value='1,00{}.5 %'>",
}
SAME = {
    "an icon": "<svg viewBox='0 0 24 24'><path d='M0 {}L3 3' /></svg>",
    "another": "<svg class=icon-{}><path d='M0 {}L3 3' /></svg>",
    "one that is not said": "<svg aria-hidden=true><path d='M0 {}L3 3' /></svg>",
    "one from a collection": "<svg><use href=#a{} /></svg>",
    "what is not shown": "<svg style='display: none'><path d='M0 {}L3 3' /></svg>",
    "the style of a text": "<p style='width: {}px'>text",
    "the tip of a text": "<p title='{} minutes ago'>text",
    "the class of a text": "<table><td class=a{}>text</table>",
    "the number of an element with a text": "<p data-id={}>text",
    "a code in a field": "<input value=1234567890123456789012{}>",
    "numbers that nobody sees": "<input type=hidden value={}>",
    "what is chosen": "<select><option value={} selected>a</select>",
}


def lines_of(page: str, n: int) -> bytes | None:
    return page_features(f"<p>a text{page.replace('{}', str(n))}".encode(), "text/html").lines


@pytest.mark.parametrize("page", OTHER.values(), ids=OTHER)
def test_another(page: str) -> None:
    assert lines_of(page, 7) == lines_of(page, 7) != lines_of(page, 8)


@pytest.mark.parametrize("page", SAME.values(), ids=SAME)
def test_the_same(page: str) -> None:
    assert lines_of(page, 7) == lines_of(page, 8)


ROWS = ["<tr><td class=a><td class=b><td>1", "<tr><td class=b><td class=a><td>2", "<tr><td><td><i title=a></i><td>3"]


def test_rows_in_another_order_have_the_same_sums() -> None:
    one, other = (lines_of("<table>" + "".join(rows), 7) or b"" for rows in (ROWS, ROWS[::-1]))
    assert one != other
    assert one[-32:] == other[-32:]


def test_cells_in_another_order_have_not() -> None:
    one, other = (lines_of(f"<table>{row}", 7) or b"" for row in ROWS[:2])
    assert one[-16:-8] == other[-16:-8]
    assert one[-16:] != other[-16:]
