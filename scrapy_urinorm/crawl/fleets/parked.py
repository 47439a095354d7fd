"""What live rules keep back in a fleet: in Redis, brought into force by each worker, asked again by one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl.fleets.state import FleetState
from scrapy_urinorm.crawl.live_rules import parked
from scrapy_urinorm.crawl.live_rules.parked import Parked
from scrapy_urinorm.crawl.live_rules.waiting import kind_of
from scrapy_urinorm.live.fleet_share import CLOSED, FleetShare, HeldBack
from scrapy_urinorm.live.questions import pattern_key

if TYPE_CHECKING:
    from scrapy import Spider

    from scrapy_urinorm.crawl.fleet import FleetScheduler
    from scrapy_urinorm.crawl.live_rules.flights import Flight
    from scrapy_urinorm.live.desk import Desk

_TELL_SECONDS = 0.25
"""How often workers tell each other what was served: a round trip; until then both may fetch a page."""
_NOTE_SECONDS = 30.0
"""How often it is looked for what patterns have brought since, and written down for workers that come later."""
_ASKING_SECONDS = 60
"""How long one worker is left to ask again of what a site keeps back; what is left then is asked in the end."""
_CHECK = "check"


class FleetParked(Parked):
    """The requests that a fleet keeps back, as one worker sees them."""

    def __init__(
        self, scheduler: FleetScheduler, desk: Desk, count: Callable[[str, int], None], shared: FleetShare
    ) -> None:
        super().__init__(scheduler, desk, count)  # type: ignore[arg-type]  # the stock one, asked for a journal alone
        self._fleet, self._shared = scheduler, shared
        self._state = FleetState(shared, desk)
        self._known: dict[str, int] = {}
        self._told = self._noted = time.monotonic()

    # ------------------------------------------------------------------ new rules

    def step(self) -> None:
        """Tell and hear what was served, and go on with new rules for some milliseconds."""
        if time.monotonic() - self._told > _TELL_SECONDS:
            self.tell()
        super().step()

    def _let_due_go(self) -> None:
        """What comes later is in the queue of the fleet, and waits for its end there."""
        self._desk.due()

    def ruled(self, name: str) -> None:
        """A site has new rules."""
        self.ask_again(name)
        self.kept()

    def kept(self) -> None:
        """One more request is kept back: now and then what patterns have brought is written, some at a time."""
        if time.monotonic() - self._noted > _NOTE_SECONDS:
            self._noted = time.monotonic()
            self._state.begin()

    def tell(self) -> int:
        """Tell what was served here, and hear what was elsewhere; how much the latter was."""
        self._told = time.monotonic()
        heard = 0
        for name, pages in self._shared.told(self._known).items():
            heard += len(pages)
            self._known[name] += len(pages)
            self._desk.keyed(name, [(url, kind) for kind, url in pages])
        return heard

    def _steps(self, name: str) -> Iterator[None]:
        # all that was served, from the first page
        self._known[name] = 0
        before = -1
        while self._known[name] > before:
            before = self._known[name]
            self.tell()
            yield
        self._desk.ready(name)
        generation = self._desk.sites[name].generation
        if self._shared.alone(f"{generation}", _ASKING_SECONDS):
            yield from self._again()

    def _again(self) -> Iterator[None]:
        """Ask again of what waits under rules that no longer hold."""
        holding = {site.generation: name for name, site in self._desk.sites.items()}
        for generation in self._shared.older(holding):
            for one in self._shared.waiting(generation):
                self._ask_of(one)
                yield

    def _ask_of(self, one: HeldBack) -> None:
        request = self._fleet.read(one)
        if request is None:
            return
        url, kind = request.url, kind_of(request)
        name = self._desk.site_name(url)
        site = self._desk.sites.get(name)
        held = self._desk.still_held(url, kind, set())
        if site is None or one.generation > site.generation:
            # this worker has not heard of these rules yet: another one asks
            return
        if held is not None:
            self._shared.move(name, site.generation, held, one.member)
            return
        later = self._desk.comes_later(url, kind)
        released = self._fleet.let_go(one, request, later=later)
        if not later:
            self._count("released", released)

    def check(self) -> None:
        """Before the last judgement: let go what waits for nobody, as whoever spoke for it was killed."""
        if all(name != _CHECK for name, _ in self._work):
            self._work.append((_CHECK, self._checked()))

    def _checked(self) -> Iterator[None]:
        yield from self._again()
        sites = {site.generation: site for site in self._desk.sites.values()}
        closed = {pattern_key(name) for name in self._desk.yields.closed()}
        for number, one in enumerate(self._shared.classes()):
            site = sites.get(one.generation)
            if one.generation == CLOSED:
                holds = one.class_key in closed
            else:
                # those of other generations are for the next time
                holds = site is None or (
                    site.on and site.sure is not None and site.sure.holds(int.from_bytes(one.class_key, "little"))
                )
            if not holds and (data := self._shared.request(one.member)) is not None:
                later = one.generation == CLOSED
                self._count("released", self._fleet.let_go(one._replace(data=data), later=later))
            if number % 100 == 0:
                yield

    def reopen(self, patterns: list[bytes]) -> None:
        """Have requests of closed shapes served later, after all: one worker does it."""
        for key in patterns:
            if self._shared.alone(key.hex(), 1):
                self._count("released", self._fleet.release(CLOSED, key))

    # ------------------------------------------------------------------ what has ended

    def ended(self, number: int, flight: Flight) -> bool:
        """Note what a claim came to, and let one go in its stead where it came to nothing; whether it was served."""
        # the site of what was asked for, wherever a redirect has led
        claim = self._desk.claims.get(number)
        site = None if claim is None else self._desk.sites.get(claim.site)
        if flight.final is None or flight.failed:
            served, freed = False, self._desk.failed(number)
        else:
            served = True
            freed, noted = self._desk.served(number, flight.final)
            for name, url, kind in noted:
                self._shared.serve(name, kind, url)
        if site is not None:
            for class_key in freed:
                self._count("released", self._fleet.release(site.generation, class_key, 1))
        return served

    # ------------------------------------------------------------------ from run to run

    def restore(self, spider: Spider | None) -> None:
        """Take up what other workers, or those of a run before, have noted; the rules come by themselves."""
        self._spider = spider
        self._desk.yields.load(self._state.read())

    def save(self) -> None:
        """Write down what a later worker takes up, when nobody waits for the reactor any more."""
        self._state.write()

    def waiting(self) -> int:
        """How many requests wait for a decision."""
        return self._shared.count()

    def put_off(self) -> int:
        """None: what comes later stays in Redis, for other workers."""
        return 0

    def rows(self, *, later: bool = False) -> Iterator[tuple[str, str]]:
        """The addresses that are kept back, each with why: `duplicate` or `closed`."""
        for one in self._shared.waiting():
            request = self._fleet.read(one)
            if request is not None:
                yield request.url, parked.CLOSED if one.generation == CLOSED else parked.DUPLICATE
