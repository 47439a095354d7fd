"""The Scrapy extension that writes the visits of a crawl, for `urinorm learn` and `urinorm report`."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import UTC, datetime
from inspect import isawaitable
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from zlib import crc32

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.conf import feed_complete_default_values_from_settings
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred
from w3lib.url import file_uri_to_path, safe_url_string

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.errors import MissingExtraError
from scrapy_urinorm.visits.links import LinkHashes, url_hash
from scrapy_urinorm.visits.record import Visit, new_crawl_id
from scrapy_urinorm.visits.redaction import Redaction
from scrapy_urinorm.visits.writer import VisitWriter

try:
    from scrapy_urinorm.visits.features import page_features
except ImportError:  # the extra is not installed; said when the extension is asked for
    page_features = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_urinorm.visits.features import PageFeatures

logger = logging.getLogger(__name__)

REDIRECTS = frozenset((301, 302, 303, 307, 308))
"""The statuses whose Location is followed (RFC 9110 15.4)."""
_ROBOTS_DIRECTIVE = b"clean-param"
FREE_PAGES = 5_000
BUDGET_STEP = 200


class Budget:
    """Keeps the reading of pages within a share of the CPU time of a long crawl.

    The first `FREE_PAGES` are all read. After them a page is read while its path falls into a growing or shrinking
    part of all paths, so that the addresses of one path are read together or not at all, as comparing them needs.
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.part = 1.0
        self.spent = 0.0
        self._pages = 0
        self._since = time.process_time()
        self._started = 0.0

    def allows(self, url: str) -> bool:
        """Whether to read the page of this URL."""
        self._pages += 1
        if self._pages <= FREE_PAGES or not self.share:
            return True
        if self._pages % BUDGET_STEP == 0:
            self._adjust()
        if self.part >= 1.0:
            return True
        return crc32(url.partition("?")[0].encode("utf-8", "surrogatepass")) < self.part * 0x1_0000_0000

    def _adjust(self) -> None:
        now = time.process_time()
        used = self.spent / max(1e-9, now - self._since)
        self.part = min(1.0, max(0.01, self.part * min(2.0, self.share / max(1e-9, used))))
        self.spent, self._since = 0.0, now

    def __enter__(self) -> None:
        self._started = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.spent += time.process_time() - self._started


