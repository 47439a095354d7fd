"""Requests as bytes: the same dict as Scrapy's, and the same request again."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest
from scrapy.http.request import NO_CALLBACK

from scrapy_urinorm.crawl.requests.serialized import as_dict, dumped, loaded, url_of

URL = "https://shop.example/p?id=7"


class Pages(Spider):
    """A spider with two callbacks, one of them under two names."""

    name = "pages"

    def parse(self, response: Any) -> None:
        """A callback."""

    def failed(self, failure: Any) -> None:
        """An errback."""

    parse_again = parse


class OwnRequest(Request):
    """A request that a project has made its own."""

    attributes = (*Request.attributes, "note")

    def __init__(self, *args: Any, note: str = "", **kwargs: Any):
        self.note = note
        super().__init__(*args, **kwargs)


class OwnDict(Request):
    """A request that says itself what it is."""

    def to_dict(self, *, spider: Spider | None = None) -> dict[str, Any]:
        return {**super().to_dict(spider=spider), "priority": 7}


SPIDER = Pages()
REQUESTS = {
    "a URL": Request(URL),
    "callback and errback": Request(URL, callback=SPIDER.parse, errback=SPIDER.failed),
    "a method under another name": Request(URL, callback=SPIDER.parse_again),
    "everything": Request(
        URL,
        SPIDER.parse,
        "PUT",
        {"A": "b"},
        b"body",
        {"c": "d"},
        {"depth": 2},
        priority=3,
        dont_filter=True,
        flags=["x"],
        cb_kwargs={"page": 4},
    ),
    "a form": FormRequest(URL, formdata={"q": "x"}),
    "JSON": JsonRequest(URL, data={"q": 1}),
    "a project's own": OwnRequest(URL, note="mine"),
    "one that says itself what it is": OwnDict(URL),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_a_request_is_written_as_scrapy_does(request_: Request) -> None:
    expected = request_.to_dict(spider=SPIDER)
    found = as_dict(request_, SPIDER)
    if found["callback"] == "parse":
        # Scrapy gives the first name in the alphabet, which is another one of the same method
        expected["callback"] = "parse"
    assert found == expected
    data = dumped(request_, SPIDER)
    assert data is not None
    again = loaded(data, SPIDER)
    assert again is not None
    assert type(again) is type(request_)
    assert again.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)
    assert url_of(data, SPIDER) == request_.url


UNWRITABLE = {
    "a function": Request(URL, callback=print),
    "a method of something else": Request(URL, callback=Spider("another").parse),
    "no callback wanted": Request(URL, callback=NO_CALLBACK),
    "meta that cannot be pickled": Request(URL, meta={"file": iter(lambda: 0, 1)}),
}


@pytest.mark.parametrize("request_", UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_cannot_be_written_is_told(request_: Request) -> None:
    assert dumped(request_, SPIDER) is None


UNREADABLE = {
    "no such callback": {"callback": "parse_no_more"},
    "no such errback": {"errback": "failed_no_more"},
    "no such class": {"_class": "tests.crawl.test_serialized.NoMore"},
}


@pytest.mark.parametrize("change", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_read_is_told(change: dict[str, Any]) -> None:
    row = {**as_dict(Request(URL, callback=SPIDER.parse), SPIDER), **change}
    data = pickle.dumps(row)
    assert loaded(data, SPIDER) is None
    assert url_of(data, SPIDER) == ""


def test_what_is_torn_is_told() -> None:
    assert loaded(b"torn", SPIDER) is None
    assert url_of(b"torn", SPIDER) == ""
