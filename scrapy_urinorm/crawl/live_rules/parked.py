"""What live rules keep back, in the file of requests: asked again under new rules, kept from run to run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.engine_calls import OnceATurn
from scrapy_urinorm.crawl.live_rules.state import LiveState, StateInPieces
from scrapy_urinorm.crawl.live_rules.waiting import kind_of
from scrapy_urinorm.crawl.requests.rows import SERVED, Row, State
from scrapy_urinorm.crawl.requests.serialized import loaded
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy import Spider

    from scrapy_urinorm.crawl.live_rules.flights import Flight
    from scrapy_urinorm.crawl.scheduler import Scheduler
    from scrapy_urinorm.live.desk import Desk

#: How long one step may take: the reactor serves others in between.
_STEP_SECONDS = 0.01
_BATCH = 200
#: How long one look for what has changed may take; with the step above, and what is written of it, 20 ms.
_LOOK_SECONDS = 0.004
#: What is kept for a resume is written after so many requests that are kept back, and with every new rule; after as
#: many as there are patterns, where these are more, so that a request costs the same whatever was seen of the site.
_SAVE = 500
#: Why a request was not sent: its page was, its shape brought nothing, or the crawl was stopped before its turn.
DUPLICATE, CLOSED, LATER = "duplicate", "closed", "later"


class Parked:
    """The requests that one crawl keeps back. `count` is told how many are released."""

    def __init__(self, scheduler: Scheduler, desk: Desk, count: Callable[[str, int], None]):
        self._scheduler = scheduler
        self._file = scheduler.journal.file
        self._desk = desk
        self._count = count
        self._spider: Spider | None = None
        self._unsaved = 0
        self._state: StateInPieces = LiveState(self._file, desk)
        self._turn = OnceATurn(self._go_on)
        self._generations: dict[str, list[int]] = {}
        self._work: deque[tuple[str, Iterator[None]]] = deque()

    # ------------------------------------------------------------------ new rules

    @property
    def busy(self) -> bool:
        """Whether a site's rules are being brought into force, or requests are on their way."""
        return bool(self._work) or bool(self._scheduler.releases)

    def ruled(self, name: str) -> None:
        """A site has new rules, which are written before any row names them."""
        self.ask_again(name)
        try:
            self._state.write(sites=True)
        except UrinormError as error:
            self._scheduler.journal.fail(error)
        self._state.begin()

    def ask_again(self, name: str) -> None:
        """Bring new rules into force: key what was served on the site, then ask again of what it keeps back."""
        self._generations.setdefault(name, []).append(self._desk.sites[name].generation)
        # newer rules have come before the last ones were in force
        self._work = deque((site, work) for site, work in self._work if site != name)
        self._work.append((name, self._steps(name)))

    def step(self) -> None:
        """Go on with that for some milliseconds of a turn, and let go what was put off for long enough."""
        self._let_due_go()
        if self._turn.is_new and self._is_at_work:
            self._turn.done(self._scheduler.journal.engine)
            self._state.step(_LOOK_SECONDS)
            # what is on its way takes as long, in the same turn
            until = time.monotonic() + (0 if self._scheduler.releases else _STEP_SECONDS)
            while self._work and time.monotonic() < until:
                if next(self._work[0][1], self) is self:
                    self._work.popleft()
        if self._is_at_work:
            self._scheduler.poke()

    def _go_on(self) -> None:
        """Go on where the engine has no room for a request, and so does not ask for one."""
        if self._is_at_work and self._scheduler.gate is not None:
            self._scheduler.gate.tick()

    @property
    def _is_at_work(self) -> bool:
        return bool(self._work) or self._state.is_sought

    def _let_due_go(self) -> None:
        for class_key, most in self._desk.due():
            self.release(State.LATER, class_key=class_key, limit=most)

    def _steps(self, name: str) -> Iterator[None]:
        after = 0
        while rows := self._file.served(name, after, _BATCH):
            self._desk.keyed(name, [(url, kind) for _, kind, url in rows])
            after = rows[-1][0]
            yield
        self._desk.ready(name)
        now, going = self._desk.sites[name].generation, set[bytes]()
        for generation in self._generations[name][:-1]:
            after = 0
            while parked := self._file.parked(generation, after, _BATCH):
                after = parked[-1].id
                for start in range(0, len(parked), 20):
                    for row in parked[start : start + 20]:
                        self._ask(row, now, going)
                    yield
        self._generations[name] = [now]
        if self._file.waiting[State.RELEASED] or self._file.waiting[State.LATER]:
            self._scheduler.poke()

    def _ask(self, row: Row, generation: int, going: set[bytes]) -> None:
        request = self._scheduler.journal.read(row)
        if request is None:
            return
        url, kind = request.url, kind_of(request)
        held = self._desk.still_held(url, kind, going)
        if held is None and self._desk.comes_later(url, kind):
            self._file.put(row._replace(state=State.LATER, generation=0, priority=0))
        elif held is None:
            self._file.put(row._replace(state=State.RELEASED, generation=0))
            self._count("released", 1)
        else:
            self._file.put(row._replace(class_key=held, generation=generation))

    def reopen(self, patterns: list[bytes]) -> None:
        """Have requests of closed shapes served later, after all."""
        for key in patterns:
            self.release(State.PARKED, to=State.LATER, class_key=key)

    def release(self, state: State = State.PARKED, **which: Any) -> None:
        """Let requests go, and count them; of many the rest in further turns of the reactor."""
        count = partial(self._count, "released")
        count(self._scheduler.release(state, tell=count, **which))

    # ------------------------------------------------------------------ what has ended

    def ended(self, number: int, flight: Flight) -> bool:
        """Note what a claim came to, and let one go in its stead where it came to nothing; whether it was served."""
        claim = self._desk.claims.get(number)
        if flight.final is None or flight.failed:
            served, freed = False, self._desk.failed(number, None if flight.failed else flight.back)
            self.reopen(self._desk.answers.reopened())
        else:
            served = True
            freed, noted = self._desk.served(number, flight.final)
            for site, url, kind in noted:
                self._file.serve(site, kind, url)
        for class_key in freed:
            # in its turn, where its shape has brought nothing by now: that may close meanwhile
            later = claim is not None and self._desk.comes_later(claim.url, claim.kind)
            to = State.LATER if later else State.RELEASED
            self.release(State.PARKED, to=to, class_key=class_key, limit=1)
        return served

    # ------------------------------------------------------------------ from run to run

    def restore(self, spider: Spider | None) -> None:
        """Take up what the run before has left."""
        self._spider = spider
        state = self._state.read()
        for name, known in state["sites"].items():
            self._generations[name] = [known["generation"]]
        for name in self._desk.restore(state):
            self.ask_again(name)
        # in their turn those of closed shapes are asked again, and what a kill left under rules before the last
        last = {known["generation"] for known in state["sites"].values()}
        for generation in self._file.generations():
            if generation not in last:
                self._scheduler.release(to=State.LATER, generation=generation)

    def kept(self) -> None:
        """One more request is kept back: after a number of them what has changed is written, some at a time."""
        self._unsaved += 1
        if self._unsaved >= max(_SAVE, len(self._desk.yields.of)):
            self._unsaved = 0
            self._state.begin()

    def save(self) -> None:
        """Write down what a later run takes up, when nobody waits for the reactor any more."""
        if self._scheduler.releases is not None:
            self._scheduler.releases.finish()
        try:
            self._state.write()
        except UrinormError as error:
            self._scheduler.journal.fail(error)

    def waiting(self) -> int:
        """How many requests wait for a decision."""
        return self._file.count(State.PARKED)

    def put_off(self) -> int:
        """How many requests wait for their turn."""
        if (stranded := self._scheduler.stranded) is not None:
            return sum(row.state in SERVED for row in stranded.rest())
        return self._file.count(*SERVED)

    def rows(self, *, later: bool = False) -> Iterator[tuple[str, str]]:
        """The addresses that are kept back, each with why: `duplicate` or `closed`; then those put off, as `later`."""
        for row in self._rows((State.PARKED, *SERVED) if later else (State.PARKED,)):
            request = loaded(row.data, self._spider)
            if request is not None:
                yield request.url, LATER if row.state in SERVED else DUPLICATE if row.generation else CLOSED

    def _rows(self, states: tuple[State, ...]) -> Iterator[Row]:
        if (stranded := self._scheduler.stranded) is not None:
            yield from (row for row in stranded.rest() if row.state in states)
            return
        for state in states:
            yield from self._file.rows(state)
