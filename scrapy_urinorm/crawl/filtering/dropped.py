"""What is told of dropped requests: log lines and stats."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from scrapy.statscollectors import StatsCollector
from scrapy.utils.request import referer_str

from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter, exempt
from scrapy_urinorm.crawl.shown import shown
from scrapy_urinorm.engine.bits import rules_of
from scrapy_urinorm.engine.texts import without_userinfo

if TYPE_CHECKING:
    from scrapy import Request, Spider

    from scrapy_urinorm.normalizer import Normalizer

#: Scrapy's own name, so that its lines are found where they always were.
logger = logging.getLogger("scrapy.dupefilters")


class DroppedRequests:
    """Counts and logs dropped requests, all of them with `debug` and else the first alone.

    With `debug` a URL is kept for each fingerprint, so that a line can name the request that was there before.
    """

    def __init__(
        self,
        normalizer: Normalizer,
        fingerprinter: RequestFingerprinter,
        fingerprint: Callable[[Request], bytes],
        stats: StatsCollector,
        *,
        debug: bool,
    ):
        self._normalizer = normalizer
        self._fingerprinter = fingerprinter
        self._fingerprint = fingerprint
        self._count = _counter(stats)
        self._debug = debug
        self._first_urls: dict[bytes, str] = {}
        self._logged = False

    def passed(self, request: Request, fp: bytes) -> None:
        """A request of a new fingerprint was let through."""
        if self._debug:
            self._first_urls[fp] = without_userinfo(request.url)

    def told(self, request: Request, why: str, spider: Spider) -> None:
        """A request was dropped for another reason than that it was seen."""
        if self._debug:
            logger.debug("%(why)s: %(request)s", {"why": why, "request": shown(request)}, extra={"spider": spider})

    def duplicate(self, request: Request, touched: int | None, spider: Spider) -> None:
        """A request was dropped since its page is known; `touched` are the bits of the rules that changed its URL."""
        stats = None if touched is None else _stats_of_bits(touched)
        if stats is None or self._debug or not self._logged:
            stats = self._told(request, touched, spider)
        self._count(stats)

    def _told(self, request: Request, touched: int | None, spider: Spider) -> tuple[str, ...]:
        """Log a duplicate, where it is to be; returns the stats that it counts for."""
        rules = None if touched is None else rules_of(touched)
        if rules is None:
            rules = self._rules_behind(request)
        if self._debug:
            extra = {"spider": spider}
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
                extra={"spider": spider},
            )
            self._logged = True
        return _stats_of(rules)

    def _rules_behind(self, request: Request) -> tuple[str, ...]:
        """The rules that changed the URL of a dropped request; most URLs are their own key and cost one look."""
        if exempt(request):
            return ()
        key = self._fingerprinter.key(request)
        if key == request.url:
            return ()
        normalizer = self._fingerprinter.normalizer_for(request)
        return () if key == normalizer.key(request.url, lossy=False) else normalizer.changed_by(request.url)


def _counter(stats: StatsCollector) -> Callable[[Iterable[str]], None]:
    """What adds one to each of some stats: at once where they are a plain dict, which costs what one call does."""
    kind = type(stats)
    if kind.inc_value is StatsCollector.inc_value and kind.get_stats is StatsCollector.get_stats:
        # its attributes, methods included, cost more to look up than to use
        values = functools.partial(kind.get_stats, stats)

        def count(names: Iterable[str]) -> None:
            held = values()
            for name in names:
                held[name] = held.get(name, 0) + 1

        return count

    def each(names: Iterable[str]) -> None:
        for name in names:
            stats.inc_value(name)

    return each


@functools.lru_cache(4096)
def _stats_of_bits(touched: int) -> tuple[str, ...] | None:
    rules = rules_of(touched)
    return None if rules is None else _stats_of(rules)


@functools.lru_cache(4096)
def _stats_of(rules: tuple[str, ...]) -> tuple[str, ...]:
    return ("dupefilter/filtered", *(["urinorm/filtered"] if rules else []), *(f"urinorm/filtered/{r}" for r in rules))
