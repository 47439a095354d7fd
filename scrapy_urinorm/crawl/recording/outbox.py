"""What waits for the page reader, in order, and its way into the pipe.

Who puts a message hands over what waits where the pipe has room, which is a copy in memory; a thread of ours takes what
there was no room for, and what nobody was in a hurry for. A thread that was woken for each handing over cost a crawl
more than all else of recording: each time one of both waited for the interpreter's lock, and went on with cold caches.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

from scrapy_urinorm.visits import messages

logger = logging.getLogger("scrapy_urinorm")

TOGETHER = 512 << 10
"""Octets of bodies that are packed together: half of what the pipe takes where the system lets us say so."""
LINGER = 2.0
"""Seconds for which what is in no hurry waits at most: nothing beside the minutes of a crawl. Each time that the thread
wakes for it, it asks for the interpreter's lock, and is woken in vain whenever the crawl lets go of that for a moment:
some twenty switches, 634 in a crawl of 1,000 pages where it was half a second, and 22 now."""
AGAIN = 0.005
"""Seconds after which a pipe that was full is tried again: the reader takes longer for what is in it."""
AT_ONCE = hasattr(os, "writev")
"""Whether a pipe can be told not to block: on Windows the thread writes all."""


class Outbox:
    """Messages on their way to the reader; any thread may put one.

    `told` is called for each message that was handed over whole or that nobody will take, `broken`, in the thread of
    `run`, where nobody reads: it returns the next pipe, or None where there is no other. Never are two called at once.
    """

    def __init__(self, told: Callable[[messages.Message], object], broken: Callable[[], int | None]) -> None:
        self.without_bodies = False
        """Whether what waits goes without its body."""
        self._told, self._broken = told, broken
        self._waiting: deque[messages.Message] = deque()
        self._going: deque[messages.Message] = deque()
        self._pieces: deque[deque[bytes | memoryview]] = deque()
        """Of each message that is going, what is still to be written."""
        self._pipe: int | None = None
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._idle = True
        """Whether the thread sleeps until it is woken."""
        self._news = self._ending = False

    def attach(self, pipe: int | None) -> None:
        """Write to this pipe from now on, what was not handed over whole once more; None: nobody will take it."""
        if pipe is not None and AT_ONCE:
            os.set_blocking(pipe, False)
        self._pipe = pipe
        self._waiting.extendleft(reversed(self._going))
        self._going.clear()
        self._pieces.clear()

    def put(self, message: messages.Message, *, at_once: bool = True) -> None:
        """Add a message; what is in no hurry goes with the next that is, or within `LINGER` seconds."""
        self._waiting.append(message)
        if at_once and AT_ONCE and self._flowed():
            return
        self._news = True
        if at_once or self._idle:
            self._wake.set()

    def end(self) -> None:
        """Have `run` return when everything is handed over."""
        self._ending = True
        self._wake.set()

    def run(self) -> None:
        """Hand over what those who put messages could not, until the end; for a thread of its own."""
        pause: float | None = None
        while True:
            self._wake.wait(pause)
            self._idle = False
            # before what waits is taken: who sets it later has put something that is not taken yet, or is
            self._wake.clear()
            ending, news = self._ending, self._news
            self._news = False
            with self._writing:
                done = self._flow_on()
                if done and ending:
                    # whoever closes the pipe may do so now: its number is another file's then
                    self.attach(None)
                    return
            pause = LINGER if done else AGAIN
            if done and not news:
                self._idle = True
                # after it is said: who puts something now will wake us
                if not (self._waiting or self._pieces):
                    pause = None

    def _flowed(self) -> bool:
        """Write what the pipe takes; return whether the thread need not be woken for the rest."""
        if not self._writing.acquire(blocking=False):
            return False
        try:
            done = self._flow()
        except OSError:
            return False
        finally:
            self._writing.release()
        return done or not self._idle

    def _flow_on(self) -> bool:
        while True:
            try:
                return self._flow()
            except OSError:
                # what begins another closes this one
                self._pipe = None
                self.attach(self._broken())

    def _flow(self) -> bool:
        """Write until nothing waits or the pipe is full; return whether nothing waits.

        Raises `OSError` where nobody reads.
        """
        pipe = self._pipe
        if pipe is None:
            while self._waiting:
                self._told(self._waiting.popleft())
            return True
        while self._pieces or self._packed():
            if not AT_ONCE:
                taken = os.write(pipe, self._pieces[0][0])
            else:
                some = islice((piece for pieces in self._pieces for piece in pieces), messages.PIECES)
                try:
                    taken = os.writev(pipe, list(some))
                except BlockingIOError:
                    return False
            self._took(taken)
        return True

    def _packed(self) -> bool:
        """Make pieces of what waits; return whether there are any."""
        octets = 0
        while self._waiting and octets < TOGETHER:
            message = header, body = self._waiting.popleft()
            if self.without_bodies and body:
                header["read"] = False
                body = b""
            try:
                pieces: list[Any] = messages.packed(header, body)
            except Exception:
                # what is no JSON, in the meta of a request
                logger.exception("A message to the page reader was not sent")
                self._told(message)
                continue
            octets += len(body)
            self._going.append(message)
            self._pieces.append(deque(pieces))
        return bool(self._pieces)

    def _took(self, octets: int) -> None:
        while octets:
            pieces = self._pieces[0]
            if octets < len(pieces[0]):
                pieces[0] = memoryview(pieces[0])[octets:]
                return
            octets -= len(pieces.popleft())
            if not pieces:
                self._pieces.popleft()
                self._told(self._going.popleft())
