"""The file of a crawl's requests as its scheduler uses it: what is written when, and what a killed run has left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.engine_calls import close_spider, in_progress
from scrapy_urinorm.crawl.failures import failed
from scrapy_urinorm.crawl.requests.database import ADVICE, RequestsFileError
from scrapy_urinorm.crawl.requests.file import COMMIT_CHANGES, FILE_NAME, RequestsFile
from scrapy_urinorm.crawl.requests.rows import MOST, SERVED, Row, State
from scrapy_urinorm.crawl.requests.serialized import dumped, loaded, unreadable, url_of
from scrapy_urinorm.crawl.scheduling.agreement import count_seen, forget_later, open_alone
from scrapy_urinorm.crawl.scheduling.first_row import FirstRow
from scrapy_urinorm.crawl.scheduling.places import opened_for_many, place_of_requests
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.core.engine import ExecutionEngine

    from scrapy_urinorm.crawl.filtering.variants import Variants
    from scrapy_urinorm.seen import SeenStore

#: What a kill may cost in pages fetched again: those that ended in this time. A commit takes 0.1 ms.
_COMMIT_SECONDS = 0.02


class Kept(NamedTuple):
    """In which state a request is written; class and rules as in `Row`, the priority where it is not its own."""

    state: State
    class_key: bytes | None = None
    generation: int = 0
    priority: int | None = None


class Journal:
    """The requests of one crawl in a `RequestsFile`, which is made when it is needed.

    In force (`in_force`), every request is in the file from before its fingerprint is written until it has ended.
    Otherwise only those are that are kept back. `store` is the seen store, where it is ours: it writes a fingerprint
    when the row is written; under another duplicate filter, or where it cannot wait, there is a `first_row`.

    Nothing here raises into a crawl: where the disk fails, the crawl is stopped, and what was committed is taken up by
    the next run. Where there is no next one, as the file is a temporary one, `strands` is told: what it holds goes now.
    """

    first_row: FirstRow
    """Known once the journal has begun, as `open` may take another file."""

    def __init__(self, spider: Spider, store: SeenStore | None):
        self._spider = spider
        self._store = store
        self._place = place = place_of_requests(spider, lasting=store is not None)
        self.file = RequestsFile(place.folder, place.name)
        self.in_force = place.folder is not None and own.switch(spider.crawler.settings, "URINORM_JOURNAL")
        self._exists = place.folder is not None and (place.folder / place.name).exists()
        self._flying: dict[Request, int] = {}
        self._committed = 0.0
        self.is_lost = False
        """Whether nothing is written any more, as the disk or the seen store has failed."""
        self._variants: Variants | None = None
        self.strands: Callable[[Exception], None] | None = None

    # ------------------------------------------------------------------ from run to run

    def open(self) -> None:
        """Open the file where there is one, or is to be one. Raises UrinormError."""
        if not self.in_force and not self._exists:
            return
        if self._place.for_many:
            self._place, self.file = opened_for_many(self._place)
            self.in_force = self.in_force and self._place.folder is not None
        else:
            open_alone(self._place, self.file, in_force=self.in_force)

    def ready(self) -> str:
        """Open the file where it was not needed so far; return why it cannot be, else an empty text."""
        try:
            if not self.file.is_open:
                self.file.open()
        except UrinormError as error:
            self.file.close()
            return str(error)
        return ""

    def begin(self) -> None:
        """The seen store is open and the run before taken up: write from now on. Raises UrinormError."""
        if self.file.is_open:
            count_seen(self._place, self.file, self._store)
            self.file.set_marks(running="1" if self.in_force else "", taking_over="")
        self.first_row = FirstRow(self._put_first, self.file.end)
        if self.in_force and (self._store is None or not self._store.hold()):
            self.first_row.begin(self._store)

    def take_up(self, *, trusted: bool, tell: Callable[[Request], object]) -> None:
        """Serve what the run before has left, but for what Scrapy's queue files have where they are to be `trusted`.

        A kill may have come between a row and its fingerprint: the seen store gets the fingerprints again, and a
        duplicate filter that is not ours is told of the requests by `tell`. Raises UrinormError.
        """
        file = self.file
        if not file.is_open:
            return
        forget_later(self._place, file, self._store)
        file.release(State.UNREADABLE)
        taken = file.release(State.FLYING) + (0 if trusted else file.release(State.QUEUED))
        if taken:
            own.stats_of(self._spider.crawler).set_value("urinorm/recovered", taken)
            own.logger.info("The run before left %d requests under way or waiting: they are served again", taken)
        if trusted:
            return
        rows = (row for state in (*SERVED, State.PARKED) for row in file.rows(state) if row.fingerprint is not None)
        if self._store is not None:
            self._store.add_many(row.fingerprint for row in rows if row.fingerprint is not None)
            return
        for row in rows:
            if (request := loaded(row.data, self._spider)) is not None:
                tell(request)

    def take_up_variants(self, variants: Variants) -> None:
        """Note from now on which keys have failed, and which of their variants wait for that. Raises UrinormError.

        The notes of the run before are taken up, but where it came to a good end and left them with the job.
        """
        if not self.in_force:
            return
        if self.file.unclean or not self._place.is_job:
            variants.restore_notes(FILE_NAME, self.file.notes())
            # not when they are served: their variants may be found before that
            for state in (*SERVED, State.PARKED):
                rows = ((row.fingerprint, url_of(row.data, self._spider)) for row in self.file.rows(state))
                variants.expect((fp, url) for fp, url in rows if fp is not None)
        else:
            self.file.forget_notes()
        variants.watch()
        self._variants = variants
        self.file.gather = self._gather_notes

    def close(self, *, queue: str, empty: bool) -> None:
        """Let go; `queue` is what Scrapy's queue files look like, `empty` says that nothing is waiting in them."""
        self.file.seen = None  # the seen store is closed, and has none by its count
        if self.file.is_open and not self.is_lost:
            try:
                if empty:
                    self.file.delete(State.QUEUED, State.FLYING)
                self.file.set_marks(running="", queue=queue)
            except UrinormError as error:
                own.logger.error("%s", error)
        self.file.close()

    # ------------------------------------------------------------------ a request

    def put(self, request: Request, kept: Kept, number: int | None = None) -> int | None:
        """Write a request, under its number or a new one; the number, or None where it cannot be written."""
        if self.is_lost:
            return None
        try:
            if not self.file.is_open:
                self.file.open()
            return self._put(request, kept, number)
        except UrinormError as error:
            self.fail(error)
        except Exception as error:  # noqa: BLE001  an object in meta: the request goes its way, a kill may cost it
            request.meta.pop(own.ROW_META, None)
            failed(self._spider.crawler, "The journal", error)
        return None

    def _put(self, request: Request, kept: Kept, number: int | None) -> int | None:
        request.meta[own.ROW_META] = number = self.file.new_id() if number is None else number
        data = dumped(request, self._spider)
        if data is None:
            del request.meta[own.ROW_META]
            return None
        fingerprinter = self._spider.crawler.request_fingerprinter
        assert fingerprinter is not None
        fp = None if request.dont_filter else fingerprinter.fingerprint(request)
        if self._variants is not None and own.CLAIMS_META in request.meta:
            self._variants.goes_on(request)
        priority = max(-MOST, min(MOST, request.priority if kept.priority is None else kept.priority))
        engine = self.engine
        slot = engine.downloader.get_slot_key(request) if engine is not None else ""
        self.file.put(Row(number, kept.state, priority, slot, data, fp, kept.class_key, kept.generation))
        return number

    @staticmethod
    def number(request: Request) -> int | None:
        """The number of a request that was written."""
        return (request._meta or {}).get(own.ROW_META)

    def read(self, row: Row) -> Request | None:
        """The request of a row; None where this spider cannot read it: it stays in the file."""
        request = loaded(row.data, self._spider)
        if request is None:
            self.file.put(row._replace(state=State.UNREADABLE))
            unreadable(self._spider.crawler, FILE_NAME)
        else:
            request.meta[own.ROW_META] = row.id
        return request

    def hand_out(self, request: Request) -> None:
        """A request goes to the engine."""
        if not self.file.is_open or self.is_lost:
            return
        number = self.number(request)
        if number is not None:
            self.file.fly(number)
        elif self.in_force:
            number = self.put(request, Kept(State.FLYING))
        if number is not None:
            self._flying[request] = number

    def _put_first(self, request: Request) -> int | None:
        number = self.put(request, Kept(State.QUEUED))
        self.commit()
        return number

    # ------------------------------------------------------------------ transactions

    def settle_when_due(self) -> None:
        """`settle`, where the last time is some milliseconds or many changes ago."""
        if self.file.is_open and not self.is_lost:
            now = time.monotonic()
            if now - self._committed > _COMMIT_SECONDS or self.file.changes > COMMIT_CHANGES:
                self.settle()
                self._committed = time.monotonic()

    def settle(self) -> None:
        """End the rows of what has ended, and write down what happened since the last time, in one transaction.

        The engine keeps a request in progress until its callback's output was taken, that is enqueued here, or the
        request that followed from it (a redirect, another try) was.
        """
        if own.stats_of(self._spider.crawler).get_value("urinorm/seen_lost"):
            # requests were dropped unseen: those whose output they were have not ended
            self._give_up()
            return
        self._gather_notes()
        for request in self._flying.keys() - set(in_progress(self.engine)):
            self.file.end(self._flying.pop(request))
        self.commit()

    def _gather_notes(self) -> None:
        """What is known of keys: no later than the end of the request that failed, or of the page with the variant.

        Nor later than the row of a variant that was let through, which the next run would let through once more.
        """
        if self._variants is None:
            return
        try:
            for key, text in self._variants.notes():
                self.file.note(key, text)
        except Exception as error:  # noqa: BLE001  a kill may cost the variants in hand
            failed(self._spider.crawler, "The journal of variants", error)

    def commit(self) -> None:
        """Write down what happened since the last time, rows before fingerprints."""
        if self.is_lost or not self.file.is_open:
            return
        try:
            self.file.commit()
            if self.in_force and not self.first_row.needed and self._store is not None:
                self._store.flush()
        except Exception as error:  # noqa: BLE001  what was not written would be lost in silence
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Without its journal the crawl would lose pages in silence: it stops."""
        if self.is_lost:
            return
        self._give_up()
        if self._place.folder is None and self.strands is not None:
            self.strands(error)
            return
        own.logger.critical("The crawl stops: %s", error if isinstance(error, UrinormError) else repr(error))
        close_spider(self._spider.crawler, "urinorm_journal_lost")

    def fail_queue(self, folder: str | None, error: OSError) -> None:
        """Scrapy's own queue files cannot be written: what is not in them is in rows, or the page that led there is."""
        self.fail(RequestsFileError(f"cannot write the queue in {folder}: {error.strerror or error}; {ADVICE}"))

    def _give_up(self) -> None:
        """Write nothing any more: the next run goes on from what was written, as after a kill."""
        self.is_lost = True
        if self._variants is not None:
            # the variants in hand have come further: one that was let through has no row, and would never be again
            self._variants.noted = True

    @property
    def engine(self) -> ExecutionEngine | None:
        """The crawl's engine; None where there is none, as in a test of the scheduler alone."""
        try:
            return self._spider.crawler.engine
        except RuntimeError:
            return None
