"""The Scrapy extension that writes the visits of a crawl, for `urinorm learn` and `urinorm report`."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.conf import feed_complete_default_values_from_settings
from scrapy.utils.misc import build_from_crawler, load_object
from w3lib.url import file_uri_to_path, safe_url_string

from scrapy_urinorm.compression import SUFFIXES
from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.fleet import fleet_of
from scrapy_urinorm.crawl.recording.budget import Budget
from scrapy_urinorm.crawl.recording.crawl_end import CrawlEnd
from scrapy_urinorm.crawl.recording.crawl_identity import crawl_identity
from scrapy_urinorm.crawl.recording.messages import asked_by, rules_of, said_of
from scrapy_urinorm.crawl.recording.output_places import filled_in, stored
from scrapy_urinorm.crawl.recording.reader_process import CLOSE_SECONDS, ReaderProcess, in_thread, reader_or_why
from scrapy_urinorm.crawl.recording.taken_errors import told_of
from scrapy_urinorm.engine.texts import without_userinfo
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

REDIRECTS = frozenset((301, 302, 303, 307, 308))
"""The statuses whose Location is followed (RFC 9110 15.4)."""


class Onlooker(Protocol):
    """Who goes on from what is recorded."""

    def said(self, request: Request) -> dict[str, Any]:
        """What the reader is to know of the response to a request besides."""

    def unread(self, request: Request) -> None:
        """The body of the response was not handed over, as the reader does not keep up."""


class VisitsExtension:
    """Record one visit per response of a GET request, and one line per request that came to none.

    Settings: `URINORM_VISITS`, a path (`visits.jsonl.zst`) or a URI with the schemes and the `%(name)s`, `%(time)s`
    of feed exports; off when empty. `URINORM_VISITS_ROTATE`, bytes after which a local file is followed by the next.
    `URINORM_VISITS_CPU`, what the page reader may take after the first 5,000 pages, as a share of the CPU time of the
    crawl's process (0 = no limit): the others are recorded without text.

    Pages are read, and visits written, by a process of its own, one for all crawls of this process: here a response is
    only handed over; `unread` says why it is not. Stats: `urinorm/visits/...`. A failure to record is logged once and
    never reaches the engine. Responses of media pipelines are not recorded; of robots.txt only the `Clean-param` lines.
    """

    def __init__(self, crawler: Crawler) -> None:
        uri: str = crawler.settings.get("URINORM_VISITS") or ""
        live = own.switch(crawler.settings, "URINORM_LIVE")
        if not uri and not live:
            raise NotConfigured
        own.require_extras(crawler.settings)
        self.crawler, self.uri = crawler, str(uri)
        # live rules compare every page, unless somebody asks for less
        every = live and "URINORM_VISITS_CPU" not in crawler.settings
        self.budget = Budget(0.0 if every else own.number(crawler.settings, "URINORM_VISITS_CPU") or 0.0)
        self.listener: Callable[[dict[str, Any]], None] | None = None
        """Is given what the reader says and is none of ours, in a thread of the reader's."""
        self.watcher: Onlooker | None = None
        self.rotate = int(own.number(crawler.settings, "URINORM_VISITS_ROTATE") or 0) or None
        self.files: list[Path] = []
        """What was written, when the crawl has ended."""
        self.crawl_id, self.begun, self.unread = "", datetime.now(UTC), ""
        self._reader: ReaderProcess | None = None
        self._number = self._sent = self._written = self._given_up = self._before_restart = 0
        self._complained = self._refused = False
        self._closed, self._end = threading.Event(), CrawlEnd(crawler)
        self._platforms: list[tuple[str, str, str, int]] = []
        self._storage: Any = None
        self._spool: Path | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension, connected to its signals."""
        extension = cls(crawler)
        for handler, signal in (
            (extension.spider_opened, signals.spider_opened),
            (extension.spider_closed, signals.spider_closed),
            (extension.response_downloaded, signals.response_downloaded),
            (extension.response_received, signals.response_received),
        ):
            crawler.signals.connect(handler, signal)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Open the file; a path that cannot be written stops nothing and is logged."""
        if not self.uri:
            self._open(None)
            return
        uri = filled_in(self.uri, spider, self.begun)
        scheme = urlsplit(uri).scheme
        try:
            if scheme == "file":
                path = Path(file_uri_to_path(uri))
            elif len(scheme) < 2:
                # no scheme, or the drive letter of a Windows path
                path = Path(uri)
            else:
                self._storage = self._feed_storage(scheme, uri)
                self._spool = Path(mkdtemp(prefix="urinorm-visits-"))
                path = self._spool / f"visits.jsonl{Path(uri).suffix if uri.endswith(tuple(SUFFIXES)) else ''}"
            self._open(path)
        except Exception:
            logger.exception("URINORM_VISITS: cannot write to %s", without_userinfo(uri))

    def tell(self, header: dict[str, Any], *, again: bool = False) -> None:
        """Tell the reader something about this crawl; `again` has one that is started anew told, too."""
        if self._reader is not None:
            self._reader.say(self._number, header, again=again)

    def _open(self, path: Path | None) -> None:
        self.crawl_id, salt = crawl_identity(self.crawler.settings.get("JOBDIR"))
        fleet = fleet_of(self.crawler)
        if fleet is not None and fleet.shared is not None:
            # one page of two workers is one page: their masks are the same
            salt = fleet.shared.salt
        rotate = None if self._storage else self.rotate
        options = {"id": self.crawl_id, "salt": salt, "path": str(path.absolute()) if path else "", "rotate": rotate}
        options |= rules_of(self.crawler)
        self._reader, self.unread = reader_or_why()
        if self._reader is None:
            if self.uri:
                logger.error("URINORM_VISITS: %s", self.unread)
            return
        self._number = self._reader.open(options, self._told)

    def _feed_storage(self, scheme: str, uri: str) -> Any:
        storages = self.crawler.settings.getwithbase("FEED_STORAGES")
        if scheme not in storages:
            raise ValueError(f"no feed storage for {scheme}: (there are {', '.join(sorted(storages))})")
        options = feed_complete_default_values_from_settings({"overwrite": True}, self.crawler.settings)
        return build_from_crawler(load_object(storages[scheme]), self.crawler, uri, feed_options=options)

    def _told(self, header: dict[str, Any], _body: bytes) -> None:
        """Take a message of the reader; called in its thread."""
        what = header["do"]
        if what in ("progress", "closed"):
            self._written = self._before_restart + header["written"]
            self._given_up = header["given_up"]
        if what == "closed":
            self.files = list(map(Path, header["files"]))
            self._platforms = header.get("platforms", [])
        elif what == "refused":
            self._refused = True
            logger.error("URINORM_VISITS: cannot write to %s: %s", without_userinfo(self.uri), header["text"])
        elif what == "failed" and not self._complained:
            self._complained = True
            logger.error("URINORM_VISITS: %s", header["text"], extra={"spider": self.crawler.spider})
        elif what in ("lost", "died"):
            logger.error("URINORM_VISITS: %s: nothing more is recorded", header["text"])
        elif what == "beside":
            logger.warning("URINORM_VISITS: %s: %s", without_userinfo(self.uri), header["text"])
        elif what == "restarted":
            self._before_restart = self._written
            logger.warning("URINORM_VISITS: %s, and is started again", header["text"])
        elif what == "left":
            # said here: the crawl asks for nothing any more
            logger.warning("Live rules: the fleet may lack what this worker saw last: %s", header["text"])
        if what in ("closed", "died"):
            self._closed.set()
        if self.listener is not None:
            self.listener(header)

    async def finished(self) -> list[Path]:
        """Wait until the visits are written; return the files."""
        if self._reader is not None:
            await in_thread(self._closed.wait, 3 * CLOSE_SECONDS)
        return self.files

    def _wait(self) -> None:
        """Wait for the reader, first patiently and then less so."""
        reader = self._reader
        assert reader is not None
        if not self._closed.wait(CLOSE_SECONDS):
            reader.hurry()
            if not self._closed.wait(CLOSE_SECONDS):
                reader.kill()
                self._closed.wait(CLOSE_SECONDS)
        if reader.forget(self._number):
            reader.wait(CLOSE_SECONDS)

    async def spider_closed(self, spider: Spider, reason: str = "") -> None:
        """Close the file; a remote one is handed to its feed storage, and kept here should that fail."""
        if self._reader is None:
            return
        if self._end.is_reached(reason):
            self.tell({"do": "ended", "time": int(time.time()), "visits": self._sent})
        self._reader.close(self._number)
        await in_thread(self._wait)
        stats = own.stats_of(self.crawler)
        for name, number in (("written", self._written), ("given_up", self._given_up)):
            if number:
                stats.set_value(f"urinorm/visits/{name}", number)
        if self._refused:
            return
        for site, name, path, pages in self._platforms:
            stats.inc_value(f"urinorm/platform/{name}", pages)
            logger.info("Recognized: %s at %s%s, %s", name, site, path, count(pages, "page"))
        if lost := self._sent - self._written:
            stats.inc_value("urinorm/visits/failed", lost)
        if not self.uri:
            return
        places = map(str, self.files) if self.files and self._storage is None else [without_userinfo(self.uri)]
        logger.info("Visits written: %d in %s", self._written, ", ".join(places))
        if self._storage is None or self._spool is None or not self.files:
            return
        if await stored(self._storage, self.files[0], spider, without_userinfo(self.uri)):
            shutil.rmtree(self._spool, ignore_errors=True)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Record a redirect: its target may be filtered as a duplicate and then never be seen as received."""
        if response.status in REDIRECTS and self._records(request) and response.headers.get("Location"):
            self._guarded(self._redirect, response, request)

    def response_received(self, response: Response, request: Request) -> None:
        """Record the final response of a request."""
        if response.status not in REDIRECTS and self._records(request):
            self._guarded(self._visit, response, request)

    def _records(self, request: Request) -> bool:
        if self._reader is None or self._refused or request.method != "GET" or "://" not in request.url:
            return False
        return request.callback is not NO_CALLBACK or urlsplit(request.url).path == "/robots.txt"

    def _guarded(self, send: Any, response: Response | Exception, request: Request) -> None:
        try:
            send(response, request)
        except Exception as error:
            if not self._complained:
                self._complained, ours = True, isinstance(error, UrinormError)
                logger.error("Visit not recorded (further failures are only counted): %s", error, exc_info=not ours)
            own.stats_of(self.crawler).inc_value("urinorm/visits/failed")

    def failed(self, request: Request, exception: Exception) -> None:
        """Record a request that came to no response, for who asks later what became of it."""
        if self.uri and request.callback is not NO_CALLBACK and self._records(request):
            self._guarded(self._failure, exception, request)

    def _failure(self, exception: Exception, request: Request) -> None:
        said = self._said(request, None, watched=False) | {"do": "failure", "failure": said_of(exception)}
        self._reader.say(self._number, said)  # type: ignore[union-attr]  # is there while a crawl is open

    def _redirect(self, response: Response, request: Request) -> None:
        said = self._said(request, response.status, watched=False)
        location = safe_url_string(response.headers.get("Location") or b"")
        said["url"], said["target"] = request.url, urljoin(request.url, location)
        self._send(said, b"")

    def _visit(self, response: Response, request: Request) -> None:
        body = response.body
        said = self._said(request, response.status) | told_of(self.crawler, response, request)
        if request.url.endswith("/robots.txt"):
            said["robots"] = said["read"] = True
        elif self.budget.allows(said["url"], self._reader.cpu):  # type: ignore[union-attr]  # is there while a crawl is open
            said["read"] = True
        else:
            body = b""
        if not self._send(said, body) and self.watcher is not None:
            self.watcher.unread(request)

    def _said(self, request: Request, status: int | None, *, watched: bool = True) -> dict[str, Any]:
        said = {"do": "visit", "crawl": self._number, "status": status, **asked_by(request)}
        if self.watcher is not None and watched:
            said |= self.watcher.said(request)
        normalizer = getattr(self.crawler.request_fingerprinter, "normalizer", None)
        if normalizer is not None:
            said["key"] = normalizer.key(request.url)
        return said

    def _send(self, said: dict[str, Any], body: bytes) -> bool:
        taken = self._reader.send(said, body)  # type: ignore[union-attr]  # is there while a crawl is open
        if taken is None:
            raise UrinormError("the page reader does not keep up, or has ended")
        self._sent += 1
        if not taken or (not said.get("read") and "size" in said):
            own.stats_of(self.crawler).inc_value("urinorm/visits/without_text")
        return bool(taken and said.get("read"))
