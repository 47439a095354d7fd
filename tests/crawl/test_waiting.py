"""Which requests may speak for others that wait, and which are of one kind with them."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Request

from scrapy_urinorm.crawl.live_rules.waiting import kind_of, may_speak, may_wait

URL = "http://a.example/"
SCRAPYS = {"depth": 3, "download_latency": 0.2, "download_slot": "a.example", "link_text": "next", "_callback": 1}

METAS: list[Any] = [
    pytest.param({}, {}, True, id="none"),
    pytest.param({}, SCRAPYS, True, id="what Scrapy puts there, which callbacks copy"),
    pytest.param({}, {"handle_httpstatus_list": [404]}, True, id="which answers are wanted"),
    pytest.param({}, {7: "a name that is none"}, True, id="a name that is none"),
    pytest.param({"level": 1}, {"level": 1, "depth": 2}, True, id="the same level"),
    pytest.param({"level": 1}, {"level": 3}, False, id="levels"),
    pytest.param({}, {"category": "hats"}, False, id="a category and none"),
    pytest.param({"cookiejar": 1}, {"cookiejar": 2}, False, id="cookie jars"),
    pytest.param({"rule": 0}, {"rule": 1}, False, id="rules of a CrawlSpider"),
    pytest.param({}, {"http_user": "jane"}, False, id="who logs in"),
]


@pytest.mark.parametrize(("one", "other", "alike"), METAS)
def test_what_the_spider_puts_into_the_meta_makes_another_kind(
    one: dict[str, Any], other: dict[str, Any], alike: bool
) -> None:
    requests = [Request(URL, meta=meta) for meta in (one, other)]
    assert all(map(may_speak, requests))
    assert (kind_of(requests[0]) == kind_of(requests[1])) is alike


@pytest.mark.parametrize("meta", [{"item": {"name": "a hat"}}, {"loader": object()}], ids=["a dict", "an object"])
def test_who_has_objects_in_its_meta_neither_waits_nor_speaks(meta: dict[str, Any]) -> None:
    request = Request(URL, meta=meta)
    assert not may_wait(request)
    assert not may_speak(request)
