"""The crawl's end of the page reader: one process for all crawls of a process, fed by a thread.

The crawl's own thread puts a message into a queue and goes on; what does not fit is said without its body. The reader
that dies is started again once, and the files go on where they ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import subprocess
import sys
import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.processes import environment
from scrapy_urinorm.visits import messages

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger("scrapy_urinorm")

WAITING_BODIES = 32 << 20
"""Octets of responses that wait for the reader: some seconds of crawling, and little beside a crawl's own memory."""
WAITING_VISITS = 50_000
"""Visits that wait, with or without a body: about 50 MB."""
TOGETHER = 512 << 10
"""Octets of responses that are handed over together: to wake a thread for each costs more than to hand it over."""
LINGER = 0.1
"""Seconds for which they wait for each other: nothing beside the minutes of a crawl, twenty pages of a fast one."""
CLOSE_SECONDS = 60.0
"""How long the end of a crawl waits for the pages that wait; then what is left of them is recorded without text."""
PIPE = 1 << 20
"""Octets of the pipe where the system lets us say so (Linux: what anybody may ask for)."""


class _Client:
    """A crawl that uses the reader."""

    def __init__(self, header: dict[str, Any], handler: Callable[[dict[str, Any], bytes], None]) -> None:
        self.headers, self.handler = [header], handler
        self.closing = False
        """Whether the reader has been told to close it."""


