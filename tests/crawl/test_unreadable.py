"""Requests that this version of a spider cannot read stay where they are, and the log and a stat tell of them."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl.live_rules.parked import Parked
from scrapy_urinorm.crawl.requests.rows import Row, State
from scrapy_urinorm.live.desk import Desk
from tests.crawl.test_scheduler import Crawl

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SAID = "cannot be read by this spider, and stays there"


def test_what_live_rules_kept_back_in_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = Crawl(tmp_path / "job")
    file = run.scheduler.journal.file
    data = pickle.dumps({"url": "http://a.example/", "callback": "parse_no_more", "errback": None})
    row = Row(file.new_id(), State.PARKED, 0, "a.example", data, b"f" * 20, b"c" * 8, 1)
    file.put(row)
    file.commit()
    desk = Desk([], "recommended")
    Parked(run.scheduler, desk, lambda *_: None)._ask(row, 2, set())
    file.commit()
    assert [one.id for one in file.rows(State.UNREADABLE)] == [row.id]
    assert caplog.text.count(SAID) == 1
    assert run.spider.crawler.stats.get_value("urinorm/unreadable") == 1
    run.close()