class VisitsExtension:
    """Record one visit per response of a GET request.

    Settings: `URINORM_VISITS`, a path (`visits.jsonl.gz`) or a URI with the schemes and the `%(name)s`, `%(time)s`
    of feed exports; off when empty. `URINORM_VISITS_ROTATE`, bytes after which a local file is followed by the next.
    `URINORM_VISITS_CPU`, the share of the process' CPU time that reading pages may take after the first 5,000
    (default 0.05; 0 = no limit): the others are recorded without text.
    Stats: `urinorm/visits/written`, `urinorm/visits/failed`. A failure to record is logged once and never reaches the
    engine. Responses of media pipelines are not recorded; of robots.txt only the `Clean-param` lines are.
    """

    def __init__(self, crawler: Crawler) -> None:
        uri: str | None = crawler.settings.get("URINORM_VISITS")
        if not uri:
            raise NotConfigured
        if page_features is None:
            raise MissingExtraError("URINORM_VISITS", "learn")
        self.crawler = crawler
        self.uri = str(uri)
        self.budget = Budget(own.number(crawler.settings, "URINORM_VISITS_CPU") or 0.0)
        self.rotate = crawler.settings.getint("URINORM_VISITS_ROTATE") or None
        self.redact = Redaction()
        self.links = LinkHashes(self.redact)
        self.crawl_id = new_crawl_id()
        self._writer: VisitWriter | None = None
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
        now = datetime.now(UTC).replace(microsecond=0).isoformat().replace(":", "-")
        uri = self.uri
        if "%(" in uri:
            uri %= {"name": spider.name, "time": now, "batch_id": 1, "batch_time": now}
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
                path = self._spool / ("visits.jsonl.gz" if uri.endswith(".gz") else "visits.jsonl")
            self._writer = VisitWriter(path, rotate=None if self._storage else self.rotate)
        except Exception:
            logger.exception("URINORM_VISITS: cannot write to %s", self.redact(uri))

    def _feed_storage(self, scheme: str, uri: str) -> Any:
        storages = self.crawler.settings.getwithbase("FEED_STORAGES")
        if scheme not in storages:
            raise ValueError(f"no feed storage for {scheme}: (there are {', '.join(sorted(storages))})")
        options = feed_complete_default_values_from_settings({"overwrite": True}, self.crawler.settings)
        return build_from_crawler(load_object(storages[scheme]), self.crawler, uri, feed_options=options)

    async def spider_closed(self, spider: Spider) -> None:
        """Close the file; a remote one is handed to its feed storage, and kept here should that fail."""
        if self._writer is None:
            return
        self._writer.close()
        places = map(str, self._writer.files) if self._storage is None else [self.redact(self.uri)]
        logger.info("Visits written: %d in %s", self._writer.written, ", ".join(places))
        if self._storage is None or self._spool is None:
            return
        try:
            file = self._storage.open(spider)
            with self._writer.files[0].open("rb") as source:
                shutil.copyfileobj(source, file)
            stored = self._storage.store(file)
            if isinstance(stored, Deferred):
                stored = maybe_deferred_to_future(stored)
            if isawaitable(stored):
                await stored
        except Exception:
            logger.exception(
                "URINORM_VISITS: not stored to %s; the visits are kept in %s",
                self.redact(self.uri),
                self._writer.files[0],
            )
        else:
            shutil.rmtree(self._spool, ignore_errors=True)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Record a redirect: its target may be filtered as a duplicate and then never be seen as received."""
        if response.status in REDIRECTS and self._records(request) and response.headers.get("Location"):
            self._guarded(self._redirect_visit, response, request)

    def response_received(self, response: Response, request: Request) -> None:
        """Record the final response of a request."""
        if response.status not in REDIRECTS and self._records(request):
            self._guarded(self._visit, response, request)

    def _records(self, request: Request) -> bool:
        if self._writer is None or request.method != "GET" or "://" not in request.url:
            return False
        return request.callback is not NO_CALLBACK or urlsplit(request.url).path == "/robots.txt"

    def _guarded(self, make: Any, response: Response, request: Request) -> None:
        try:
            self._writer.write(make(response, request))  # type: ignore[union-attr]
            self.crawler.stats.inc_value("urinorm/visits/written")
        except Exception:
            stats = self.crawler.stats
            assert stats is not None
            if not stats.get_value("urinorm/visits/failed"):
                logger.exception("Visit not recorded (further failures are only counted)")
            stats.inc_value("urinorm/visits/failed")

    def _redirect_visit(self, response: Response, request: Request) -> Visit:
        location = safe_url_string(response.headers.get("Location") or b"")
        url = self.redact(request.url)
        target = self.redact(urljoin(request.url, location))
        visit = Visit(url=url, final_url=target, redirects=((response.status, url),), status=response.status)
        self._context(visit, request)
        return visit

    def _visit(self, response: Response, request: Request) -> Visit:
        redact = self.redact
        hops = request.meta.get("redirect_urls") or ()
        reasons = request.meta.get("redirect_reasons") or ()
        visit = Visit(url=redact(hops[0] if hops else request.url), status=response.status, size=len(response.body))
        if hops or response.url != request.url:
            visit.final_url = redact(response.url)
        visit.redirects = tuple(
            (reason if isinstance(reason, int) else 0, redact(hop)) for hop, reason in zip(hops, reasons, strict=False)
        )
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        visit.content_type = content_type.partition(";")[0].strip().lower() or None
        if request.url.endswith("/robots.txt"):
            visit.clean_param = _clean_params(response.body)
        header = response.headers.get("No-Vary-Search")
        visit.no_vary_search = header.decode("latin-1") if header else None
        encoding = response.encoding if isinstance(response, TextResponse) else None
        if self.budget.allows(visit.url):
            with self.budget:
                features = page_features(response.body, content_type, encoding, response.url)
            self._add_features(visit, features, response)
        self._context(visit, request)
        return visit

    def _add_features(self, visit: Visit, features: PageFeatures, response: Response) -> None:
        visit.body_digest = features.body_digest
        visit.text_digest = features.text_digest
        visit.words = features.words
        visit.lines = features.lines
        visit.line_words = features.line_words
        visit.minhash = features.minhash
        if features.links is not None:
            visit.links, visit.links_count = self.links(features.links)
        canonical = features.canonical or _canonical_header(response)
        visit.canonical = self.redact(canonical) if canonical else None

    def _context(self, visit: Visit, request: Request) -> None:
        visit.depth = request.meta.get("depth", 0)
        # the Referer of a redirected request is not that of the link
        referer = request.headers.get("Referer") if not request.meta.get("redirect_urls") else None
        visit.referer = self.redact(referer.decode("latin-1")) if referer else None
        visit.time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        normalizer = getattr(self.crawler.request_fingerprinter, "normalizer", None)
        if normalizer is not None:
            visit.key = self.redact(normalizer.key(request.url))
        visit.id = url_hash(visit.url)
        visit.crawl = self.crawl_id


def _canonical_header(response: Response) -> str | None:
    """Return the target of `Link: <...>; rel="canonical"` (RFC 8288, RFC 6596), resolved."""
    for value in response.headers.getlist("Link"):
        for link in value.decode("latin-1").split(",<"):
            target, _, parameters = link.strip().lstrip("<").partition(">")
            if "canonical" in parameters.lower().replace('"', " ").replace("=", " ").split():
                return urljoin(response.url, target.strip())
    return None


def _clean_params(body: bytes) -> tuple[str, ...]:
    """Return the values of the `Clean-param` lines of a robots.txt."""
    found = []
    for line in body.splitlines():
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower() == _ROBOTS_DIRECTIVE:
            found.append(value.partition(b"#")[0].strip().decode("utf-8", "replace"))
    return tuple(found)
