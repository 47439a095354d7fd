"""Addresses that a spider makes by itself, one from the other: what follows is known from nowhere else."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from scrapy_urinorm.live.kin import MOST, Kin
from tests.live.served import Served
from tests.live.sites import Answer, prose
from tests.live.test_crawl import UNTIL_NEWS, live, pages

if TYPE_CHECKING:
    from pathlib import Path

COUNT, CLOSE = 130, 5
SILENT = range(20, 110)
"""Three times as many as are put behind the others, and closed."""

NOTHING = {
    "said in a few words": Answer(200, "<p>Nothing on this day</p>"),
    "an error": Answer(404, "<p>There is none</p>"),
}


@dataclass
class Days:
    """Pages by number, of which most say nothing, and the others a name; each names the one after it, if wanted."""

    nothing: Answer
    linked: str = ""
    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"

    def answer(self, target: str) -> Answer:
        number = int(target.rpartition("/")[2] or 0)
        links = (self.linked.format(number + 1),) if self.linked and number < COUNT else ()
        if number in SILENT:
            return Answer(self.nothing.status, self.nothing.text, links, identity=target)
        return Answer(200, f"<p>Ann{number}</p>", links, identity=target)


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.thorough
@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_what_a_spider_counts_by_itself_is_fetched_to_its_end(tmp_path: Path, nothing: Answer) -> None:
    with Served(Days(nothing)) as served:
        outcome = live(served, tmp_path, "Counting", {"count": COUNT}, URINORM_LIVE_CLOSE=CLOSE, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        assert len(pages(tmp_path)) == COUNT + 1
        assert not outcome.stats.get("urinorm/live/not_fetched")


@dataclass
class Categories:
    """Lists of articles that name no further list; the front page names the newest articles of each."""

    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        if parts.path == "/":
            newest = tuple(f"/article/{c}-{n}" for c in CATEGORIES for n in range(SHOWN * ROWS))
            return Answer(200, prose("front", 20), tuple(f"/list?cat={c}&page=0" for c in CATEGORIES) + newest)
        if parts.path.startswith("/article/"):
            return Answer(200, prose(target), identity=target)
        query = dict(parse_qsl(parts.query))
        first = int(query["page"]) * ROWS
        rows = tuple(f"/article/{query['cat']}-{n}" for n in range(first, min(first + ROWS, LAST * ROWS)))
        return Answer(200, "".join(prose(row, 8) for row in rows) or "<p>None</p>", rows)


CATEGORIES, ROWS = range(3), 2
SHOWN, LAST = 40, 50
"""Pages of each list whose articles are known, more than are put behind the others and closed; and all of them."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
def test_lists_that_a_spider_pages_by_itself_are_fetched_to_their_end(tmp_path: Path) -> None:
    """Those of which all rows are known lead to one of which they are not, as where the site names the next."""
    with Served(Categories()) as served:
        outcome = live(served, tmp_path, "Paging", URINORM_LIVE_CLOSE=CLOSE, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        assert len(served.identities(pages(tmp_path))) == len(CATEGORIES) * LAST * ROWS


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.parametrize("shown", ["/day/{}?ref=before", pytest.param("/day/{}", marks=pytest.mark.thorough)])
def test_what_a_page_names_ends(tmp_path: Path, shown: str) -> None:
    """As a calendar without end does; also in a spelling that the spider cleans."""
    with Served(Days(NOTHING["said in a few words"], linked=shown)) as served:
        outcome = live(served, tmp_path, "Counting", {"count": COUNT}, URINORM_LIVE_CLOSE=CLOSE, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        assert len(pages(tmp_path)) < COUNT
        (left,) = (tmp_path / "urinorm.parked.jsonl").read_text("utf-8").splitlines()
        assert json.loads(left)["why"] == "closed"


@pytest.mark.parametrize("url", ["http://a.example/day/{}", "http://a.example/?page={}", "http://a.example/no/{}"])
def test_what_is_made_goes_on_for_as_long_as_any_chain(url: str) -> None:
    kin = Kin()
    found = [kin.goes_on(url.format(n), url.format("#"), made=True) for n in range(MOST + 2)]
    assert found == [True] * MOST + [False] * 2
