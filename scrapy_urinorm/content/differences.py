"""In what two addresses differ, by the names of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrapy_urinorm.content.layouts import Layouts

    Linked = Callable[[str, str, str], bool]
    """Whether one of two addresses links to that which differs from a first one as both do."""

MAX_KINDS = 16
"""Differences of addresses that are remembered of a slot."""
MAX_FIRSTS, KEPT = 1_000, 4
"""Pages of a slot whose differences are remembered, the first ones, and how many of each."""
MAX_PAIRS = 1_000
"""Pairs of parameters that were seen to differ together; 16 differences of eight parameters have fewer."""
TRIED = 5
"""Pages of which two differences are looked for together among the links; chosen."""
ON_ONE = 5
"""Pages that show two differences, and so that a slot changes with both, whatever they are; chosen, as many as there
are groups that show noise."""
APART = 0.5
"""The share of the pairs of differences that are never seen together, from which a slot is a counter. Chosen: of a
car's options some exclude each other; of a recorded wiki's parameters four pairs of six are apart."""


def difference(url: str, other: str) -> frozenset[str]:
    """Return the names of the parameters in which two addresses differ, and `/` where their paths do."""
    (path, _, query), (other_path, _, other_query) = (one.partition("#")[0].partition("?") for one in (url, other))
    names = {item.partition("=")[0] for item in set(query.split("&")) ^ set(other_query.split("&"))} - {""}
    return frozenset(names if path == other_path else names | {"/"})


def without_values(kind: frozenset[str], *urls: str) -> frozenset[str]:
    """Return a difference without values in place of names: `a[0]` and `a[1]` are one list, `/wiki?Page7` has none."""
    named = {item.partition("=")[0] for url in urls for item in url.partition("?")[2].split("&") if "=" in item}
    kept = (name if name == "/" or name in named else "?" for name in kind)
    return frozenset(name.partition("[")[0].partition("%5B")[0].rstrip("0123456789") for name in kept)


def _borne(change: Change) -> Iterator[frozenset[str]]:
    """Yield what one of two addresses has besides the other one: `?ref=a` and `?print=1` have nothing together."""
    one, other = (set(url.partition("#")[0].partition("?")[2].split("&")) for url in (change.first, change.url))
    for own in (one - other, other - one):
        names = frozenset(item.partition("=")[0] for item in own) - {""}
        yield without_values(names, change.first, change.url)


class Change(NamedTuple):
    """Two addresses of a page, and in what they differ."""

    first: str
    url: str
    kind: frozenset[str]


class Changes:
    """In what addresses differ where a slot says something else, and whether together, and on the same pages.

    What is configured, engine, colour and wheels of a car, is chosen together, and each choice has a price of its own;
    a chair has one for each colour, a lamp for each size. Where a link comes from, how wide a page is shown and in
    which language, each is asked for by itself, and on each page: a counter says another number whatever it is, and
    also where parameters are those of other programs, forms and lists.
    """

    def __init__(self, linked: Linked | None = None) -> None:
        self._linked = linked
        self._kinds: set[frozenset[str]] = set()
        self._seen: dict[Hashable, list[Change]] = {}
        self._together: set[frozenset[str]] = set()
        self._pairs: Counter[frozenset[frozenset[str]]] = Counter()

    def add(self, page: Hashable, change: Change) -> None:
        """Note a difference between two addresses of a page."""
        kind = change.kind
        # each address has a path, which is chosen together with all else
        if not kind or "/" in kind:
            return
        if len(self._together) < MAX_PAIRS:
            for names in _borne(change):
                self._together.update(map(frozenset, combinations(sorted(names)[:MAX_KINDS], 2)))
        if kind not in self._kinds and len(self._kinds) >= MAX_KINDS:
            return
        self._kinds.add(kind)
        if page not in self._seen and len(self._seen) >= MAX_FIRSTS:
            return
        others = self._seen.setdefault(page, [])
        for other in others:
            if other.kind.isdisjoint(kind):
                self._note_pair(other, change)
        if len(others) < KEPT and all(other.kind != kind for other in others):
            others.append(change)

    def _note_pair(self, one: Change, other: Change) -> None:
        pair = frozenset((one.kind, other.kind))
        self._pairs[pair] += 1
        if self._linked is None or self._pairs[pair] > TRIED or not self._are_apart(one.kind, other.kind):
            return
        if self._linked(one.first, one.url, other.url):
            self._together.update(frozenset((a, b)) for a in one.kind for b in other.kind)

    def _are_apart(self, one: frozenset[str], other: frozenset[str]) -> bool:
        return not any(frozenset((a, b)) in self._together for a in one for b in other)

    def independent(self) -> int:
        """With how many things that have nothing in common the slot has changed."""
        return len(_disjoint(self._kinds))

    def count(self, kinds: int, layouts: Layouts | None = None) -> bool:
        """Whether the slot is a counter: it has changed with so many things, most of them asked for apart.

        And with two of these on the same pages, or on pages of different layouts.
        """
        chosen = _disjoint(self._kinds)
        if len(chosen) < kinds:
            return False
        pairs = list(combinations(chosen, 2))
        return sum(self._are_of_a_counter(*pair, layouts) for pair in pairs) >= APART * len(pairs)

    def _are_of_a_counter(self, one: frozenset[str], other: frozenset[str], layouts: Layouts | None) -> bool:
        if not self._are_apart(one, other):
            return False
        return self._pairs[frozenset((one, other))] >= ON_ONE or (layouts is not None and layouts.are_two(one, other))


def _disjoint(kinds: AbstractSet[frozenset[str]]) -> list[frozenset[str]]:
    """Return of these differences as many as have nothing in common, the shortest first."""
    names: set[str] = set()
    chosen = []
    for one in sorted(kinds, key=lambda kind: (len(kind), sorted(kind))):
        if names.isdisjoint(one):
            names |= one
            chosen.append(one)
    return chosen


def independent(kinds: AbstractSet[frozenset[str]]) -> int:
    """How many of these differences have nothing in common; an address that differs from itself is two of them."""
    if frozenset() in kinds:
        return 1 + max(1, independent(kinds - {frozenset()}))
    return len(_disjoint(kinds))
