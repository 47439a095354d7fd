"""What a recognized program is worth before its pages say anything: its lines come later, and are closed by merit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scrapy import Request

from benchmarks.in_memory import InMemory
from scrapy_urinorm.crawl.live import LiveRules
from scrapy_urinorm.crawl.live_rules.waiting import kind_of
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.brought import KNOWN_CLOSE
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.parked import TESTED
from scrapy_urinorm.live.priors import RECOGNIZED_AT, Priors
from scrapy_urinorm.live.questions import CLOSED, LATER, PASS, SAMPLE
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.visits import Visit
from tests.crawl.components import crawler_with
from tests.live.resumed import state

GITWEB, TRAC = "http://git.example/", "http://trac.example/"
MARKS = {GITWEB: ("generator:gitweb/2.39",), TRAC: ("cookie:trac_form_token",)}
DIFFERENCE = "git.example gitweb/differences"


def recognized(start: str) -> tuple[Desk, Student]:
    """A desk and a student that have seen one page, the first one, of a program."""
    student, desk = Student(Options(), [], InMemory()), Desk([], "recommended")
    (said,) = (one for one in student.take(Visit(url=start, status=200, marks=MARKS[start])) if one["do"] == "platform")
    desk.take(said)
    return desk, student


def heard(desk: Desk, student: Student, visit: Visit, pattern: str) -> dict[str, Any]:
    """Have both hear of a page, and return what the student says of its news."""
    news, *_ = student.take(visit, pattern)
    desk.take(news)
    return news


SHAPES = [
    (GITWEB + "?p=a.git;a=blobdiff;f=x;h=1;hp=2", "gitweb/differences"),
    (GITWEB + "?p=a.git&a=snapshot&h=1", "gitweb/plain-copies"),
    (GITWEB + "?p=a.git;a=blob;f=x", None),
    (TRAC + "timeline?from=2024-01-23&daysback=30", "trac/timeline-windows"),
    (TRAC + "timeline", None),
]


@pytest.mark.parametrize(("url", "line"), SHAPES)
def test_one_page_tells_the_program_and_its_traps_come_later(url: str, line: str | None) -> None:
    desk, _ = recognized(GITWEB if url.startswith(GITWEB) else TRAC)
    assert desk.decide(url, 0).verdict == (LATER if line else PASS)
    pattern = desk.pattern(url, 0)
    assert pattern.endswith(" " + line) if line else pattern.startswith("http:")


def test_a_proven_trap_is_closed_though_its_texts_are_new() -> None:
    desk, student = recognized(GITWEB)
    urls = [f"{GITWEB}?p=a.git;a=blobdiff;h={n}" for n in range(4_000)]
    # before any of their news has come, of which there are none
    assert {desk.decide(url, 0, late=True).verdict for url in urls[:KNOWN_CLOSE]} == {PASS}
    for n, url in enumerate(urls[:KNOWN_CLOSE]):
        news = heard(desk, student, Visit(url=url, status=200, text_digest=f"text {n}"), DIFFERENCE)
        assert (news["news"], news["credit"]) == (False, None)
    verdicts = [desk.decide(url, 0, late=True).verdict for url in urls[KNOWN_CLOSE:]]
    assert set(verdicts) == {CLOSED, SAMPLE}
    assert verdicts.count(SAMPLE) < 20


def test_a_resumed_crawl_knows_what_the_one_before_knew() -> None:
    first, _ = recognized(GITWEB)
    second = Desk([], "recommended")
    assert second.restore(json.loads(json.dumps(state(first)))) == []
    url = f"{GITWEB}?p=a.git;a=blobdiff;h=1"
    assert (second.pattern(url, 0), second.decide(url, 0).verdict) == (DIFFERENCE, LATER)


def test_a_trap_that_leads_to_something_new_is_none() -> None:
    desk, student = recognized(GITWEB)
    for n in range(KNOWN_CLOSE * 4):
        hashed = bytes([n]) * 8
        at, to = f"{GITWEB}?p=a.git;a=blobdiff;h={n}", f"{GITWEB}only-here-{n}"
        heard(desk, student, Visit(url=at, status=200, text_digest=f"at {n}", links=hashed), DIFFERENCE)
        news = heard(desk, student, Visit(url=to, status=200, text_digest=f"to {n}", id=hashed), "http://git.example/*")
        assert (news["news"], news["credit"]) == (True, DIFFERENCE)
        assert desk.decide(f"{GITWEB}?p=a.git;a=blobdiff;h=x{n}", 0, late=True).verdict == PASS
    assert desk.decide(f"{GITWEB}?p=a.git;a=blobdiff;h=y", 0).verdict == PASS


def test_a_list_that_is_served_comes_later_in_another_order() -> None:
    desk, _ = recognized(TRAC)
    first = TRAC + "query?status=new&order=id"
    assert desk.decide(first, 7).verdict == PASS
    desk.served(desk.claim(first, 7), first)
    other = TRAC + "query?status=new&order=owner&desc=1"
    assert desk.decide(other, 7).verdict == LATER
    assert desk.pattern(other, 7).endswith(" trac/order-of-queries")
    # another list, a page behind the first, and another callback
    for url, kind in [("query?status=closed&order=id", 7), ("query?status=new&order=owner&page=2", 7), (other, 8)]:
        assert desk.decide(url if "//" in url else TRAC + url, kind).verdict == PASS


def test_the_cookies_that_scrapy_sent_along_leave_a_page_in_its_line() -> None:
    live = LiveRules.from_crawler(crawler_with({"URINORM_LIVE": True}))
    live.desk, _ = recognized(TRAC)
    first, other = (Request(f"{TRAC}query?status=new&order={order}") for order in ("id", "owner"))
    live.desk.served(live.desk.claim(first.url, kind_of(first)), first.url)
    other.headers["Cookie"] = "trac_session=1"  # as CookiesMiddleware does before the download
    assert live.said(other)["pattern"] == live.desk.pattern(other.url, kind_of(other))
    assert live.said(other)["pattern"].endswith(" trac/order-of-queries")
    # what a spider shows to one visitor alone says nothing of the line
    assert live.said(other.replace(cookies={"trac_auth": "7"}))["pattern"] == live.desk.pattern(other.url, 0)


def test_what_shows_a_page_that_was_served_comes_later_until_one_of_them_is_another() -> None:
    desk, student = recognized(GITWEB)
    first = GITWEB + "?p=a.git;a=tree;f=x"
    desk.served(desk.claim(first, 0), first)
    again = GITWEB + "?p=a.git;a=tree;f=x;hb=HEAD"
    assert desk.pattern(again, 0) == "git.example gitweb/head"
    assert desk.decide(again, 0).verdict == LATER
    assert desk.decide(GITWEB + "?p=a.git;a=tree;f=y;hb=HEAD", 0).verdict == PASS
    for _ in range(KNOWN_CLOSE):
        assert desk.decide(again, 0, late=True).verdict == PASS
    assert desk.decide(again, 0, late=True).verdict == CLOSED
    # what it names first the other one names as well
    heard(desk, student, Visit(url=first, status=200, text_digest="same"), "http://git.example/*")
    heard(desk, student, Visit(url=again, status=200, text_digest="same", links=b"12345678"), "git.example gitweb/head")
    to = Visit(url=GITWEB + "new", status=200, text_digest="new", id=b"12345678")
    assert heard(desk, student, to, "http://git.example/*")["credit"] is None
    assert desk.decide(again, 0, late=True).verdict == CLOSED
    news = heard(desk, student, Visit(url=again, status=200, text_digest="another"), "git.example gitweb/head")
    assert news["news"] is True
    assert desk.decide(again, 0, late=True).verdict == PASS


def test_a_proven_line_is_tested_by_fewer() -> None:
    source = {"site": {"a.example": {"remove_params": ["s"]}}}
    shares = []
    for proven in (True, False):
        desk = Desk([], "recommended")
        rule = {"id": "s", "said": "s is idle", "source": source, "proven": proven}
        message = {"do": "rules", "site": "a.example", "version": 1, "source": source, "likely": {}, "rules": [rule]}
        desk.take({**message, "pages": 9})
        desk.keyed("a.example", [("http://a.example/p?s=1", 0)])
        desk.ready("a.example")
        # so many as have not tested the other one enough
        shares.append(sum(desk.decide(f"http://a.example/p?s={n}", 0).verdict == "canary" for n in range(120)))
        assert 0 < shares[-1] < TESTED
    assert shares[0] < shares[1] / 5


def test_a_program_behind_hundreds_of_pages_is_recognized() -> None:
    """A board below a manual of some hundred sections, which a crawl breadth first comes to last."""
    priors = Priors()
    pages = [Visit(url=f"http://a.example/manual/{n}", status=200) for n in range(RECOGNIZED_AT[-3])]
    marks = ("generator:Discourse 3.2",)
    board = [Visit(url=f"http://a.example/board/{n}", status=200, marks=marks) for n in range(700)]
    heard = [visit.url for visit in (*pages, *board) if priors.see(visit)]
    assert heard == [board[RECOGNIZED_AT[-2] - RECOGNIZED_AT[-3] - 1].url]
