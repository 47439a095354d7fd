"""How much of a long crawl's CPU time the page reader may take."""

from __future__ import annotations

import time
from zlib import crc32

FREE_PAGES = 5_000  # all of these are read: some minutes of crawling
BUDGET_STEP = 200  # pages after which the share of paths is set anew


class Budget:
    """Keeps the page reader within a share of the CPU time of a long crawl.

    The first `FREE_PAGES` are all read. After them a page is read while its path falls into a growing or shrinking
    part of all paths, so that the addresses of one path are read together or not at all, as comparing them needs.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.part = 1.0
        self._pages = 0
        self._spent = 0.0
        self._since = time.process_time()

    def allows(self, url: str, spent: float) -> bool:
        """Whether to read the page of this URL, when reading has taken that many seconds so far."""
        self._pages += 1
        if self._pages <= FREE_PAGES or not self.share:
            return True
        if self._pages % BUDGET_STEP == 0:
            now = time.process_time()
            used = (spent - self._spent) / max(1e-9, now - self._since)
            self.part = min(1.0, max(0.01, self.part * min(2.0, self.share / max(1e-9, used))))
            self._spent, self._since = spent, now
        if self.part >= 1.0:
            return True
        return crc32(url.partition("?")[0].encode("utf-8", "surrogatepass")) < self.part * 0x1_0000_0000
