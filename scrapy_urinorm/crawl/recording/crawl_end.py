"""Whether a crawl has asked for all that it would ask for, so that of its pages nothing more is to be expected.

Who learns must otherwise assume of data that more would have been asked for from what came last. So in doubt a crawl
has not come to its end: it is then learned from as if it had been cut short.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.misc import load_object

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.dupefilter import DupeFilter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

_OF_A_JOB = ("urinorm.crawl", "requests.queue", "requests.seen")
"""What a JOBDIR has when an earlier run has used it: one that was killed has lost what was under way."""
_METHODS = "downloader/request_method_count/"
_RECORDED = ("GET", "HEAD")
"""Methods of which visits know all that they may: what is asked for by another one has no visit."""
_LOST = (
    "spider_exceptions/",
    "urinorm/visits/failed",
    "downloader/exception_count",
    "downloader/response_status_count/429",
    "downloader/response_status_count/5",
    "retry/max_reached",
)
"""Stats of callbacks that ended before they had asked for all, of visits that were not recorded, and of requests that
may never have been answered: what answers tomorrow may ask for more."""


def _forgets(settings: BaseSettings) -> bool:
    """Whether all that this crawl has not requested again it has requested itself."""
    if own.text(settings, "URINORM_SEEN") not in ("", "memory") or own.value(settings, "URINORM_SEEN_DIR"):
        return False
    scheduler, dupefilter = load_object(settings["SCHEDULER"]), load_object(settings["DUPEFILTER_CLASS"])
    return issubclass(scheduler, Scheduler) and issubclass(dupefilter, RFPDupeFilter | DupeFilter)


class CrawlEnd:
    """What is known of the end of a crawl; made before its first request."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        jobdir = crawler.settings.get("JOBDIR")
        self._is_resumed = bool(jobdir) and any(Path(jobdir, name).exists() for name in _OF_A_JOB)
        self._is_idle = False
        crawler.signals.connect(self._idle, signals.spider_idle)
        crawler.signals.connect(self._scheduled, signals.request_scheduled)

    def _idle(self, spider: Spider) -> None:
        self._is_idle = True

    def _scheduled(self, request: Request, spider: Spider) -> None:
        self._is_idle = False

    def is_reached(self, reason: str) -> bool:
        """Whether nothing was left to be requested when the crawl was closed for this reason, and nothing left out.

        Nothing left is what `finished` says, but who closes a spider may say it, too. A worker of a fleet ends before
        the others, live rules keep requests back, a store that remembers other runs leaves out what these have
        requested, and of a limit of depth nobody is told what it kept away.
        """
        crawler = self._crawler
        if reason != "finished" or not self._is_idle or self._is_resumed:
            return False
        if not _forgets(crawler.settings) or own.switch(crawler.settings, "URINORM_LIVE"):
            return False
        stats = own.stats_of(crawler).get_stats()
        limit = crawler.settings.getint("DEPTH_LIMIT")
        if limit and stats.get("request_depth_max", limit) >= limit:
            return False
        methods = {name.removeprefix(_METHODS) for name in stats if name.startswith(_METHODS)}
        return bool(methods) and methods.issubset(_RECORDED) and not any(name.startswith(_LOST) for name in stats)
