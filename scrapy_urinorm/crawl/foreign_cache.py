"""The downloader middlewares behind the HTTP cache: a cached redirect speaks for its own URL only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.response import get_meta_refresh
from w3lib.url import safe_url_string

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.dupefilter import filter_of
from scrapy_urinorm.crawl.failures import failed

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class ForeignCacheMiddleware:
    """Send a start request itself where the cache has another spelling's redirect to another page.

    All spellings of a page have one entry in the cache. Links of a key are told apart by the duplicate filter, and the
    others are tried when the first fails; start requests pass it by, and each would get what one of them came to. Its
    place is between the cache (900) and what follows redirects (600): the add-on puts it at 890 where there is a cache.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from a crawler; raises NotConfigured without a cache or without second chances."""
        settings = crawler.settings
        if not settings.getbool("HTTPCACHE_ENABLED") or not own.switch(settings, "URINORM_SECOND_CHANCE"):
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler):
        self._crawler = crawler

    def process_response(self, request: Request, response: Response, spider: object = None) -> Request | Response:
        """The request once more, past the cache's entry, or the response."""
        if "cached" not in response.flags or not request.dont_filter:
            return response
        filter_ = filter_of(self._crawler)
        if filter_ is None or filter_.variants is None:
            return response
        try:
            target = self._target(response)
            return (filter_.variants.itself(request, response.url, target) if target else None) or response
        except Exception as error:  # noqa: BLE001  the cache's answer is what Scrapy would get
            failed(self._crawler, "The second chance", error)
            return response

    def _target(self, response: Response) -> str:
        """Where a response sends a browser; empty where it does not."""
        if not 300 <= response.status < 400:
            return ""
        location = response.headers.get("Location")
        try:
            return response.urljoin(safe_url_string(location.decode("latin-1"))) if location else ""
        except ValueError:  # Scrapy cannot follow it: as little a page as a circle
            return response.url


class ForeignRefreshMiddleware(ForeignCacheMiddleware):
    """The same for pages that send on, which can be read when they are unpacked.

    Its place is between what unpacks (590) and what follows them (580): the add-on puts it at 585.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        self._longest = crawler.settings.getint("METAREFRESH_MAXDELAY")
        self._ignored = crawler.settings.getlist("METAREFRESH_IGNORE_TAGS")

    def _target(self, response: Response) -> str:
        """Where the page sends a browser, so soon that Scrapy follows; empty where it does not."""
        if not isinstance(response, HtmlResponse):
            return ""
        try:
            seconds, url = get_meta_refresh(response, ignore_tags=self._ignored)
        except LookupError:  # a charset that there is not
            return ""
        except ValueError:  # Scrapy cannot follow it
            return response.url
        return url if seconds is not None and seconds < self._longest and url else ""
