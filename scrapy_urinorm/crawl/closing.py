"""How a component asks for the end of a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def close_spider(crawler: Crawler, reason: str) -> None:
    """Have the engine close the spider in good order; does nothing where none is open."""
    engine: Any = crawler.engine
    if engine is None or crawler.spider is None:
        return
    if hasattr(engine, "close_spider_async"):
        from scrapy.utils.defer import deferred_from_coro

        deferred_from_coro(engine.close_spider_async(reason=reason))
    else:  # Scrapy before 2.14
        engine.close_spider(crawler.spider, reason)
