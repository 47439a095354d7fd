"""What becomes of an error in one of our own components: the crawl goes on, and is told once."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_told: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def failed(crawler: Crawler, what: str, error: Exception) -> None:
    """Count an error that must not reach the engine, and log the first one of its place.

    There it would end a start, a page's further links, or a chain of downloader middlewares, and cost pages that have
    nothing to do with it. Objects of a project's own may raise wherever they are looked at.
    """
    own.stats_of(crawler).inc_value("urinorm/error")
    told = _told.setdefault(crawler, set())
    if what not in told:
        told.add(what)
        extra = {"spider": crawler.spider}
        own.logger.error("%s has failed; further failures are only counted", what, exc_info=error, extra=extra)
