"""The samples of what rules keep back: which requests are fetched all the same, in their turn and before the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.trial import CANARIES, canary_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SAMPLE = 64
"""Addresses that a rule remembers of those that wait for it, and of those that were tested."""
_PARTS, _SHORTEST = 8, 4
"""Before the end no eighth of what waits for a rule, in the order of the addresses, is left without a test, as long as
it has four of them: what is wrong for late pages only, or for one folder, was learned where it was right. Chosen on
half of the sites of `tests/live/sites.py` with a rule that is wrong for 3 to 25 % of the pages."""
_SERIES = 8
"""Series of numbered addresses (`/article/12`) of which both ends are tested: pages of another time differ first."""
_PLACES = 64
"""Shapes of paths of which one request is tested where a rule was not: `from` may be idle in `/news/*`, and all that
`/trips` goes by. A rule acts on a handful."""
_numbers = re.compile(r"(\d+)").split


_Place = list[tuple[int, str]]


class Waiting(NamedTuple):
    """A request that waits: its class, its address, and all rules that hold it."""

    key: bytes
    url: str
    movers: tuple[str, ...]


_Placed = tuple[_Place, Waiting]


@dataclass
class Count:
    """What a rule has kept back and let through to be tested.

    `waiting` are some of those that wait for it now, spread evenly over the order in which they came; `tested` are
    addresses of its latest canaries.
    """

    parked: int = 0
    canaries: int = 0
    waiting: list[Waiting] = field(default_factory=list)
    tested: list[str] = field(default_factory=list)
    waited: int = 0
    every: int = 1
    proven: bool = False
    ends: dict[str, tuple[_Placed, _Placed]] = field(default_factory=dict)
    """Of each series the first and the last that wait."""
    places: dict[str, Waiting] = field(default_factory=dict)
    """One that waits of each shape of path."""
    met: set[str] = field(default_factory=set)
    """The shapes of path that were tested."""

    def waits(self, one: Waiting, place: str, *, proven: bool) -> None:
        """Note a request that waits; `place` is the shape of its path."""
        self.proven = proven
        if len(self.places) < _PLACES:
            self.places.setdefault(place, one)
        self.waited += 1
        self._bounds(one)
        if self.waited % self.every == 0:
            self.waiting.append(one)
            if len(self.waiting) > _SAMPLE:
                self.waiting = self.waiting[1::2]
                self.every *= 2

    def _bounds(self, one: Waiting) -> None:
        series = _series(one.url)
        if not series or (series not in self.ends and len(self.ends) >= _SERIES):
            return
        here = _natural(one.url), one
        first, last = self.ends.get(series, (here, here))
        self.ends[series] = min(first, here), max(last, here)

    def fetched(self, url: str, place: str) -> None:
        """Note a canary."""
        self.canaries += 1
        self.met.add(place)
        self.tested = [*self.tested[1 - _SAMPLE :], url]

    def wanted(self) -> list[Waiting]:
        """Return those that are to be fetched before the others may be given up."""
        first = dict.fromkeys([*self._at_ends(), *self._in_places()])
        found = first | dict.fromkeys(self._in_gaps(first))
        left = [one for one in self.waiting if one not in found]
        missing = min(max(0, CANARIES - self.canaries - len(found)), len(left))
        return [*found, *(left[-1 - n * len(left) // missing] for n in range(missing))]

    def _at_ends(self) -> Iterable[Waiting]:
        if self.proven:
            return
        places: dict[str, list[_Place]] = {}
        for url in self.tested:
            places.setdefault(_series(url), []).append(_natural(url))
        for series, (first, last) in self.ends.items():
            known = places.get(series, [])
            if all(first[0] < one for one in known):
                yield first[1]
            if all(last[0] > one for one in known):
                yield last[1]

    def _in_places(self) -> Iterable[Waiting]:
        if not self.proven:
            yield from (one for place, one in self.places.items() if place not in self.met)

    def _in_gaps(self, first: Iterable[Waiting]) -> list[Waiting]:
        if self.proven:
            return []
        least = max(_SHORTEST, min(self.waited, _SAMPLE) // _PARTS)
        done = [*self.tested, *(one.url for one in first)]
        every = [(_natural(url), None) for url in done] + [(_natural(one.url), one) for one in self.waiting]
        run: list[Waiting] = []
        runs = [run]
        for _, one in sorted(every, key=lambda pair: pair[0]):
            if one is None:
                runs.append(run := [])
            else:
                run.append(one)
        found = []
        while runs:
            run = runs.pop()
            if len(run) >= least:
                middle = len(run) // 2
                found.append(run[middle])
                runs += [run[:middle], run[middle + 1 :]]
        return found


def _series(url: str) -> str:
    """What stands before the first number in the path of an address; empty where there is none."""
    address = url.partition("?")[0]
    path = address.find("/", address.find("://") + 3)
    head, number, *_ = (*_numbers(address[path:], 1), "")
    return address[:path] + head if path > 0 and number else ""


def _natural(url: str) -> _Place:
    """The place of an address among others: 9 before 10."""
    parts = (part.lstrip("0") if n % 2 else part for n, part in enumerate(_numbers(url)))
    return [(len(part) if n % 2 else 0, part) for n, part in enumerate(parts)]


class Canaries:
    """The counts of the rules of one site, by their names."""

    def __init__(self) -> None:
        self.of: dict[str, Count] = {}
        self._shapes = Patterns()

    def _place(self, url: str) -> str:
        return self._shapes.of(url.partition("?")[0])

    def share(self, movers: Sequence[str], *, proven: bool) -> float:
        """Count a request that rules keep back; return the share of such requests that is fetched all the same."""
        counts = [self.of.setdefault(name, Count()) for name in movers]
        for count in counts:
            count.parked += 1
        return min(canary_share(count.parked, proven=proven) for count in counts)

    def fetched(self, movers: Iterable[str], url: str) -> None:
        """One of them is fetched: it is a canary of each rule that would have kept it back."""
        place = self._place(url)
        for name in movers:
            self.of.setdefault(name, Count()).fetched(url, place)

    def waits(self, one: Waiting, *, proven: bool) -> None:
        """One of them waits."""
        place = self._place(one.url)
        for name in one.movers:
            self.of.setdefault(name, Count()).waits(one, place, proven=proven)

    def ruled(self, known: Iterable[str]) -> None:
        """There are new rules: what waits is counted anew, what was tested under a rule that stays is tested."""
        kept = {*known, ""}
        self.of = {
            name: Count(count.parked, count.canaries, tested=count.tested, met=count.met)
            for name, count in self.of.items()
            if name in kept
        }

    def untested(self) -> list[bytes]:
        """Return classes of which one request is to be fetched before their rules may give up the rest."""
        chosen: dict[bytes, None] = {}
        for count in self.of.values():
            count.waiting = [one for one in count.waiting if one.key not in chosen]
            for key, url, movers in count.wanted():
                if key not in chosen:
                    chosen[key] = None
                    self.fetched(movers, url)
            count.waiting = [one for one in count.waiting if one.key not in chosen]
        return list(chosen)

    def dump(self) -> dict[str, Any]:
        """Return what a later run needs, as JSON can hold it: what waits is asked again there."""
        return {name: [count.parked, count.canaries] for name, count in self.of.items()}

    def load(self, rows: dict[str, Any]) -> None:
        """Take up what a run before has dumped."""
        self.of = {name: Count(*counts) for name, counts in rows.items()}
