"""The closing lines of a crawl: what was avoided, by which rules, and what looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import Spider, signals
from scrapy.utils.misc import load_object

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.dupefilter import DupeFilter, filter_of
from scrapy_urinorm.crawl.filtering.store import seen_store
from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter
from scrapy_urinorm.crawl.start_errors import said_readably
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_BY_RULE = "urinorm/filtered/"
_ODD = ("unparsable", "unstable", "error", "seen_lost")


class Summary:
    """Write at most four lines to the log when the spider closes; its extension adds that of the report."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from a crawler and listen for the end of the spider; raises where the store's settings are wrong.

        Extensions are built before the engine: an error in them stops the crawl with an exit code of its own, while
        Scrapy before 2.14 forgets that of a scheduler's.
        """
        dupefilter = load_object(crawler.settings["DUPEFILTER_CLASS"])
        # a project's may be a function that makes one
        if isinstance(dupefilter, type) and issubclass(dupefilter, DupeFilter):
            with said_readably():
                seen_store(crawler)
        summary = cls(crawler)
        crawler.signals.connect(summary.spider_closed, signals.spider_closed)
        return summary

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._is_said = False

    def spider_closed(self, spider: Spider) -> None:
        """Log what the stats say, once: a second Ctrl-C has Scrapy close the spider again."""
        if self._is_said:
            return
        self._is_said = True
        for line in self.lines():
            own.logger.info(line, extra={"spider": spider})

    def lines(self) -> list[str]:
        """The summary, a text a line."""
        stats = own.stats_of(self._crawler).get_stats()
        sent = stats.get("downloader/request_count", 0)
        filtered = stats.get("dupefilter/filtered", 0)
        skipped = stats.get("urinorm/skipped", 0)
        dropped = f"{count(filtered, 'duplicate')} dropped"
        rules: list[tuple[int, str]] = []
        if self._is_known_why():
            # some of them Scrapy alone would have dropped as well, as links that are the same letter by letter
            dropped += f", {stats.get('urinorm/filtered', 0):,} of them at addresses that rules changed"
            names = [name for name in stats if name.startswith(_BY_RULE)]
            rules = sorted(((stats[name], name[len(_BY_RULE) :]) for name in names), reverse=True)
        lines = [f"{count(sent, 'request')} sent; {dropped}; {skipped:,} skipped"]
        if rules:
            more = f" and {len(rules) - 6} more" if len(rules) > 6 else ""
            lines.append("by rule: " + ", ".join(f"{name} {number:,}" for number, name in rules[:6]) + more)
        passed, chances = stats.get("urinorm/redirect_passed", 0), stats.get("urinorm/second_chance", 0)
        if passed or chances:
            lines.append(
                f"{count(passed, 'redirect')} to a page's own key followed;"
                f" {count(chances, 'variant')} tried after a failure or a redirect elsewhere"
            )
        odd = {n: stats[f"urinorm/{n}"] for n in _ODD if stats.get(f"urinorm/{n}")}
        if odd:
            said = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in odd.items())
            hint = "`urinorm check` names rules that do not settle" if "unstable" in odd else "see the log"
            lines.append(f"looks wrong: {said} ({hint})")
        return lines

    def _is_known_why(self) -> bool:
        """Whether filter and fingerprints are ours: of others nobody knows what a request was dropped by."""
        filter_ = filter_of(self._crawler)
        return filter_ is not None and isinstance(filter_.fingerprinter, RequestFingerprinter)
