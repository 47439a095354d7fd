"""What callbacks make of their pages under live rules: an item from a page without a word of its own is news, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.live import LiveRules

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class OutputMiddleware(BaseSpiderMiddleware):
    """Count what each callback yields, for live rules; items and requests go on as they are.

    Its place is before all others, so that what they drop does not count.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from a crawler; raises NotConfigured without live rules."""
        if not own.switch(crawler.settings, "URINORM_LIVE"):
            raise NotConfigured
        return cls(crawler)

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """The request, noted as asked for by the callback of `response`."""
        if response is not None and (live := self.crawler.get_extension(LiveRules)) is not None:
            live.flights.asks(response.request, request)
        return request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """The item, noted as made of `response`."""
        if response is not None and (live := self.crawler.get_extension(LiveRules)) is not None:
            live.flights.yields(response.request)
        return item
