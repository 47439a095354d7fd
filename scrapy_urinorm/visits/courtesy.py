"""How the processes behind a crawl stand back for it."""

from __future__ import annotations

import os
from contextlib import suppress

NICENESS = 10
"""The crawl comes first where both want a processor."""
EAGER = 30
"""Pages that are read at the crawl's own priority: a program is recognized by the first ones. On a machine with ten
busy processes a processor, a crawl of cached answers had sent 500 requests before a process of low priority began."""


class Courtesy:
    """Lowers the priority of a process, once, after its first pages."""

    def __init__(self) -> None:
        self._left = EAGER

    def page(self) -> None:
        """Note that a page was dealt with."""
        self._left -= 1
        if self._left == 0 and hasattr(os, "setpriority"):
            # never a higher one than it was started with; a sandbox may forbid it, which costs no page
            with suppress(OSError):
                now = os.getpriority(os.PRIO_PROCESS, 0)
                os.setpriority(os.PRIO_PROCESS, 0, max(now, NICENESS))
