"""Crawls that wait for the process that learns, however late that is on a busy machine: middlewares of spiders.

Where a test says what live rules do in a real crawl, what they know must not be a question of who is faster.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.live import LiveRules
from scrapy_urinorm.crawl.live_rules import heard
from scrapy_urinorm.crawl.scheduling import releases

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Pages that are judged before the rest is asked for: enough for a rule of each site that is crawled so.
FIRST = 100
DAY = 86_400


class _Waiting(ABC):
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._count = 0
        # a busy machine may leave the process that learns no time for longer
        heard._PATIENCE = DAY

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: Any, spider: object = None) -> AsyncIterator[Any]:
        rules = self._crawler.get_extension(LiveRules)
        assert rules is not None
        self._count += 1
        while not self.may_go(rules, response.url):
            rules.tick()
            await asyncio.sleep(0.01)
        async for one in result:
            yield one

    @abstractmethod
    def may_go(self, rules: LiveRules, url: str) -> bool:
        """Whether the links of a page may be followed now."""


class UntilNews(_Waiting):
    """No link is followed before the crawl has heard what each page has brought that it has met so far.

    Nor does what comes later go meanwhile: the links of a page that waits here come first.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        releases._WAIT_SECONDS = DAY

    def may_go(self, rules: LiveRules, url: str) -> bool:
        return not rules.on or not rules._heard._open


class UntilRules(_Waiting):
    """After `FIRST` pages, which are judged then as at the end, no link is followed before there are rules.

    Where all that was met is fetched and heard of, those pages were too few for a rule, and one more is followed.
    """

    def may_go(self, rules: LiveRules, url: str) -> bool:
        if self._count == FIRST:
            self._count += 1
            rules.ask([rules.desk.site_name(url)], -1)
        return self._count < FIRST or any(site.on for site in rules.desk.sites.values()) or self._is_all_heard(rules)

    def _is_all_heard(self, rules: LiveRules) -> bool:
        engine = self._crawler.engine
        assert engine is not None
        under_way = engine.downloader.active or rules.scheduler.has_pending_requests()
        return not under_way and not rules._heard._open
