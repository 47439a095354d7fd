"""How the processes behind a crawl stand back for it."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

NICENESS = 10
"""The crawl comes first where both want a processor."""
EAGER = 30
"""Pages that are read at the crawl's own priority: a program is recognized by the first ones. Where ten busy
processes shared a processor, a crawl of cached answers had sent 500 requests before a process of low priority began."""


def output_of_server() -> BinaryIO:
    """Return where this process writes its messages; from now on Ctrl-C and SIGTERM are for the crawl alone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    output = os.fdopen(os.dup(1), "wb")
    # whatever prints must not print into the messages
    os.dup2(2, 1)
    return output


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
