"""Pages parsed in a process that may die of them: a page that takes too long or too much costs itself alone.

No parser can be stopped from within, and every one has inputs that are quadratic. So pages are parsed in a forked
process that the kernel ends after a second of its CPU; a guardian, which does nothing but fork the next one, answers
for it. The guardian is forked first of all, while the process is small and has no threads. Where there is no fork
(Windows), pages are parsed where they are asked for, without a limit.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import mmap
import os
import signal
import socket
import sys
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.courtesy import Courtesy
from scrapy_urinorm.visits.page import Crawl, visit_of

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.platform != "win32":
    import resource

PAGE_SECONDS = 1.0
"""CPU of one page: a thousand times that of a usual one."""
PAGE_MEMORY = 256 << 20
"""Octets that the address space of a parsing process may grow by: the tree of 4 MB of tags has 200 MB."""
KEPT_MEMORY = 64 << 20
"""Octets that it may keep from page to page, twice what its tables of known words and links hold."""
SHARED = 4 << 20
"""Octets of the largest body that goes to the other process in memory that both have: the largest that is read. By the
socket, as larger ones do, it was copied twice more, and the system found room for it each time."""
UNRETURNED = 32 << 20
"""Octets that it does not give back to the system after each page: the most that glibc takes for an answer."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt(3)
_RENEW = 3
"""The exit code of a process that has grown too large and wants to be replaced."""


class Parser:
    """Turns responses into lines of JSON; one at a time."""

    def __init__(self) -> None:
        self.spent = 0.0
        """Seconds of CPU that pages have taken."""
        self.named: list[str] = []
        """The links of the last page that none before had, redacted; kept where `line` is told to name them."""
        self._guardian = 0
        self._socket: socket.socket | None = None
        self._stream: Any = None
        # no memory is taken until something is written there
        self._body = mmap.mmap(-1, SHARED)
        self._start()

    def _start(self) -> None:
        if not hasattr(os, "fork"):
            return
        ours, theirs = socket.socketpair()
        self._guardian = os.fork()
        if self._guardian == 0:
            ours.close()
            _run_child(_guard, theirs, self._body)
        theirs.close()
        self._socket, self._stream = ours, ours.makefile("rb")

    def line(self, crawl: Crawl, said: dict[str, Any], body: bytes, *, names: bool = False) -> bytes | None:
        """Return the JSON of a visit with all that its page tells; None for a page that was given up."""
        self.named = []
        if self._socket is None:
            line = _line(crawl, said, body)
            self.named = crawl.links.take_new() if names else []
            return line
        asked = {**said, "_id": crawl.id, "_names": names}
        if len(body) <= SHARED:
            asked["_shared"] = len(body)
            self._body[: len(body)] = body
            body = b""
        answer = self._answer(self._socket, asked, body)
        if answer is not None and "unknown" in answer[0]:
            # the first page of a crawl, or of a process that took the place of another one
            answer = self._answer(self._socket, {**asked, "_crawl": crawl.opening}, body)
        if answer is None:
            # somebody has ended the guardian itself
            self.close()
            self._start()
            return None
        self.spent += answer[0]["cpu"]
        self.named = answer[0].get("named", [])
        return answer[1] or None

    def _answer(self, sock: socket.socket, asked: dict[str, Any], body: bytes) -> messages.Message | None:
        try:
            # what was JSON goes on by `marshal`, in a third of the time, as the other process is a fork of ours; what
            # it answers, after whatever a page has done to it, is read as JSON
            messages.send_many(sock.fileno(), deque(messages.framed(marshal.dumps(asked), body)))
            return messages.received(self._stream.read)
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """End the other processes, after the page that they are at."""
        if self._socket is not None:
            self._stream.close()
            self._socket.close()
            self._socket = None
            os.waitpid(self._guardian, 0)


def _send(sock: socket.socket, header: dict[str, Any], body: bytes = b"") -> None:
    """Send a message in one piece: who waits for it is woken once."""
    messages.send_many(sock.fileno(), deque(messages.packed(header, body)))


def _line(crawl: Crawl, said: dict[str, Any], body: bytes) -> bytes | None:
    crawl.links.take_new()
    try:
        return visit_of(crawl, said, body).to_json().encode("utf-8", "surrogatepass")
    except Exception:  # noqa: BLE001  whatever a page does, a lack of memory among it: it is given up
        return None


def _run_child(work: Callable[[socket.socket, mmap.mmap], int], sock: socket.socket, shared: mmap.mmap) -> None:
    """Run a forked process to its end: what its parent has open it neither flushes nor closes."""
    code = 1
    try:
        code = work(sock, shared)
    except (OSError, ValueError):
        pass
    finally:
        os._exit(code)


def _guard(sock: socket.socket, shared: mmap.mmap) -> int:
    """Fork parsing processes one after the other, and answer for those that die of a page."""
    _let_go_of_others(sock)
    # once for all that are forked
    import scrapy_urinorm.visits.features  # noqa: F401  here, before the forks

    # what was imported is never garbage: nobody need look at it again, nor copy its pages
    gc.collect()
    gc.freeze()
    while True:
        child = os.fork()
        if child == 0:
            _run_child(_parse, sock, shared)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code >= 0 and code != _RENEW:
            return code
        if code < 0:
            _send(sock, {"cpu": PAGE_SECONDS if code == -signal.SIGPROF else 0.0})


def _let_go_of_others(sock: socket.socket) -> None:
    """Close the pipes of the reader, which would not see their end while we hold them."""
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(silent, number)
    kept = sock.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))


def _parse(sock: socket.socket, shared: mmap.mmap) -> int:
    """Answer each response with its line, or with nothing."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    crawls: dict[str, Crawl] = {}
    courtesy = Courtesy()
    _limit_memory()
    _keep_memory()
    kept = _resident() + KEPT_MEMORY
    stream = sock.makefile("rb")
    while (message := messages.received(stream.read, marshal.loads)) is not None:
        said, body = message
        if "_shared" in said:
            body = shared[: said["_shared"]]
        crawl = crawls.get(said["_id"])
        if crawl is None:
            if "_crawl" not in said:
                _send(sock, {"unknown": True})
                continue
            before = _resident()
            crawl = crawls[said["_id"]] = Crawl.opened(said["_crawl"])
            # a process in its place would hold the rules as well
            kept += _resident() - before
        # of the thread: a process whose clock has an alarm is told its time by the tick
        started = time.thread_time()
        signal.setitimer(signal.ITIMER_PROF, PAGE_SECONDS)
        line = _line(crawl, said, body)
        signal.setitimer(signal.ITIMER_PROF, 0)
        named = {"named": crawl.links.take_new()} if said["_names"] else {}
        _send(sock, {"cpu": time.thread_time() - started, **named}, line or b"")
        courtesy.page()
        if _resident() > kept:
            return _RENEW
    return 0


def _limit_memory() -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        # not Linux: there is no telling how much is mapped already
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = pages * resource.getpagesize() + PAGE_MEMORY
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _keep_memory() -> None:
    """Have a tree built where the last one was: mapping its memory anew was a fifth of the time of a page."""
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        # not glibc: there are no such options, or they are not needed
        mallopt = ctypes.CDLL(None).mallopt
        for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(option, UNRETURNED)


def _resident() -> int:
    """The most octets that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
