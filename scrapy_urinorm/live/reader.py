"""The page reader with live rules: `python -m scrapy_urinorm.live.reader`, the one that crawls start.

Where no crawl asks for live rules it is the page reader and nothing else. Otherwise a second process learns, its child,
so that pages are read and visits written meanwhile; it is fed and heard by threads of ours.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.processes import python
from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.process import Reader, main

if TYPE_CHECKING:
    from scrapy_urinorm.live.exchange import Exchange

WAITING = 64 << 20
"""Octets of visits, and of named links, that may wait while a site is studied: some minutes of a crawl; later ones
are not learned from."""
_NO_ROOM = "the process that learns cannot be started"


class Live:
    """The student's process and what it is told; started with the first crawl that asks, once more when it dies."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._opened: dict[int, dict[str, Any]] = {}
        self._queue: SimpleQueue[tuple[dict[str, Any], bytes, int] | None] = SimpleQueue()
        self._in = self._out = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._may_restart = True
        self._dead = False
        self._fleets: dict[int, Exchange] = {}
        self._unjudged: dict[int, dict[str, Any]] = {}
        """What crawls wait for: one that dies meanwhile leaves it to its successor."""
        self._close = reader.handlers["close"]
        reader.handlers |= {"live": self._open, "met": self._met, "judge": self._judge}
        reader.handlers |= {"idle": self._idle, "leave": self._leave, "close": self._closed}
        reader.watchers.append(self._visit)

    def _open(self, number: int, header: dict[str, Any], _: bytes) -> None:
        if why := self._cannot_learn():
            self.reader.send({"do": "live_died", "crawl": number, "why": why})
            return
        self._opened[number] = {**header, "do": "open"}
        if number in self.reader.crawls:
            self.reader.crawls[number].names = True
        self._put(self._opened[number])
        if "fleet" in header:
            self._join(number, header["fleet"])

    def _join(self, number: int, said: dict[str, Any]) -> None:
        """Learn with others: what is seen, and what is learned of it, goes by way of Redis."""
        # with it comes the learner, a third of the time to start, which no other crawl needs here
        from scrapy_urinorm.live.exchange import Exchange

        self._fleets[number] = Exchange(
            said,
            lambda message: self.reader.send({**message, "crawl": number}),
            lambda header, body: self._put({**header, "crawl": number}, body),
            lambda: self._in - self._out <= WAITING // 4,
        )

    def _idle(self, number: int, header: dict[str, Any], _: bytes) -> None:
        if number in self._fleets:
            self._fleets[number].say(header)

    def _leave(self, number: int, _header: dict[str, Any], _: bytes) -> None:
        self._unjudged.pop(number, None)
        if number in self._fleets:
            self._fleets.pop(number).close()
            self._unlearned(number)

    def _closed(self, number: int, header: dict[str, Any], body: bytes) -> None:
        self._leave(number, header, body)
        self._unlearned(number)
        self._close(number, header, body)

    def _unlearned(self, number: int) -> None:
        """What a crawl sees is for nobody from now on; other crawls of its process may go on for days."""
        if self._opened.pop(number, None) is not None:
            self._put({"do": "close", "crawl": number})

    def _met(self, number: int, header: dict[str, Any], _: bytes) -> None:
        known = self.reader.crawls.get(number)
        if known is not None and number in self._opened:
            self._named(number, [known.crawl.redact(url) for url in header["urls"]])

    def _named(self, number: int, urls: list[str]) -> None:
        met = {"do": "met", "crawl": number, "urls": urls}
        if number in self._fleets:
            self._fleets[number].say(met)
        elif self._in - self._out <= WAITING:
            self._put(met, size=sum(map(len, urls)))

    def _judge(self, number: int, header: dict[str, Any], _: bytes) -> None:
        self._put(header)

    def _visit(self, number: int, header: dict[str, Any], line: bytes) -> None:
        if number in self._opened and (known := self.reader.crawls.get(number)) is not None:
            ruled = known.crawl.ruled
            if ruled is not None and (urls := list(ruled.changed(header.get("named") or []))):
                self._named(number, urls)
        if number in self._fleets:
            self._fleets[number].visit(line, header.get("pattern"))
        elif number in self._opened and self._in - self._out + len(line) <= WAITING:
            self._put({"do": "visit", "crawl": number, "pattern": header.get("pattern")}, line)

    def _put(self, header: dict[str, Any], body: bytes = b"", size: int = 0) -> None:
        """Have a message sent; `size` is that of its header where it may be large."""
        if header["do"] == "judge":
            self._unjudged[header["crawl"]] = header
        if not self._dead:
            self._in += size + len(body)
            self._queue.put((header, body, size + len(body)))

    # ------------------------------------------------------------------ threads

    def _cannot_learn(self) -> str:
        """Start the student where no crawl has asked before; return why there is none."""
        if self._dead:
            return "the process that learns has ended twice"
        if self._process is None:
            try:
                self._process = self._started()
                threading.Thread(target=self._feed, name="urinorm-student", daemon=True).start()
            except (OSError, RuntimeError) as error:
                # a later crawl may find room again
                if self._process is not None:
                    self._process.kill()
                    _wait(self._process)
                    self._process = None
                return f"{_NO_ROOM}: {error}"
        return ""

    def _started(self) -> subprocess.Popen[bytes]:
        """Start the process and who hears it. Raises OSError or RuntimeError: no memory, process or thread is left."""
        command = python("scrapy_urinorm.live.process")
        process = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            threading.Thread(target=self._listen, args=(process,), name="urinorm-heard", daemon=True).start()
        except RuntimeError:
            with process:
                process.kill()
            raise
        return process

    def _feed(self) -> None:
        while (item := self._queue.get()) is not None:
            header, body, size = item
            while not self._dead:
                try:
                    self._send(header, body)
                    break
                except OSError:
                    self._restart()
            self._out += size
            if self._dead:
                return

    def _send(self, header: dict[str, Any], body: bytes = b"") -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        messages.send(self._process.stdin.write, header, body)

    def _restart(self) -> None:
        """Start it again, the first time that it died; it reads in its folders what it knew, and is asked once more."""
        assert self._process is not None
        _wait(self._process)
        said = {}
        if self._may_restart:
            self._may_restart = False
            try:
                self._process = self._started()
            except (OSError, RuntimeError) as error:
                said["why"] = f"{_NO_ROOM} again: {error}"
            else:
                with contextlib.suppress(OSError):
                    for header in list(self._opened.values()):
                        self._send(header)
                    # after the visits that wait
                    for header in list(self._unjudged.values()):
                        self._put(header)
                    return
        self._dead = True
        # a crawl that hears it leaves, in the thread of the reader
        for number in list(self._opened):
            self.reader.send({"do": "live_died", "crawl": number, **said})
        for fleet in list(self._fleets.values()):
            # who is not there learns nothing: others may
            fleet.close()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        with io.BufferedReader(process.stdout) as stream, contextlib.suppress(OSError, ValueError):  # type: ignore[type-var]  # a pipe
            while (message := messages.received(stream.read)) is not None:
                self._say(message[0])
        # whom nobody hears is of no use; a write finds out, and for certain only when it has ended: the system may say
        # the end of what it wrote before it closes what it read
        process.kill()
        process.wait()
        self._queue.put(({"do": "", "crawl": 0}, b"", 0))

    def _say(self, message: dict[str, Any]) -> None:
        asked = self._unjudged.get(message["crawl"])
        if asked is not None and message["do"] == "verdict" and message["asked"] == asked["asked"]:
            # one that is closed in this moment has taken it back
            self._unjudged.pop(message["crawl"], None)
        fleet = self._fleets.get(message["crawl"])
        if fleet is not None:
            fleet.say(message)
        elif message["do"] != "struck":
            self.reader.send(message)


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process, and leave nothing of it."""
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


if __name__ == "__main__":
    main(Live)
