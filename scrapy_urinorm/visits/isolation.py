"""Pages parsed in a process that may die of them: a page that takes too long or too much costs itself alone.

No parser can be stopped from within, and every one has inputs that are quadratic. So pages are parsed in a forked
process that the kernel ends after a second of its CPU; a guardian, which does nothing but fork the next one, answers
for it. The guardian is forked first of all, while the process is small and has no threads. Where there is no fork
(Windows), pages are parsed where they are asked for, without a limit.

A question has `pages`, several at once, and a number, `asking`, which its answer repeats. An answer is about the first
of these pages, or about all: `read` has for each [seconds of CPU, octets of its line, links that are named], and the
body of the answer is their lines; `unknown` says that the crawl of the next page must be introduced. Where the process
has died, its guardian answers: `died` is the number of the page that it was at, and `cpu` what that page has taken.
"""

from __future__ import annotations

import gc
import marshal
import mmap
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any, NamedTuple

from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.courtesy import Courtesy, keep_memory, limit_memory, resident
from scrapy_urinorm.visits.page import Crawl, visit_of

FORKS = hasattr(os, "fork")
PAGE_SECONDS = 1.0
"""CPU of one page: a thousand times that of a usual one."""
KEPT_MEMORY = 64 << 20
"""Octets that it may keep from page to page, twice what its tables of known words and links hold."""
SHARED = (4 << 20) + 4096
"""Octets of memory that both processes have, for bodies: the largest that is read fits. By the socket, as larger ones
go, they are copied twice more, and the system finds room for each."""
BEGUN = Struct("<QQ")
"""What that memory begins with: the number of the question being answered, and of its page that is being read."""
TOLD_AFTER = 0.05
"""Seconds of CPU after which the pages read so far are answered: should the next one end the process, they would have
to be read again."""
_RENEW = 3
"""The exit code of a process that has grown too large and wants to be replaced."""


class Unread(NamedTuple):
    """A response: what `visit_of` takes, and whether its links are to be named."""

    crawl: Crawl
    said: dict[str, Any]
    body: bytes
    names: bool = False


class Read(NamedTuple):
    """The line of JSON of a visit, None for a page that was given up; the links that no page before had, redacted."""

    line: bytes | None
    named: Sequence[str] = ()


GIVEN_UP = Read(None)


