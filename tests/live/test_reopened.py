"""What was closed and brings something after all goes by lot: what waited longest is like what closed it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.questions import CLOSED
from scrapy_urinorm.live.yields import ONE_PAGE
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.served import Served
from tests.live.sites import Answer, identities_of, listed_from_newest, prose, record
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


@IN_BOTH_ORDERS
def test_awards_behind_those_that_are_not_there_yet_are_fetched(newest_first: bool) -> None:
    site = Register(225)
    visits, identities = record(site)
    fetched = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first).fetched
    assert len(identities_of(fetched, identities)) == 2 * TENDERS - site.open


@pytest.mark.newest
@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_what_a_crawl_leaves_of_them_is_named(order: dict[str, Any], tmp_path: Path) -> None:
    """Where the process that learns does not keep up, some are: a busy machine shows it (docs/accuracy/losses.md)."""
    site = Register(225)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, CONCURRENT_REQUESTS_PER_DOMAIN=16, **order, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        kept = tmp_path / "urinorm.parked.jsonl"
        rows = kept.read_text("utf-8").splitlines() if kept.exists() else []
        named = {urlsplit(json.loads(row)["url"]).path for row in rows}
        left = {f"/tender/{n}/award" for n in range(1, TENDERS - site.open + 1)} - served.identities(pages(tmp_path))
        assert left <= named
        assert len(left) < TENDERS - site.open
