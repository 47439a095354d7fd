"""What the log of a crawl with live rules says of pages that speak against them."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.live_rules.end import DOUBTS, LiveEnd
from tests.crawl.components import crawler_with

if TYPE_CHECKING:
    import pytest


def test_a_few_pairs_are_named_for_a_rule_and_all_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    live: Any = SimpleNamespace(crawler=crawler_with())
    end = LiveEnd(live, None, "crawl")
    caplog.set_level(logging.DEBUG)
    for said in ("a rule", "another"):
        for n in range(DOUBTS + 4):
            urls = [f"http://a.example/{n}", f"http://a.example/{n}?ref=1"]
            end.log({"do": "doubt", "site": "a.example", "rules": [said], "urls": urls})
    told = [record.levelno for record in caplog.records if "casts doubt on" in record.getMessage()]
    assert [told.count(level) for level in (logging.INFO, logging.DEBUG)] == [2 * DOUBTS, 8]
    assert live.crawler.stats.get_value("urinorm/live/doubts") == 2 * (DOUBTS + 4)
