"""Live rules in a worker of a fleet: what it sees is learned from, and what is learned holds, for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DontCloseSpider
from scrapy.utils.job import job_dir

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.filtering.store import redis_prefix
from scrapy_urinorm.crawl.fleet import FleetScheduler, fleet_of
from scrapy_urinorm.crawl.fleets.end import FleetEnd
from scrapy_urinorm.crawl.fleets.parked import FleetParked
from scrapy_urinorm.crawl.live import _MET, LiveRules
from scrapy_urinorm.crawl.live_rules.guarded import guarded
from scrapy_urinorm.crawl.live_rules.places import temporary_folder
from scrapy_urinorm.crawl.live_rules.waiting import why_not
from scrapy_urinorm.crawl.visits_extension import VisitsExtension

if TYPE_CHECKING:
    from scrapy import Request, Spider

    from scrapy_urinorm.crawl.scheduling.journal import Kept
    from scrapy_urinorm.errors import UrinormError
    from scrapy_urinorm.live.fleet_share import FleetShare


class FleetRules(LiveRules):
    """As `LiveRules`, under scrapy-redis' scheduler: what waits, and what is known of it, is in Redis.

    A worker whose own live rules are off leaves the fleet's to the others; the last one lets go what waits.
    """

    _idle = True
    _joined = False
    parked: FleetParked
    fleet: FleetScheduler
    shared: FleetShare

    def spider_opened(self, spider: Spider) -> None:
        """Join the fleet."""
        visits, fleet = self.crawler.get_extension(VisitsExtension), fleet_of(self.crawler)
        if visits is None or fleet is None or fleet.shared is None or why_not(self.crawler, fleet) or visits.unread:
            super().spider_opened(spider)
            if fleet is not None:
                self._count("released", fleet.release())
            return
        self.fleet, self.shared = fleet, fleet.shared
        # what was seen is in Redis: nothing here is for a later run
        folder, self._remove = temporary_folder(self)
        settings = self.crawler.settings
        said = {
            "url": str(own.value(settings, "URINORM_SEEN")),
            "prefix": redis_prefix(self.crawler),
            "on_lost": own.value(settings, "URINORM_SEEN_ON_LOST"),
            "worker": self.shared.worker,
        }
        visits.tell({"do": "live", "folder": folder, **self._opening, "fleet": said}, again=True)
        self._visits = visits
        visits.listener = self._heard.hear
        visits.watcher = self
        self.end = FleetEnd(self, job_dir(settings), visits.crawl_id, self.shared)
        self._heard.wakes(fleet.poke)
        self.scheduler = fleet  # type: ignore[assignment]  # has what is used of it
        self.parked = FleetParked(fleet, self.desk, self._count, self.shared)
        fleet.gate = self
        self.on = self._joined = True
        self._restore()

    def site_of(self, url: str) -> str:
        """The site whose rules hold an address."""
        return self.desk.site_name(url)

    # ------------------------------------------------------------------ the gate

    @guarded
    def at_enqueue(self, request: Request) -> Kept | None:
        """A request goes into the queue, from where any worker may take it: it is asked about when it leaves it."""
        meta = request._meta or {}
        if self.flights.follow(request):
            # nobody can tell whether it comes back to this worker: whoever waits for its page is not to
            self.flights.leave(request)
        elif self.on and self._hindrance.may_wait(request):
            self._met.append(request.url)
            if len(self._met) >= _MET:
                self.tell_met()
        for name in (own.LIVE_META, own.CANARY_META, own.LATER_META):
            meta.pop(name, None)
        return None

    @guarded
    def handed_out(self, request: Request) -> None:
        """A request speaks for its page from now on."""
        if self._idle:
            self._idle = False
            self.shared.busy()
        (request._meta or {}).pop(own.LIVE_META, None)
        super().handed_out(request)

    # ------------------------------------------------------------------ the end

    def hand_over(self) -> None:
        """Nothing is under way here: say so when all that it has seen is handed over."""
        self._idle = True
        self.tell_met()
        self._visits.tell({"do": "idle", "epoch": self.shared.epoch})

    def spider_idle(self, spider: Spider) -> None:
        """As ever; and where live rules are off, and no other worker has any, let go what waits."""
        super().spider_idle(spider)
        if self._joined and not self.on and self._lets_go():
            raise DontCloseSpider

    @guarded
    def _lets_go(self) -> bool:
        standing = self.shared.standing()
        if standing.workers - {self.shared.worker} or not standing.parked:
            return False
        released = self.fleet.release()
        self._count("released", released)
        return bool(released)

    def ask(self, sites: list[str], number: int) -> None:
        """Nothing: all learners were asked, by way of Redis."""

    def off(self, why: str) -> None:
        """Go on without live rules: others learn what this worker would have."""
        if self.on:
            self.on = False
            own.logger.warning("Live rules are off in this worker: %s", why)
            self._visits.tell({"do": "leave"})

    def lost(self, error: UrinormError) -> None:
        """What is shared cannot be had: the crawl stops, and says why."""
        self.on = self._joined = False
        self.fleet.journal.fail(error)
