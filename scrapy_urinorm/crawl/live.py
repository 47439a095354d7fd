"""Live rules in a crawl: the gate of the scheduler, which asks the desk, and the extension, which hears the student."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.utils.job import job_dir

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.chains import chain_of
from scrapy_urinorm.crawl.engine_calls import in_progress
from scrapy_urinorm.crawl.live_rules.end import LiveEnd
from scrapy_urinorm.crawl.live_rules.flights import Flights
from scrapy_urinorm.crawl.live_rules.guarded import guarded
from scrapy_urinorm.crawl.live_rules.heard import Heard
from scrapy_urinorm.crawl.live_rules.hindrance import Hindrance
from scrapy_urinorm.crawl.live_rules.parked import Parked
from scrapy_urinorm.crawl.live_rules.places import folder_for
from scrapy_urinorm.crawl.live_rules.waiting import is_told, kind_of, may_speak, may_wait, why_not
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.crawl.rules import normalizer_of, under_test
from scrapy_urinorm.crawl.scheduler import Scheduler, scheduler_of
from scrapy_urinorm.crawl.scheduling.journal import Kept
from scrapy_urinorm.crawl.scheduling.releases import let_go
from scrapy_urinorm.crawl.visits_extension import VisitsExtension
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.questions import CANARY, CLOSED, LATER, PARK, SAMPLE
from scrapy_urinorm.normalizer import Normalizer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


#: Addresses that were met are told the student so many at a time.
_MET = 100
_NOT_IN_FORCE = "; learned rules are not in force: URINORM_LIVE_TEST = False has them so, untested"
_SIGNALS = "spider_opened spider_idle scheduler_empty spider_closed response_received spider_error".split()


class LiveRules:
    """Learn while the crawl runs (`URINORM_LIVE`), and keep back what is fetched already, or leads nowhere.

    It only observes, and says so, where our scheduler is not in force or `DEPTH_LIMIT` is set: then a variant that
    is less deep may lead further. Whatever ends it, the requests that were kept back go.
    """

    def __init__(self, crawler: Crawler):
        if not own.switch(crawler.settings, "URINORM_LIVE"):
            raise NotConfigured
        own.require_extras(crawler.settings)
        self.crawler = crawler
        ruleset = normalizer_of(crawler).ruleset
        self._opening = dict[str, Any](preset=ruleset.preset, learned=under_test(crawler))
        self._opening["rules"] = [ruleset.to_dict(pairs=True)]
        # to key addresses it needs no pairs, which are loaded again with every rule that is found
        keys = {table: value for table, value in ruleset.to_dict().items() if table != "evidence"}
        self._written = Normalizer(ruleset.written(), check_examples=False)
        close = own.number(crawler.settings, "URINORM_LIVE_CLOSE")
        self.desk = Desk([keys], ruleset.preset, close=int(close or 0), learned=self._opening["learned"])
        self.on, self.flights, self._hindrance = False, Flights(), Hindrance()
        self._met, self._heard = list[str](), Heard()
        self._remove: Callable[[], object] = lambda: None
        self.fetched = 0
        """Pages that were delivered, by which it is known whether there is anything new to judge."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension, connected to its signals."""
        extension = cls(crawler)
        for name in _SIGNALS:
            crawler.signals.connect(getattr(extension, name), getattr(signals, name))
        return extension

    # ------------------------------------------------------------------ begin and end

    def spider_opened(self, spider: Spider) -> None:
        """Take the gate of the scheduler, and what the run before has left."""
        visits, scheduler = self.crawler.get_extension(VisitsExtension), scheduler_of(self.crawler)
        if visits is None:
            return
        jobdir = job_dir(self.crawler.settings)
        folder, self._remove, why = folder_for(jobdir, self)
        why = why_not(self.crawler, scheduler) or visits.unread or why
        if folder:
            visits.tell({"do": "live", "folder": folder, **self._opening}, again=True)
        self._visits = visits
        visits.listener, visits.watcher = self._heard.hear, self
        self.end = LiveEnd(self, jobdir, visits.crawl_id)
        if scheduler is not None and not why:
            why = scheduler.journal.ready()
        if why or scheduler is None:
            own.logger.warning("Live rules only observe: %s%s", why, _NOT_IN_FORCE if self._opening["learned"] else "")
            if scheduler is not None:
                # of a run before that did more
                let_go(scheduler, "live rules only observe")
            return
        self._heard.wakes(scheduler.poke)
        self._take_up(scheduler)

    def _take_up(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.parked = Parked(scheduler, self.desk, self._count)
        scheduler.gate = self
        self.on = True
        self._count("tested", len(self._opening["learned"]))
        self._restore()

    @guarded
    def _restore(self) -> None:
        self.parked.restore(self.crawler.spider)
        self.end.take_up()

    def spider_closed(self) -> None:
        """Remove what was for this run only; also when live rules are off, as what goes may need the room."""
        self._remove()

    def off(self, why: str) -> None:
        """Go on without live rules: what was kept back goes."""
        if self.on:
            self.on = False
            own.logger.warning("Live rules are off: %s; what they kept back is fetched", why)
            self.spider_closed()
            try:
                self.parked.release()
            except UrinormError as error:
                self.lost(error)

    def lost(self, error: UrinormError) -> None:
        """The file of requests fails: a job stops and says why, a crawl without one goes on without live rules."""
        self.scheduler.journal.fail(error)
        self.on = False

    # ------------------------------------------------------------------ the gate

    @guarded
    def orders(self, request: Request) -> bool:
        """Ask of a request that is deferred."""
        return self.on and may_wait(request) and not self._written.verdict(request.url)[1]

    @guarded
    def at_enqueue(self, request: Request) -> Kept | None:
        """Ask of a request that is new."""
        meta = request._meta or {}
        if self.flights.follow(request):
            return None
        # a callback may have copied them from its response
        for name in (own.LIVE_META, own.CANARY_META, own.LATER_META):
            meta.pop(name, None)
        if not self.on or not self._hindrance.may_wait(request):
            return None
        self._met.append(request.url)
        self.desk.ids.met(request.url)
        if len(self._met) >= _MET:
            self.tell_met()
        return self._kept(request, late=False)

    @guarded
    def at_dequeue(self, request: Request) -> Kept | None:
        """Ask again: most duplicates were queued before the rule was known."""
        late = bool((request._meta or {}).get(own.LATER_META))
        return self._kept(request, late=late) if self.on and may_wait(request) else None

    def _kept(self, request: Request, *, late: bool) -> Kept | None:
        decision = self.desk.decide(request.url, kind_of(request), late=late)
        verdict = decision.verdict
        if verdict == CANARY:
            self._count("canaries")
        elif verdict in (PARK, CLOSED):
            self._count("parked" if verdict == PARK else "closed")
            self.parked.kept()
            priority = decision.priority if verdict == CLOSED else None
            return Kept(State.PARKED, decision.class_key, decision.generation, priority)
        if verdict in (CANARY, SAMPLE):
            request.meta[own.CANARY_META] = True
        if not late and verdict in (LATER, SAMPLE):
            self._count("later")
            request.meta[own.LATER_META] = True
            return Kept(State.LATER, decision.class_key, priority=decision.priority)
        return None

    @guarded
    def refused(self, request: Request) -> None:
        """A request is known: a redirect that led there has brought nothing."""
        self.flights.led_back(request)

    @guarded
    def handed_out(self, request: Request) -> None:
        """A request speaks for its page from now on."""
        if not self.flights.resume(request) and self.on and may_speak(request):
            self.flights.begin(request, self.desk.claim(request.url, kind_of(request)))

    def later_may_go(self) -> bool:
        """What may be a duplicate waits for the process that learns, which may know by then."""
        return not self.on or self._heard.is_up_to_date()

    @guarded
    def tick(self) -> None:
        """Hear what was said, and see what has ended."""
        self._listen()
        if not self.on:
            return
        self.parked.step()
        self.end.progress()
        for number, flight in self.flights.ended(in_progress(self.crawler.engine)):
            if flight.finishes and (claim := self.desk.claims.get(number)) is not None:
                self.desk.answers.finished(self.desk.pattern(claim.url, claim.kind), chained=flight.is_chained)
            self.fetched += self.parked.ended(number, flight)

    @guarded
    def at_close(self) -> None:
        """Write down what is kept back, and what was learned."""
        self.tick()
        self.save()
        self.end.written()

    # ------------------------------------------------------------------ what is seen

    def said(self, request: Request) -> dict[str, Any]:
        """What the reader is to know: the pattern of the address, by which its news are counted."""
        self._heard.sent()
        self.tell_met()
        kind = kind_of(request) if is_told(request) and not request.cookies else 0  # the header may be Scrapy's by now
        return {"pattern": self.desk.pattern(chain_of(request)[0], kind)}

    def unread(self, request: Request) -> None:
        """A page that nobody has read serves no class."""
        self.flights.failed(request)

    def response_received(self, response: Response, request: Request) -> None:
        """A page is delivered to its callback."""
        if not self.on:
            self._listen()
        self.flights.delivered(request, response)

    def spider_error(self, response: Response) -> None:
        """A callback has failed: what it would have made of the page is not there."""
        if (request := getattr(response, "request", None)) is not None:
            self.flights.failed(request)

    def spider_idle(self, spider: Spider) -> None:
        """Nothing is under way: judge once more before what is kept back is given up."""
        if self.on and self._asks():
            raise DontCloseSpider

    def scheduler_empty(self) -> None:
        """The same where `start()` never ends, and the spider is never idle."""
        if self.on and not self.flights:
            self._asks()

    @guarded
    def _asks(self) -> bool:
        self.tick()
        return self.end.asks()

    # ------------------------------------------------------------------ what is heard

    def _listen(self) -> None:
        for message in self._heard.messages():
            self._told(message)

    def _told(self, message: dict[str, Any]) -> None:
        what = message["do"]
        if what in ("live_died", "died"):
            self.off(message.get("why", "the process that learns has ended twice"))
        elif what == "verdict":
            self.end.heard(message["asked"])
        elif what != "failed":
            self.end.log(message)
            if self.on:
                reopened, site = self.desk.take(message)
                self.parked.reopen(reopened)
                if site is not None:
                    self.parked.ruled(site)
        elif "site" in message:
            own.logger.error("Live rules: %s", message["text"])

    def tell_met(self) -> None:
        """Tell the student of addresses that wait."""
        if self._met:
            self._visits.tell({"do": "met", "urls": self._met})
            self._met = []

    def ask(self, sites: list[str], number: int) -> None:
        """Have sites judged once more."""
        self.tell_met()
        self._visits.tell({"do": "judge", "sites": sites, "asked": number}, again=True)

    def _count(self, name: str, number: int = 1) -> None:
        if number:
            own.stats_of(self.crawler).inc_value(f"urinorm/live/{name}", number)

    def save(self) -> None:
        """Write down what a resumed crawl goes on with."""
        if self.on:
            self.parked.save()
