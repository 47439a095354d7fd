"""Lists whose first pages name what is known already: they lead to the others, and are no end."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn import Options
from scrapy_urinorm.live.kin import MOST, Kin
from scrapy_urinorm.live.yields import LOW
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

CLOSE, ROWS = 30, 4
KNOWN = LOW + CLOSE + 25


@dataclass
class Archive:
    """A front page that names the newest articles, and a list of all, the newest first; it begins anew if `endless`."""

    form: str
    pages: int = KNOWN + 20
    endless: bool = False
    host: str = "archive.example"
    start: str = "http://archive.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        if parts.path == "/":
            newest = tuple(f"/article/{n}" for n in range(KNOWN * ROWS))
            return Answer(200, prose("front", 20), (self.form.format(1), *newest), identity="front")
        if parts.path.startswith("/article/"):
            return Answer(200, prose(target, 60), identity=target, title=target)
        page = int(dict(parse_qsl(parts.query)).get("page") or parts.path.rpartition("/")[2])
        first = (page - 1) * ROWS
        rows = tuple(f"/article/{n % (self.pages * ROWS)}" for n in range(first, first + ROWS))
        after = (self.form.format(page + 1),) if page < self.pages or self.endless else ()
        return Answer(200, "".join(prose(one, 8) for one in rows), rows + after)


FORMS = {"a folder": "/all/page/{}", "a query": "/all?page={}", "two parameters": "/list?cat=7&page={}"}


@IN_BOTH_ORDERS
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_the_last_pages_of_a_list_name_is_met(form: str, newest_first: bool) -> None:
    visits, identities = record(Archive(form))
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == set(identities.values())


@pytest.mark.slow
def test_a_list_that_begins_anew_for_ever_ends() -> None:
    visits, identities = record(Archive(FORMS["a query"], pages=KNOWN, endless=True), MOST + 1_000)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl()
    assert identities_of(live.fetched, identities) == set(identities.values())
    assert len(live.fetched) < len(identities) + MOST + 2 * (LOW + CLOSE)


def test_a_page_that_names_what_the_one_before_did_is_no_next_one() -> None:
    kin, (one, other, third) = Kin(), (b"one", b"other", b"third")
    pattern = "http://archive.example/all?page=#"
    assert not kin.lists_others([one, other], pattern)
    # the next page, and no row
    assert not kin.lists_others([one, other, third], pattern)
    assert kin.lists_others([one, b"fourth", b"fifth"], pattern)
    # a filter more, each of two values
    assert not kin.goes_on("http://archive.example/?a=1&b=2&c=3", "http://archive.example/?a=*&b=*&c=*", lists=True)
