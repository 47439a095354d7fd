"""The page reader, in the process that a crawl starts (`live/reader.py`), one for all crawls of a process.

It takes the messages of `messages` from its standard input, turns responses into visits and writes them. It lives as
long as its input: Ctrl-C and SIGTERM, which reach a whole group of processes, are for the crawl, and what was handed
over before a crawl was killed is still written. Its own code never touches a page: that is done by the process of
`isolation`, so that what is kept here survives every page.

`Reader.handlers` maps each `do` but `visit` to a function of (crawl number, header, body), and `Reader.watchers` are
told of each visit, (crawl number, header, line of JSON), and in the header of which links it has that no page had
before, `named`, where a crawl is to have `names`; `Reader.send` answers, from any thread. So whoever learns while the
crawl runs needs no other reader; `main` takes what to extend it with. With an empty `path` no visits are written.
"""

from __future__ import annotations

import contextlib
import gc
import io
import select
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.recognition import Recognizer
from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.courtesy import Courtesy, output_of_server
from scrapy_urinorm.visits.isolation import GIVEN_UP, Parser, Read, Unread
from scrapy_urinorm.visits.marks import marks_of_line
from scrapy_urinorm.visits.page import Crawl, shown_time, visit_of
from scrapy_urinorm.visits.record import end_of
from scrapy_urinorm.visits.writer import VisitWriter

if TYPE_CHECKING:
    from scrapy_urinorm.visits.messages import Message

HOSTS = 20_000
"""Hosts of a crawl on which programs are recognized: with marks on each they take 40 MB."""
PROGRESS = 100
"""Visits after which the crawl is told how far we are: half of what its budget looks at together, as telling it wakes a
thread of the crawl."""


@dataclass(slots=True)
class _Open:
    """A crawl whose visits are being written."""

    crawl: Crawl
    writer: VisitWriter | None
    path: str
    written: int = 0
    given_up: int = 0
    failed: int = 0
    recognizer: Recognizer = field(default_factory=partial(Recognizer, hosts=HOSTS))
    is_lost: bool = False
    """Whether the file cannot be written any more, and how many visits are not in it."""
    lost: int = 0
    names: bool = False
    """Whether watchers are told the links of pages, not their hashes alone."""


