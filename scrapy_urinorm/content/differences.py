"""In what two addresses differ, by the names of their parameters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from collections.abc import Set as AbstractSet

MAX_KINDS = 16
"""Differences of addresses that are remembered of a slot."""
MAX_ASKED = 10_000
"""Sets of parameters that addresses have together which are remembered, the first ones: a site has hundreds."""


def difference(url: str, other: str) -> frozenset[str]:
    """Return the names of the parameters in which two addresses differ, and `/` where their paths do."""
    (path, _, query), (other_path, _, other_query) = (one.partition("#")[0].partition("?") for one in (url, other))
    names = {item.partition("=")[0] for item in set(query.split("&")) ^ set(other_query.split("&"))} - {""}
    return frozenset(names if path == other_path else names | {"/"})


def without_values(kind: frozenset[str], *urls: str) -> frozenset[str]:
    """Return a difference without values in place of names: `a[0]` and `a[1]` are one list, `/wiki?Page7` has none."""
    named = {item.partition("=")[0] for url in urls for item in url.partition("?")[2].split("&") if "=" in item}
    kept = (name if name == "/" or name in named else "?" for name in kind)
    return frozenset(map(_one_list, kept))


def _one_list(name: str) -> str:
    return name.partition("[")[0].partition("%5B")[0].rstrip("0123456789")


MAX_FIRSTS = 1_000
"""Pages of a slot whose first difference is remembered, the first ones."""
ON_ONE = 5
"""Second differences of a page, asked for apart from its first, that show that a slot changes with whatever an address
has; chosen, as many as there are groups that show noise."""


class Asked:
    """Which parameters addresses have together.

    What is configured, engine, colour and wheels of a car, is chosen together, and each choice has a price of its own;
    where a link comes from, how wide a page is shown and in which language, each is asked for by itself.
    """

    def __init__(self) -> None:
        self._sets: set[frozenset[str]] = set()

    def add(self, url: str) -> None:
        """Note the parameters of an address."""
        query = url.partition("#")[0].partition("?")[2]
        if "&" in query and len(self._sets) < MAX_ASKED:
            self._sets.add(frozenset(_one_list(item.partition("=")[0]) for item in query.split("&") if "=" in item))

    def are_together(self, names: AbstractSet[str]) -> bool:
        """Whether an address has all of these parameters."""
        return frozenset(map(_one_list, names)) in self._sets

    def apart(self, kinds: Iterable[frozenset[str]]) -> int:
        """How many of these differences have nothing in common, and are in no address together.

        Each address has a path, which is chosen together with all else.
        """
        return independent({kind for kind in kinds if "/" not in kind}, self._sets)


class Changes:
    """In what addresses differ where a slot says something else, and whether on the same pages.

    A chair has a price for each colour, a lamp for each size: what differs so has nothing in common, but a counter says
    another number on each page, whatever its address is asked for.
    """

    def __init__(self) -> None:
        self._kinds: set[frozenset[str]] = set()
        self._firsts: dict[Hashable, frozenset[str]] = {}
        self._pairs: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()

    def add(self, page: Hashable, kind: frozenset[str]) -> None:
        """Note a difference between two addresses of a page."""
        if kind and (kind in self._kinds or len(self._kinds) < MAX_KINDS):
            self._kinds.add(kind)
            if len(self._firsts) < MAX_FIRSTS or page in self._firsts:
                self._pairs[self._firsts.setdefault(page, kind), kind] += 1

    def count(self, asked: Asked, kinds: int) -> bool:
        """Whether the slot is a counter: it has changed with so many things that are asked for apart."""
        if asked.apart(self._kinds) < kinds:
            return False
        return sum(n for pair, n in self._pairs.items() if asked.apart(pair) > 1) >= ON_ONE


def independent(kinds: AbstractSet[frozenset[str]], asked: AbstractSet[frozenset[str]] = frozenset()) -> int:
    """How many of these differences have nothing in common; an address that differs from itself is two of them.

    Those of parameters that one of the sets `asked` has together are one.
    """
    if frozenset() in kinds:
        return 1 + max(1, independent(kinds - {frozenset()}, asked))
    names: set[str] = set()
    count = 0
    for one in sorted(kinds, key=lambda kind: (len(kind), sorted(kind))):
        if names.isdisjoint(one):
            names |= one
            names.update(*(others for others in asked if not one.isdisjoint(others)))
            count += 1
    return count
