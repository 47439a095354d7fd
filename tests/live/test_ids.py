"""Pages by an id that nobody has asked for are not given up with their shape, and sessions named like ids end."""

from __future__ import annotations

import functools
import hashlib
import json
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live import ids
from scrapy_urinorm.live.brought import Yield
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.ids import APART, PLACES, VALUES, Ids
from scrapy_urinorm.live.kin import MOST
from scrapy_urinorm.live.yields import ONE_PAGE
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.resumed import state
from tests.live.served import Served
from tests.live.sites import Answer, identities_of, prose, record
from tests.live.test_crawl import ORDERS, live, pages

if TYPE_CHECKING:
    from pathlib import Path

RECORDS, TAGS, AREAS = 130, 13, 7
#: In place of ten times as many.
MOST_VALUES = 2_000
SIZES = (10, 20, 50, 100)
OPTIONS = Options(skip=False)


@dataclass
class Bookmarks:
    """Lists show all that a record says, by tag, place and size; it is opened from a list, which its address names,
    and shows another one beside it, a chance one at each address.
    """

    session: str = ""
    """A parameter of all links, new on each page."""
    host: str = "bookmarks.example"
    start: str = "http://bookmarks.example/"

    def answer(self, target: str) -> Answer:
        page = self._page(target)
        token = hashlib.md5(target.encode()).hexdigest()[:12]
        added = f"&{self.session}={token}" if self.session else ""
        return replace(page, links=tuple(link + added for link in page.links))

    def _page(self, target: str) -> Answer:
        split = urlsplit(target)
        query = dict(parse_qsl(split.query))
        here = "/list?" + "&".join(
            f"{name}={query[name]}" for name in ("size", "page", "tag", "place") if name in query
        )
        if split.path == "/details":
            number = int(query["id"])
            beside = random.Random(target).randrange(RECORDS)
            lists = [f"/list?tag={tag}&size=10" for tag in self._tags(number)]
            links = (query["url"], *lists, f"/list?place={number % AREAS}&size=10")
            return Answer(200, self._row(number) + self._row(beside), links, identity=f"record {number}")
        size, page = int(query.get("size", 10)), int(query.get("page", 0))
        kept = {name: int(query[name]) for name in ("tag", "place") if name in query}
        rows = [
            n for n in range(RECORDS)
            if kept.get("tag", self._tags(n)[0]) in self._tags(n) and kept.get("place", n % AREAS) == n % AREAS
        ]  # fmt: skip
        shown = rows[page * size :][:size]
        more = "".join(f"&{name}={value}" for name, value in kept.items())
        links = (
            *(f"/details?id={n}&url={quote(here, safe='')}" for n in shown),
            *(f"/list?size={n}{more}" for n in SIZES),
            *(f"/list?size={size}&page={n}{more}" for n in range((len(rows) - 1) // size + 1)),
        )
        return Answer(200, "".join(map(self._row, shown)), links)

    @staticmethod
    @functools.cache
    def _tags(number: int) -> list[int]:
        return random.Random(number).sample(range(TAGS), 2)

    @staticmethod
    def _row(number: int) -> str:
        return prose(f"record {number}", 19)


@IN_BOTH_ORDERS
def test_a_record_that_its_lists_have_said_is_fetched_for_its_id(newest_first: bool) -> None:
    visits, identities = record(Bookmarks(), 9_000)
    live = Simulator(visits, OPTIONS).crawl(newest_first=newest_first)
    assert len(set(identities.values())) == RECORDS
    assert identities_of(live.fetched, identities) == set(identities.values())
    assert len(live.fetched) < 0.15 * len(visits)


PATTERN, ITEM = "http://a.example/item?id=#&url=*", "http://a.example/item?id={0}&url=/{1}"


def asked(found: Ids, *urls: str, pattern: str = PATTERN, brought: Yield | None = None) -> list[bool]:
    """Name addresses on a page, and ask of each."""
    for url in urls:
        found.met(url)
    return [found.wants(pattern, url, brought or Yield(), late=True) for url in urls]


def hand_out(found: Ids, count: int = APART + 1) -> None:
    for _ in range(count):
        found.tried("http://a.example/other")


def test_an_id_is_wanted_once_two_pages_have_named_it_until_it_was_asked_for() -> None:
    found = Ids()
    assert asked(found, ITEM.format(1, "a"), ITEM.format(1, "b")) == [False, False]
    hand_out(found)
    assert asked(found, ITEM.format(1, "c"), ITEM.format(2, "c")) == [True, False]
    hand_out(found)
    assert asked(found, "http://a.example/item?id=2&other=1", ITEM.format(2, "d")) == [True, True]
    found.tried("http://a.example/item?id=1&again=yes")
    assert asked(found, ITEM.format(1, "e"), ITEM.format(2, "e")) == [False, True]


def test_a_session_that_is_new_on_each_page_is_not_followed() -> None:
    found = Ids()
    for number in range(100):
        links = [f"http://a.example/item?visit_id={number}&url=/{n}" for n in range(5)]
        assert not any(asked(found, *links, pattern="http://a.example/item?url=*&visit_id=*"))
        # as its links are taken others are under way
        hand_out(found, 4)
        assert not any(asked(found, *links, pattern="http://a.example/item?url=*&visit_id=*"))
        found.tried(links[0])


@pytest.mark.parametrize(
    ("pattern", "brought", "is_wanted"),
    [
        (PATTERN, Yield(blank=200), True),
        # as many addresses as ids: closed as ever
        ("http://a.example/item?id=#", Yield(), False),
        ("http://a.example/item?id=#&view=full", Yield(), False),
        ("http://a.example/*?id=#&url=*", Yield(), False),
        ("http://a.example/item?id=#&url=*&user_id=#", Yield(), False),
        ("http://a.example/item?no=#&url=*", Yield(), False),
        # a form to log in, and what a pack warns of
        (PATTERN, Yield(alike=ONE_PAGE), False),
        (PATTERN, Yield(same=ONE_PAGE), False),
        # each names as canonical what is known, and the next id may not be
        (PATTERN, Yield(said=ONE_PAGE), True),
        (PATTERN, Yield(known=True), False),
    ],
)
def test_of_which_shapes_an_id_is_wanted(pattern: str, brought: Yield, is_wanted: bool) -> None:
    found = Ids()
    asked(found, ITEM.format(1, "a"))
    hand_out(found)
    assert asked(found, ITEM.format(1, "b"), pattern=pattern, brought=brought) == [is_wanted]


def test_pages_that_number_each_other_without_end_end() -> None:
    found, gone = Ids(), 0
    for number in range(2 * MOST):
        # the next one was named a while ago
        (goes,) = asked(found, ITEM.format(number, number - 1))
        asked(found, ITEM.format(number + APART + 1, number))
        found.tried(ITEM.format(number, number) if goes else "http://a.example/other")
        gone += goes
    assert gone == MOST
    # news have it begin anew
    hand_out(found)
    (goes,) = asked(found, ITEM.format(2 * MOST, "a"), brought=Yield(news=1))
    assert goes


def test_ids_that_never_end_are_forgotten_and_those_of_other_paths_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "MOST_VALUES", MOST_VALUES)
    found = Ids()
    for number in range(3 * MOST_VALUES):
        for path in "abcdef":
            found.met(f"http://a.example/{path}?visit_id={number}&n=1")
    assert sum(map(len, found.places.values())) <= MOST_VALUES
    asked(found, ITEM.format(1, "a"))
    hand_out(found)
    assert asked(found, ITEM.format(1, "b")) == [True]
    for number in range(2 * PLACES):
        found.met(f"http://a.example/{number}/?id=1")
    assert len(found.places) <= PLACES


def test_a_full_table_of_what_was_tried_takes_no_more() -> None:
    found = Ids()
    for number in range(VALUES + 100):
        found.tried(ITEM.format(number, "a"))
    assert sum(map(len, found.places.values())) == VALUES
    asked(found, ITEM.format(VALUES + 200, "a"))
    hand_out(found)
    assert asked(found, ITEM.format(VALUES + 200, "b")) == [False]


def test_a_resumed_crawl_knows_what_was_met_and_tried() -> None:
    first, second = Desk([], "recommended"), Desk([], "recommended")
    asked(first.ids, ITEM.format(1, "a"), ITEM.format(2, "a"), ITEM.format(3, "a"))
    hand_out(first.ids)
    asked(first.ids, ITEM.format(2, "b"))
    first.claim(ITEM.format(3, "a"), 7)
    second.restore(json.loads(json.dumps(state(first))))
    assert state(second)["ids"] == state(first)["ids"]
    urls = [ITEM.format(number, "c") for number in (1, 2, 3)]
    assert asked(second.ids, *urls) == [True, True, False]


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_a_real_crawl_has_each_record(order: dict[str, Any], tmp_path: Path) -> None:
    with Served(Bookmarks()) as served:
        job = str(tmp_path / "job")
        first = live(served, tmp_path, "Follow", None, JOBDIR=job, CLOSESPIDER_PAGECOUNT=400, **order)
        assert first.reason != "finished"
        second = live(served, tmp_path, "Follow", None, JOBDIR=job, CLOSESPIDER_PAGECOUNT=4_000, **order)
        met = pages(tmp_path)
        assert second.reason == "finished"
        assert len(served.identities(met)) == RECORDS
        assert len(met) < 1_500
