"""What waits in the file of requests, and what of it goes: under new rules, and in the stead of what led elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy import Request

from scrapy_urinorm.crawl.live_rules.flights import Flight
from scrapy_urinorm.crawl.live_rules.parked import Parked
from scrapy_urinorm.crawl.requests.rows import Row, State
from scrapy_urinorm.crawl.requests.serialized import dumped, loaded
from tests.crawl.test_scheduler import Crawl
from tests.live.test_parts import class_of, desk

if TYPE_CHECKING:
    from pathlib import Path


def test_of_a_class_that_nothing_holds_under_new_rules_one_request_goes(tmp_path: Path) -> None:
    run, found, going = Crawl(tmp_path / "job"), desk(), set[bytes]()
    parked, file = Parked(run.scheduler, found, lambda *_: None), run.scheduler.journal.file
    for url in ("http://a.example/q?s=1", "http://a.example/q?s=2", "http://a.example/r?s=1"):
        data = dumped(Request(url), run.spider)
        assert data is not None
        row = Row(file.new_id(), State.PARKED, 0, "a.example", data, url.encode()[-20:], b"before..", 1)
        file.put(row)
        parked._ask(row, found.generations, going)
    file.commit()
    released = [loaded(row.data, run.spider) for row in file.rows(State.RELEASED)]
    assert [one.url for one in released if one is not None] == ["http://a.example/q?s=1", "http://a.example/r?s=1"]
    (left,) = file.rows(State.PARKED)
    assert left.class_key in going
    assert left.generation == found.generations
    run.close()


@pytest.mark.parametrize(("pages", "state"), [(1, State.RELEASED), (30, State.LATER)])
def test_what_goes_in_the_stead_of_a_redirect_waits_for_its_turn_where_its_shape_brings_nothing(
    tmp_path: Path, pages: int, state: State
) -> None:
    run, found = Crawl(tmp_path / "job"), desk()
    parked, file = Parked(run.scheduler, found, lambda *_: None), run.scheduler.journal.file
    for _ in range(pages):
        found.take({"do": "news", "site": "a.example", "pattern": found.pattern("http://a.example/q/1?s=1", 7),
                    "news": False, "few": False, "credit": None, "same": False, "shows": "=1"})  # fmt: skip
    number = found.claim("http://a.example/q/1?s=1", 7)
    data = dumped(Request("http://a.example/q/1?s=2"), run.spider)
    assert data is not None
    class_key = class_of(found, "http://a.example/q/1")
    file.put(Row(file.new_id(), State.PARKED, 0, "a.example", data, b"f" * 20, class_key, 1))
    flight = Flight(Request("http://a.example/q/1?s=1"), final="http://a.example/login")
    parked.ended(number, flight)
    assert [file.count(one) for one in (State.PARKED, state)] == [0, 1]
    run.close()
