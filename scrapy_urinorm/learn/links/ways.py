"""Where links lead that nobody followed: of a site with a token in each link a crawl that was cut short has followed
those of the first few variants of each page, and those of others lead to the same pages under further tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import filterfalse
from typing import TYPE_CHECKING

from scrapy_urinorm.content import NEAR, compare, difference
from scrapy_urinorm.learn.links.told import carried
from scrapy_urinorm.visits.links import holds, url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

    Varies = frozenset[str]
    """The parameters in which two addresses differ, and `/` where their paths do."""

SAME_WAYS = 31
"""Pairs of pages of one text that lead to the same, none that do not, after which others are taken to: as many as a
live rule is believed for. The first tenth of a repository browser has fewer, and a rule would have lost its files."""
MOST_PAIRS = 1_000
"""Pairs that are looked at of those whose addresses differ in the same: each is as much work as a page has links."""


class Ways:
    """The links of a recorded crawl, by page, under the keys that some rules give the pages.

    Numbers from `len(pages)` on are addresses that were never requested.
    """

    def __init__(self, pages: Sequence[Page], links: Sequence[Sequence[int]], keys: Sequence[str]) -> None:
        self._pages = pages
        self._links = links
        self._keys = keys
        self._shown: dict[Varies, bool] = {}
        self._beyond: dict[tuple[int, int], frozenset[int]] = {}

    def go_on(self, node: int, after: int, stand_in: int) -> bool:
        """Whether the ways from a page to the one `after` it go on from the one fetched in its stead.

        What that one has in the place of the link was never requested, or has its key (what is fetched for that is
        looked at next), other such pairs of pages lead to the same, and the rules take from the link what they take
        from the two. Or it has the very link that differs from that one as the two pages do.
        """
        if self._carry(node, after, stand_in):
            return True
        if (beyond := self._beyond.get((node, stand_in))) is None:
            beyond = self._beyond[node, stand_in] = frozenset(self._links_beyond(node, stand_in))
        return after in beyond

    def _links_beyond(self, node: int, stand_in: int) -> Iterator[int]:
        size, pages, keys = len(self._pages), self._pages, self._keys
        if stand_in < 0 or not 0 <= pages[node].label == pages[stand_in].label:
            return
        if self._lead_alike(node, stand_in) is False:
            return
        varies = difference(pages[node].key, pages[stand_in].key)
        for after, leads in zip(self._links[node], self._links[stand_in], strict=True):
            if (
                after < size
                and (leads >= size or keys[leads] == keys[after])
                and varies <= difference(pages[after].key, keys[after])
                and self._have_shown(varies)
            ):
                yield after

    def _carry(self, node: int, after: int, stand_in: int) -> bool:
        """Whether a page of one text has the link to `after` with its own values in place of those of `node`.

        Links are hashes, but what such a link would be is known. A bookmark in a window has the address of its list,
        which the link to it as a page repeats: the crawl followed that of one list, and was cut short before others'.
        """
        pages = self._pages
        if stand_in < 0 or after >= len(pages) or not 0 <= pages[node].label == pages[stand_in].label:
            return False
        varies = difference(pages[node].key, pages[stand_in].key)
        if not varies or "/" in varies or not varies <= difference(pages[after].key, self._keys[after]):
            return False
        address = carried(pages[after].key, pages[node].key, pages[stand_in].key)
        return address is not None and holds(pages[stand_in].links or b"", url_hash(address))

    def _have_shown(self, varies: Varies) -> bool:
        """Whether enough pairs of pages whose addresses differ in this lead to the same, and none does not."""
        known = self._shown.get(varies)
        if known is None:
            pairs = self._pairs.get(varies, [])
            outcomes = [self._lead_alike(*pair) for pair in pairs[:: len(pairs) // MOST_PAIRS + 1]]
            known = self._shown[varies] = False not in outcomes and outcomes.count(True) >= SAME_WAYS
        return known

    def apart(self, nodes: Collection[int]) -> tuple[list[tuple[int, int]], int, int]:
        """Where some pages lead that the first page of their key which says the same does not lead to.

        Returns the pages that lead elsewhere in the place of a link, each with that first one; of how many such links
        it is known that they lead elsewhere; and of how many that they lead to the same.
        """
        found = [(pair, *self._compared(*pair)) for pair in self._with_first(nodes)]
        return [pair for pair, apart, _ in found if apart], sum(row[1] for row in found), sum(row[2] for row in found)

    def broken(self, nodes: Collection[int]) -> tuple[list[tuple[int, int]], int]:
        """Which pages lie in another folder than the first page of their key which says the same, and lead to errors
        where that does not, or the other way round; and how many lie in another, if there are errors at all.
        """
        if not self._failed:
            return [], 0
        pairs = [pair for pair in self._with_first(nodes) if len({_folder(self._pages[n].key) for n in pair}) > 1]
        return [pair for pair in pairs if self._fails(*pair) is not self._fails(*reversed(pair))], len(pairs)

    def _with_first(self, nodes: Collection[int]) -> list[tuple[int, int]]:
        first = self._first
        pairs = [(n, first.get((self._keys[n], self._pages[n].label), n)) for n in sorted(nodes)]
        pairs = [(n, other) for n, other in pairs if other != n and self._pages[n].links is not None]
        return pairs[:: len(pairs) // MOST_PAIRS + 1]

    def _fails(self, one: int, other: int) -> bool:
        """Whether a page leads to an error in its own folder, as relative links do, that another does not lead to."""
        failed = self._failed.intersection(self._links[one]).difference(self._links[other])
        folder = _folder(self._pages[one].key) + "/"
        return any(self._pages[node].key.startswith(folder) for node in failed)

    def _compared(self, one: int, other: int) -> tuple[int, int]:
        """How many links that only one of two pages has are known to lead elsewhere than those of the other, and how
        many to lead to the same.
        """
        here, there, size = dict.fromkeys(self._links[one]), dict.fromkeys(self._links[other]), len(self._pages)
        mine = list(filterfalse(there.__contains__, here))
        others = list(filterfalse(here.__contains__, there))
        if len(mine) == len(others):
            # a list in another order has the same links, and in the place of others its own
            varies = difference(self._pages[one].key, self._pages[other].key)
            both = [(a, b) for a, b in zip(mine, others, strict=True) if a < size and b < size]
            known = [self._show_one(a, b) for a, b in both if not self._repeat(a, b, varies)]
            return known.count(False), known.count(True)
        shown = {(self._keys[node], self._pages[node].label) for node in others if node < size}
        return 0, sum((self._keys[node], self._pages[node].label) in shown for node in mine if node < size)

    def _repeat(self, one: int, other: int, varies: Varies) -> bool:
        """Whether two pages that say the same are two by what varies alone, which the rules leave there."""
        label, keys = self._pages[one].label, self._keys
        return (
            keys[one] != keys[other]
            and 0 <= label == self._pages[other].label
            and difference(self._pages[one].key, self._pages[other].key) <= varies
        )

    @cached_property
    def _failed(self) -> frozenset[int]:
        return frozenset(n for n, page in enumerate(self._pages) if page.failed)

    @cached_property
    def _first(self) -> dict[tuple[str, int], int]:
        """The first page with links of each key and content."""
        first: dict[tuple[str, int], int] = {}
        for n, page in enumerate(self._pages):
            if page.label >= 0 and page.links is not None:
                first.setdefault((self._keys[n], page.label), n)
        return first

    @cached_property
    def _pairs(self) -> dict[Varies, list[tuple[int, int]]]:
        """The pages that say the same as an earlier one of their key, each with that one, by what they differ in."""
        found: dict[Varies, list[tuple[int, int]]] = defaultdict(list)
        for n, page in enumerate(self._pages):
            if page.label >= 0 and page.links is not None:
                other = self._first[self._keys[n], page.label]
                if other != n:
                    found[difference(self._pages[other].key, page.key)].append((other, n))
        return found

    def _lead_alike(self, one: int, other: int) -> bool | None:
        """Whether the links of two pages lead to pages of one key that say the same, place by place.

        None where there is no place of which both were followed.
        """
        here, there, size = self._links[one], self._links[other], len(self._pages)
        if len(here) != len(there):
            return False
        known = [(a, b) for a, b in zip(here, there, strict=True) if a < size and b < size]
        return all(a == b or self._show_one(a, b) for a, b in known) if known else None

    def _show_one(self, one: int, other: int) -> bool:
        pages = self._pages
        same = pages[one].label == pages[other].label
        return self._keys[one] == self._keys[other] and (same or compare(pages[one], pages[other]) >= NEAR)


def _folder(key: str) -> str:
    """Return the address that the relative links of a page add to."""
    return key.partition("?")[0].rpartition("/")[0]