class Parser:
    """Turns responses into lines of JSON, those that wait together in one go: each time that one process waits for the
    other costs both as much as a small page.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        """Seconds of CPU that pages have taken."""
        self._guardian = 0
        self._socket: socket.socket | None = None
        self._stream: Any = None
        self._asking = 0
        if FORKS:
            self._start()

    def _start(self) -> None:
        # none that a process without its guardian may still have; no memory is taken until something is written there
        self._shared = mmap.mmap(-1, SHARED)
        ours, theirs = socket.socketpair()
        self._guardian = os.fork()
        if self._guardian == 0:
            ours.close()
            _run_child(_guard, theirs, self._shared)
        theirs.close()
        self._socket, self._stream = ours, ours.makefile("rb")

    def read(self, pages: Sequence[Unread]) -> list[Read]:
        """Return what pages tell, in their order."""
        if not FORKS:
            return list(map(_here, pages))
        found: list[Read] = []
        introduced = False
        while len(found) < len(pages):
            if self._socket is None:
                try:
                    self._start()
                except OSError:
                    # there are too many processes
                    found.append(GIVEN_UP)
                    continue
            some, introduced = self._some(pages[len(found) :], introduced=introduced)
            found += some
        return found

    def _some(self, pages: Sequence[Unread], *, introduced: bool) -> tuple[list[Read], bool]:
        """Return what the first of the pages, or all, tell, and whether the crawl of the next must be introduced."""
        places = self._laid_out(pages)
        asked = [
            {**said, "_id": crawl.id, "_names": names, "_place": place}
            for (crawl, said, _, names), place in zip(pages, places, strict=False)
        ]
        if introduced:
            asked[0]["_crawl"] = pages[0].crawl.opening
        answer = self._answer(asked, b"" if places[0] else pages[0].body)
        if answer is not None and "died" not in answer[0]:
            return self._read(*answer)
        if answer is not None:
            begun = answer[0]["died"]
            self.spent += answer[0]["cpu"]
        else:
            # somebody has ended the guardian itself
            begun = BEGUN.unpack_from(self._shared)[1]
            self.close()
        # what was read before is gone with the process
        return [*self.read(pages[: min(begun, len(asked) - 1)]), GIVEN_UP], False

    def _laid_out(self, pages: Sequence[Unread]) -> list[tuple[int, int] | None]:
        """Copy the bodies of the first pages to where both processes have them; return the places, None: too large."""
        places: list[tuple[int, int] | None] = []
        at = BEGUN.size
        for page in pages:
            end = at + len(page.body)
            if end > SHARED:
                break
            self._shared[at:end] = page.body
            places.append((at, end))
            at = end
        return places or [None]

    def _read(self, header: dict[str, Any], octets: bytes) -> tuple[list[Read], bool]:
        found = []
        at = 0
        for cpu, length, named in header["read"]:
            self.spent += cpu
            found.append(Read(octets[at : at + length] or None, named))
            at += length
        return found, bool(header.get("unknown"))

    def _answer(self, asked: list[dict[str, Any]], body: bytes) -> messages.Message | None:
        assert self._socket is not None
        self._asking += 1
        BEGUN.pack_into(self._shared, 0, self._asking, 0)
        # what was JSON goes on by `marshal`, in a third of the time, as the other process is a fork of ours; what it
        # answers, after whatever a page has done to it, is read as JSON
        header = marshal.dumps({"asking": self._asking, "pages": asked})
        try:
            messages.send_many(self._socket.fileno(), deque(messages.framed(header, body)))
            answer = messages.received(self._stream.read)
            while answer is not None and answer[0].get("asking") != self._asking:
                # of a process that somebody has ended: its guardian answers for one that had nothing to do, too
                answer = messages.received(self._stream.read)
        except (OSError, ValueError):
            return None
        return answer

    def close(self) -> None:
        """End the other processes, after the page that they are at."""
        if self._socket is not None:
            self._stream.close()
            self._socket.close()
            self._socket = None
            os.waitpid(self._guardian, 0)


def _here(page: Unread) -> Read:
    crawl, said, body, names = page
    crawl.links.take_new()
    try:
        line = visit_of(crawl, said, body).to_json().encode("utf-8", "surrogatepass")
    except Exception:  # noqa: BLE001  whatever a page does, a lack of memory among it: it is given up
        line = None
    return Read(line, crawl.links.take_new() if names else ())


def _send(sock: socket.socket, header: dict[str, Any], body: bytes = b"") -> None:
    """Send a message in one piece: who waits for it is woken once."""
    messages.send_many(sock.fileno(), deque(messages.packed(header, body)))


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
    """Fork parsing processes one after the other, and answer for those that die, of a page as a rule."""
    _let_go_of_others(sock)
    # once for all that are forked
    import scrapy_urinorm.visits.features  # noqa: F401  here, before the forks
    from scrapy_urinorm.visits.marks import be_ready

    be_ready()
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
            asking, begun = BEGUN.unpack_from(shared)
            cpu = PAGE_SECONDS if code == -signal.SIGPROF else 0.0
            _send(sock, {"asking": asking, "died": begun, "cpu": cpu})


def _let_go_of_others(sock: socket.socket) -> None:
    """Close the pipes of the reader, which would not see their end while we hold them."""
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(silent, number)
    kept = sock.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))


def _parse(sock: socket.socket, shared: mmap.mmap) -> int:
    """Answer with the lines of responses, nothing for those that were given up."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    crawls: dict[str, Crawl] = {}
    courtesy = Courtesy()
    limit_memory()
    keep_memory()
    kept = resident() + KEPT_MEMORY
    stream = sock.makefile("rb")
    while (message := messages.received(stream.read, marshal.loads)) is not None:
        said, inline = message
        until = time.thread_time() + TOLD_AFTER
        found: list[tuple[float, int, Sequence[str]]] = []
        lines: list[bytes] = []
        answer: dict[str, Any] = {"asking": said["asking"], "read": found}
        for number, one in enumerate(said["pages"]):
            crawl = crawls.get(one["_id"])
            if crawl is None:
                if "_crawl" not in one:
                    answer["unknown"] = True
                    break
                before = resident()
                crawl = crawls[one["_id"]] = Crawl.opened(one["_crawl"])
                # a process in its place would hold the rules as well
                kept += resident() - before
            BEGUN.pack_into(shared, 0, said["asking"], number)
            body = shared[slice(*one["_place"])] if one["_place"] else inline
            # of the thread: a process whose clock has an alarm is told its time by the tick
            started = time.thread_time()
            signal.setitimer(signal.ITIMER_PROF, PAGE_SECONDS)
            line, named = _here(Unread(crawl, one, body, one["_names"]))
            signal.setitimer(signal.ITIMER_PROF, 0)
            ended = time.thread_time()
            lines.append(line or b"")
            found.append((ended - started, len(lines[-1]), named))
            courtesy.page()
            if ended > until or resident() > kept:
                break
        _send(sock, answer, b"".join(lines))
        if resident() > kept:
            return _RENEW
    return 0
