"""What a spider gives a callback beside the page: when two requests have the same, and when nobody can tell."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

import attr
import pytest
from scrapy import Field, Item, Request
from scrapy.loader import ItemLoader

from scrapy_urinorm.crawl.given import digest_of_given
from scrapy_urinorm.crawl.recording.messages import asked_by
from scrapy_urinorm.visits.page import Crawl, visit_of
from scrapy_urinorm.visits.record import GIVEN_OWN

URL = "http://a.example/"


class Hat(Item):
    """An item."""

    name = Field()


@dataclass
class Coat:
    """Another kind of item."""

    name: str


@attr.s(auto_attribs=True)
class Cap:
    """A third."""

    name: str


class Unspeakable:
    """An object that cannot be shown, nor asked for its class."""

    def __repr__(self) -> str:
        raise ValueError


def nested(levels: int) -> Any:
    return [nested(levels - 1)] if levels else []


PAIRS: list[Any] = [
    pytest.param({"meta": {"level": 1}}, {"meta": {"level": 1}}, True, id="a level"),
    pytest.param({"meta": {"level": 1}}, {"meta": {"level": 2}}, False, id="two levels"),
    pytest.param({"cb_kwargs": {"item": {"n": [1]}}}, {"cb_kwargs": {"item": {"n": [1]}}}, True, id="equal tables"),
    pytest.param({"cb_kwargs": {"item": {"n": [1]}}}, {"cb_kwargs": {"item": {"n": [2]}}}, False, id="tables"),
    pytest.param({"meta": {"item": Hat(name="a")}}, {"meta": {"item": Hat(name="b")}}, False, id="items"),
    pytest.param({"meta": {"item": Coat("a")}}, {"meta": {"item": Coat("b")}}, False, id="dataclasses"),
    pytest.param({"meta": {"item": Cap("a")}}, {"meta": {"item": Cap("b")}}, False, id="attrs"),
    pytest.param({"meta": {"of": OrderedDict(a=1)}}, {"meta": {"of": OrderedDict(a=2)}}, False, id="ordered tables"),
    pytest.param({"meta": {"of": UUID(int=1)}}, {"meta": {"of": UUID(int=2)}}, False, id="identifiers"),
    pytest.param({"meta": {"of": date(2026, 1, 1)}}, {"meta": {"of": date(2026, 1, 2)}}, False, id="days"),
    pytest.param({"meta": {"of": {1, 2}}}, {"meta": {"of": {2, 1}}}, True, id="equal sets"),
    pytest.param({"meta": {"of": {1, 2}}}, {"meta": {"of": {1, 3}}}, False, id="sets"),
    pytest.param({"meta": {"a": 1, "b": 2}}, {"meta": {"b": 2, "a": 1}}, True, id="another order"),
    pytest.param({"meta": {"do": Unspeakable()}}, {"meta": {"do": Unspeakable()}}, True, id="objects of one type"),
    pytest.param(
        {"meta": {"splash": {"args": {"url": f"{URL}1", "wait": 1}}}},
        {"meta": {"splash": {"args": {"url": f"{URL}2", "wait": 1}}}},
        True,
        id="instructions to a browser, with the address",
    ),
    pytest.param(
        {"cb_kwargs": {"of": f"{URL}1"}}, {"cb_kwargs": {"of": f"{URL}2"}}, False, id="addresses as arguments"
    ),
]


@pytest.mark.parametrize(("one", "other", "same"), PAIRS)
def test_whether_two_requests_are_given_the_same(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    first, second = (digest_of_given(Request(URL, **given)) for given in (one, other))
    assert first
    assert second
    assert (first == second) is same


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"depth": 2, "download_slot": "a"},
        {"found_on": f"{URL}1"},
        {"_own": 1},
        {"cookiejar": 1},
        {"cache_timestamp": 1.5, "cached_response": object()},
        # Scrapy's own request for robots.txt
        {"dont_obey_robotstxt": True, "allow_offsite": True},
    ],
)
def test_what_is_nothing(meta: dict[str, Any]) -> None:
    assert digest_of_given(Request(URL, meta=meta)) is None


@pytest.mark.parametrize(
    "value",
    [ItemLoader(), {"loader": ItemLoader()}, list(range(2_000)), nested(20), nested(900), "a" * 200_000, 10**5_000],
    ids=[
        "an item that is being filled",
        "one in a table",
        "many values",
        "many levels",
        "too many",
        "a book",
        "a number",
    ],
)
def test_what_cannot_be_compared(value: Any) -> None:
    assert digest_of_given(Request(URL, cb_kwargs={"value": value})) == ""


def test_what_contains_itself_ends() -> None:
    value: list[Any] = []
    value.append(value)
    assert digest_of_given(Request(URL, cb_kwargs={"value": value})) == ""


def given_of(salt: bytes, **more: Any) -> str | None:
    said = {"status": 200, **asked_by(Request(URL, **more))}
    return visit_of(Crawl("c", salt), said, None).given


def test_a_visit_has_a_hash_of_it_that_is_salted_by_its_crawl() -> None:
    one, other = (given_of(salt, meta={"pin": 1}) for salt in (b"one", b"other"))
    assert one
    assert other
    assert one != other
    assert given_of(b"one", meta={"pin": 1}) == one
    assert given_of(b"one", cb_kwargs={"loader": ItemLoader()}) == GIVEN_OWN
    assert given_of(b"one") is None
