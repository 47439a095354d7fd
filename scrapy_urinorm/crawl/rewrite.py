"""The opt-in spider middleware that rewrites requests before they are enqueued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.failures import failed
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.rewriting import Rewriter

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class RewriteMiddleware(BaseSpiderMiddleware):
    """Rewrite the URL of GET and HEAD requests by the rules that a table's `rewrite_requests` names.

    Every other byte stays as sent, the original is in `request.meta["urinorm_original_url"]`. Requests with
    `verbatim_url` or `urinorm` False in their meta stay; redirects, which no spider middleware sees, too. Its place
    is about 950: before the URL length limit, the referrer policy and the depth are looked at.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        self._rewriter = Rewriter(normalizer_of(crawler))
        if not self._rewriter.active:
            raise NotConfigured
        self._stats = own.stats_of(crawler)

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """The request to enqueue in place of one that a spider made."""
        if request.method not in ("GET", "HEAD"):
            return request
        try:
            return self._rewritten(request)
        except Exception as error:  # noqa: BLE001  the page's other links would be lost
            failed(self.crawler, "Rewriting", error)
            return request

    def _rewritten(self, request: Request) -> Request:
        meta = request.meta
        if meta.get("verbatim_url") or meta.get("urinorm") is False or meta.get("redirect_urls"):
            return request
        url = self._rewriter.rewrite(request.url)
        if url == request.url:
            return request
        try:
            rewritten = request.replace(url=url)
        except Exception:  # noqa: BLE001  a Request subclass whose __init__ wants more than replace() gives
            own.logger.warning("Request not rewritten: %s cannot be copied", type(request).__name__, exc_info=True)
            return request
        rewritten.meta["urinorm_original_url"] = request.url
        self._stats.inc_value("urinorm/rewritten")
        return rewritten
