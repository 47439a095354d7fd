"""What other processes say to a crawl with live rules: heard in a thread, told in the crawl's own."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

#: Pages that may be under way to the process and back: as many as Scrapy downloads at once.
_UNDER_WAY = 16
#: Where nothing was heard for so long nothing may come any more, as a page was not handed over: the crawl goes on.
_PATIENCE = 10.0
_OURS = frozenset({"rules", "doubt", "news", "platform", "judged", "verdict", "live_died", "died", "failed", "wake"})


class Heard:
    """The messages of one crawl; what matters at once wakes it, the others wait until the engine asks.

    Pages that were handed over and those of which news have come are counted: what is likely a duplicate need not be
    faster than the process that learns.
    """

    def __init__(self) -> None:
        self._open = 0
        self._last = 0.0
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
                self._open = max(0, self._open - 1)
                self._last = time.monotonic()
            yield message

    def sent(self) -> None:
        """A page is handed over, of which news will come."""
        if not self._open:
            self._last = time.monotonic()
        self._open += 1

    def is_up_to_date(self) -> bool:
        """Whether news of nearly all pages have come; else they wake the crawl."""
        if self._open > _UNDER_WAY and time.monotonic() - self._last > _PATIENCE:
            self._open = 0
        self._news_wake = self._open > _UNDER_WAY
        return not self._news_wake


def _nothing() -> None:
    pass
