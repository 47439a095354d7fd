"""The page reader with live rules: `python -m scrapy_urinorm.live.reader`, the one that crawls start.

Where no crawl asks for live rules it is the page reader and nothing else. Otherwise a second process learns, its child,
so that pages are read and visits written meanwhile; it is fed and heard by threads of ours.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.process import main

if TYPE_CHECKING:
    from scrapy_urinorm.visits.process import Reader

WAITING = 64 << 20
"""Octets of visits that may wait while a site is studied: some minutes of a crawl; later ones are not learned from."""


class Live:
    """The student's process and what it is told; started with the first crawl that asks, once more when it dies."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._opened: dict[int, dict[str, Any]] = {}
        self._queue: SimpleQueue[tuple[dict[str, Any], bytes] | None] = SimpleQueue()
        self._in = self._out = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._may_restart = True
        self._dead = False
        reader.handlers |= {"live": self._open, "met": self._met, "judge": self._judge}
        reader.watchers.append(self._visit)

    def _open(self, number: int, header: dict[str, Any], _: bytes) -> None:
        self._opened[number] = {**header, "do": "open"}
        if self._process is None:
            self._start()
            threading.Thread(target=self._feed, name="urinorm-student", daemon=True).start()
        self._put(self._opened[number])

    def _met(self, number: int, header: dict[str, Any], _: bytes) -> None:
        known = self.reader.crawls.get(number)
        if known is not None and number in self._opened:
            self._put({**header, "urls": [known.crawl.redact(url) for url in header["urls"]]})

    def _judge(self, number: int, header: dict[str, Any], _: bytes) -> None:
        self._put(header)

    def _visit(self, number: int, header: dict[str, Any], line: bytes) -> None:
        if number in self._opened and self._in - self._out + len(line) <= WAITING:
            self._put({"do": "visit", "crawl": number, "pattern": header.get("pattern")}, line)

    def _put(self, header: dict[str, Any], body: bytes = b"") -> None:
        if not self._dead:
            self._in += len(body)
            self._queue.put((header, body))

    # ------------------------------------------------------------------ threads

    def _start(self) -> None:
        command = [sys.executable, "-m", "scrapy_urinorm.live.process"]
        self._process = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self._listen, args=(self._process,), name="urinorm-heard", daemon=True).start()

    def _feed(self) -> None:
        while (item := self._queue.get()) is not None:
            header, body = item
            try:
                messages.send(self._process.stdin.write, header, body)  # type: ignore[union-attr]
            except OSError:
                self._restart()
            self._out += len(body)
            if self._dead:
                return

    def _restart(self) -> None:
        """Start it again, the first time that it died; it reads in its folders what it knew."""
        assert self._process is not None
        self._process.wait()
        if self._may_restart:
            self._may_restart = False
            self._start()
            with contextlib.suppress(OSError):
                for header in list(self._opened.values()):
                    messages.send(self._process.stdin.write, header)  # type: ignore[union-attr]
                return
        self._dead = True
        for number in self._opened:
            self.reader.send({"do": "live_died", "crawl": number})

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        with io.BufferedReader(process.stdout) as stream, contextlib.suppress(OSError, ValueError):  # type: ignore[type-var]
            while (message := messages.received(stream.read)) is not None:
                self.reader.send(message[0])
        # a write finds out that it has died
        self._queue.put(({"do": "", "crawl": 0}, b""))


if __name__ == "__main__":
    main(Live)
