"""The root of an XML document that says when it was sent and what it was asked for, and other roots."""

from __future__ import annotations

import pytest

from scrapy_urinorm.visits.features import page_features

SENT, LATER = "Mon, 30 Nov 2026 11:17:10 GMT", "Mon, 30 Nov 2026 11:39:58 GMT"
URL = "http://a.example/items?sort=a&page=1"


def digest(root: str, date: str, url: str = URL, rest: str = "<item>an item</item>") -> str | None:
    text = f'<?xml version="1.0"?>\n<!-- <a b="c"> -->\n{root}{rest}</list>'
    return page_features(text.encode(), "text/xml; charset=utf-8", url=url, date=date).text_digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-11-30T11:17:10+00:00", "2026-11-30T11:39:58+00:00"),
        ("2026-11-30T12:17:10+01:00", "2026-11-30T12:39:58+01:00"),
        ("2026-11-30T11:17:09.500Z", "2026-11-30T11:39:58.123Z"),
        ("2026-11-30 11:17", "2026-11-30 11:39"),
    ],
)
def test_a_document_is_the_same_later_and_at_another_address(one: str, other: str) -> None:
    root = "<list xmlns='http://x.example/v1' uri=\"{}\" accessDate='{}'>"
    elsewhere = "http://a.example/items?sort=a"
    sent = digest(root.format("http://a.example/items?sort=a&amp;page=1", one), SENT)
    assert sent == digest(root.format(elsewhere, other), LATER, elsewhere)
    # what it holds counts, and so do the names of what it is
    assert sent != digest(root.format(elsewhere, other), LATER, elsewhere, "<item>another item</item>")
    assert sent != digest(root.replace("v1", "v2").format(elsewhere, other), LATER, elsewhere)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # the time of what it holds
        ('<list updated="2026-11-30T11:15:10Z">', '<list updated="2026-11-30T11:38:40Z">'),
        ('<list day="2026-11-30">', '<list day="2026-12-01">'),
        # no attribute of the root
        ("<list><a t='2026-11-30T11:17:10Z'/>", "<list><a t='2026-11-30T11:39:58Z'/>"),
        # an address alone names a thing
        (f'<list href="{URL}">', '<list href="http://a.example/items?sort=a">'),
        # beside a time one that is not its own does, too
        ('<list of="/7" at="2026-11-30T11:17:10Z">', '<list of="/8" at="2026-11-30T11:39:58Z">'),
        ('<list at="2026-11-30T11:17:10Z" n=7>', '<list at="2026-11-30T11:39:58Z" n=7>'),
        ('<list at="2026-13-30T11:17:10Z">', '<list at="2026-13-30T11:39:58Z">'),
        ('<list at="9999-12-31T23:59:59-14:00">', '<list at="9999-12-31T23:59:58-14:00">'),
    ],
)
def test_what_else_a_root_says_counts(one: str, other: str) -> None:
    assert digest(one, SENT) != digest(other, LATER, "http://a.example/items?sort=a")


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 30 Nov 2026 11:17:10", "Mon, 99 Nov 2026 11:17:10 GMT"])
def test_a_date_that_says_nothing_stops_nothing(date: str) -> None:
    assert digest('<list at="2026-11-30T11:17:10Z">', date) is not None


def test_json_is_read_as_it_is() -> None:
    one, other = (f'{{"a": "<l at=\'{t}\'>"}}'.encode() for t in ("2026-11-30T11:17:10Z", "2026-11-30T11:17:11Z"))
    digests = {page_features(body, "application/json", date=SENT).text_digest for body in (one, other)}
    assert len(digests) == 2
