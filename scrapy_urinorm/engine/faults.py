"""What becomes of a rule that raises: it must never reach a crawl, nor pass without a word."""

from __future__ import annotations

import logging
from collections import Counter

from scrapy_urinorm.engine.texts import without_userinfo

logger = logging.getLogger("scrapy_urinorm")


class Faults:
    """Counts what the rules of one set raise, as `error`, and logs the first with its traceback.

    A broken rule raises on every URL that it is asked of: a line for each would drown the log.
    """

    __slots__ = ("_counts", "_told")

    def __init__(self, counts: Counter[str]):
        self._counts = counts
        self._told = False

    def note(self, url: str, error: Exception) -> None:
        """Take an error that the rules have raised on a URL."""
        self._counts["error"] += 1
        if not self._told:
            self._told = True
            # repr, since a log may not take what a URL holds
            shown = without_userinfo(url)
            logger.error("The rules have failed on %r, others are only counted", shown, exc_info=error)
