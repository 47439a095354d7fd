"""What one rule has kept back and let through, and what of it is fetched before the rest may be given up."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from scrapy_urinorm.live.trial import CANARIES

TESTED = 31
"""Canaries of a rule, none of which spoke against it, after which it has a tenth of the further ones: a second test,
of as many addresses as it was believed for, drawn by lot from the first of those it keeps back. A rule that is wrong
for a tenth of them passes both in one case of 500."""
_SAMPLE = 64
"""Addresses that a rule remembers of those that wait for it, and of those that were tested."""
_PARTS, _SHORTEST = 8, 4
"""Before the end no eighth of what waits for a rule, in the order of the addresses, is left without a test, as long as
it has four of them: what is wrong for late pages only, or for one folder, was learned where it was right. Chosen on
half of the sites of `tests/live/sites.py` with a rule that is wrong for 3 to 25 % of the pages."""
_ARRIVALS = 256
"""Canaries whose place in the order of arrival a rule remembers."""
_OF_PART, _OF_EACH = 4, 8
"""Before the end each eighth of what a rule has met, in the order of arrival, has so many tests, one for each eight
that it has: 32 in all, as many as the rule was believed for. Those in their turn are most of them among the first, and
where addresses say nothing of their place (hashes, names) what is wrong for late pages stands anywhere among them."""
_SERIES = 8
"""Series of numbered addresses (`/article/12`) of which both ends are tested: pages of another time differ first. By
their paths: filters that each link adds once more have no end, and a shop's last one was tested 300 times."""
_PATHS, _PLACES = 256, 64
"""Places where a rule is tested that was not: shapes of paths, as `from` may be idle in `/news/*` and all that `/trips`
goes by, of each of twenty towns; and words that a parameter has there, as `xl` may be the one size that matters."""
_OF_CLASS = 8
"""Requests of a class that go for the sake of a word that a rule drops or changes: only their file knows which of them
has it. Sizes are as many. What its key has, all of them have, but for a parameter that is new to the rule."""
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
    """Whether a proven line holds all that waits: then the few that test that line are enough."""
    ends: dict[str, tuple[_Placed, _Placed]] = field(default_factory=dict)
    """Of each series the first and the last that wait."""
    paths: dict[str, Waiting] = field(default_factory=dict)
    places: dict[str, Waiting] = field(default_factory=dict)
    """One that waits of each shape of path, and with each word of a parameter there."""
    arrivals: list[float] = field(default_factory=list)
    """How many requests the rule had met when each of its canaries came, all or evenly some."""
    covered: int = 0
    """How many waited when all parts of that order had their tests."""
    met: set[str] = field(default_factory=set)
    """Those that were tested, or that pages which were fetched before the rule have."""

    def waits(self, one: Waiting, places: Sequence[str], *, proven: bool) -> None:
        """Note a request that waits; `proven`, where a line that was proven on real installations holds it as well."""
        self.proven = proven and (self.proven or not self.waited)
        path, *words = places
        if len(self.paths) < _PATHS:
            self.paths.setdefault(path, one)
        for word in words:
            if len(self.places) < _PLACES:
                self.places.setdefault(word, one)
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
        here = _natural(_path(one.url)), one
        first, last = self.ends.get(series, (here, here))
        self.ends[series] = min(first, here), max(last, here)

    def fetched(self, url: str, places: Sequence[str], arrival: float | None) -> None:
        """Note a canary; `arrival` is its place among what the rule has met, None where that is not known."""
        self.canaries += 1
        if arrival is not None:
            self.arrivals.append(arrival)
        if len(self.arrivals) > _ARRIVALS:
            self.arrivals = self.arrivals[1::2]
        self.met.update(places)
        self.tested = [*self.tested[1 - _SAMPLE :], url]

    def wanted(
        self, places: Callable[[str], Sequence[str]], shared: Callable[[str], Sequence[str]]
    ) -> dict[Waiting, int]:
        """Return those that are to be fetched before the others may be given up, and how many of the class of each.

        `places` says of an address in which ones it is by now, and `shared` in which ones all of its class are.
        """
        first = dict.fromkeys(self._at_ends(), 1)
        met = self.met.union(*(places(one.url) for one in first))
        for one in () if self.proven else dict.fromkeys((*self.paths.values(), *self.places.values())):
            path, *words = places(one.url)
            if path not in met or not met.issuperset(words):
                first[one] = 1 if self._is_of_all(met, words, shared(one.url)) else _OF_CLASS
                met.update((path, *words))
        found = dict.fromkeys(self._in_gaps(first), 1) | first
        found |= dict.fromkeys(self._not_in_time(found), 1)
        left = [one for one in self.waiting if one not in found]
        missing = min(max(0, CANARIES - self.canaries - len(found)), len(left))
        return first | found | dict.fromkeys((left[-1 - n * len(left) // missing] for n in range(missing)), 1)

    @staticmethod
    def _is_of_all(met: AbstractSet[str], words: Iterable[str], shared: Sequence[str]) -> bool:
        """Whether any request of a class tests what is new of some words: it is in the key of all of them, and a
        parameter whose other values were tested: `view=360` may show a photograph of each colour that a rule drops.
        """
        names = {word.partition("=")[0] for word in met}
        return all(word in shared and word.partition("=")[0] in names for word in words if word not in met)

    def _at_ends(self) -> Iterable[Waiting]:
        if self.proven:
            return
        places: dict[str, list[_Place]] = {}
        for url in self.tested:
            places.setdefault(_series(url), []).append(_natural(_path(url)))
        for series, (first, last) in self.ends.items():
            known = places.get(series, [])
            if all(first[0] < one for one in known):
                yield first[1]
            if all(last[0] > one for one in known):
                yield last[1]

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

    def _not_in_time(self, chosen: Collection[Waiting]) -> Iterator[Waiting]:
        """Those without which some part of the order in which requests came would have too few tests."""
        wanted = min(_OF_PART, self.waited // (_PARTS * _OF_EACH))
        if self.proven or not wanted or self.waited * _PARTS <= self.covered * (_PARTS + 1):
            return
        self.covered = self.waited
        tested = [0] * _PARTS
        for arrival in self.arrivals:
            tested[min(_PARTS - 1, int(_PARTS * arrival / (self._count + 1)))] += 1
        for number in range(_PARTS):
            part = self.waiting[number * len(self.waiting) // _PARTS : (number + 1) * len(self.waiting) // _PARTS]
            left = [one for one in part if one not in chosen]
            missing = min(len(left), wanted - tested[number] - (len(part) - len(left)))
            for n in range(missing):
                yield left[(2 * n + 1) * len(left) // (2 * missing)]

    @property
    def _count(self) -> int:
        return max(self.parked, self.waited)

    def _arrival(self, number: int) -> float:
        return (number + 1) * self._count / len(self.waiting)

    def arrival(self, class_key: bytes) -> float | None:
        """About how many requests the rule had met when one of a class came, of which it remembers that it waits."""
        at = (n for n, one in enumerate(self.waiting) if one.key == class_key)
        return self._arrival(number) if (number := next(at, None)) is not None else None


LASTING = ("parked", "canaries", "tested", "arrivals", "covered", "met")
"""What is known of a rule when what waits for it is counted anew."""


def _series(url: str) -> str:
    """What stands before the first number in the path of an address; empty where there is none."""
    address = _path(url)
    path = address.find("/", address.find("://") + 3)
    head, number, *_ = (*_numbers(address[path:], 1), "")
    return address[:path] + head if path > 0 and number else ""


def _path(url: str) -> str:
    """An address without its query."""
    return url.partition("?")[0]


def _natural(url: str) -> _Place:
    """The place of an address among others: 9 before 10."""
    parts = (part.lstrip("0") if n % 2 else part for n, part in enumerate(_numbers(url)))
    return [(len(part) if n % 2 else 0, part) for n, part in enumerate(parts)]