class ReaderProcess:
    """The process, and what the crawls that use it are told.

    `open` gives a number for a crawl; `send` hands over a visit and says whether its body was taken. Handlers get every
    message about their crawl, and `restarted` and `died` of our own; they run in a thread of ours: what touches the
    crawl must be handed to its loop.
    """

    def __init__(self) -> None:
        self.cpu = 0.0
        """Seconds of CPU that the reader has taken."""
        self.pid = os.getpid()
        """The process that started it: a fork of that has no threads of ours."""
        self._clients: dict[int, _Client] = {}
        self._numbers = 0
        self._queue: SimpleQueue[tuple[dict[str, Any], bytes] | None] = SimpleQueue()
        # of each pair one is written by the crawl's thread alone, the other by ours
        self._bodies_in = self._bodies_out = self._visits_in = self._visits_out = 0
        self._now = threading.Event()
        """Set where what waits is to be handed over at once."""
        self._lingers = True
        self._without_bodies = self._stopping = self._died = False
        self._may_restart = True
        self._process = self._started()
        threading.Thread(target=self._write, name="urinorm-visits", daemon=True).start()

    def open(self, options: dict[str, Any], handler: Callable[[dict[str, Any], bytes], None]) -> int:
        """Begin the visits of a crawl: `id`, `path`, `rotate`, `salt`; return its number."""
        self._numbers += 1
        header = {"do": "open", "crawl": self._numbers, **options}
        self._clients[self._numbers] = _Client(header, handler)
        self._put((header, b""))
        return self._numbers

    def say(self, number: int, header: dict[str, Any], *, again: bool = False) -> None:
        """Tell the reader something else about a crawl; `again` has it told to one that is started anew, too."""
        header = {**header, "crawl": number}
        if again and number in self._clients:
            self._clients[number].headers.append(header)
        if header["do"] == "live":
            # who learns while the crawl runs waits for every page
            self._lingers = False
        if not self._died:
            self._put((header, b""), at_once=header["do"] != "failure")

    def send(self, header: dict[str, Any], body: bytes = b"") -> bool | None:
        """Hand over a visit; False where its body was left out, None where it was not taken at all."""
        if self._died or self._visits_in - self._visits_out >= WAITING_VISITS:
            return None
        taken = self._bodies_in - self._bodies_out + len(body) <= WAITING_BODIES
        if not taken:
            header["read"] = False
            body = b""
        self._visits_in += 1
        self._bodies_in += len(body)
        self._put((header, body), at_once=self._bodies_in - self._bodies_out >= TOGETHER)
        return taken

    def close(self, number: int) -> None:
        """End the visits of a crawl; the message `closed` comes when they are written."""
        self._put(({"do": "close", "crawl": number}, b""))

    def hurry(self) -> None:
        """Leave the bodies out of all that waits."""
        self._without_bodies = True

    def forget(self, number: int) -> bool:
        """Drop a crawl that is closed, and the process after the last; return whether it was that."""
        self._clients.pop(number, None)
        if self._clients:
            return False
        self._stopping = True
        self._put(None)
        return True

    def kill(self) -> None:
        """End the process at once: it does not answer."""
        self._may_restart = False
        self._process.kill()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the process, and end it where it does not come."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    # ------------------------------------------------------------------ in threads of our own

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "scrapy_urinorm.live.reader"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, env=environment())
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(process.stdin, fcntl.F_SETPIPE_SZ, PIPE)  # type: ignore[arg-type]  # a pipe
        threading.Thread(target=self._listen, args=(process,), name="urinorm-reader", daemon=True).start()
        return process

    def _put(self, item: tuple[dict[str, Any], bytes] | None, *, at_once: bool = True) -> None:
        self._queue.put(item)
        if at_once and not self._now.is_set():
            self._now.set()

    def _write(self) -> None:
        item = self._queue.get()
        while item is not None:
            if self._lingers:
                self._now.wait(LINGER)
            # before what waits is taken: who sets it later has put something that is not taken yet, or is
            self._now.clear()
            items, size = [item], len(item[1])
            with contextlib.suppress(Empty):
                while (item := self._queue.get_nowait()) is not None:
                    items.append(item)
                    size += len(item[1])
                    if size >= TOGETHER:
                        self._now.set()
                        break
            ends = item is None
            self._deliver(items)
            item = None if ends else self._queue.get()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]  # a pipe

    def _deliver(self, items: list[tuple[dict[str, Any], bytes]]) -> None:
        """Hand messages over, and note that they no longer wait."""
        sent: list[tuple[dict[str, Any], list[bytes]]] = []
        for header, body in items:
            if self._without_bodies and body:
                header["read"] = False
            try:
                sent.append((header, messages.packed(header, b"" if self._without_bodies else body)))
            except Exception:
                # what is no JSON, in the meta of a request: this thread serves all crawls
                logger.exception("A message to the page reader was not sent")
        if not self._died:
            left = self._sent(sent)
            if left:
                self._restart()
                if not self._died:
                    self._sent(left)
        for header, body in items:
            if header["do"] == "visit":
                self._visits_out += 1
                self._bodies_out += len(body)
            elif header["do"] == "close" and (client := self._clients.get(header["crawl"])) is not None:
                client.closing = True

    def _sent(self, several: list[tuple[dict[str, Any], list[bytes]]]) -> list[tuple[dict[str, Any], list[bytes]]]:
        """Write messages; return those that were not written whole, as nobody reads them."""
        pieces = deque(piece for _, message in several for piece in message)
        with contextlib.suppress(OSError):
            messages.send_many(self._process.stdin.fileno(), pieces)  # type: ignore[union-attr]  # a pipe
        left = len(several)
        missing = len(pieces)
        while missing > 0:
            left -= 1
            missing -= len(several[left][1])
        return several[left:]

    def _restart(self) -> None:
        """Start the reader again, the first time that it died, and open what was open."""
        code = self._process.wait()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]  # a pipe
        self._died = not self._may_restart
        for client in list(self._clients.values()):
            said = {"do": "died" if self._died else "restarted", "text": f"the page reader ended with code {code}"}
            self._handle(client, said, b"")
        if self._died:
            return
        self._may_restart = False
        self._process = self._started()
        with contextlib.suppress(OSError):
            for number, client in list(self._clients.items()):
                for header in client.headers:
                    self._say_now(header)
                if client.closing:
                    self._say_now({"do": "close", "crawl": number})

    def _say_now(self, header: dict[str, Any]) -> None:
        messages.send(self._process.stdin.write, header)  # type: ignore[union-attr]  # a pipe

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        with io.BufferedReader(process.stdout) as stream, contextlib.suppress(OSError, ValueError):  # type: ignore[type-var]  # a pipe
            while (message := messages.received(stream.read)) is not None:
                header, body = message
                self.cpu = header.get("cpu", self.cpu)
                client = self._clients.get(header["crawl"])
                if client is not None:
                    self._handle(client, header, body)
        # its input is closed for certain only when it has ended
        process.wait()
        if not self._stopping:
            # it has died: a write will find out
            self._put(({"do": "", "crawl": 0}, b""))

    @staticmethod
    def _handle(client: _Client, header: dict[str, Any], body: bytes) -> None:
        try:
            client.handler(header, body)
        except Exception:
            logger.exception("A message of the page reader was not handled")


_shared: ReaderProcess | None = None


def shared_reader() -> ReaderProcess:
    """The reader of this process, started by its first crawl."""
    global _shared
    if _shared is None or _shared._stopping or _shared._died or _shared.pid != os.getpid():
        _shared = ReaderProcess()
    return _shared


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Run a function in a thread and return its result, whatever reactor or loop runs the crawl."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        from twisted.internet.threads import deferToThread

        return await deferToThread(function, *args)
    return await asyncio.to_thread(function, *args)
