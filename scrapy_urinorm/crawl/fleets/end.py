"""The end of a fleet's crawl: when all workers are idle one of them asks for the last judgement; then they end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.live_rules.end import JUDGE_SECONDS, Crawling, LiveEnd

if TYPE_CHECKING:
    from scrapy_urinorm.crawl.fleets.parked import FleetParked
    from scrapy_urinorm.live.fleet_share import FleetShare, FleetStanding

_CHECKING_SECONDS = 60
"""How long other workers leave it to one to look for what waits for nobody: it takes seconds for a million."""


class Working(Crawling, Protocol):
    """A worker with live rules, as far as its end is concerned."""

    parked: FleetParked

    def hand_over(self) -> None:
        """Have Redis told that nothing is under way here, when all that was seen is there."""


class FleetEnd(LiveEnd):
    """That of one worker."""

    waits = True

    def __init__(self, live: Working, jobdir: str | None, crawl_id: str, shared: FleetShare) -> None:
        super().__init__(live, jobdir, crawl_id)
        self._worker = live
        self._shared = shared
        self._moves = -1
        self._checked: tuple[int, int, frozenset[str]] | None = None
        self._judge = False
        self._workers: frozenset[str] = frozenset()

    def asks(self) -> bool:
        """Whether there is still something to be decided, or fetched; asked when nothing is under way here."""
        live = self._live
        if live.parked.busy:
            live.scheduler.poke()
            return True
        self._worker.parked.tell()
        # first, as this tells when to look again
        self._worker.hand_over()
        standing = self._shared.standing()
        if self._is_behind(standing):
            return True
        if self._until:
            return self._waits(standing)
        judged = standing.judged == standing.moves
        if not standing.idle and not judged:
            # what they find may be for all
            return bool(standing.parked)
        # anew when a worker has died: it may have been the one that looked
        now = (standing.moves, standing.judged, standing.workers)
        if self._checked != now:
            self._checked = now
            task = f"check {standing.moves} {standing.judged} {crc32(' '.join(sorted(standing.workers)).encode()):x}"
            if self._shared.alone(task, _CHECKING_SECONDS):
                self._worker.parked.check()
                live.scheduler.poke()
                return True
        if judged:
            return self._tries()
        if not standing.parked:
            return False
        return self._judges(standing)

    def _is_behind(self, standing: FleetStanding) -> bool:
        """Whether rules are in force of which this worker has not heard yet, or a learner is about to say others."""
        sites = self._live.desk.sites
        known = {name: site.generation for name, site in sites.items() if site.on or not site.questions}
        # one that is doubted is studied for the last judgement at the latest
        return any(number not in (0, known.get(name)) for name, number in standing.generations.items())

    def _judges(self, standing: FleetStanding) -> bool:
        """Ask all learners, or wait for the worker that has."""
        number = self._shared.judge(standing.moves, JUDGE_SECONDS)
        if number:
            self._asked, self._moves, self._workers = number, standing.moves, standing.workers
            self._until = time.monotonic() + JUDGE_SECONDS
        return True

    def _waits(self, standing: FleetStanding) -> bool:
        if not standing.idle or standing.workers != self._workers:
            # somebody fetches again, or has died: a successor is to judge what he has learned
            self._until = 0.0
        elif standing.workers <= self._shared.have_judged(self._asked):
            self._until = 0.0
            self._judge = True
            self._shared.judged(self._moves)
        elif time.monotonic() >= self._until:
            self._until = 0.0
            self._live.off(f"the last judgement has not come within {JUDGE_SECONDS:.0f} s")
        return True

    def _tries(self) -> bool:
        """Fetch what rules were never tested with; whether there is any."""
        if self._tries_closed():
            return True
        released = 0
        for class_key in self._live.desk.untested():
            for site in self._live.desk.sites.values():
                released += self._live.scheduler.release(generation=site.generation, class_key=class_key, limit=1)
        own.stats_of(self._live.crawler).inc_value("urinorm/live/canaries", released)
        return bool(released)

    def log(self, message: dict[str, Any]) -> None:
        """Say what comes, goes, or is doubted, and under which number."""
        super().log(message)
        if message["do"] == "rules":
            own.stats_of(self._live.crawler).set_value("urinorm/live/generation", message.get("generation", 0))

    def _write_parked(self) -> None:
        """A worker that has judged what is left names it."""
        if self._judge:
            super()._write_parked()
