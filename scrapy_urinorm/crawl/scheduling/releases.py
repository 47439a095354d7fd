"""Requests that are let go, some in each turn of the reactor, however many wait."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.engine_calls import OnceATurn
from scrapy_urinorm.crawl.requests.rows import SERVED, State
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.statscollectors import StatsCollector

    from scrapy_urinorm.crawl.scheduling.journal import Journal
    from scrapy_urinorm.crawl.scheduling.kept_back import KeptBack

#: So many in a turn of the reactor: 3 to 11 ms, of 80,000 that wait and come later; of 500 it were 13.
MOST = 300


class _Release(NamedTuple):
    """All requests of a state, class or generation that are to go to another one; `tell` hears how many do later."""

    state: State
    to: State
    which: Mapping[str, Any]
    tell: Callable[[int], object]


class _Serving(Protocol):
    """What serves requests that were kept back: a scheduler."""

    journal: Journal
    stats: StatsCollector | None

    def release(self, *, tell: Callable[[int], object]) -> int: ...


def let_go(scheduler: _Serving, why: str) -> None:
    """Serve what live rules have kept back in a run before, as nobody keeps it back now."""
    file, stats = scheduler.journal.file, scheduler.stats
    if stats is not None and file.is_open and (number := file.count(State.PARKED)):
        own.logger.info("%d requests that live rules kept back in the run before are sent now: %s", number, why)
        count = partial(stats.inc_value, "urinorm/live/released")
        count(scheduler.release(tell=count))


class Releases:
    """What one crawl lets go. `poke` has the engine ask for a request, and so for `turn`, soon.

    Until all of a release have gone none of those are served: their order is as if all had gone at once. A kill leaves
    the rest where it was, and the next run asks of it again.
    """

    def __init__(self, journal: Journal, kept: KeptBack, poke: Callable[[], None]):
        self._journal = journal
        self._kept = kept
        self._poke = poke
        self._left: deque[_Release] = deque()
        self._room = MOST
        self._turn = OnceATurn(self.turn)

    def __bool__(self) -> bool:
        return bool(self._left)

    def begin(
        self, state: State, to: State, *, tell: Callable[[int], object] = int, limit: int | None = None, **which: Any
    ) -> int:
        """Let requests go, all or `limit` of them; how many have gone now. Raises UrinormError."""
        if limit is not None:
            self._take_back(state)
            gone = self._journal.file.release(state, to=to, limit=limit, **which)
        else:
            self._left.append(_Release(state, to, which, tell))
            gone = self._go_on() if len(self._left) == 1 and self._has_room() else 0
        if gone or self._left:
            self._poke()
        return gone

    def turn(self) -> None:
        """Let more go, once in a turn of the reactor, whether the engine has room for a request or not."""
        if self._left and self._turn.is_new:
            self._some()
        if self._left:
            self._poke()

    def finish(self) -> None:
        """Let all go that are to: nobody waits for the reactor any more."""
        while self._left:
            self._some()

    def stop(self) -> None:
        """Let nothing more go: there is nowhere to write it."""
        self._left.clear()
        self._kept.closed = frozenset()

    def _some(self) -> None:
        self._room = MOST
        self._turn.done(self._journal.engine)
        try:
            while self._left and self._room:
                tell = self._left[0].tell
                tell(self._go_on())
        except UrinormError as error:
            self._journal.fail(error)
            self.stop()

    def _has_room(self) -> bool:
        """Whether more may go in this turn, of which this is the first or another release."""
        if self._turn.is_new:
            self._room = MOST
            self._turn.done(self._journal.engine)
        return self._room > 0

    def _go_on(self) -> int:
        """Let some go of the release that stands first."""
        state, to, which, _ = self._left[0]
        self._take_back(state)
        gone = self._journal.file.release(state, to=to, limit=self._room, in_order=False, **which)
        if gone < self._room:
            self._left.popleft()
        self._room -= gone
        self._kept.closed = frozenset(release.to for release in self._left)
        return gone

    def _take_back(self, state: State) -> None:
        if state in SERVED:
            self._kept.put_back()


_WAIT_SECONDS = 5
"""The engine's own heartbeat. Most links come at once; a callback may await what waits here."""


class Callbacks:
    """Says how long what comes last has to wait for links of pages that are at their callbacks."""

    def __init__(self) -> None:
        self._since: float | None = None

    def others_came(self) -> None:
        """Another request was served: the next wait may be as long as the first."""
        self._since = None

    def may_bring_others(self, engine: ExecutionEngine | None) -> bool:
        """Whether a page is at its callback; no longer believed after some seconds without another request."""
        slot = engine.scraper.slot if engine is not None else None
        if slot is None or not (slot.queue or slot.active):
            self._since = None
            return False
        now = time.monotonic()
        if self._since is None:
            self._since = now
        return now - self._since < _WAIT_SECONDS
