"""The scheduler of scrapy-redis with live rules: what waits does so in Redis, for all workers."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.engine_calls import close_spider, wake
from scrapy_urinorm.crawl.filtering.store import redis_prefix
from scrapy_urinorm.crawl.filtering.verdicts import DEFER_BY
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.crawl.requests.serialized import unreadable
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.live.fleet_share import CLOSED, FleetShare
from scrapy_urinorm.live.questions import by_lot
from scrapy_urinorm.seen.redis_address import is_redis

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from scrapy_urinorm.crawl.scheduling.gate import Gate
    from scrapy_urinorm.crawl.scheduling.journal import Kept
    from scrapy_urinorm.live.fleet_share import HeldBack

    class FleetGate(Gate, Protocol):
        """A gate that knows sites."""

        def site_of(self, url: str) -> str:
            """The site whose rules hold an address."""

    class _Below:
        """What is used of scrapy-redis' scheduler, which has no types."""

        @classmethod
        def from_crawler(cls, crawler: Crawler) -> Any: ...
        def open(self, spider: Spider) -> Any: ...
        def close(self, reason: str) -> Any: ...
        def flush(self) -> None: ...
        def enqueue_request(self, request: Request) -> Any: ...
        def next_request(self) -> Request | None: ...
else:
    # the mixin stands over whatever class the project has
    _Below = object

_LOOK_SECONDS = 0.02
"""How long one call may look for a request that goes, as in the scheduler over Scrapy's."""
_BEHIND_SECONDS = 0.05
"""How long a request that comes later is not asked for again when the process that learns is behind."""

_schedulers: WeakKeyDictionary[Crawler, FleetScheduler] = WeakKeyDictionary()


def fleet_of(crawler: Crawler) -> FleetScheduler | None:
    """The scheduler of a worker, once its engine has built it."""
    return _schedulers.get(crawler)


def over_fleet(scheduler: type) -> type:
    """Our scheduler over scrapy-redis', or a project's own that is derived from it."""
    return type(scheduler.__name__, (FleetScheduler, scheduler), {"__module__": __name__, "__doc__": scheduler.__doc__})


def _later(request: Request, priority: int) -> Request:
    """Have a request come behind the others, among those of its kind by `priority`; its own is kept."""
    request.meta[own.LATER_META] = str(request.priority)
    request.priority = priority - DEFER_BY
    return request


class FleetJournal:
    """What live rules ask of a journal: requests are in Redis' queue, which is the project's own."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.file: Any = None
        self.is_lost = False

    @property
    def engine(self) -> ExecutionEngine | None:
        """The worker's engine."""
        return self._crawler.engine

    def fail(self, error: Exception) -> None:
        """What waits cannot be had any more: the crawl stops."""
        if not self.is_lost:
            self.is_lost = True
            own.logger.critical("The crawl stops: %s", error if isinstance(error, UrinormError) else repr(error))
            close_spider(self._crawler, "urinorm_seen_lost")


