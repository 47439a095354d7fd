"""Duplicates that come late and all at once, and under two parameters beside each other: known after some dozens."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn import Options
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

if TYPE_CHECKING:
    from collections.abc import Callable

SECTIONS, PAGES = 10, 250


@dataclass
class Manual:
    """A manual whose menu names each page, and whose texts name it with `.html`: breadth first these come last."""

    host: str = "manual.example"
    start: str = "http://manual.example/"

    def answer(self, target: str) -> Answer:
        path = urlsplit(target).path
        if path == "/":
            return Answer(200, prose("home", 30), tuple(f"/s{n}/" for n in range(SECTIONS)), identity="home")
        section, _, name = path.removesuffix(".html").strip("/").partition("/")
        menu = tuple(f"/{section}/p{n}" for n in range(PAGES // SECTIONS))
        if not name:
            return Answer(200, prose(section, 30), menu, identity=section, title=section)
        number = int(name[1:])
        after = (f"/{section}/p{number + 1}.html",) if number + 1 < len(menu) else ()
        lot = random.Random(f"{section} {name}")
        links = tuple(f"/s{lot.randrange(SECTIONS)}/p{lot.randrange(len(menu))}.html" for _ in range(3))
        identity = f"{section} {name}"
        return Answer(200, prose(identity, 120), menu + after + links, identity=identity, title=identity)


@dataclass
class Paper:
    """Articles that are linked from lists, from each other with `from=rel`, and for printers with `print=1`.

    Of those that are `short` the plain address shows the first lines.
    """

    short: Callable[[int], bool] = lambda _: False
    host: str = "paper.example"
    start: str = "http://paper.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        if parts.path in ("/", "/page"):
            page = int(parts.query.removeprefix("n=") or 0)
            articles = tuple(f"/{n}-x" for n in range(10 * page, 10 * page + 10))
            after = (f"/page?n={page + 1}",) if 10 * page + 10 < PAGES else ()
            return Answer(200, "".join(prose(one, 20) for one in articles), articles + after, identity=str(page))
        number = int(parts.path[1:].removesuffix("-x"))
        lot = random.Random(number)
        links = (f"{parts.path}?print=1", *(f"/{lot.randrange(PAGES)}-x?from=rel" for _ in range(3)))
        short = self.short(number) and not parts.query
        return Answer(
            200, prose(str(number), 50 if short else 150), links, identity=f"{number} {short}", title=str(number)
        )


def _crawled(site: Manual | Paper, newest_first: bool) -> tuple[int, set[str]]:
    """Return how many requests a crawl took, and which pages of the site it has neither met nor parked."""
    visits, identities = record(site, 3 * PAGES + 50)
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    every = set(identities.values())
    return len(live.fetched), every - identities_of([*live.fetched, *live.parked, *live.closed], identities)


@pytest.mark.parametrize(
    ("newest_first", "most"),
    [pytest.param(False, 370, id="breadth", marks=pytest.mark.slow), pytest.param(True, 350, id="depth")],
)
def test_a_wave_of_duplicates_is_studied_when_it_comes(newest_first: bool, most: int) -> None:
    requests, lost = _crawled(Manual(), newest_first)
    assert (requests <= most, lost) == (True, set())


@pytest.mark.slow
@IN_BOTH_ORDERS
def test_pages_of_two_rules_speak_for_both(newest_first: bool) -> None:
    requests, lost = _crawled(Paper(), newest_first)
    assert (requests <= 1.8 * PAGES, lost) == (True, set())


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "every", [pytest.param(2, marks=pytest.mark.slow), 10, pytest.param(33, marks=pytest.mark.slow)]
)
def test_but_not_where_the_plain_page_is_another_one(every: int, newest_first: bool) -> None:
    _, lost = _crawled(Paper(lambda n: n % every == 1), newest_first)
    assert lost == set()
