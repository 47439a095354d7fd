"""Addresses that a spider makes by itself, one from the other: what follows is known from nowhere else."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.live.kin import MOST, Kin
from tests.live.served import Served
from tests.live.sites import Answer
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
    """Pages by number, of which most say nothing, and the others a name; each names those after it, if wanted."""

    nothing: Answer
    linked: bool = False
    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"

    def answer(self, target: str) -> Answer:
        number = int(target.rpartition("/")[2] or 0)
        links = (f"/day/{number + 1}",) if self.linked and number < COUNT else ()
        if number in SILENT:
            return Answer(self.nothing.status, self.nothing.text, links, identity=target)
        return Answer(200, f"<p>Ann{number}</p>", links, identity=target)


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_what_a_spider_counts_by_itself_is_fetched_to_its_end(tmp_path: Path, nothing: Answer) -> None:
    with Served(Days(nothing)) as served:
        outcome = live(served, tmp_path, "Counting", {"count": COUNT}, URINORM_LIVE_CLOSE=CLOSE, **UNTIL_NEWS)
        assert outcome.reason == "finished"
        assert len(pages(tmp_path)) == COUNT + 1
        assert not outcome.stats.get("urinorm/live/not_fetched")


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
def test_the_same_by_links_of_the_site_ends(tmp_path: Path) -> None:
    """As a calendar without end does."""
    with Served(Days(NOTHING["said in a few words"], linked=True)) as served:
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
