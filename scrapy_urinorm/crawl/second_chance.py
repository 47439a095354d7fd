"""The downloader middleware that sees how each chain of requests ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.http.request import NO_CALLBACK

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.dupefilter import filter_of
from scrapy_urinorm.crawl.failures import failed
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.statuses import is_answer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_urinorm.crawl.filtering.variants import Variants

# RFC 9110: the stored response is meant, which is a page
_NOT_MODIFIED = 304


class SecondChanceMiddleware:
    """Tell the filter which requests were answered, so that a failed one does not speak for its variants.

    Its place is about 10, nearest to the engine: only there is an answer final, after retries and redirects. Needs our
    dupefilter; without it, or with `URINORM_SECOND_CHANCE` false, it does nothing. Scrapy 2.13 passes `spider`.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from a crawler; raises NotConfigured where the settings leave nothing to do."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_idle, signals.spider_idle)
        return middleware

    def __init__(self, crawler: Crawler):
        settings = crawler.settings
        self._records = own.switch(settings, "URINORM_RECORD_START")
        self._visits = bool(settings.get("URINORM_VISITS"))
        if not (own.switch(settings, "URINORM_SECOND_CHANCE") or self._records or self._visits):
            raise NotConfigured
        normalizer_of(crawler)  # a broken rule file is said now
        self._crawler = crawler

    def process_request(self, request: Request, spider: object = None) -> None:
        """Note what the request speaks for; record those that pass the filter by, where that is asked for."""
        filter_ = filter_of(self._crawler)
        if filter_ is None:
            return
        with self._unharmed():
            filter_.sent(request)
        if self._records and request.dont_filter and request.callback is not NO_CALLBACK:
            filter_.record(request)

    def process_response(self, request: Request, response: Response, spider: object = None) -> Response:
        """A chain ended in a response: it serves its key if it is a page, and no error, part or redirect."""
        if (variants := self._variants()) is not None:
            delivered = is_answer(response.status) or response.status == _NOT_MODIFIED
            cached = response.url if "cached" in response.flags else ""
            with self._unharmed():
                variants.ended(request, delivered=delivered, cached=cached)
        return response

    def process_exception(self, request: Request, exception: Exception, spider: object = None) -> None:
        """A chain ended in an error: download failed, robots.txt disallows, and so on."""
        if self._visits:
            from scrapy_urinorm.crawl.visits_extension import VisitsExtension

            if (visits := self._crawler.get_extension(VisitsExtension)) is not None:
                visits.failed(request, exception)
        if (variants := self._variants()) is not None:
            with self._unharmed():
                variants.ended(request, delivered=False)

    def spider_idle(self) -> None:
        """Nothing is under way: what has no outcome by now has failed."""
        more = False
        if (variants := self._variants()) is not None:
            with self._unharmed():
                more = variants.idle()
        if more:
            raise DontCloseSpider

    @contextlib.contextmanager
    def _unharmed(self) -> Iterator[None]:
        """No request, no response is lost by what is done here."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  a Request subclass, an object in meta
            failed(self._crawler, "The second chance", error)

    def _variants(self) -> Variants | None:
        filter_ = filter_of(self._crawler)
        return None if filter_ is None else filter_.variants
