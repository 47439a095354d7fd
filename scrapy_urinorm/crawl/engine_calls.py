"""What our components ask of Scrapy's engine: the one place that knows its versions and its private parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy import Request
    from scrapy.core.engine import ExecutionEngine
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


def in_progress(engine: ExecutionEngine | None) -> Collection[Request]:
    """The requests that the engine has under way, until the output of their callbacks is taken."""
    return engine._slot.inprogress if engine is not None and engine._slot is not None else ()


def wake(engine: ExecutionEngine | None) -> None:
    """Have the engine ask for requests soon; otherwise it may wait for its heartbeat, five seconds."""
    if engine is not None and engine._slot is not None:
        engine._slot.nextcall.schedule()
