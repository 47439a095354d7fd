"""How the processes behind a crawl stand back for it, and what memory those that parse pages may have."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import resource

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


PAGE_MEMORY = 256 << 20
"""Octets that the address space of a parsing process may grow by: the tree of 4 MB of tags has 200 MB."""
UNRETURNED = 32 << 20
"""Freed octets that it keeps for the next page instead of returning them to the system: the most that glibc accepts."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt(3)


def limit_memory() -> None:
    """Have the system refuse a process more than it has and `PAGE_MEMORY`."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        # not Linux: there is no telling how much is mapped already
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = pages * resource.getpagesize() + PAGE_MEMORY
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def keep_memory() -> None:
    """Keep the memory of a tree for the next one: to get it from the system anew took a fifth of the time of a page."""
    import ctypes

    with suppress(AttributeError, OSError):
        # not glibc: there are no such options, or they are not needed
        mallopt = ctypes.CDLL(None).mallopt
        for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(option, UNRETURNED)


def resident() -> int:
    """The most octets that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
