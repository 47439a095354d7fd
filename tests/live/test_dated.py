"""Calendars whose pages say new dates and lead to nothing else: they come behind the others, and are fetched."""

from __future__ import annotations

import random
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.dated import IN_A_ROW, Dated
from tests.live.sites import Answer, prose, record

URL = "http://a.example/event?date=2026-05-01"
PATTERN = "http://a.example/event?date=*"
LISTS = "http://a.example/list"


def after(count: int, url: str = URL, linker: str | None = PATTERN) -> Dated:
    dated = Dated()
    for _ in range(count):
        assert not dated.goes_on(url, PATTERN, linker)
    return dated


DATES = ["date=2026-05-01", "week=7", "y=2031&m=05", "from=2026-W05", "at=2026-05", "start_date=x", "d%61te=7"]


@pytest.mark.parametrize("query", DATES)
def test_so_many_in_a_row_are_a_calendar(query: str) -> None:
    url = f"http://a.example/event?{query}"
    assert after(IN_A_ROW, url).goes_on(url, PATTERN, PATTERN)


@pytest.mark.parametrize("query", ["page=2", "id=20260501", "update=5", "v=26-05", ""])
def test_what_tells_no_date_is_none(query: str) -> None:
    after(3 * IN_A_ROW, f"http://a.example/event?{query}")


@pytest.mark.parametrize("linker", [None, LISTS], ids=["a start", "a list"])
def test_one_that_others_name_is_a_page(linker: str | None) -> None:
    after(3 * IN_A_ROW, linker=linker)
    dated = after(IN_A_ROW)
    assert not dated.goes_on(URL, PATTERN, linker)
    assert not dated.goes_on(URL, PATTERN, PATTERN)


def test_what_it_leads_to_ends_it() -> None:
    dated = after(IN_A_ROW)
    assert not dated.goes_on("http://a.example/article", "http://a.example/article", PATTERN)
    assert not dated.goes_on(URL, PATTERN, PATTERN)


@dataclass
class Weeks:
    """Articles in lists, and weeks without end, each with words of its own; of some weeks there is an article."""

    articles: int = 90
    host: str = "weeks.example"
    start: str = "http://weeks.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        first, *rest = parts.path.strip("/").split("/")
        if first == "week":
            week = int(query["date"])
            days = "".join(
                f"<p>Day {random.Random(9 * week + day).randrange(10**9)} is of week {week}</p>" for day in range(7)
            )
            own = (f"/article/{self.articles + week // 10}",) if week % 10 == 0 and week <= 100 else ()
            return Answer(
                200,
                f"<h1>Calendar</h1>{days}",
                (*own, *(f"/week?date={week + n}" for n in range(1, 17))),
                identity=f"week {week}",
            )
        if first == "article":
            return Answer(200, prose(f"article {rest[0]}"), ("/", "/week?date=0"), identity=f"article {rest[0]}")
        number = int(query.get("page", 1))
        here = range((number - 1) * 15, number * 15)
        more = (f"/?page={number + 1}",) if here[-1] + 1 < self.articles else ()
        links = (*(f"/article/{n}" for n in here), *more)
        return Answer(200, prose(f"list {number}"), links, identity=f"list {number}")


# that a calendar of weeks ends and its site is fetched is shown by `test_few_words`, too
@pytest.mark.slow
def test_a_crawl_depth_first_comes_to_the_articles() -> None:
    visits, identities = record(Weeks(), 900)
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=True)
    met = [identities.get(url, "") for url in live.fetched]
    articles = {one for one in identities.values() if one.startswith("article")}
    assert articles <= set(met)
    # those of weeks, too, which are known from nowhere else
    assert max(met.index(one) for one in articles) < 400
    # and all weeks that there are in the record
    assert len(set(met)) == len(set(identities.values()))
