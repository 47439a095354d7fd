"""What was closed and brings something after all goes by lot: what waited longest is like what closed it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.questions import CLOSED
from scrapy_urinorm.live.yields import ONE_PAGE
from tests.live.served import Served
from tests.live.sites import Answer, listed_from_newest, prose
from tests.live.test_crawl import ORDERS, UNTIL_NEWS, live, pages

if TYPE_CHECKING:
    from pathlib import Path

TENDERS, PER_LIST = 500, 20


@dataclass
class Register:
    """Tenders, the newest first, each with its award; that of an open one redirects to a form to log in."""

    open: int
    host = "127.0.0.1"
    start = "http://register.example.com/"

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path in ("/", "/list"):
            return Answer(200, prose(target), listed_from_newest(query, TENDERS, PER_LIST))
        if path == "/login":
            return Answer(200, "Please log in first.")
        _, _, name, *award = path.split("/")
        if award and int(name) > TENDERS - self.open:
            return Answer(302, location=f"/login?next={path}")
        return Answer(200, prose(target), () if award else (f"{path}/award",), identity=target)


def test_what_is_closed_waits_in_an_order_by_lot() -> None:
    """By age the next would be 31 redirects to the form once more."""
    desk = Desk([], "safe")
    said = {"do": "news", "pattern": desk.pattern(f"{Register.start}tender/1/award", 0), "news": False, "same": True}
    for _ in range(2 * ONE_PAGE):
        desk.take(said | {"credit": None})
    rulings = [desk.decide(f"{Register.start}tender/{n}/award", 0) for n in range(100)]
    lots = [one.priority for one in rulings if one.verdict == CLOSED]
    assert len(lots) > 80
    # of so many by lot half are after the one before
    assert 0.3 < sum(one < other for one, other in pairwise(lots)) / len(lots) < 0.7


@pytest.mark.newest
@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_awards_behind_those_that_are_not_there_yet_are_fetched(order: dict[str, Any], tmp_path: Path) -> None:
    """Where the process that learns keeps up: else some are named and not fetched, as docs/accuracy.md says."""
    with Served(Register(225)) as served:
        outcome = live(served, tmp_path, "Follow", None, CONCURRENT_REQUESTS_PER_DOMAIN=16, **order, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        assert len(served.identities(pages(tmp_path))) == 2 * TENDERS - 225
