"""The memory of a process that parses pages: what it may have, what it keeps, how much it has had."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource

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

    with contextlib.suppress(AttributeError, OSError):
        # not glibc: there are no such options, or they are not needed
        mallopt = ctypes.CDLL(None).mallopt
        for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(option, UNRETURNED)


def resident() -> int:
    """The most octets that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