class FleetScheduler(_Below):
    """A mixin over scrapy-redis' scheduler; the add-on puts it there where fingerprints are in Redis, too.

    What `gate` keeps back is in Redis (`shared`), and leaves the queue. What is to go after all goes into the queue
    again, before it leaves there: a worker that is killed loses nothing. `gate` is asked when a request comes out of
    the queue; what comes later goes back with a low priority, of which scrapy-redis' lists know nothing.
    """

    of_fleet = True
    #: What goes does so at once.
    releases = None
    crawler: Crawler
    queue: Any

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Build the scheduler."""
        scheduler = super().from_crawler(crawler)
        scheduler.crawler = crawler
        scheduler.gate = scheduler.shared = None
        scheduler.journal = FleetJournal(crawler)
        scheduler._pause = 0.0
        scheduler._unreadable = set()
        _schedulers[crawler] = scheduler
        return scheduler

    gate: FleetGate | None
    shared: FleetShare | None
    journal: FleetJournal
    _pause: float
    _unreadable: set[bytes]

    def open(self, spider: Spider) -> Any:
        """Open the scheduler, and what the fleet shares where fingerprints are in Redis, too. Raises UrinormError."""
        settings = spider.crawler.settings
        url = str(own.value(settings, "URINORM_SEEN"))
        if is_redis(url):
            on_lost = own.value(settings, "URINORM_SEEN_ON_LOST")
            self.shared = FleetShare(url, redis_prefix(spider.crawler), on_lost, uuid.uuid4().hex)
            self.shared.open()
        opened = super().open(spider)
        if not own.switch(settings, "URINORM_LIVE"):
            # of a run before that had live rules
            self.release()
        return opened

    def close(self, reason: str) -> Any:
        """Close both."""
        if self.gate is not None:
            self.gate.at_close()
            self.gate = None
        try:
            return super().close(reason)
        finally:
            if self.shared is not None:
                self.shared.close()

    def flush(self) -> None:
        """Forget everything, for all."""
        super().flush()
        if self.shared is not None:
            self.shared.clear()

    def enqueue_request(self, request: Request) -> Any:
        """As scrapy-redis'; nothing that is known of the request's origin in this worker goes along."""
        if self.gate is not None:
            self.gate.at_enqueue(request)
        return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """The next request that is not kept back."""
        gate = self.gate
        if gate is None:
            return self._popped()
        gate.tick()
        started = time.monotonic()
        if started < self._pause and not gate.later_may_go():
            return None
        while (request := self._popped()) is not None:
            before = (request._meta or {}).get(own.LATER_META)
            if before and not gate.later_may_go() and self._put(request):
                self._pause = time.monotonic() + _BEHIND_SECONDS
                return None
            if before:
                # what follows from it is to have its own
                request.priority = int(before)
            kept = gate.at_dequeue(request)
            if kept is None or not self._keep(request, kept):
                gate.handed_out(request)
                return request
            if time.monotonic() - started > _LOOK_SECONDS:
                self.poke()
                break
        return None

    def _popped(self) -> Request | None:
        return super().next_request()

    def poke(self) -> None:
        """Have the engine ask for requests soon."""
        wake(self.crawler.engine)

    def _keep(self, request: Request, kept: Kept) -> bool:
        """Have a request wait, or come later; False where it cannot."""
        if kept.state is State.LATER:
            return self._put(_later(request, kept.priority or 0))
        if self.shared is None or self.gate is None or kept.class_key is None:
            return False
        try:
            data = self.queue._encode_request(request)
            return self.shared.park(self.gate.site_of(request.url), kept.generation, kept.class_key, data)
        except UrinormError as error:
            self.journal.fail(error)
        except Exception:  # noqa: BLE001  logged, and it goes
            own.logger.exception("Live rules: a request cannot be kept back, and is sent")
        return False

    def _put(self, request: Request) -> bool:
        try:
            self.queue.push(request)
        except Exception:  # noqa: BLE001  logged, and it goes
            # the project's own client of Redis
            own.logger.exception("A request cannot be put behind the others, and is sent in its turn")
            return False
        return True

    def read(self, one: HeldBack) -> Request | None:
        """The request of what waits; None where it has gone meanwhile, or this spider cannot read it: then it stays."""
        if not one.data:
            return None
        try:
            found: Request = self.queue._decode_request(one.data)
        except Exception:  # noqa: BLE001  a callback or a class that is no longer there
            if one.number not in self._unreadable:
                self._unreadable.add(one.number)
                unreadable(self.crawler, "the fleet, in Redis,")
            return None
        return found

    def let_go(self, one: HeldBack, request: Request | None = None, *, later: bool = False) -> int:
        """Put what waits into the queue; how many it was. `later`: behind the others, and to be asked about again."""
        request = request or self.read(one)
        if request is None or self.shared is None:
            return 0
        if later:
            _later(request, by_lot(0, request.url))
        else:
            request.meta[own.CANARY_META] = True
        if not self._put(request):
            return 0
        self.shared.remove([one.member])
        return 1

    def release(self, generation: int | None = None, class_key: bytes = b"", limit: int | None = None) -> int:
        """Let requests go that wait, all or those of a generation and a class, of a closed pattern later; how many."""
        if self.shared is None:
            return 0
        found = self.shared.waiting(generation, class_key, limit)
        released = sum(self.let_go(one, later=one.generation == CLOSED and generation is not None) for one in found)
        if released:
            self.poke()
        return released
