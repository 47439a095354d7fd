"""A site that is down for a while: its errors, or the one page that it shows, say nothing of what was asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from benchmarks.in_memory import InMemory
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.answers import BROKEN
from scrapy_urinorm.live.brought import KNOWN_CLOSE, Turn
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.live.yields import CLOSE, LOW, MOST_ALIKE, ONE_PAGE
from scrapy_urinorm.visits import Visit
from tests.live.resumed import state
from tests.live.served import Served
from tests.live.sites import Answer, prose
from tests.live.test_crawl import live, pages

if TYPE_CHECKING:
    from pathlib import Path

SHOP = "http://shop.example"
LONG = LOW + CLOSE + 10
DOWN, EMPTY = "down", "empty"


class Crawl:
    """What a desk makes of pages: of some text each, or of an error."""

    def __init__(self) -> None:
        self.student, self.desk = Student(Options(), [], InMemory()), Desk([], "safe")
        self.answered = 0

    def asks(self, path: str, times: int, shows: str | int | None = None) -> Turn:
        """Ask for so many addresses, `path` with a number, that show this or each a text of its own."""
        for _ in range(times):
            self.answered += 1
            url = SHOP + path.format(self.answered)
            status, text = (shows, None) if isinstance(shows, int) else (200, shows or f"text {self.answered}")
            (news,) = (
                one
                for one in self.student.take(Visit(url=url, status=status, text_digest=text), self._pattern(path))
                if one["do"] == "news"
            )
            self.desk.take(news)
        return self.turn(path)

    def asks_in_turn(self, paths: tuple[str, str], times: int, shows: str) -> list[Turn]:
        """Have pages of two kinds bring news, then ask for so many of each that show one and the same."""
        for path in paths:
            self.asks(path, 30)
        for _ in range(times):
            for path in paths:
                self.asks(path, 1, shows)
        return [self.turn(path) for path in paths]

    def leads_back(self, path: str, times: int) -> Turn:
        """Ask for so many addresses that redirect to one page that is known."""
        for _ in range(times):
            self.answered += 1
            self.desk.failed(self.desk.claim(SHOP + path.format(self.answered), 0), f"{SHOP}/captcha")
        return self.turn(path)

    def turn(self, path: str) -> Turn:
        found = self.desk.yields.of.get(self._pattern(path))
        return found.turn if found is not None else Turn.OPEN

    def _pattern(self, path: str) -> str:
        return self.desk.pattern(SHOP + path.format(self.answered), 0)


ITEM, LIST, MONTH, WEEK = "/item/{}", "/list?page={}", "/month?after={}", "/week?after={}"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("known", [0, 30])
def test_a_server_that_is_busy_or_broken_says_nothing_of_a_page(status: int, known: int) -> None:
    crawl = Crawl()
    crawl.asks(ITEM, known)
    assert crawl.asks(ITEM, LONG, status) is Turn.OPEN


@pytest.mark.parametrize(
    ("status", "before", "beside", "turn"),
    [
        (503, 0, 1, Turn.CLOSED),
        (503, 0, 0, Turn.OPEN),  # the site is down
        (503, 1, 1, Turn.OPEN),  # its pages have been seen
        (429, 0, 1, Turn.OPEN),  # it is we who are too fast
    ],
)
def test_a_shape_that_is_broken_while_others_are_not(status: int, before: int, beside: int, turn: Turn) -> None:
    """A search that answers 503 to visitors without cookies, with a number drawn by lot in each link, has no end."""
    crawl = Crawl()
    crawl.asks(MONTH, before)
    for _ in range(BROKEN + LONG):
        crawl.asks(MONTH, 1, status)
        crawl.asks(ITEM, beside)
    assert crawl.turn(MONTH) is turn


def test_a_part_of_a_site_that_is_down_for_a_while_stays_open() -> None:
    crawl = Crawl()
    for _ in range(BROKEN):
        crawl.asks(MONTH, 1, 503)
        crawl.asks(ITEM, 1)
    assert crawl.asks(MONTH, 30) is Turn.OPEN
    assert crawl.asks(MONTH, LONG, 503) is Turn.OPEN


@pytest.mark.parametrize(("status", "known", "turn"), [
    (403, 30, Turn.OPEN),
    (401, 30, Turn.OPEN),
    (403, 0, Turn.CLOSED),  # what has always been refused
    (404, 0, Turn.CLOSED),
    (410, 30, Turn.CLOSED),  # what is gone is gone
])  # fmt: skip
def test_a_refusal_counts_where_nothing_else_was_seen(status: int, known: int, turn: Turn) -> None:
    crawl = Crawl()
    crawl.asks(ITEM, known)
    assert crawl.asks(ITEM, LONG, status) is turn


def test_one_page_instead_of_all_others_closes_nothing() -> None:
    assert Crawl().asks_in_turn((MONTH, LIST), LONG, DOWN) == [Turn.OPEN, Turn.OPEN]


def test_what_was_closed_for_it_is_opened_when_another_pattern_shows_it_too() -> None:
    crawl = Crawl()
    crawl.asks(LIST, 30)
    crawl.asks(MONTH, 30)
    assert crawl.asks(MONTH, LONG, DOWN) is Turn.CLOSED
    crawl.asks(LIST, 1, DOWN)
    assert crawl.turn(MONTH) is Turn.LATER


@pytest.mark.parametrize("other", [EMPTY, None, 404])
def test_but_not_when_the_other_one_shows_something_else(other: str | int | None) -> None:
    crawl = Crawl()
    crawl.asks(LIST, 30)
    crawl.asks(MONTH, 30)
    crawl.asks(MONTH, LONG, DOWN)
    crawl.asks(LIST, 30, other)
    assert crawl.turn(MONTH) is Turn.CLOSED


def test_two_calendars_that_show_the_same_when_they_are_empty_come_to_their_end() -> None:
    times = MOST_ALIKE // 2 + LONG
    assert Crawl().asks_in_turn((MONTH, WEEK), times, EMPTY) == [Turn.CLOSED, Turn.CLOSED]


@pytest.mark.parametrize(
    "path", [ITEM, *(pytest.param(path, marks=pytest.mark.slow) for path in ("/item?id={}", "/shop.php?product_id={}"))]
)
def test_articles_that_show_one_page_of_a_sudden_are_closed_after_many(path: str) -> None:
    crawl = Crawl()
    crawl.asks(path, 300)
    assert crawl.asks(path, MOST_ALIKE - 1, DOWN) is not Turn.CLOSED
    assert crawl.asks(path, LOW + 2, DOWN) is Turn.CLOSED


@pytest.mark.parametrize("path", [LIST, pytest.param("/list?id=7&page={}", marks=pytest.mark.slow), MONTH])
def test_lists_that_do_end_as_soon_as_ever(path: str) -> None:
    crawl = Crawl()
    crawl.asks(path, 300)
    assert crawl.asks(path, LOW + CLOSE + 2, DOWN) is Turn.CLOSED


def test_redirects_of_all_to_one_page_close_nothing() -> None:
    crawl = Crawl()
    crawl.asks(ITEM, 30)
    crawl.asks(LIST, 30)
    for _ in range(LONG):
        crawl.leads_back(ITEM, 1)
        crawl.leads_back(LIST, 1)
    assert (crawl.turn(ITEM), crawl.turn(LIST)) == (Turn.OPEN, Turn.OPEN)


def test_what_was_closed_for_redirects_is_opened_when_another_pattern_leads_there_too() -> None:
    crawl = Crawl()
    crawl.asks(LIST, 30)
    crawl.asks(MONTH, 30)
    assert crawl.leads_back(MONTH, LOW + ONE_PAGE) is Turn.CLOSED
    crawl.leads_back(LIST, 1)
    assert (crawl.turn(MONTH), len(crawl.desk.answers.reopened()), crawl.desk.answers.reopened()) == (Turn.LATER, 1, [])


@pytest.mark.parametrize(("path", "known"), [(ITEM, 0), (ITEM, 300), (MONTH, 300)])
def test_redirects_of_some_do_and_a_few_go_once_more(path: str, known: int) -> None:
    crawl = Crawl()
    crawl.asks(path, known)
    assert crawl.leads_back(path, LOW + ONE_PAGE) is Turn.CLOSED
    crawl.desk.decide(SHOP + path.format(900), 0)
    assert len(crawl.desk.answers.retried()) == 1


def closed_for_one_page() -> Crawl:
    crawl = Crawl()
    crawl.asks(MONTH, 30)
    crawl.asks(MONTH, LONG, DOWN)
    for n in range(900, 1_000):
        crawl.desk.decide(SHOP + MONTH.format(n), 0)
    return crawl


def test_a_few_of_what_was_closed_so_go_before_the_end() -> None:
    crawl = closed_for_one_page()
    assert len(crawl.desk.answers.retried()) == 1
    sent = [crawl.desk.decide(SHOP + MONTH.format(n), 0, late=True).verdict for n in range(900, 920)]
    assert sent.count("pass") == KNOWN_CLOSE
    assert not crawl.desk.answers.retried()


def test_and_all_of_it_when_they_bring_news() -> None:
    crawl = closed_for_one_page()
    crawl.desk.answers.retried()
    for n in range(900, 900 + KNOWN_CLOSE):
        crawl.desk.decide(SHOP + MONTH.format(n), 0, late=True)
    assert crawl.turn(MONTH) is Turn.CLOSED
    crawl.asks(MONTH, 1)
    assert crawl.turn(MONTH) is Turn.LATER


def test_and_when_they_have_a_few_words_of_their_own() -> None:
    crawl = closed_for_one_page()
    crawl.desk.answers.retried()
    late = [SHOP + MONTH.format(n) for n in range(900, 900 + 3 * KNOWN_CLOSE)]
    for url in late[:KNOWN_CLOSE]:
        crawl.desk.decide(url, 0, late=True)
    crawl.desk.yields.learned(crawl.desk.pattern(late[0], 0), news=False, few=True)
    assert {crawl.desk.decide(url, 0, late=True).verdict for url in late[KNOWN_CLOSE:]} == {"pass"}


def test_what_was_closed_over_pages_that_differ_does_not_go_again() -> None:
    crawl = Crawl()
    crawl.asks(MONTH, 30)
    for n in range(LONG):
        crawl.asks(MONTH, 1, f"{EMPTY} {n % 2}")
    crawl.desk.decide(SHOP + MONTH.format(900), 0)
    assert (crawl.turn(MONTH), crawl.desk.answers.retried()) == (Turn.CLOSED, [])


def test_a_later_run_knows_it() -> None:
    crawl, after = closed_for_one_page(), Desk([], "safe")
    after.restore(state(crawl.desk))
    assert (after.answers.retried(), after.answers.retried()) == (crawl.desk.answers.retried(), [])


# ---------------------------------------------------------------------- a real crawl

ITEMS, FIRST, LAST = 600, 120, 320


@dataclass
class Shop:
    """Lists of articles; from the request `FIRST` on until `LAST` it is down."""

    status: int
    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"
    requests: int = 0
    well: bool = False
    missed: set[str] = field(default_factory=set)

    def answer(self, target: str) -> Answer:
        path = urlsplit(target).path
        self.requests += not self.well
        if not self.well and FIRST <= self.requests < LAST:
            self.missed.add(path)
            return Answer(self.status, "<p>We are down for maintenance. Please come back later.</p>")
        name, _, number = path.strip("/").partition("/")
        if name == "item":
            links = tuple(f"/item/{(int(number) + n) % ITEMS}" for n in (1, 7, 30))
            return Answer(200, prose(path, 60), links, identity=path, title=path)
        if name == "robots.txt":
            return Answer(404)
        shelf = int(number or 0)
        links = (
            tuple(f"/item/{n}" for n in range(shelf, ITEMS, 8)) if number else tuple(f"/shelf/{n}" for n in range(8))
        )
        return Answer(200, prose(path, 40), links, identity=path, title=path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.parametrize("status", [200, 403])
def test_a_crawl_goes_on_when_the_site_is_well_again(tmp_path: Path, status: int) -> None:
    shop = Shop(status)
    with Served(shop) as served:
        outcome = live(served, tmp_path, URINORM_LIVE_CLOSE=5)
        assert outcome.reason == "finished"
        shop.well = True
        assert served.identities(pages(tmp_path)) >= {f"/item/{n}" for n in range(ITEMS)} - shop.missed
    assert len(shop.missed) == LAST - FIRST
