"""Which requests may speak for others that wait, and which are of one kind with them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import JsonRequest

from scrapy_urinorm.crawl.fleet_rules import FleetRules
from scrapy_urinorm.crawl.live import LiveRules
from scrapy_urinorm.crawl.live_rules.hindrance import LOOKED_AT, Hindrance
from scrapy_urinorm.crawl.live_rules.waiting import kind_of, may_speak, may_wait
from tests.crawl.components import crawler_with

URL = "http://a.example/"
SCRAPYS = {"depth": 3, "download_latency": 0.2, "download_slot": "a.example", "link_text": "next", "_callback": 1}

METAS: list[Any] = [
    pytest.param({}, {}, True, id="none"),
    pytest.param({}, SCRAPYS, True, id="what Scrapy puts there, which callbacks copy"),
    pytest.param({}, {"handle_httpstatus_list": [404]}, True, id="which answers are wanted"),
    pytest.param({"found_on": f"{URL}1"}, {"found_on": "/2"}, True, id="where they were found"),
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


class Own(Request):
    """A request of a project's own."""

    def __init__(self, *args: Any, extra: object = None, **kwargs: Any) -> None:
        if extra is not None:
            self.extra = extra
        super().__init__(*args, **kwargs)


class Slotted(Request):
    """One that keeps what is its own in a slot."""

    __slots__ = ("extra",)


def marked() -> Request:
    request = Request(URL)
    with suppress(AttributeError):  # the newest Scrapy takes none
        request.extra = 7  # type: ignore[attr-defined]  # as a project may
    return request


REQUESTS: list[Any] = [
    pytest.param(Slotted(URL), False, id="a slot that the file has not"),
    pytest.param(marked(), not hasattr(marked(), "extra"), id="an attribute of a plain request"),
    pytest.param(Own(URL), True, id="a class without attributes of its own"),
    pytest.param(Own(URL, extra=7), False, id="an attribute that the file has not"),
    pytest.param(JsonRequest(URL), True, id="one of Scrapy's"),
]


@pytest.mark.parametrize(("request_", "may"), REQUESTS)
def test_which_classes_of_requests_may_wait(request_: Request, may: bool) -> None:
    assert request_.meta == {}
    assert request_.cookies == {}
    assert may_wait(request_) is may
    assert may_speak(request_) is may


GIVEN: list[Any] = [
    pytest.param(lambda n: {"cb_kwargs": {"item": {"name": n}}}, "an object in cb_kwargs['item']", id="an item"),
    pytest.param(lambda n: {"meta": {"loader": object()}}, "an object in meta['loader']", id="an object"),
    pytest.param(lambda n: {"meta": {"title": f"hat {n}", "level": n % 3}}, "in meta['title']", id="a title"),
    pytest.param(lambda n: {"meta": {"found_on": f"{URL}{n}", "level": n % 3}}, "", id="where it was found"),
    pytest.param(lambda n: {"cb_kwargs": {"name": f"hat {n}"}}, "in cb_kwargs['name']", id="a name"),
    pytest.param(lambda n: {"meta": {"level": n % 3, "depth": n}}, "", id="a level of three"),
    pytest.param(lambda n: {"meta": {"item": {}} if n % 3 == 0 else {}}, "", id="an item in one of three"),
    pytest.param(lambda n: {"cookies": {"lang": "de"}}, "cookies or credentials of their own", id="cookies"),
    pytest.param(lambda n: {"headers": {"Authorization": "a"}}, "cookies or credentials", id="credentials"),
    pytest.param(lambda n: {"cookies": {"lang": "de"} if n % 3 == 0 else {}}, "", id="cookies in one of three"),
    pytest.param(
        lambda n: {"headers": {"Cookie": "a=1"}, "meta": {"redirect_times": 1}}, "", id="Scrapy's own cookies"
    ),
    pytest.param(lambda n: {"cookies": {"lang": "de"}, "dont_filter": True}, "", id="cookies at the start"),
    pytest.param(lambda n: {"method": "POST", "body": f"{n}", "cookies": {"lang": "de"}}, "", id="such forms"),
    pytest.param(lambda n: {"method": "POST", "body": f"{n}"}, "", id="forms"),
    pytest.param(lambda n: {"meta": {"is_start_request": True}}, "", id="requests of the start"),
]


@pytest.mark.parametrize(("given", "said"), GIVEN)
def test_a_crawl_is_told_once_of_what_keeps_its_requests_apart(
    caplog: pytest.LogCaptureFixture, given: Any, said: str
) -> None:
    hindrance = Hindrance()
    requests = [Request(f"{URL}{n}", **given(n)) for n in range(2 * LOOKED_AT)]
    assert list(map(hindrance.may_wait, requests)) == list(map(may_wait, requests))
    assert len(caplog.messages) == bool(said)
    assert said in "".join(caplog.messages)


@pytest.mark.parametrize("rules", [LiveRules, FleetRules])
def test_each_request_that_the_spider_makes_is_looked_at(
    caplog: pytest.LogCaptureFixture, rules: type[LiveRules]
) -> None:
    live = rules.from_crawler(crawler_with({"URINORM_LIVE": True}))
    live.on = True
    for n in range(LOOKED_AT):
        live.at_enqueue(Request(f"{URL}{n}", meta={"loader": object()}))
    assert "meta['loader']" in "".join(caplog.messages)
