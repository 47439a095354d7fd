"""The duplicate filter: what Scrapy's scheduler asks, put together from store, verdicts, variants and log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from scrapy import Request, Spider, signals
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.job import job_dir

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.engine_calls import close_spider
from scrapy_urinorm.crawl.failures import failed
from scrapy_urinorm.crawl.filtering.dropped import DroppedRequests
from scrapy_urinorm.crawl.filtering.store import seen_store, shared_folder
from scrapy_urinorm.crawl.filtering.variants import Variants
from scrapy_urinorm.crawl.filtering.verdicts import Verdicts
from scrapy_urinorm.crawl.fingerprinter import JudgedRequest, RequestFingerprinter
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.crawl.start_errors import said_readably
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_urinorm.seen import SeenStore

_NOBODY: tuple[Request | None, int | None] = None, None
_filters: WeakKeyDictionary[Crawler, DupeFilter] = WeakKeyDictionary()


def filter_of(crawler: Crawler) -> DupeFilter | None:
    """The filter of a crawler, once its scheduler is built."""
    return _filters.get(crawler)


class DupeFilter(BaseDupeFilter):
    """Drop requests whose page is already known.

    Works with any fingerprinter, and is made for ours. Settings: `URINORM_SEEN` and its relatives,
    `URINORM_SECOND_CHANCE`, `DUPEFILTER_DEBUG` (shows the earlier URL and the rules that made the two equal; keeps
    a URL per fingerprint in memory). With JOBDIR, what was seen survives a restart or a crash.

    `store` is the seen store, `variants` the second chance or None where there is none.
    """

    def __init__(self, crawler: Crawler, store: SeenStore, directory: Path | None):
        settings = crawler.settings
        self._crawler = crawler
        self.store = store
        self._directory = directory
        self._opened = False
        self.fingerprinter = crawler.request_fingerprinter
        assert self.fingerprinter is not None
        self._fingerprint = self.fingerprinter.fingerprint
        normalizer = normalizer_of(crawler)
        # keys are ours to make also where another fingerprinter stands in front
        self._ours = (
            self.fingerprinter
            if isinstance(self.fingerprinter, RequestFingerprinter)
            else RequestFingerprinter(normalizer, crawler=crawler)
        )
        # the normalizer counts calls; what is odd is told per request that is offered
        self._counts = normalizer.counts
        self._stats = own.stats_of(crawler)
        self._verdicts = Verdicts(self._stats)
        own_method = getattr(type(self.fingerprinter), "fingerprint", None) is RequestFingerprinter.fingerprint
        self._judge = self._ours.judge if own_method else self._judged
        self._dropped = DroppedRequests(
            normalizer, self._ours, self._fingerprint, self._stats, debug=settings.getbool("DUPEFILTER_DEBUG")
        )
        self._stopping = False
        self._why = ""
        # the request that was found to be known last, and the bits of the rules that changed its URL
        self._asked: tuple[Request | None, int | None] = _NOBODY
        limit = int(own.number(settings, "URINORM_SECOND_CHANCE_LIMIT") or 0)
        self.variants: Variants | None = None
        if own.switch(settings, "URINORM_SECOND_CHANCE") and limit > 0:
            reusable = self._ours is self.fingerprinter
            self.variants = Variants(crawler, normalizer, self._ours, store=store, limit=limit, reusable=reusable)
        variants = self.variants
        self._add_shared = None if variants is None or variants.shared is None else variants.add
        _filters[crawler] = self

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the filter from a crawler's settings; raises UrinormError where the store cannot be had."""
        jobdir = job_dir(crawler.settings)
        return cls(crawler, seen_store(crawler), Path(jobdir) if jobdir else None)

    @classmethod
    def from_spider(cls, spider: Spider) -> Self:
        """For the scheduler of scrapy-redis, which builds its filter from the spider and neither opens nor closes it.

        There is a second chance where fingerprints are in Redis, too: another worker may learn of a failure.
        """
        filter_ = cls.from_crawler(spider.crawler)
        if filter_._add_shared is None:
            filter_.variants = None
        filter_.open()
        spider.crawler.signals.connect(filter_.close, signals.spider_closed)
        return filter_

    def open(self) -> None:
        """Open the store; what it says of an earlier run goes to the log."""
        with said_readably():
            self.store.open()
        folder = shared_folder(self._crawler.settings)
        if folder is not None and (known := self.store.stats().get("count")):
            are = "is" if known == 1 else "are"
            own.logger.info("%s of earlier runs %s not sent again: %s", count(known, "request"), are, folder)
        if self.variants is not None and self._directory is not None and self._add_shared is None:
            self.variants.restore(self._directory)
        self._opened = True
        if self._ours is not self.fingerprinter:
            name = type(self.fingerprinter).__qualname__
            own.logger.info("Fingerprints are made by %s: rules apply only as far as it asks our fingerprinter", name)

    def close(self, reason: str) -> None:
        """Close the store, and keep the variants in hand for the next run of the job.

        Scrapy also closes what it could not open: then nothing is known that should replace what an earlier run kept.
        """
        try:
            if self._opened:
                self._last_words()
        finally:
            # whatever went wrong: a store that stays open keeps the next run out, and its scheduler from ending
            self.store.close()

    def _last_words(self) -> None:
        for what, act in (("Keeping the second chances", self._save), ("Counting in the store", self._tell)):
            try:
                act()
            except Exception as error:  # noqa: BLE001  whatever a store of the project's own raises
                failed(self._crawler, what, error)

    def _save(self) -> None:
        if self.variants is not None:
            self.variants.save(self._directory)

    def _tell(self) -> None:
        for name, number in self.store.stats().items():
            self._stats.set_value(f"urinorm/seen/{name}", number)

    def clear(self) -> None:
        """Forget everything: what scrapy-redis asks for at the end of a crawl that is not to be continued."""
        self.store.clear()

    def request_seen(self, request: Request) -> bool:
        """Whether the request is to be dropped; never raises on account of its URL."""
        try:
            return self._seen(request)
        except Exception as error:  # noqa: BLE001  a page too many rather than one too few
            failed(self._crawler, "The duplicate filter", error)
            return False

    def _seen(self, request: Request) -> bool:
        variants = self.variants
        if variants is not None and variants.passes(request):
            return False
        self._why = ""
        self._verdicts.forget()
        # what a log line or a cache has asked for since is nobody's request
        self._counts.clear()
        fp, skip, defer, touched = self._judge(request)
        if (skip or defer) and self._verdicts.skips(request, skip):
            self._why = "Skipped by rule"
            return True
        if self._counts:
            for stat in self._counts:
                self._stats.inc_value(f"urinorm/{stat}")
        try:
            new = self.store.add(fp) if self._add_shared is None else self._add_shared(fp, request)
        except Exception as error:  # noqa: BLE001  whatever a store of the project's own raises
            self._lost(error)
            return True
        if not new:
            self._asked = (request, touched)
            return variants is None or not variants.repeated(request, fp)
        self._dropped.passed(request, fp)
        meta = request._meta
        if meta and "redirect_urls" in meta and self._ours.redirects_to_key(request):
            self._stats.inc_value("urinorm/redirect_passed")
        if variants is not None:
            variants.claim(request, fp)
        return False

    def _judged(self, request: Request) -> JudgedRequest:
        """What `judge` gives, where another fingerprinter stands in front of ours."""
        skip, defer = self._ours.verdict(request)
        self._counts.clear()
        return self._fingerprint(request), skip, defer, None

    def leave_deferred(self) -> None:
        """Our scheduler puts deferred requests behind the others, better than a priority can: ask `deferred`."""
        self._verdicts.by_priority = False

    def deferred(self, request: Request) -> bool:
        """Whether the request, which was just let through, is to be requested last."""
        return self._verdicts.was_deferred(request)

    def taken_up(self, request: Request) -> None:
        """A request that was let through in an earlier run is served: it speaks for its key again."""
        if self.variants is None:
            return
        try:
            self.variants.taken_up(request, self._fingerprint)
        except Exception as error:  # noqa: BLE001  the request goes, without a second chance
            failed(self._crawler, "The second chance", error)

    def _lost(self, error: Exception) -> None:
        """Without its memory the crawl would lose pages or repeat them in silence: it stops."""
        self._why = "Dropped, the store of fingerprints is lost"
        self._stats.inc_value("urinorm/seen_lost")
        if not self._stopping:
            self._stopping = True
            said = error if isinstance(error, UrinormError) else f"the store of fingerprints has failed: {error!r}"
            own.logger.critical("The crawl stops: %s", said)
            close_spider(self._crawler, "urinorm_seen_lost")

    def sent(self, request: Request) -> None:
        """A request goes to the downloader."""
        if self.variants is not None:
            self.variants.sent(request, self._fingerprint)

    def record(self, request: Request) -> None:
        """Remember a request that was not offered to the filter (`URINORM_RECORD_START`)."""
        try:
            self.store.add(self._fingerprint(request))
        except Exception as error:  # noqa: BLE001  as in `request_seen`
            self._lost(error)

    def log(self, request: Request, spider: Spider) -> None:
        """Count a dropped request, and log it as `DUPEFILTER_DEBUG` says."""
        try:
            if self._why:
                self._dropped.told(request, self._why, spider)
            else:
                asked, touched = self._asked
                self._asked = _NOBODY
                self._dropped.duplicate(request, touched if asked is request else None, spider)
        except Exception as error:  # noqa: BLE001  a line of a log
            failed(self._crawler, "The log of duplicates", error)
