"""Clocks of pages, which say when a response was sent, and dates that are none."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_urinorm.crawl.recording.messages import told_by
from scrapy_urinorm.visits.clocks import without_clocks
from scrapy_urinorm.visits.features import PageFeatures, page_features
from scrapy_urinorm.visits.page import Crawl, visit_of

SENT, LATER = "Fri, 27 Nov 2026 17:09:25 GMT", "Fri, 27 Nov 2026 17:10:02 GMT"


@pytest.mark.parametrize(
    "clock",
    [
        "Nov 27, 2026, 05:{:02} PM",
        "November 27, 2026, 05:{:02}:59 PM",
        "Friday, November 27th, 2026 at 5:{:02} p.m.",
        "Fri, 27 Nov 2026 17:{:02}:25 GMT",
        "27 Nov. 2026 17:{:02}",
        "27-Nov-2026 17:{:02}:25",
        "2026-11-27 17:{:02}",
        "2026-11-27T17:{:02}:25Z",
        "2026-11-27T17:{:02}:25+00:00",
        "2026/11/27 - 17:{:02}",
        "27.11.2026, 17:{:02}",
        "11/27/2026 05:{:02} PM",
        "27/11/2026 17:{:02}",
    ],
)
@pytest.mark.parametrize("around", ["<p>{}</p>", "<time datetime='x'> {}\n</time>"])
def test_a_page_is_the_same_a_minute_later(clock: str, around: str) -> None:
    def page(minute: int, date: str) -> PageFeatures:
        text = "<h1>a forum</h1>" + around.format(clock.format(minute))
        return page_features(text.encode(), "text/html", date=date)

    one, other = page(9, SENT), page(10, LATER)
    assert (one.text_digest, one.lines) == (other.text_digest, other.lines)
    assert one.body_digest != other.body_digest
    assert page(9, "").text_digest != page(10, "").text_digest


@pytest.mark.parametrize(
    "text",
    [
        "Nov 27, 2026, 05:08 PM",
        "Nov 27, 2026, 06:09 PM",
        "Nov 27, 2026, 05:09 AM",
        "Nov 27, 2026, 05:09",
        "Nov 26, 2026, 05:09 PM",
        "Nov 27, 2025, 05:09 PM",
        "17:09",
        "2026-11-27",
        "2026-11-27 17:091",
        "2026-11-27 17:09 +01:00",
        "Written on Nov 27, 2026, 05:09 PM",
        "Nov 27, 2026, 05:09 PM by Ann",
        "12026-11-27 17:09",
        "2026-11/27 17:09",
    ],
)
def test_what_is_no_clock_of_this_response_stays(text: str) -> None:
    body = f"<p>{text}</p>".encode()
    assert without_clocks(body, SENT) == body


NOW = 1795799365
"""The second of `SENT`."""


@pytest.mark.parametrize(
    "address",
    [
        "/captcha.png?t={}",
        "/index.php?sid=25&amp;gen=img&amp;ck={}",
        "/captcha.png?{}",
        "/a.png?b=1;t={}",
        "/a.png?_={}123",
        "/a.png?t={}.25",
        "/a.png?t={}&amp;size=2",
    ],
)
@pytest.mark.parametrize("before", [0, 1, 10, -1])
def test_a_picture_that_is_to_be_fetched_again_is_the_same(address: str, before: int) -> None:
    def page(moment: int, date: str) -> PageFeatures:
        text = f"<h1>a question</h1><img src='{address.format(moment)}'><p>its answer</p>"
        return page_features(text.encode(), "text/html", date=date)

    one, other = page(NOW - before, SENT), page(NOW + 37 - before, LATER)
    assert (one.text_digest, one.lines) == (other.text_digest, other.lines)
    assert page(NOW, "").lines != page(NOW + 37, "").lines


@pytest.mark.parametrize(
    "address",
    [
        f"/a.png?t={NOW - 11}",
        f"/a.png?t={NOW + 2}",
        f"/a.png?t={NOW}1234567",
        f"/a.png?t={NOW}-2",
        f"/a.png?t={NOW}x",
        f"/a.png?t=1{NOW}",
        f"/a.png?t=v{NOW}",
        f"/{NOW}.png",
        f"/a.png?a/{NOW}",
        str(NOW),
    ],
)
def test_a_picture_that_says_another_time_or_no_time_stays(address: str) -> None:
    body = f"<img src='{address}'><p>{address}</p>".encode()
    assert without_clocks(body, SENT) == body


@pytest.mark.parametrize(
    "tag", ["<a href='{}'>x</a>", "<link rel=canonical href='{}'>", "<iframe src='{}'></iframe>", "<p>{}"]
)
def test_what_a_crawl_may_ask_for_stays(tag: str) -> None:
    body = f"<img src='/a.png'>{tag.format(f'/edit?t={NOW}')}".encode()
    assert without_clocks(body, SENT) == body


def test_links_are_those_of_the_page() -> None:
    body = f"<p>some words</p><a href='/edit?t={NOW}'>edit</a><IMG alt='' src='/a.png?t={NOW}'>".encode()
    found = page_features(body, "text/html", url="http://a.example/", date=SENT)
    assert found.links == [f"http://a.example/edit?t={NOW}"]


@pytest.mark.parametrize(
    "date", ["", "now", "Fri, 99 Nov 2026 17:09:25 GMT", "27 Nov", "(" * 500, "\x00", "Fri, 01 Jan 0001 00:00:00 +1400"]
)
def test_a_header_that_says_nothing(date: str) -> None:
    assert without_clocks(b"<p>2026-11-27 17:09</p>", date) == b"<p>2026-11-27 17:09</p>"


def test_all_clocks_of_a_page_go_and_the_rest_stays() -> None:
    body = b"<p>2026-11-27 17:09</p><p>at 17:09</p><i> 27.11.2026 17:09 </i><b>2026-11-27 17:08</b>"
    assert without_clocks(body, SENT) == b"<p>now</p><p>at 17:09</p><i> now </i><b>2026-11-27 17:08</b>"


def test_a_page_full_of_beginnings_takes_no_longer() -> None:
    body = b"17:09" + b"> " * 200_000 + b">Nov 27, 2026, 17:09 " * 20_000
    assert without_clocks(body, SENT) == body


def test_a_visit_has_no_clock() -> None:
    crawl = Crawl("c", b"salt")
    said = {"url": "http://a.example/", "status": 200, "time": 0, "type": "text/html"}
    visits = [
        visit_of(crawl, {**said, "date": date}, f"<p>a forum<p>2026-11-27 17:{minute}</p>".encode())
        for date, minute in ((SENT, "09"), (LATER, "10"))
    ]
    assert visits[0].text_digest == visits[1].text_digest


def test_a_crawl_says_when_a_response_was_sent() -> None:
    request = Request("http://a.example/")
    told = [told_by(HtmlResponse(request.url, headers=headers), request) for headers in ({"Date": SENT}, {})]
    assert [one.get("date") for one in told] == [SENT, None]
