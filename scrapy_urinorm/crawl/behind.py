"""How far the process that learns is behind a crawl: what is likely a duplicate need not be faster than it."""

from __future__ import annotations

import time

#: Pages that may be under way to the process and back: as many as Scrapy downloads at once.
_UNDER_WAY = 16
#: Where nothing was heard for so long nothing may come any more, as a page was not handed over: the crawl goes on.
_PATIENCE = 10.0


class Behind:
    """Counts the pages that were handed over and those that were heard of."""

    def __init__(self) -> None:
        self._open = 0
        self._last = 0.0

    def sent(self) -> None:
        """A page was handed over."""
        if not self._open:
            self._last = time.monotonic()
        self._open += 1

    def heard(self) -> None:
        """News of a page have come."""
        self._open = max(0, self._open - 1)
        self._last = time.monotonic()

    def is_behind(self) -> bool:
        """Whether what can wait should."""
        if self._open <= _UNDER_WAY:
            return False
        if time.monotonic() - self._last > _PATIENCE:
            self._open = 0
        return self._open > 0
