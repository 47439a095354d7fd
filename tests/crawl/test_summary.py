"""The closing lines: what they claim, and how often they are said."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from scrapy import Spider

from scrapy_urinorm.crawl.summary import Summary
from tests.crawl.components import ADDON, crawler_with, dupefilter_of
from tests.crawl.own_classes import ByLanguage, OwnDupeFilter

COUNTS = {"downloader/request_count": 9, "dupefilter/filtered": 7, "urinorm/filtered": 5, "urinorm/filtered/www": 5}


def summary(settings: dict[str, Any], **counts: int) -> Summary:
    crawler = crawler_with({**ADDON, **settings})
    dupefilter_of(crawler)
    assert crawler.stats is not None
    for name, count in {**COUNTS, **counts}.items():
        crawler.stats.set_value(name, count)
    return Summary.from_crawler(crawler)


def test_what_scrapy_alone_may_have_dropped_is_not_claimed() -> None:
    lines = summary({}).lines()
    assert lines[0] == "9 requests sent; 7 duplicates dropped, 5 of them at addresses that rules changed; 0 skipped"
    assert lines[1] == "by rule: www 5"


@pytest.mark.parametrize(
    "foreign",
    [{"REQUEST_FINGERPRINTER_CLASS": ByLanguage}, {"DUPEFILTER_CLASS": OwnDupeFilter}],
    ids=["prints", "filter"],
)
def test_of_classes_that_are_not_ours_nothing_is_claimed(foreign: dict[str, Any]) -> None:
    assert summary(foreign).lines() == ["9 requests sent; 7 duplicates dropped; 0 skipped"]


def test_a_variant_is_tried_for_two_reasons() -> None:
    assert (
        "1 variant tried after a failure or a redirect elsewhere"
        in summary({}, **{"urinorm/second_chance": 1}).lines()[2]
    )


def test_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """A second Ctrl-C closes the spider a second time."""
    caplog.set_level(logging.INFO)
    said = summary({})
    for _ in range(2):
        said.spider_closed(Spider("twice"))
    assert sum("requests sent" in record.getMessage() for record in caplog.records) == 1
