"""What our components ask of Scrapy's engine: the one place that knows its versions and its private parts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from scrapy.utils.reactor import CallLaterOnce

if TYPE_CHECKING:
    from scrapy import Request, Spider
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
        # it closes the scheduler at once, which may be the one that asks, and whose engine goes on with it afterwards
        CallLaterOnce(_closed, engine, crawler.spider, reason).schedule()


def _closed(engine: Any, spider: Spider, reason: str) -> None:
    if engine._slot is not None:
        engine.close_spider(spider, reason)


def in_progress(engine: ExecutionEngine | None) -> Collection[Request]:
    """The requests that the engine has under way, until the output of their callbacks is taken."""
    return engine._slot.inprogress if engine is not None and engine._slot is not None else ()


def wake(engine: ExecutionEngine | None) -> None:
    """Have the engine ask for requests soon; otherwise it may wait for its heartbeat, five seconds."""
    if engine is not None and engine._slot is not None:
        engine._slot.nextcall.schedule()


class OnceATurn:
    """Tells the calls that come in one turn of the reactor apart from those of the next one.

    The engine asks for a request after the other until its downloader is full: sixteen times in a turn, or more. Where
    there is no engine, as in a test of the scheduler alone, each call is a turn. `then` is called when the next turn
    has come: the engine asks for nothing while its downloader is full.
    """

    def __init__(self, then: Callable[[], object]) -> None:
        self._then = then
        self._renewing = CallLaterOnce(self._renew)
        self.is_new = True
        """Whether nothing was done in this turn yet."""

    def done(self, engine: ExecutionEngine | None) -> None:
        """Something was done in this turn: the next one comes when the reactor has served others."""
        if engine is not None and engine._slot is not None:
            self.is_new = False
            self._renewing.schedule()

    def _renew(self) -> None:
        self.is_new = True
        self._then()
