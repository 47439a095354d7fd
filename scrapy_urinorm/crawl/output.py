"""What callbacks make of their pages under live rules: an item from a page without a word of its own is news, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.live import LiveRules
from scrapy_urinorm.crawl.live_rules.guarded import guarded

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_urinorm.errors import UrinormError


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
        if response is not None and response.request is not None:
            self._note(response.request, request)
        return request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """The item, noted as made of `response`."""
        if response is not None and response.request is not None:
            self._note(response.request, None)
        return item

    @guarded
    def _note(self, request: Request, another: Request | None) -> None:
        live = self.crawler.get_extension(LiveRules)
        if live is not None and another is not None:
            live.flights.asks(request, another)
        elif live is not None:
            live.flights.yields(request)

    def lost(self, error: UrinormError) -> None:
        """The file of requests can no longer be read or written."""
        self.off(str(error))

    def off(self, why: str) -> None:
        """Go on without live rules; raises nothing."""
        if (live := self.crawler.get_extension(LiveRules)) is not None:
            live.off(why)
