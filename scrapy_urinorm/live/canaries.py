"""The samples of what rules keep back: which requests are fetched all the same, in their turn and before the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.trial import CANARIES, canary_share

TESTED = 31
"""Canaries of a rule, none of which spoke against it, after which it has a tenth of the further ones: a second test,
of as many addresses as it was believed for, drawn by lot from those it keeps back. A rule that is wrong for a tenth of
them passes both in one case of 500."""
_SAMPLE = 64
"""Addresses that a rule remembers of those that wait for it, and of those that were tested."""
_PARTS, _SHORTEST = 8, 4
"""Before the end no eighth of what waits for a rule, in the order of the addresses, is left without a test, as long as
it has four of them: what is wrong for late pages only, or for one folder, was learned where it was right. Chosen on
half of the sites of `tests/live/sites.py` with a rule that is wrong for 3 to 25 % of the pages."""
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

    def fetched(self, url: str, places: Sequence[str]) -> None:
        """Note a canary."""
        self.canaries += 1
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


class Canaries:
    """The counts of the rules of one site, by their names."""

    def __init__(self) -> None:
        self.of: dict[str, Count] = {}
        self._shapes = Patterns()

    def _places(self, url: str) -> list[str]:
        path, _, query = self._shapes.of(url).partition("?")
        return [path, *(f"{path}?{item}" for item in query.split("&") if item)]

    def share(self, movers: Sequence[str], *, proven: bool) -> float:
        """Count a request that rules keep back; return the share of such requests that is fetched all the same."""
        counts = [self.of.setdefault(name, Count()) for name in movers]
        for count in counts:
            count.parked += 1
        fewer = proven or all(count.canaries >= TESTED for count in counts)
        return min(canary_share(count.parked, fewer=fewer) for count in counts)

    def fetched(self, movers: Iterable[str], url: str) -> None:
        """One of them is fetched: it is a canary of each rule that would have kept it back."""
        places = self._places(url)
        for name in movers:
            self.of.setdefault(name, Count()).fetched(url, places)

    def agreed(self, movers: Iterable[str], url: str) -> None:
        """A page was fetched before rules that would have kept it back, and speaks for them where it is.

        Only there: it is no sample of what they have kept back since.
        """
        places = self._places(url)
        for name in movers:
            self.of.setdefault(name, Count()).met.update(places)

    def waits(self, one: Waiting, *, proven: bool) -> None:
        """One of them waits."""
        places = self._places(one.url)
        for name in one.movers:
            self.of.setdefault(name, Count()).waits(one, places, proven=proven)

    def ruled(self, known: Iterable[str]) -> None:
        """There are new rules: what waits is counted anew, what was tested under a rule that stays is tested."""
        kept = {*known, ""}
        self.of = {
            name: Count(count.parked, count.canaries, tested=count.tested, met=count.met)
            for name, count in self.of.items()
            if name in kept
        }

    def untested(self, key: Callable[[str], str]) -> list[bytes]:
        """Return classes of which a request is to be fetched before their rules may give up the rest.

        One is there as many times as requests of it are to go, should so many wait. `key` is what all addresses of a
        class have in common: a page of a list is the same in each order that a rule drops.
        """
        chosen: dict[bytes, int] = {}

        def shared(url: str) -> list[str]:
            return self._places(key(url))

        for count in self.of.values():
            count.waiting = [one for one in count.waiting if one.key not in chosen]
            for (class_key, url, movers), number in count.wanted(self._places, shared).items():
                if chosen.get(class_key, 0) < number:
                    chosen[class_key] = number
                    self.fetched(movers, url)
            count.waiting = [one for one in count.waiting if one.key not in chosen]
        return [class_key for class_key, number in chosen.items() for _ in range(number)]

    def dump(self) -> dict[str, Any]:
        """Return what a later run needs, as JSON can hold it: what waits is asked again there."""
        return {name: [count.parked, count.canaries] for name, count in self.of.items()}

    def load(self, rows: dict[str, Any]) -> None:
        """Take up what a run before has dumped."""
        self.of = {name: Count(*counts) for name, counts in rows.items()}
