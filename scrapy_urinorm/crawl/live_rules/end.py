"""What a crawl with live rules says, and how it ends: a last judgement, then what is left is given up and named."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.live_rules.parked import CLOSED, DUPLICATE, Parked
from scrapy_urinorm.crawl.live_rules.places import write_parked
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.importers.document import Document
from scrapy_urinorm.learn.output import evidence_lines
from scrapy_urinorm.live.filtered import shown
from scrapy_urinorm.whole_files import write_whole

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_urinorm.crawl.scheduler import Scheduler
    from scrapy_urinorm.live.desk import Desk

#: How long the last judgement may take; after it everything goes, and a site that never ends would not end. It takes
#: seconds of CPU time for thousands of pages, but at the lowest priority, which on a busy machine were minutes.
JUDGE_SECONDS = 600.0
#: Pairs of pages that are named when one doubts a rule; all are counted, and the rest named with LOG_LEVEL = "DEBUG".
DOUBTS = 3
_OUTPUT = "learned.toml"
_IN_JOB = ": they wait in the job, and the next run with URINORM_LIVE = False fetches them"
_COUNTED = ("parked", "canaries", "later", "closed", "released")


class Crawling(Protocol):
    """The crawl with live rules, as far as its end is concerned."""

    crawler: Crawler
    desk: Desk
    parked: Parked
    scheduler: Scheduler
    fetched: int

    def ask(self, sites: list[str], number: int) -> None:
        """Have sites judged once more; `heard` gets the number."""

    def off(self, why: str) -> None:
        """Go on without live rules."""


class LiveEnd:
    """The end of one crawl, and its log."""

    waits = False
    """Whether what is kept back waits elsewhere, too, where there is no JOBDIR."""

    def __init__(self, live: Crawling, jobdir: str | None, crawl_id: str):
        self._live = live
        self._crawl = crawl_id
        self._jobdir = jobdir
        self._settings = live.crawler.settings
        self._judged = -1
        self._asked = 0
        self._until = 0.0
        self._known: dict[str, dict[str, str]] = {}
        self._combined: dict[str, dict[str, str]] = {}
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._doubts: Counter[tuple[str, str]] = Counter()
        self._said = time.monotonic()
        self._every = self._settings.getfloat("LOGSTATS_INTERVAL") or 60.0

    def take_up(self) -> None:
        """Know the rules of the run before, which the desk has taken up."""
        for name, site in self._live.desk.sites.items():
            self._known[name] = {rule["id"]: rule["said"] for rule in site.message["rules"]}
            self._rows[name] = site.message["rows"]

    # ------------------------------------------------------------------ the last judgement

    def asks(self) -> bool:
        """Whether there is still something to be decided, or fetched; asked when nothing is under way."""
        live = self._live
        if live.parked.busy:
            live.scheduler.poke()
            return True
        if self._until:
            if time.monotonic() < self._until:
                return True
            self._until = 0.0
            live.off(f"the last judgement has not come within {JUDGE_SECONDS:.0f} s")
            return True
        if self._tries_closed():
            return True
        # one that is doubted, too: it has not been studied since
        sites = [name for name, site in live.desk.sites.items() if site.sure is not None]
        if not sites or not live.parked.waiting():
            return False
        if self._judged != live.fetched:
            self._judged = live.fetched
            self._asked += 1
            self._until = time.monotonic() + JUDGE_SECONDS
            # each test that goes then is followed by another judgement: a dozen lines told nobody anything
            level = logging.INFO if self._asked == 1 else logging.DEBUG
            own.logger.log(level, "Live rules: nothing else is left; what was kept back is judged once more")
            live.ask(sites, self._asked)
            return True
        released = 0
        for class_key in live.desk.untested():
            released += live.scheduler.release(class_key=class_key, limit=1)
        own.stats_of(live.crawler).inc_value("urinorm/live/canaries", released)
        return bool(released)

    def _tries_closed(self) -> bool:
        """Have some requests go of what was closed while a site showed one and the same page; whether there are any."""
        again = self._live.desk.answers.retried()
        if again:
            said = "Live rules: %d shapes that showed one and the same page, or errors, are tried once more"
            own.logger.info(said, len(again))
            self._live.parked.reopen(again)
            self._live.scheduler.poke()
        return bool(again)

    def heard(self, asked: int) -> None:
        """The judgement is here."""
        if asked == self._asked:
            self._until = 0.0
            self._live.scheduler.poke()

    # ------------------------------------------------------------------ the log

    def log(self, message: dict[str, Any]) -> None:
        """Say what comes, goes, or is doubted."""
        site = message.get("site", "")
        if message["do"] == "platform":
            own.logger.info("Live rules: %s runs %s", site, ", ".join(message["said"]) or "nothing that is known")
        elif message["do"] == "doubt":
            own.stats_of(self._live.crawler).inc_value("urinorm/live/doubts")
            said = "; ".join(message["rules"]) or "a rule"
            self._doubts[site, said] += 1
            # a rule that is wrong differs on every page that comes until the site is studied again
            level = logging.INFO if self._doubts[site, said] <= DOUBTS else logging.DEBUG
            own.logger.log(
                level, "Live rules: %s: %s differ, which casts doubt on %s", site, " and ".join(message["urls"]), said
            )
        elif message["do"] == "rules":
            before = self._known.get(site, {})
            now = {rule["id"]: rule["said"] for rule in message["rules"]}
            for name in now.keys() - before.keys():
                own.logger.info("Live rules: after %d pages of %s: %s", message["pages"], site, now[name])
            for name in before.keys() - now.keys():
                own.logger.info(
                    "Live rules: after %d pages of %s, taken back: %s", message["pages"], site, before[name]
                )
            for path in message.get("combined", {}).keys() - self._combined.get(site, {}).keys():
                told = message["combined"][path]
                own.logger.info("Live rules: on %s%s, what has more than one filter comes last: %s", site, path, told)
            self._combined[site] = message.get("combined", {})
            self._known[site] = now
            self._rows[site] = message["rows"]

    def progress(self) -> None:
        """Say how far it is, as often as Scrapy does."""
        now = time.monotonic()
        if now - self._said < self._every:
            return
        self._said = now
        stats = own.stats_of(self._live.crawler)
        counts = {name: stats.get_value(f"urinorm/live/{name}", 0) for name in _COUNTED}
        if any(counts.values()):
            said = ", ".join(f"{count} {name}" for name, count in counts.items())
            own.logger.info("Live rules: %d rules; %s", sum(map(len, self._known.values())), said)

    # ------------------------------------------------------------------ what is left

    def written(self) -> None:
        """Write what was not fetched, and what was learned; called before the file of requests is closed."""
        if self._jobdir and self._live.scheduler.journal.is_lost:
            # all of it is in the job, as the last commit has it
            return
        for write, what in ((self._write_left, "kept back"), (self._write_rules, "learned")):
            try:
                write()
            except (OSError, UrinormError, ValueError) as error:
                own.logger.error("Live rules: what was %s could not be written: %s", what, error)

    def _write_left(self) -> None:
        live = self._live
        stats = own.stats_of(live.crawler)
        stats.set_value("urinorm/live/rules", sum(map(len, self._known.values())))
        left = Counter(why for _, why in live.parked.rows())
        waiting = _IN_JOB if self._jobdir else ""
        for name, kept, why in (
            ("given_up", "duplicates", DUPLICATE),
            ("not_fetched", "addresses of closed shapes", CLOSED),
        ):
            if left[why]:
                stats.set_value(f"urinorm/live/{name}", left[why])
                own.logger.info("Live rules: %d requests were kept back as %s%s", left[why], kept, waiting)
        # in a job these wait for the next run
        if not self._jobdir and (number := live.parked.put_off()):
            own.logger.info("Live rules: %d requests were put off, and the crawl was stopped before their turn", number)
        for name, one in live.desk.yields.closed().items():
            if one.kept:
                again = f" ({one.late_news} when it was closed)" if one.late_news else ""
                own.logger.info(
                    "Live rules: %s: %d pages; times that something new came: %d%s; %d requests kept back (with "
                    "URINORM_LIVE_CLOSE = 0 they are fetched)",
                    shown(name),
                    one.pages,
                    one.news,
                    again,
                    one.kept,
                )
        if (reopened := sum(one.late_news > 0 for one in live.desk.yields.of.values())) > 0:
            stats.set_value("urinorm/live/reopened", reopened)
            own.logger.info("Live rules: shapes that brought something new when they were closed: %d", reopened)
        self._write_parked()

    def _write_rules(self) -> None:
        live = self._live
        output = self._settings.get("URINORM_LIVE_OUTPUT") or (self._jobdir and Path(self._jobdir, _OUTPUT))
        if output and any(self._known.values()):
            messages = [site.message for site in live.desk.sites.values() if site.message]
            sources = [message["lasting"] for message in messages]
            rows = [row for name in sorted(self._rows) for row in self._rows[name]]
            write_whole(Path(output), rule_file(live.desk.preset, sources, rows))
            own.logger.info("Live rules: the rules are in %s; name it in `include` to use them", output)

    def _write_parked(self) -> None:
        """Of a job those are named that are closed: the others wait there."""
        jobdir, parked = self._jobdir, self._live.parked

        def rows() -> Iterator[tuple[str, str]]:
            return ((url, why) for url, why in parked.rows(later=not jobdir) if not jobdir or why == CLOSED)

        write_parked(jobdir, rows, self._crawl, waits=self.waits)


_HEAD = (
    "Learned while a crawl ran (URINORM_LIVE). Only what stands in a [site] or [host] table is a rule; each has a row\n"
    "of evidence below. Name this file in `include` to use it."
)


def rule_file(preset: str, sources: Iterable[dict[str, Any]], evidence: Iterable[dict[str, Any]]) -> str:
    """Return a rule file of some rule sources, with their rows of evidence."""
    document = Document(_HEAD)
    document.top["preset"] = preset
    for source in sources:
        for kind, scopes in source.items():
            for name, table in scopes.items():
                document.tables[kind, name] = table
    return "\n".join((document.to_toml().rstrip("\n"), *evidence_lines(evidence))) + "\n"
