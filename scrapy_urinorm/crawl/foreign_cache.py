"""The downloader middleware behind the HTTP cache: a cached redirect speaks for its own URL only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.response import get_meta_refresh
from w3lib.url import safe_url_string

from scrapy_urinorm.crawl.dupefilter import filter_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


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
        if not settings.getbool("HTTPCACHE_ENABLED") or not settings.getbool("URINORM_SECOND_CHANCE", True):
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler):
        self._crawler = crawler

    def process_response(self, request: Request, response: Response, spider: object = None) -> Request | Response:
        """The request once more, past the cache's entry, or the response."""
        if "cached" not in response.flags or not request.dont_filter or response.url == request.url:
            return response
        filter_ = filter_of(self._crawler)
        target = _target(response)
        if target and filter_ is not None and filter_.variants is not None:
            return filter_.variants.itself(request, target) or response
        return response


def _target(response: Response) -> str:
    """Where a response sends a browser; empty where it does not."""
    if 300 <= response.status < 400:
        location = response.headers.get("Location")
        return response.urljoin(safe_url_string(location.decode("latin-1"))) if location else ""
    # what is compressed is not unpacked here
    if not isinstance(response, HtmlResponse) or "Content-Encoding" in response.headers:
        return ""
    try:
        return get_meta_refresh(response)[1] or ""
    except (LookupError, ValueError):  # a charset that there is not
        return ""