@dataclass
class Reader:
    """The state of the process: the crawls that are open, and what else takes part."""

    output: BinaryIO
    parser: Parser
    crawls: dict[int, _Open] = field(default_factory=dict)
    writers: dict[str, tuple[VisitWriter, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.handlers: dict[str, Callable[[int, dict[str, Any], bytes], None]] = {
            "open": self._open,
            "failure": self._failure,
            "ended": self._ended,
            "close": self._close,
        }
        self.watchers: list[Callable[[int, dict[str, Any], bytes], None]] = []
        self._sending = threading.Lock()

    def take(self, some: Iterable[messages.Message]) -> None:
        """Do what messages say, in their order, pages that follow each other at once.

        What goes wrong is told to the crawl and ends nothing.
        """
        visits: list[messages.Message] = []
        for header, body in some:
            if header.get("do") == "visit":
                visits.append((header, body))
                continue
            self._visits(visits)
            visits = []
            handler = self.handlers.get(header.get("do", ""))
            if handler is not None:
                with self._told(header["crawl"]):
                    handler(header["crawl"], header, body)
        self._visits(visits)

    @contextlib.contextmanager
    def _told(self, number: int) -> Iterator[None]:
        try:
            yield
        except Exception:  # noqa: BLE001  told, see above
            if number in self.crawls:
                self.crawls[number].failed += 1
            self.send({"do": "failed", "crawl": number, "text": traceback.format_exc(limit=-4).strip()})

    def send(self, header: dict[str, Any]) -> None:
        """Send a message to the crawl; one that is gone is not an error, its visits are still written."""
        with self._sending, contextlib.suppress(BrokenPipeError):
            messages.send(self.output.write, header)
            self.output.flush()

    def close(self) -> None:
        """Close what is open: the crawl has ended, or was killed."""
        for number in list(self.crawls):
            self.handlers["close"](number, {}, b"")
        self.parser.close()

    def _open(self, number: int, header: dict[str, Any], _: bytes) -> None:
        path: str = header["path"]
        writer: VisitWriter | None = None
        if path:
            try:
                writer, users = self.writers.get(path) or (VisitWriter(path, rotate=header.get("rotate")), 0)
            except OSError as error:
                self.send({"do": "refused", "crawl": number, "text": str(error)})
                return
            self.writers[path] = writer, users + 1
        crawl = Crawl.opened(header)
        self.crawls[number] = _Open(crawl, writer, path)
        self.send({"do": "opened", "crawl": number})
        if writer is not None and writer.beside:
            self.send(
                {"do": "beside", "crawl": number, "text": f"another process writes it; continued in {writer.files[-1]}"}
            )
        if crawl.unknown:
            text = f"what rules do to links is not recorded: the page reader does not know these rules: {crawl.unknown}"
            self.send({"do": "failed", "crawl": number, "text": text})

    def _visits(self, visits: Sequence[messages.Message]) -> None:
        visits = [(header, body) for header, body in visits if header["crawl"] in self.crawls]
        of = [self.crawls[header["crawl"]] for header, _ in visits]
        unread = [Unread(k.crawl, h, body, k.names) for k, (h, body) in zip(of, visits, strict=True) if h.get("read")]
        found: Iterator[Read] = iter(())
        if unread:
            with self._told(unread[0].said["crawl"]):
                found = iter(self.parser.read(unread))
        for header, _ in visits:
            with self._told(header["crawl"]):
                self._visit(header["crawl"], header, next(found, GIVEN_UP) if header.get("read") else None)

    def _visit(self, number: int, header: dict[str, Any], read: Read | None) -> None:
        known = self.crawls[number]
        line = None
        if read is not None:
            line = read.line
            known.given_up += line is None
            header["named"] = read.named
        if line is None:
            line = visit_of(known.crawl, header, None).to_json().encode("utf-8", "surrogatepass")
        self._write(number, known, line)
        known.written += 1
        if header.get("read") and is_answer(header["status"]) and "html" in (header.get("type") or "").lower():
            known.recognizer.see(header.get("final") or header["url"], marks_of_line(line))
        for watcher in self.watchers:
            watcher(number, header, line)
        if known.written % PROGRESS == 0:
            self._tell("progress", number, known)

    def _failure(self, number: int, header: dict[str, Any], _: bytes) -> None:
        known = self.crawls.get(number)
        if known is not None and known.writer is not None:
            line = visit_of(known.crawl, header, None).to_json().encode("utf-8", "surrogatepass")
            self._write(number, known, line, counted=False)

    def _ended(self, number: int, header: dict[str, Any], _: bytes) -> None:
        """Write that the crawl came to its end, where all visits that it handed over are in the file."""
        known = self.crawls.get(number)
        if known is None or known.failed or known.is_lost or known.written != header["visits"]:
            return
        line = end_of(known.crawl.id, known.written, shown_time(header["time"])).to_json()
        self._write(number, known, line.encode(), counted=False)

    def _write(self, number: int, known: _Open, line: bytes, *, counted: bool = True) -> None:
        """Write a line, unless the file was given up: of a full disk each further one would say the same."""
        try:
            if known.writer is not None and not known.is_lost:
                known.writer.write_line(line)
        except OSError as error:
            known.is_lost = True
            self.send({"do": "lost", "crawl": number, "text": f"{error.strerror}: {known.path}"})
        known.lost += counted and known.is_lost

    def _close(self, number: int, _header: dict[str, Any], _: bytes) -> None:
        known = self.crawls.pop(number, None)
        if known is None:
            self.send({"do": "closed", "crawl": number, "written": 0, "given_up": 0, "failed": 0, "files": []})
            return
        files: list[str] = []
        if known.writer is not None:
            files = [str(path) for path in known.writer.files]
            writer, users = self.writers.pop(known.path)
            if users > 1:
                self.writers[known.path] = writer, users - 1
            else:
                with contextlib.suppress(OSError):
                    writer.close()
        found = [(one.site, one.platform, one.path, one.pages) for one in known.recognizer.found()]
        self._tell("closed", number, known, files=files, platforms=found)

    def _tell(self, what: str, number: int, known: _Open, **more: Any) -> None:
        counts = {"written": known.written - known.lost, "given_up": known.given_up, "failed": known.failed}
        cpu = time.process_time() + self.parser.spent
        self.send({"do": what, "crawl": number, **counts, "cpu": cpu, **more})


def main(extend: Callable[[Reader], object] | None = None) -> None:
    """Serve one process of a user's until its end; `extend` is given the reader before anything is read."""
    reader, courtesy = Reader(output_of_server(), Parser()), Courtesy()
    if extend is not None:
        extend(reader)
    # what was imported is never garbage
    gc.freeze()
    try:
        inbox = Inbox(0)
        while some := inbox.some():
            reader.take(some)
            for header, _ in some:
                if header.get("do") == "visit":
                    courtesy.page()
    finally:
        reader.close()


MOST = 16
"""Messages taken together: a crawl hands over about as many pages of 40 kB at a time (`crawl.recording.outbox`)."""
OCTETS = 1 << 20
"""Octets after which no further one is taken: what is in memory meanwhile does not grow with a site's pages."""


class Inbox:
    """The pipe of this descriptor, which nobody else reads."""

    def __init__(self, pipe: int) -> None:
        self._file = io.FileIO(pipe, closefd=False)
        self._ready = None
        if hasattr(select, "poll"):
            # not Windows
            self._ready = select.poll()
            self._ready.register(pipe, select.POLLIN)

    def some(self) -> list[Message]:
        """Wait for a message, and return it with those that have come meanwhile; none at the end.

        Raises `ValueError` on what is no message.
        """
        found: list[Message] = []
        octets = 0
        while not found or (len(found) < MOST and octets < OCTETS and self._waits()):
            message = messages.received(self._read)
            if message is None:
                break
            found.append(message)
            octets += len(message[1])
        return found

    def _waits(self) -> bool:
        return self._ready is not None and bool(self._ready.poll(0))

    def _read(self, count: int) -> bytes:
        """Return so many octets, fewer at the end alone."""
        found = self._file.read(count) or b""
        if len(found) == count or not found:
            return found
        whole = bytearray(found)
        while len(whole) < count and (more := self._file.read(count - len(whole))):
            whole += more
        return bytes(whole)
