"""Scrapy's scheduler, or a project's own, with a file of its requests: killed jobs go on, requests can be kept back."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.core.scheduler import Scheduler as StockScheduler

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.dupefilter import DupeFilter
from scrapy_urinorm.crawl.engine_calls import wake
from scrapy_urinorm.crawl.filtering.verdicts import DEFER_BY
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.crawl.scheduling.journal import Journal, Kept
from scrapy_urinorm.crawl.scheduling.kept_back import KeptBack, serves_newest_first
from scrapy_urinorm.crawl.scheduling.releases import Callbacks, Releases, let_go
from scrapy_urinorm.crawl.scheduling.stranded import Stranded
from scrapy_urinorm.crawl.scheduling.taking_over import TakingOver, queue_stamp
from scrapy_urinorm.crawl.start_errors import never_opened, said_readably
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from scrapy_urinorm.crawl.scheduling.gate import Gate

#: How long one call may look for a request that the gate lets through, so that the reactor is not stopped for longer.
_LOOK_SECONDS = 0.02

_schedulers: WeakKeyDictionary[Crawler, Scheduler] = WeakKeyDictionary()


def scheduler_of(crawler: Crawler) -> Scheduler | None:
    """The scheduler of a crawler, once the engine has built it."""
    return _schedulers.get(crawler)


def over(scheduler: type[StockScheduler]) -> type[Scheduler]:
    """Our scheduler over a project's own, which is derived from Scrapy's."""
    return type(scheduler.__name__, (Scheduler, scheduler), {"__module__": __name__, "__doc__": scheduler.__doc__})


class Scheduler(StockScheduler):
    """A mixin over Scrapy's scheduler or a class derived from it: the add-on puts it over what `SCHEDULER` names.

    **The journal** (`URINORM_JOURNAL`, in force with a JOBDIR or where fingerprints are kept from run to run): a
    request is written to the file `urinorm.requests` before its fingerprint is, and its row ends when its callback's
    output was taken, or its chain failed; output and end are one transaction. After an unclean end Scrapy's own queue
    files, which a kill tears, are discarded, and the rows are served in their place. So each request is answered at
    least once, whatever kills the crawl.

    **Keeping requests back**: what `gate` says, and what a rule defers, waits in the file (`journal.file`).
    Released requests are served by turns with the queue, later ones when nothing else is waiting.
    """

    of_fleet = False
    journal: Journal
    """Known once the scheduler is open."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.gate: Gate | None = None
        self._kept: KeptBack | Stranded | None = None
        self.releases: Releases | None = None
        self._turn = False
        self.dqs = None  # Scrapy also closes what it could not open
        self._callbacks = Callbacks()
        if self.crawler is not None:
            _schedulers[self.crawler] = self

    # ------------------------------------------------------------------ open and close

    @said_readably()
    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the file, then the scheduler; raises UrinormError where the file or the seen store cannot be had."""
        try:
            return self._open(spider)
        except BaseException:
            never_opened(spider)
            raise

    def _open(self, spider: Spider) -> Deferred[None] | None:
        self.journal = journal = Journal(spider, self.df.store if isinstance(self.df, DupeFilter) else None)
        try:
            journal.open()
            trusted = self.dqdir is not None and not journal.file.unclean
            taking_over = None
            if self.dqdir is not None:
                taking_over = TakingOver(journal, Path(self.dqdir))
                taking_over.finish(trusted=trusted)
            found = queue_stamp(self.dqdir)
            foreign = trusted and taking_over is not None and taking_over.begin(found)
            opened = super().open(spider)
            newest_first = serves_newest_first(self.dqclass if self.dqdir else self.mqclass)
            if foreign and taking_over is not None and self.dqs is not None:
                taking_over.take(len(self.dqs), self._dqpop, newest_first=newest_first)
            else:
                journal.take_up(trusted=trusted, tell=self.df.request_seen)
            variants = self.df.variants if isinstance(self.df, DupeFilter) else None
            if variants is not None and variants.shared is None:
                journal.take_up_variants(variants)
            journal.begin()
            if taking_over is not None:
                taking_over.done()
        except BaseException:
            journal.file.close()
            raise
        engine = journal.engine
        slots = engine.downloader.slots if engine is not None else {}
        self._kept = kept = KeptBack(journal.file, slots, newest_first=newest_first)
        self.releases = Releases(journal, kept, self.poke)
        journal.strands = self._strand
        if not own.switch(spider.crawler.settings, "URINORM_LIVE"):
            let_go(self, "URINORM_LIVE is off")
        if isinstance(self.df, DupeFilter):
            self.df.leave_deferred()
        return opened

    def _strand(self, error: Exception) -> None:
        """A temporary file cannot be written any more: what it holds is served without it, and nothing is kept back."""
        kept = self._kept
        if self.releases is not None:
            self.releases.stop()
        self._kept = Stranded(kept.taken() if isinstance(kept, KeptBack) else (), self.journal.file, self.stats)
        if self.gate is not None:
            self.gate.off(str(error))
        else:
            own.logger.warning("Requests that were put off are fetched in their turn: %s", error)
        self.poke()

    @property
    def stranded(self) -> Stranded | None:
        """What a file held that cannot be written any more."""
        return self._kept if isinstance(self._kept, Stranded) else None

    def close(self, reason: str) -> Deferred[None] | None:
        """Close the scheduler, then the file: a crawl that ends well leaves Scrapy's queue to be trusted."""
        if self._kept is None:
            return super().close(reason)
        journal = self.journal
        if self.releases is not None:
            self.releases.finish()
        if self.gate is not None:
            self.gate.at_close()
            self.gate = None
        journal.settle()
        self._kept.put_back()
        if journal.in_force and self.dqdir is not None:
            # what Scrapy's disk queue could not take would end with the process
            while (request := self.mqs.pop()) is not None:
                journal.put(request, Kept(State.RELEASED), journal.number(request))
        empty = not super().has_pending_requests()
        closed = None
        try:
            closed = super().close(reason)
        except BaseException as error:
            if not isinstance(error, OSError) or not journal.in_force:
                journal.file.close()
                raise
            # the rows say what was in the queue: the next run takes these, as after a kill
            journal.fail_queue(self.dqdir, error)
            with contextlib.suppress(OSError, UrinormError):
                self.df.close(reason)
        journal.close(queue=queue_stamp(self.dqdir), empty=empty)
        self._kept = None
        return closed

    # ------------------------------------------------------------------ in

    def enqueue_request(self, request: Request) -> bool:
        """As Scrapy's; a request that is kept back counts as enqueued."""
        if self._kept is None:
            return super().enqueue_request(request)
        if self.journal.is_lost and self.journal.in_force:
            # the crawl stops; the page that named it has not ended, and the next run fetches that
            return False
        self.journal.first_row.offer(request)
        taken = super().enqueue_request(request)
        self.journal.first_row.end(taken=taken)
        if not taken and self.gate is not None:
            self.gate.refused(request)
        return taken

    def _dqpush(self, request: Request) -> bool:
        """Where Scrapy's scheduler puts what the filter has let through: into the file, then into its queue."""
        if self._kept is None:
            return super()._dqpush(request)
        journal = self.journal
        kept = self._asked(request)
        if kept is not None:
            if journal.put(request, kept, journal.first_row.number) is not None:
                return True
            if kept.state is State.LATER:
                request.priority -= DEFER_BY
        if not journal.in_force:
            # that of the request whose meta this one has
            (request._meta or {}).pop(own.ROW_META, None)
        elif not journal.first_row.tried:
            journal.put(request, Kept(State.QUEUED))
        try:
            return super()._dqpush(request)
        except OSError as error:
            if not journal.in_force:
                raise
            journal.fail_queue(self.dqdir, error)
            return True

    def _asked(self, request: Request) -> Kept | None:
        deferred = isinstance(self.df, DupeFilter) and self.df.deferred(request)
        if deferred and (self.gate is None or not self.gate.orders(request)):
            return Kept(State.LATER)
        return self.gate.at_enqueue(request) if self.gate is not None else None

    # ------------------------------------------------------------------ out

    def has_pending_requests(self) -> bool:
        """Whether anything is still to be served; what is parked is not."""
        return bool(self._kept) or bool(self.releases) or super().has_pending_requests()

    def next_request(self) -> Request | None:
        """The next request for the engine, of Scrapy's queue or of those kept back.

        A search that is long, as the gate keeps back one after the other, goes on when the engine calls again, soon.
        """
        if self._kept is None:
            return super().next_request()
        journal = self.journal
        journal.settle_when_due()
        if self.gate is not None:
            self.gate.tick()
        if self.releases:
            self.releases.turn()
        started = time.monotonic() if self.gate is not None else 0.0
        while (found := self._pop(self._kept)) is not None:
            request, free = found
            kept = None if free or self.gate is None else self.gate.at_dequeue(request)
            if kept is None or journal.put(request, kept, journal.number(request)) is None:
                journal.hand_out(request)
                if self.gate is not None:
                    self.gate.handed_out(request)
                return request
            if time.monotonic() - started > _LOOK_SECONDS:
                self.poke()
                break
        return None

    def _pop(self, kept: KeptBack | Stranded) -> tuple[Request, bool] | None:
        """The next request, and whether the gate has released it and is not to be asked about it again."""
        self._turn = not self._turn
        if self._turn and (found := self._serve(kept, State.RELEASED)) is not None:
            return found
        if (request := super().next_request()) is not None:
            self._callbacks.others_came()
            return request, False
        if (found := self._serve(kept, State.RELEASED)) is not None:
            self._callbacks.others_came()
            return found
        # what is on its way comes before what comes later
        if self.releases or not kept.has(State.LATER) or self._callbacks.may_bring_others(self.journal.engine):
            return None
        if self.gate is not None and not self.gate.later_may_go():
            return None
        return self._serve(kept, State.LATER)

    def _serve(self, kept: KeptBack | Stranded, state: State) -> tuple[Request, bool] | None:
        """The next request of those that wait in the file; free where the gate had it wait: its class tells."""
        try:
            while (row := kept.pop(state)) is not None:
                request = self.journal.read(row)
                if request is not None:
                    if row.fingerprint is not None and isinstance(self.df, DupeFilter):
                        self.df.taken_up(request)
                    assert self.stats is not None
                    self.stats.inc_value("scheduler/dequeued/disk")
                    self.stats.inc_value("scheduler/dequeued")
                    # what a killed run had in its queue may be kept back by what was learned since
                    return request, state is State.RELEASED and row.class_key is not None
        except UrinormError as error:
            self.journal.fail(error)
        return None

    def poke(self) -> None:
        """Have the engine ask for requests soon."""
        wake(self.journal.engine)

    def release(self, state: State = State.PARKED, *, to: State = State.RELEASED, **which: Any) -> int:
        """Let requests of a state go, all or those of a class or generation (see `RequestsFile.release`); how many.

        Without a limit some go now, the rest in further turns of the reactor: `tell` hears of those.
        """
        if not self.journal.file.is_open or self.releases is None or self.stranded is not None:
            return 0
        return self.releases.begin(state, to, **which)
