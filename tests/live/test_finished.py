"""Items that are finished on pages without a word of their own: nothing is closed for what such pages show."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.http import Response

from scrapy_urinorm.crawl.live_rules.flights import Flights
from scrapy_urinorm.live.answers import Answers
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.yields import LOW, Yields
from tests.live.served import Served
from tests.live.sites import Answer, prose
from tests.live.test_crawl import counts, live

if TYPE_CHECKING:
    from pathlib import Path


STOCK = "http://a.example/stock/#"
CLOSE = 25


def turn_after(answers: Answers, yields: Yields, pages: int) -> Turn:
    for _ in range(pages):
        answers.heard({"pattern": STOCK, "news": False, "same": False, "shows": "=in stock"})
    return yields.of[STOCK].turn


@pytest.mark.parametrize(("every", "turn"), [(0, Turn.CLOSED), (1, Turn.LATER), (CLOSE - 1, Turn.LATER)])
def test_what_finishes_items_comes_later_and_is_never_closed(every: int, turn: Turn) -> None:
    yields = Yields(CLOSE)
    answers = Answers(yields)
    for n in range(4 * (CLOSE + LOW)):
        if every and n % every == 0:
            answers.finished(STOCK, chained=False)
        turn_after(answers, yields, 1)
    assert yields.of[STOCK].turn is turn


def test_what_finished_items_once_and_does_no_more_is_closed() -> None:
    yields = Yields(CLOSE)
    answers = Answers(yields)
    for _ in range(5):
        answers.finished(STOCK, chained=False)
    assert turn_after(answers, yields, 5 + CLOSE + LOW) is Turn.CLOSED
    # heard of after that, as of a callback that takes its time
    answers.finished(STOCK, chained=False)
    assert turn_after(answers, yields, 1) is Turn.LATER


def test_how_many_others_were_finished_before_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.live.answers.MOST", 50)
    yields = Yields(CLOSE)
    answers = Answers(yields)
    for n in range(100):
        answers.finished(f"http://{n}.example/#", chained=False)
        answers.heard({"pattern": f"http://{n}.example/#", "news": False, "same": False})
    for _ in range(2 * (CLOSE + LOW)):
        answers.finished(STOCK, chained=False)
        assert turn_after(answers, yields, 1) is not Turn.CLOSED


def test_redirects_to_one_page_that_finish_items_do_not_add_up() -> None:
    yields = Yields(CLOSE)
    answers = Answers(yields)
    same = {"pattern": STOCK, "news": False, "same": True}
    for _ in range(4 * CLOSE):
        answers.finished(STOCK, chained=False)
        answers.heard(same)
    # the callback of one more is late
    answers.heard(same)
    assert yields.of[STOCK].turn is not Turn.CLOSED


@pytest.mark.parametrize(("chained", "turn"), [(True, Turn.OPEN), (False, Turn.LATER)])
def test_where_an_item_came_with_the_request_the_page_has_its_turn(chained: bool, turn: Turn) -> None:
    yields = Yields(CLOSE)
    answers = Answers(yields)
    for _ in range(4 * LOW):
        answers.finished(STOCK, chained=chained)
        assert turn_after(answers, yields, 1) in (Turn.OPEN, turn)
    assert yields.of[STOCK].turn is turn


class Unspeakable:
    """An object that nothing can be asked."""

    def __repr__(self) -> str:
        raise ValueError


class Callbacks:
    """Some callbacks."""

    def first(self, response: Response, of: object = None) -> None: ...
    def second(self, response: Response) -> None: ...


OUTPUT = [
    pytest.param(1, [], {}, True, id="an item"),
    pytest.param(1, ["second"], {}, True, id="an item, and more of it"),
    pytest.param(0, ["second"], {"sku": 1}, True, id="the item goes on"),
    pytest.param(0, ["second"], {}, False, id="a link"),
    pytest.param(0, ["second", "second"], {"category": 1}, False, id="links of a list"),
    pytest.param(1, ["first"], {"sku": 1}, False, id="an item, and the next page of the same kind"),
    pytest.param(0, ["first"], {"month": 1}, False, id="the next month"),
    pytest.param(0, [], {"sku": 1}, False, id="nothing"),
]


@pytest.mark.parametrize(("items", "asked", "given", "finishes"), OUTPUT)
def test_which_callbacks_finish_an_item(items: int, asked: list[str], given: dict[str, int], finishes: bool) -> None:
    request = Request("http://a.example/", Callbacks().first, cb_kwargs=given)
    flights = Flights()
    flights.begin(request, 1)
    for _ in range(items):
        flights.yields(request)
    for name in asked:
        flights.asks(request, Request("http://a.example/2", getattr(Callbacks(), name)))
    [(_, flight)] = flights.ended(())
    assert flight.finishes is finishes


@pytest.mark.parametrize(("status", "is_page"), [(200, True), (203, True), (202, False), (204, False), (206, False)])
def test_what_is_not_the_page_serves_no_request_that_waits_for_it(status: int, is_page: bool) -> None:
    request = Request("http://a.example/")
    flights = Flights()
    flights.begin(request, 1)
    flights.delivered(request, Response(request.url, status=status))
    [(_, flight)] = flights.ended(())
    assert (flight.final is not None) is is_page


def test_arguments_of_callbacks_make_no_difference() -> None:
    request = Request("http://a.example/", partial(Callbacks().first, of=1))
    flights = Flights()
    flights.begin(request, 1)
    flights.asks(request, Request("http://a.example/2", partial(Callbacks().first, of=Unspeakable())))
    [(_, flight)] = flights.ended(())
    assert flight.goes_on


@dataclass
class Stocked:
    """Products in lists; whether one is in stock, and what was said of it, stands on other pages."""

    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"
    products: int = 140

    def answer(self, target: str) -> Answer:
        kind, _, number = target.strip("/").rpartition("/")
        if kind == "stock":
            return Answer(200, "<p>In stock</p>", identity=target)
        if kind == "reviews":
            return Answer(200, "<p>No reviews yet</p>", identity=target)
        if kind == "product":
            return Answer(200, f"<p>{prose(target)}</p>", identity=target)
        if kind == "list":
            links = tuple(f"/product/{n}" for n in range(int(number), int(number) + 20))
            return Answer(200, f"<p>{prose(target)}</p>", links, identity=target)
        return Answer(200, "<h1>Shop</h1>", tuple(f"/list/{n}" for n in range(0, self.products, 20)), identity="/")


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.newest
@pytest.mark.thorough
def test_no_item_is_lost_that_such_pages_finish(tmp_path: Path) -> None:
    site = Stocked()
    with Served(site) as served:
        outcome = live(served, tmp_path, "Stocking", None, URINORM_LIVE_CLOSE=CLOSE)
    assert not outcome.lines("ERROR")
    assert {item["page"] for item in outcome.items} == {str(n) for n in range(site.products)}
    assert "closed" not in counts(outcome)
    parked = tmp_path / "urinorm.parked.jsonl"
    assert not parked.exists() or not [json.loads(line) for line in parked.read_text("utf-8").splitlines()]
