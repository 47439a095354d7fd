"""The crawl's end of the page reader: one process for all crawls of a process.

The crawl's own thread puts a message into the `Outbox` and goes on; what does not fit is said without its body. The
reader that dies is started again once, and the files go on where they ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from scrapy_urinorm.crawl.recording.outbox import TOGETHER, Outbox
from scrapy_urinorm.processes import deaf_children, environment, python
from scrapy_urinorm.visits import messages

logger = logging.getLogger("scrapy_urinorm")

WAITING_BODIES = 32 << 20
"""Octets of responses that wait for the reader: some seconds of crawling, and little beside a crawl's own memory."""
WAITING_VISITS = 50_000
"""Visits that wait, with or without a body: about 50 MB."""
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
        # of each pair one is written by the crawl's thread alone, the other by one thread at a time
        self._bodies_in = self._bodies_out = self._visits_in = self._visits_out = 0
        self._lingers = True
        self._stopping = self._died = False
        self._may_restart = True
        self._outbox = Outbox(self._handed_over, self._restart)
        self._process = self._started()
        self._outbox.attach(self._pipe())
        threading.Thread(target=self._write, name="urinorm-visits", daemon=True).start()

    def open(self, options: dict[str, Any], handler: Callable[[dict[str, Any], bytes], None]) -> int:
        """Begin the visits of a crawl: `id`, `path`, `rotate`, `salt`; return its number."""
        self._numbers += 1
        header = {"do": "open", "crawl": self._numbers, **options}
        self._clients[self._numbers] = _Client(header, handler)
        self._outbox.put((header, b""))
        return self._numbers

    def say(self, number: int, header: dict[str, Any], *, again: bool = False) -> None:
        """Tell the reader something else about a crawl; `again`: one started anew, too, the last of each kind."""
        header = {**header, "crawl": number}
        if again and (client := self._clients.get(number)) is not None:
            client.headers = [one for one in client.headers if one["do"] != header["do"]] + [header]
        if header["do"] == "live":
            # who learns while the crawl runs waits for every page
            self._lingers = False
        if not self._died:
            self._outbox.put((header, b""), at_once=header["do"] != "failure")

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
        together = self._bodies_in - self._bodies_out >= TOGETHER
        self._outbox.put((header, body), at_once=together or not self._lingers)
        return taken

    def close(self, number: int) -> None:
        """End the visits of a crawl; the message `closed` comes when they are written."""
        self._outbox.put(({"do": "close", "crawl": number}, b""))

    def hurry(self) -> None:
        """Leave the bodies out of all that waits."""
        self._outbox.without_bodies = True

    def forget(self, number: int) -> bool:
        """Drop a crawl that is closed, and the process after the last; return whether it was that."""
        self._clients.pop(number, None)
        if self._clients:
            return False
        self._stopping = True
        self._outbox.end()
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
        command = python("scrapy_urinorm.live.reader")
        pipe = subprocess.PIPE
        with deaf_children():
            process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, env=environment())
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(process.stdin, fcntl.F_SETPIPE_SZ, PIPE)  # type: ignore[arg-type]  # a pipe
        threading.Thread(target=self._listen, args=(process,), name="urinorm-reader", daemon=True).start()
        return process

    def _write(self) -> None:
        self._outbox.run()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]  # a pipe

    def _handed_over(self, message: messages.Message) -> None:
        header, body = message
        if header["do"] == "visit":
            self._visits_out += 1
            self._bodies_out += len(body)
        elif header["do"] == "close" and (client := self._clients.get(header["crawl"])) is not None:
            client.closing = True

    def _pipe(self) -> int:
        return self._process.stdin.fileno()  # type: ignore[union-attr]  # a pipe

    def _restart(self) -> int | None:
        """Start the reader again, the first time that it died, and open what was open; return its pipe."""
        code = self._process.wait()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]  # a pipe
        text = f"the page reader ended with code {code}"
        if self._may_restart:
            self._may_restart = False
            try:
                self._process = self._started()
            except OSError as error:
                # no memory, no process left for this user
                text += f" and could not be started again ({error})"
                self._died = True
        else:
            text += ", again"
            self._died = True
        for client in list(self._clients.values()):
            self._handle(client, {"do": "died" if self._died else "restarted", "text": text}, b"")
        if self._died:
            return None
        with contextlib.suppress(OSError):
            for number, client in list(self._clients.items()):
                for header in client.headers:
                    self._say_now(header)
                if client.closing:
                    self._say_now({"do": "close", "crawl": number})
        return self._pipe()

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
            self._outbox.put(({"do": "", "crawl": 0}, b""))

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


def reader_or_why() -> tuple[ReaderProcess | None, str]:
    """The reader of this process, or why there is none."""
    try:
        return shared_reader(), ""
    except (OSError, RuntimeError) as error:
        # a program that is no Python; no process, thread or descriptor left for this user
        return None, f"the process that reads pages cannot be started: {error}"


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Run a function in a thread and return its result, whatever reactor or loop runs the crawl.

    Where no thread is left for this user it runs at once: who waits for it has nothing else to do.
    """
    try:
        if _has_loop():
            return await asyncio.to_thread(function, *args)
        from twisted.internet.threads import deferToThread

        return await deferToThread(function, *args)
    except RuntimeError as error:
        # CPython has no other name for it
        if "start new thread" not in str(error):
            raise
        return function(*args)


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
