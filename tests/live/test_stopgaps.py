"""Pages that are shown instead of others, with status 200: what waits for their sake is tested before the end."""

from __future__ import annotations

from dataclasses import replace
from hashlib import md5
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.in_memory import InMemory
from benchmarks.simulator import Simulator
from scrapy_urinorm.crawl.live_rules.heard import Heard
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.student import Student
from tests.live.sites import Answer, Site, crawled, identities_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.visits.record import Visit

OPTIONS = Options(skip=False)
BUSY = Answer(200, "<h1>Busy</h1><p>We are busy at the moment.</p>")


def recorded(is_busy: Callable[[str, int], bool], articles: int) -> tuple[list[Visit], dict[str, str]]:
    """Crawl a site of articles that are busy at some of their addresses."""
    site = Site(1, features={"ref", "print"}, articles=articles)

    def answer(url: str) -> Answer:
        target = url[len(site.start) - 1 :]
        number = target.removeprefix("/article/").partition("?")[0]
        return BUSY if number.isdigit() and is_busy(target, int(number)) else site.answer(target)

    return crawled(site.start, answer, 4_000)


def again(seven: str, redirects: str) -> list[Visit]:
    """Crawl forty articles, of which one has a second address; with `redirects` that leads to the first."""
    site = Site(1, features={"ref"}, articles=40)

    def answer(url: str) -> Answer:
        target = url[len(site.start) - 1 :]
        if target == seven and redirects:
            return Answer(301, location="/article/7?ref=b")
        found = site.answer("/article/7?ref=b" if target == seven else target)
        is_seven = target == seven or target.startswith("/article/7?")
        return replace(found, links=(*found.links, seven)) if is_seven else found

    return crawled(site.start, answer, 4_000)[0]


def told(visits: list[Visit]) -> list[str]:
    """What a student says in the judgement of a crawl."""
    student = Student(OPTIONS, [], InMemory())
    for visit in visits:
        student.take(visit, "pattern")
    return [url.removeprefix("http://site.example.com") for url in student.judge("example.com")[-1]["stopgaps"]]


def judged(*busy: int) -> tuple[list[str], Desk]:
    """What a student says in the judgement of forty articles, some of which were busy when they were asked for once.

    And a desk that has heard it, and what was said before.
    """
    student, desk, met = Student(OPTIONS, [], InMemory()), Desk([], "safe"), set[int]()
    said: list[dict[str, Any]] = []
    for visit in recorded(lambda target, number: number in busy, 40)[0]:
        number = visit.url.rpartition("/")[2].partition("?")[0]
        if not number.isdigit() or int(number) not in met.intersection(busy):
            said += student.take(visit, "pattern")
            met.update([int(number)] if "article" in visit.url else ())
    (name,) = student._sites
    said += student.judge(name)
    for message in said:
        if desk.take(message)[1] is not None:
            desk.keyed(name, [("http://site.example.com/article/7", 5)])
            desk.ready(name)
    assert student.judge(name) == [{"do": "judged", "site": name, "stopgaps": []}]
    # the front page is the first list
    return [url for url in said[-1]["stopgaps"] if "article" in url], desk


def test_what_two_pages_show_may_be_shown_instead_of_them_and_is_told_once() -> None:
    urls, desk = judged(7, 19)
    assert sorted(url.rpartition("/")[2].partition("?")[0] for url in urls) == ["19", "7"]
    site = desk.sites["example.com"]
    assert site.class_of(urls[0].replace("/19", "/7"), 5)[0] in desk.untested()
    assert not site.stopgaps


def test_what_one_page_shows_may_be_its_own_and_so_may_a_view_of_it() -> None:
    assert (judged(7)[0], judged()[0]) == ([], [])


@pytest.mark.parametrize(
    ("seven", "redirects", "stopgaps"),
    [
        ("/copy/7", "", True),
        ("/copy/7", "to the first", False),
        ("/article/7/all", "", False),
        pytest.param("/article/70", "", True, marks=pytest.mark.thorough),
        pytest.param("/article/7?view=all", "", False, marks=pytest.mark.thorough),
    ],
)
def test_an_address_below_a_page_or_that_leads_there_shows_the_page(seven: str, redirects: str, stopgaps: bool) -> None:
    found = [url for url in told(again(seven, redirects)) if "/7" in url]
    assert bool(found) == stopgaps, found


def test_a_crawl_hears_of_it() -> None:
    heard = Heard()
    heard.hear({"do": "judged"})
    assert list(heard.messages()) == [{"do": "judged"}]


@pytest.mark.thorough
def test_no_page_is_given_up_for_one_that_was_shown_instead() -> None:
    visits, identities = recorded(
        lambda target, number: number % 10 == 3 and md5(f"1{target}".encode()).digest()[0] % 4 == 0, 100
    )
    plain = Simulator(visits, OPTIONS, live=False).crawl()
    live = Simulator(visits, OPTIONS).crawl()
    assert identities_of(live.fetched, identities) == identities_of(plain.fetched, identities)
