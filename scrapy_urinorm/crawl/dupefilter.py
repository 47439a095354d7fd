"""The duplicate filter: keys that were seen, URLs that rules skip or defer, variants that get a second chance."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.dupefilters import BaseDupeFilter
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.job import job_dir
from scrapy.utils.request import referer_str

from scrapy_urinorm.crawl import pending
from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.claims import Chance, Claims
from scrapy_urinorm.crawl.fingerprinter import MAX_REDIRECTS_TO_KEY, RequestFingerprinter
from scrapy_urinorm.crawl.shown import printable, shown
from scrapy_urinorm.crawl.store import seen_store
from scrapy_urinorm.seen import SeenStoreLostError

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from scrapy_urinorm.seen import SeenStore

#: Deferred requests go behind everything that a spider is likely to use.
DEFER_BY = 1_000_000
_MOVED_FOR_NOW = (302, 303, 307)


#: Scrapy's own name, so that its lines are found where they always were.
logger = logging.getLogger("scrapy.dupefilters")

_filters: WeakKeyDictionary[Crawler, DupeFilter] = WeakKeyDictionary()


def filter_of(crawler: Crawler) -> DupeFilter | None:
    """The filter of a crawler, once its scheduler is built."""
    return _filters.get(crawler)


class DupeFilter(BaseDupeFilter):
    """Drop requests whose page is already known.

    Works with any fingerprinter, and is made for ours. Settings: ``URINORM_SEEN`` and its relatives,
    ``URINORM_SECOND_CHANCE``, ``DUPEFILTER_DEBUG`` (shows the earlier URL and the rules that made the two equal; keeps
    a URL per fingerprint in memory). With JOBDIR, what was seen survives a restart or a crash.
    """

    def __init__(self, crawler: Crawler, store: SeenStore, directory: Path | None):
        settings = crawler.settings
        self._crawler = crawler
        self.store = store
        self._directory = directory
        self.fingerprinter = crawler.request_fingerprinter
        assert self.fingerprinter is not None
        self._fingerprint = self.fingerprinter.fingerprint
        self._normalizer = own.normalizer_of(crawler)
        self._fingerprinter_is_ours = isinstance(self.fingerprinter, RequestFingerprinter)
        # keys are ours to make also where another fingerprinter stands in front
        self._ours = (
            self.fingerprinter
            if isinstance(self.fingerprinter, RequestFingerprinter)
            else RequestFingerprinter(self._normalizer, crawler=crawler)
        )
        self._verdict = self._normalizer.verdict
        # the normalizer counts calls; what is odd is told per request that is offered
        self._counts = self._normalizer.counts
        self._stats = own.stats_of(crawler)
        self._debug = settings.getbool("DUPEFILTER_DEBUG")
        self._first_urls: dict[bytes, str] = {}
        self._logged = False
        self._stopping = False
        self._reason = ""
        self._passing: Request | None = None
        limit = int(own.number(settings, "URINORM_SECOND_CHANCE_LIMIT") or 0)
        wanted = settings.getbool("URINORM_SECOND_CHANCE", True) and limit > 0
        self._claims = Claims(limit, self._bare_key) if wanted else None
        _filters[crawler] = self

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the filter from a crawler's settings; raises UrinormError where the store cannot be had."""
        jobdir = job_dir(crawler.settings)
        return cls(crawler, seen_store(crawler), Path(jobdir) if jobdir else None)

    @classmethod
    def from_spider(cls, spider: Spider) -> Self:
        """For the scheduler of scrapy-redis, which builds its filter from the spider and neither opens nor closes it.

        There is no second chance under it: the worker that learns of a failure seldom holds the variant.
        """
        filter_ = cls.from_crawler(spider.crawler)
        filter_._claims = None
        filter_.open()
        spider.crawler.signals.connect(filter_._spider_closed, signals.spider_closed)
        return filter_

    def _spider_closed(self, reason: str) -> None:
        self.close(reason)

    def open(self) -> None:
        """Open the store; what it says of an earlier run goes to the log."""
        self.store.open()
        if self._claims is not None and self._directory is not None:
            self._claims.restore(pending.restored(self._directory, self._crawler.spider))
        if not self._fingerprinter_is_ours:
            name = type(self.fingerprinter).__qualname__
            own.logger.info("Fingerprints are made by %s: rules apply as far as it asks ours", name)

    def close(self, reason: str) -> None:
        """Close the store, and keep the variants in hand for the next run of the job."""
        if self._claims is not None and self._directory is not None and self._crawler.spider is not None:
            pending.save(self._directory, self._claims.rows(), self._crawler.spider)
        for name, number in self.store.stats().items():
            self._stats.set_value(f"urinorm/seen/{name}", number)
        self.store.close()

    def clear(self) -> None:
        """Forget everything: what scrapy-redis asks for at the end of a crawl that is not to be continued."""
        self.store.clear()

    def request_seen(self, request: Request) -> bool:
        """Whether the request is to be dropped; never raises on account of its URL."""
        if request is self._passing:
            self._passing = None
            return False
        self._reason = ""
        if self._skipped(request):
            self._reason = "skip"
            return True
        # what a log line or a cache has asked for since is nobody's request
        self._counts.clear()
        fp = self._fingerprint(request)
        if self._counts:
            for stat in self._counts:
                self._stats.inc_value(f"urinorm/{stat}")
        try:
            new = self.store.add(fp)
        except SeenStoreLostError as error:
            self._lost(error)
            return True
        if not new:
            return not self._has_chance(request, fp)
        if self._debug:
            self._first_urls[fp] = printable(request.url)
        self._let_through(request, fp)
        return False

    def _skipped(self, request: Request) -> bool:
        """Whether a rule says never to send the request; one to be deferred goes behind the others."""
        skip, defer = self._verdict(request.url)
        if not (skip or defer) or self._exempt(request):
            return False
        if skip:
            self._stats.inc_value("urinorm/skipped")
        elif request.priority > -DEFER_BY // 2:
            request.priority -= DEFER_BY
            self._stats.inc_value("urinorm/deferred")
        return skip

    def _has_chance(self, request: Request, fp: bytes) -> bool:
        """Whether a request of a known key may pass, because the one before it failed."""
        claims = self._claims
        if claims is None:
            return False
        chance = claims.repeated(fp, request)
        if chance and self._fingerprinter_is_ours:
            self._give_chance(request, fp, chance)
            return True
        if chance:
            # a fingerprinter in front of ours may have kept the fingerprint of this very object
            self._schedule(fp, request, chance)
            return False
        meta = request._meta
        if meta and "redirect_urls" in meta:
            self._ended_at(request, fp)
        return False

    def _lost(self, error: SeenStoreLostError) -> None:
        """Without its memory the crawl would lose pages or repeat them in silence: it stops."""
        self._reason = "lost"
        self._stats.inc_value("urinorm/seen_lost")
        if not self._stopping:
            self._stopping = True
            own.logger.critical("The crawl stops: %s", error)
            engine, spider = self._crawler.engine, self._crawler.spider
            if spider is not None:
                _close(engine, spider, "urinorm_seen_lost")

    def record(self, request: Request) -> None:
        """Remember a request that was not offered to the filter (``URINORM_RECORD_START``)."""
        self.store.add(self._fingerprint(request))

    def log(self, request: Request, spider: Spider) -> None:
        """Count a dropped request, and log it as ``DUPEFILTER_DEBUG`` says."""
        extra = {"spider": spider}
        if self._reason:
            if self._debug:
                why = "Skipped by rule" if self._reason == "skip" else "Dropped, the store of fingerprints is lost"
                logger.debug("%(why)s: %(request)s", {"why": why, "request": shown(request)}, extra=extra)
            return
        rules = self._rules_behind(request)
        if self._debug:
            first = self._first_urls.get(self._fingerprint(request))
            both = dict.fromkeys([*rules, *(self._normalizer.changed_by(first) if first else ())])
            why = f" (rules: {', '.join(both)})" if both else ""
            # Scrapy's own line for those who look for it, and what it does not tell in one of ours
            told = {"request": shown(request), "referer": referer_str(request), "first": first or "a request before"}
            logger.debug("Filtered duplicate request: %(request)s (referer: %(referer)s)", told, extra=extra)
            logger.debug("%(request)s is the same page as %(first)s%(why)s", {**told, "why": why}, extra=extra)
        elif not self._logged:
            logger.debug(
                "Filtered duplicate request: %(request)s"
                " - no more duplicates will be shown"
                " (see DUPEFILTER_DEBUG to show all duplicates)",
                {"request": shown(request)},
                extra=extra,
            )
            self._logged = True
        self._stats.inc_value("dupefilter/filtered")
        if rules:
            self._stats.inc_value("urinorm/filtered")
            for rule in rules:
                self._stats.inc_value(f"urinorm/filtered/{rule}")

    # ------------------------------------------------------------------ second chance

    def ended(self, request: Request, *, delivered: bool) -> None:
        """The chain of a request came to its end; ``delivered`` says whether with a page.

        A page that stands at the end of a temporary redirect to another key, such as a log-in form, serves its own key
        and not the one that was asked for.
        """
        claims = self._claims
        if claims is None:
            return
        chain = _chain(request)
        for fp, url in self._claimed(request, chain):
            if delivered and not self._sent_elsewhere(url, request, chain):
                claims.served(fp)
            else:
                self._schedule_all(claims.failed(fp, url, chain[chain.index(url) :]))

    def _ended_at(self, request: Request, target: bytes) -> None:
        """A redirect was dropped since its key is known: the chain behind it ends with what that key came to."""
        claims = self._claims
        assert claims is not None
        chain = _chain(request)
        claimed = self._claimed(request, chain)
        loop = any(fp == target for fp, _ in claimed)
        for fp, url in claimed:
            if loop or self._sent_elsewhere(url, request, chain):
                self._schedule_all(claims.failed(fp, url, chain[chain.index(url) :]))
            else:
                self._schedule_all(claims.ended_at(target, fp, url))

    @staticmethod
    def _claimed(request: Request, chain: list[str]) -> list[tuple[bytes, str]]:
        """The fingerprints and URLs that a chain has claimed; none where the meta was copied from another request."""
        rows = (request._meta or {}).get(own.CLAIMS_META, ())
        if not rows or rows[0][1] != chain[0]:
            return []
        return [(bytes.fromhex(fp), url) for fp, url in rows if url in chain]

    def idle(self) -> bool:
        """Nothing is under way: schedule the variants whose first request ended untold; whether there were any."""
        ended = self._claims.all_ended() if self._claims is not None else []
        self._schedule_all(ended)
        return bool(ended)

    def _sent_elsewhere(self, url: str, request: Request, chain: list[str]) -> bool:
        """Whether a URL of a chain was answered by a temporary redirect, and the chain did not come back to its key."""
        reasons = list(request.meta.get("redirect_reasons", ()))
        if not any(reason in _MOVED_FOR_NOW for reason in reasons[chain.index(url) :]):
            return False
        return self._normalizer.key(url) != self._normalizer.key(chain[-1])

    def _let_through(self, request: Request, fp: bytes) -> None:
        meta = request._meta
        if meta and "redirect_urls" in meta and 0 < self._ours.redirects_to_key(request) <= MAX_REDIRECTS_TO_KEY:
            self._stats.inc_value("urinorm/redirect_passed")
        if self._claims is not None and request.method == "GET":
            self._claims.claim(fp, request.url)
            self._mark(request, fp)

    @staticmethod
    def _mark(request: Request, fp: bytes) -> None:
        """Write the claim into the request's meta, behind those of the chain that led to it."""
        meta = request.meta
        mine = [fp.hex(), request.url]
        earlier = meta.get(own.CLAIMS_META, ()) if meta.get("redirect_urls") else ()
        if earlier and earlier[0][1] != str(meta["redirect_urls"][0]):
            earlier = ()
        meta[own.CLAIMS_META] = [*earlier, mine]

    def _give_chance(self, request: Request, fp: bytes, chance: int) -> None:
        """Let a variant pass under a fingerprint of its own."""
        self._stats.inc_value("urinorm/second_chance")
        request.meta[own.CHANCE_META] = [chance, self._ours.key(request)]
        self._mark(request, fp)

    def _schedule_all(self, chances: list[Chance]) -> None:
        for fp, request, chance in chances:
            self._schedule(fp, request, chance)

    def _schedule(self, fp: bytes, request: Request, chance: int) -> None:
        engine = self._crawler.engine
        assert engine is not None
        request = request.copy()
        self._give_chance(request, fp, chance)
        self._passing = request
        engine.crawl(request)

    def _bare_key(self, url: str) -> str:
        return self._normalizer.key(url, lossy=False)

    # ------------------------------------------------------------------

    def _exempt(self, request: Request) -> bool:
        meta = request._meta or {}
        return request.callback is NO_CALLBACK or meta.get("urinorm") is False or bool(meta.get("verbatim_url"))

    def _rules_behind(self, request: Request) -> tuple[str, ...]:
        """The rules that changed the URL of a dropped request; most URLs are their own key and cost one look."""
        meta = request._meta
        if self._exempt(request):
            return ()
        key = self._ours.key(request)
        if key == request.url or (meta and isinstance(meta.get("urinorm"), dict)):
            return ()
        if key == self._normalizer.key(request.url, lossy=False):
            return ()
        return self._normalizer.changed_by(request.url)


def _chain(request: Request) -> list[str]:
    """The URLs of a chain of redirects, the request's own last."""
    chain = (request._meta or {}).get("redirect_urls")
    return [*map(str, chain if isinstance(chain, (list, tuple)) else ()), request.url]


def _close(engine: Any, spider: Spider, reason: str) -> None:
    if hasattr(engine, "close_spider_async"):
        from scrapy.utils.defer import deferred_from_coro

        deferred_from_coro(engine.close_spider_async(reason=reason))
    else:  # Scrapy before 2.14
        engine.close_spider(spider, reason)
