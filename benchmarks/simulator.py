"""A recorded site crawled again in memory under live rules: what would be fetched, kept back, and never met.

The recorded visits with links are the site; desk and student are those of a real crawl, the student's answers coming
some requests late.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from benchmarks.answers import Answers, is_hop
from benchmarks.in_memory import InMemory
from scrapy_urinorm.learn.earlier import candidates_of
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.learned import set_aside
from scrapy_urinorm.live.patience import doubted
from scrapy_urinorm.live.questions import CANARY, CLOSED, LATER, PARK, SAMPLE, pattern_key
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.live.yields import CLOSE
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits.links import HASH
from scrapy_urinorm.visits.ruled import Ruled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.live.priors import Prior
    from scrapy_urinorm.live.questions import Claimant
    from scrapy_urinorm.visits.record import Visit


@dataclass
class Simulated:
    """What a simulated crawl did: addresses in the order in which they were fetched, and those that wait for ever.

    `log` has the messages about rules, with the number of requests before each.
    """

    fetched: list[str] = field(default_factory=list)
    parked: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    canaries: int = 0
    log: list[tuple[int, dict[str, Any]]] = field(default_factory=list)


class Simulator:
    """One site, recorded. `limit` ends a crawl after so many requests; `late` is how many pages an answer takes."""

    def __init__(
        self,
        visits: Iterable[Visit],
        options: Options,
        rules: Sequence[Any] = (),
        *,
        close: int = CLOSE,
        concurrent: int = 16,
        late: int = 16,
        live: bool = True,
        priors: Sequence[Prior] = (),
    ) -> None:
        self.answers = Answers(visits)
        ruleset, learned = RuleSet.load(*rules, preset=options.preset), list[dict[str, Any]]()
        if live:
            # as in a crawl
            ruleset, learned = set_aside(ruleset)
        self._options, self._rules = options, [ruleset.to_dict(pairs=True)]
        self._learned = learned
        self._close, self._concurrent, self._late, self._live, self._priors = close, concurrent, late, live, priors

    def crawl(self, *, newest_first: bool = False, limit: int | None = None) -> Simulated:
        """Crawl from the first address; depth first where the newest request is served first."""
        out = Simulated()
        if self.answers.first is None:
            return out
        run = _Run(self, out, newest_first)
        run.meet([self.answers.first])
        while run.step():
            if limit is not None and len(out.fetched) >= limit:
                break
        out.parked = [visit.url for visit, _ in run.parked]
        out.closed = [visit.url for visit, *_ in run.closed]
        return out


class _Run:
    def __init__(self, site: Simulator, out: Simulated, newest_first: bool) -> None:
        self.site, self.out, self.newest_first = site, out, newest_first
        self.desk = Desk(site._rules, site._options.preset, close=site._close, learned=site._learned)
        self.student = Student(site._options, site._rules, InMemory(), site._priors, candidates_of(site._learned))
        self.written = Normalizer(site._rules or None, site._options.preset)
        self.ruled = Ruled(site._rules, site._options.preset)
        self.seen: set[str] = set()
        self.queue: deque[tuple[Visit, bool]] = deque()
        self.released: deque[Visit] = deque()
        self.later: list[tuple[int, int, int, Visit]] = []  # a heap, what is asked for first at its top
        self.turns = itertools.count()
        self.parked: list[tuple[Visit, bytes]] = []
        self.closed: list[tuple[Visit, bytes, int]] = []
        self.flying: deque[tuple[Visit, int, str]] = deque()
        self.answers: deque[tuple[int, dict[str, Any]]] = deque()
        self.served: dict[str, list[tuple[str, int]]] = {}
        self.asked: dict[str, tuple[str, Visit]] = {}
        """The patterns of requests that were redirected, and the first one, by where they led to."""
        self.judged = -1

    def meet(self, visits: Iterable[Visit]) -> None:
        for visit in visits:
            key = self.written.key(visit.url)
            # one that is dropped is told as well, where its links cannot say under which address it is known
            if self.site._live and (key not in self.seen or self.ruled.changed([visit.url])):
                self.student.met([visit.url])
            if key in self.seen:
                continue
            decision = self.written.decide(visit.url)
            if decision.skip:
                continue
            self.seen.add(key)
            self.desk.ids.met(visit.url)
            # what learned rules defer is left to the desk where there is one, as in a crawl
            if decision.defer and not self.site._live:
                heappush(self.later, (0, len(self.seen), next(self.turns), visit))
            elif not self._kept(visit):
                self.queue.append((visit, False))

    def _kept(self, visit: Visit, *, late: bool = False) -> bool:
        """Whether the desk keeps a request back; a canary goes into the queue by itself."""
        if not self.site._live:
            return False
        decision = self.desk.decide(visit.url, 0, late=late)
        if late and decision.verdict in (CANARY, SAMPLE):
            self.out.canaries += decision.verdict == CANARY
            return False
        if decision.verdict == PARK:
            self.parked.append((visit, decision.class_key or b""))
        elif decision.verdict == CLOSED:
            self.closed.append((visit, decision.class_key or b"", decision.priority))
        elif decision.verdict in (LATER, SAMPLE):
            heappush(self.later, (-decision.priority, len(self.seen), next(self.turns), visit))
        elif decision.verdict == CANARY:
            self.out.canaries += 1
            self.queue.append((visit, True))
        else:
            return False
        return True

    def _next(self) -> Visit | None:
        if self.released:
            return self.released.popleft()
        while self.queue:
            visit, free = self.queue.pop() if self.newest_first else self.queue.popleft()
            if free or not self._kept(visit):
                return visit
        while self.later and not self.flying:
            visit = heappop(self.later)[3]
            if not self._kept(visit, late=True):
                return visit
        return None

    def step(self) -> bool:
        """Send or answer one request; False at the end."""
        if len(self.flying) < self.site._concurrent and (visit := self._next()) is not None:
            number = self.desk.claim(visit.url, 0)
            pattern, _ = self.asked.get(visit.url) or (self.desk.pattern(visit.url, 0), None)
            self.flying.append((visit, number, pattern))
            self.out.fetched.append(visit.url)
            return True
        if self.flying:
            self._answer(*self.flying.popleft())
            self._deliver(len(self.out.fetched))
            return True
        return self._quiet()

    def _answer(self, visit: Visit, number: int, pattern: str) -> None:
        delivered = visit.status == 200
        final = visit.final_url or visit.url
        hop = is_hop(visit)
        if self.site._live:
            due = len(self.out.fetched) + self.site._late
            row = self.site.answers.again(visit)
            if visit.url in self.asked and not row.redirects:
                _, first = self.asked[visit.url]
                row.url, row.id, row.final_url, row.redirects = first.url, first.id, final, ((302, first.url),)
            self.answers += [(due, said) for said in self.student.take(row, None if hop else pattern)]
        claim = self.desk.claims[number]
        if hop:
            target = self.site.answers.by_url.get(final)
            key = self.written.key(final)
            follows = key == self.written.key(visit.url) or key not in self.seen
            self._free(self.desk.failed(number, None if follows else final), claim)
            self._reopen(self.desk.answers.reopened())
            if target is not None and target is not visit and follows:
                # what a redirect leads to is never kept back
                self.seen.add(key)
                _, first = self.asked.get(visit.url) or (pattern, visit)
                self.asked[target.url] = pattern, first
                # and goes before others
                (self.queue.append if self.newest_first else self.queue.appendleft)((target, True))
            return
        if delivered:
            freed, kept = self.desk.served(number, final)
            for site, url, kind in kept:
                self.served.setdefault(site, []).append((url, kind))
            self._free(freed, claim)
        else:
            self._free(self.desk.failed(number), claim)
        links = visit.links or b""
        by_id = self.site.answers.by_id
        found = (by_id.get(links[at : at + HASH]) for at in range(0, len(links), HASH))
        self.meet(visit for visit in found if visit is not None)

    def _free(self, classes: Iterable[bytes], claim: Claimant | None = None) -> None:
        for key in classes:
            for n, (visit, held) in enumerate(self.parked):
                if held == key:
                    del self.parked[n]
                    if claim is not None and self.desk.comes_later(claim.url, claim.kind):
                        heappush(self.later, (0, len(self.seen), next(self.turns), visit))
                    else:
                        self.released.append(visit)
                    break

    def _deliver(self, now: int) -> None:
        while self.answers and self.answers[0][0] <= now:
            self._told(self.answers.popleft()[1])

    def _told(self, said: dict[str, Any]) -> None:
        if said["do"] == "failed":
            # in a crawl the rules so far go on, here nobody would see that there are no further ones
            raise RuntimeError(said["text"])
        if said["do"] != "news":
            self.out.log.append((len(self.out.fetched), said))
        reopened, name = self.desk.take(said)
        self._reopen(reopened)
        for key, most in self.desk.due():
            due = sorted(one for one in self.later if key in self._keys(one[3].url))[:most]
            turns = {turn for _, _, turn, _ in due}
            self.later = sorted(one for one in self.later if one[2] not in turns)
            self.released += [visit for *_, visit in due]
        if name is None:
            return
        self.desk.keyed(name, self.served.get(name, ()))
        self.desk.ready(name)
        waiting, self.parked = self.parked, []
        going = set[bytes]()
        for visit, key in waiting:
            if self.desk.site_name(visit.url) == name:
                held = self.desk.still_held(visit.url, 0, going)
                if held is None:
                    if self.desk.comes_later(visit.url, 0):
                        heappush(self.later, (0, len(self.seen), next(self.turns), visit))
                    else:
                        self.released.append(visit)
                    continue
                key = held
            self.parked.append((visit, key))

    def _reopen(self, patterns: Iterable[bytes]) -> None:
        for key in patterns:
            for n, (visit, held, priority) in enumerate(self.closed):
                if held == key:
                    heappush(self.later, (-priority, n, next(self.turns), visit))
            self.closed = [one for one in self.closed if one[1] != key]

    def _keys(self, url: str) -> tuple[bytes, ...]:
        pattern = self.desk.pattern(url, 0)
        return pattern_key(pattern), pattern_key(doubted(pattern))

    def _quiet(self) -> bool:
        """Nothing is under way: hear what is still to be said, judge once more, test what was not; False: the end."""
        if not self.site._live:
            return False
        if self.answers:
            self._deliver(self.answers[-1][0])
            return True
        if again := self.desk.answers.retried():
            self._reopen(again)
            return True
        if self.parked and self.judged != len(self.out.fetched):
            self.judged = len(self.out.fetched)
            for name in {self.desk.site_name(visit.url) for visit, _ in self.parked}:
                self.answers += [(0, said) for said in self.student.judge(name)]
            return True
        before = len(self.released)
        self._free(self.desk.untested())
        return len(self.released) > before
