"""What the log of a crawl with live rules says of pages that speak against them."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.live_rules.end import DOUBTS, LiveEnd
from scrapy_urinorm.live.yields import Yields
from tests.crawl.components import crawler_with

if TYPE_CHECKING:
    from pathlib import Path

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


def test_what_was_learned_replaces_the_file_of_the_run_before_as_a_whole(tmp_path: Path) -> None:
    """A disk that is full at the end of a crawl left half of a rule file, and the next run did not start."""
    output = tmp_path / "learned.toml"
    output.write_text("# old\n")
    # the same file by another name: it sees what is written into it
    (tmp_path / "old.toml").hardlink_to(output)
    source: dict[str, Any] = {"site": {"a.example": {"rules": {}}}}
    message = {"rules": [{"id": "1", "said": "a rule"}], "rows": [], "source": source, "lasting": source}
    desk = SimpleNamespace(
        preset="recommended@2",
        sites={"a.example": SimpleNamespace(message=message)},
        yields=Yields(),
    )
    parked = SimpleNamespace(rows=lambda later=True: iter(()), put_off=lambda: 0)
    crawler = crawler_with({"URINORM_LIVE_OUTPUT": str(output)})
    live: Any = SimpleNamespace(crawler=crawler, desk=desk, parked=parked)
    end = LiveEnd(live, None, "crawl")
    end.take_up()
    end.written()
    assert "a.example" in output.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["learned.toml", "old.toml"]
    assert (tmp_path / "old.toml").read_text() == "# old\n"


def test_a_shape_that_brought_something_after_it_was_closed_is_counted_apart(caplog: pytest.LogCaptureFixture) -> None:
    """More of it may be left: who reads the log is to know."""
    desk = SimpleNamespace(sites={}, yields=Yields(close=30))
    for pattern in ("http://a.example/old/*", "http://a.example/empty/*"):
        for _ in range(60):
            desk.yields.learned(pattern, False)
        desk.yields[pattern].sampled(1.0)
    assert desk.yields.learned("http://a.example/old/*", True)
    # that page leads to something, too: as often as news come a page was worth fetching, which is no number of pages
    assert not desk.yields.credited("http://a.example/old/*")
    for _ in range(30):
        desk.yields.learned("http://a.example/old/*", False)
    crawler = crawler_with()
    live: Any = SimpleNamespace(
        crawler=crawler, desk=desk, parked=SimpleNamespace(rows=lambda later=True: iter(()), put_off=lambda: 0)
    )
    caplog.set_level(logging.INFO)
    LiveEnd(live, None, "crawl").written()
    told = [record.getMessage().removeprefix("Live rules: http://a.example/") for record in caplog.records]
    assert [line.rpartition(";")[0] for line in told if "pages" in line] == [
        "old/*: 91 pages; times that something new came: 2 (1 when it was closed)",
        "empty/*: 60 pages; times that something new came: 0",
    ]
    assert told[-1] == "Live rules: shapes that brought something new when they were closed: 1"
    assert crawler.stats.get_value("urinorm/live/reopened") == 1
