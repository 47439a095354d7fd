"""What other processes say to a crawl with live rules: heard in a thread, told in the crawl's own."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.behind import Behind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OURS = frozenset({"rules", "doubt", "news", "platform", "verdict", "live_died", "died", "failed", "wake"})


class Heard:
    """The messages of one crawl; what matters at once wakes it, the others wait until the engine asks."""

    def __init__(self) -> None:
        self._behind = Behind()
        self._news_wake = False
        self._waiting: deque[dict[str, Any]] = deque()
        self._wake: Callable[[], object] = _nothing

    def wakes(self, awake: Callable[[], None]) -> None:
        """Have a function called in this thread when something was heard."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            from twisted.internet import reactor

            self._wake = lambda: reactor.callFromThread(awake)
        else:
            self._wake = lambda: loop.call_soon_threadsafe(awake)

    def hear(self, header: dict[str, Any]) -> None:
        """Take a message, in any thread."""
        if header["do"] in _OURS:
            self._waiting.append(header)
            if self._news_wake or header["do"] != "news":
                self._wake()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Return what was heard since."""
        while self._waiting:
            message = self._waiting.popleft()
            # in a fleet the pages of others are none of ours
            if message["do"] == "news" and message.get("own", True):
                self._behind.heard()
            yield message

    def sent(self) -> None:
        """A page is handed over, of which news will come."""
        self._behind.sent()

    def is_up_to_date(self) -> bool:
        """Whether news of nearly all pages have come; else they wake the crawl."""
        self._news_wake = self._behind.is_behind()
        return not self._news_wake


def _nothing() -> None:
    pass
