"""Whether all that was met would be met under some rules: a crawl of the site so far, waiting requests among its nodes.

In the middle of a crawl most links lead to what was not fetched yet, or is kept back by the very rules that are to be
judged. Of these the address is known, not the page: under rules that give it the key of a page that was fetched, it is
taken for that page, links and all. Whether it is, is for the pairs to tell.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import NEAR, compare
from scrapy_urinorm.learn.links.graph import Graph, RecordedCrawl, crawl, cuts
from scrapy_urinorm.learn.links.linked import add_asked, hops_of
from scrapy_urinorm.learn.proof.proof import WAYS
from scrapy_urinorm.learn.sites.site import HOPS
from scrapy_urinorm.visits.links import each_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

ASKED = 200
"""Losses looked at: enough to tell which rule is to blame."""

FRESH = 64
"""Of so many of the latest pages it is not known yet what they lead to: their callbacks run, or have just run."""


class Gone(NamedTuple):
    """Where the way to something ends under the rules: the node that is not fetched, and the one in its stead."""

    node: int
    stand_in: int


class Reachable:
    """The graph of a site so far; `waiting` are the addresses that were met and not fetched, keys by hash.

    The way through one of the `fresh` latest pages is taken to be open.
    """

    def __init__(
        self,
        pages: Sequence[Page],
        ids: Mapping[bytes, Page],
        waiting: Mapping[bytes, str],
        soft: frozenset[int],
        fresh: int = FRESH,
    ) -> None:
        self.pages = pages
        self.soft = soft
        self._told = len(pages) - fresh
        number = {id(page): n for n, page in enumerate(pages)}
        by_key = {page.key: n for n, page in enumerate(pages)}
        numbers = {hashed: number[id(page)] for hashed, page in ids.items()}
        self.keys = [page.key for page in pages]
        for hashed, key in waiting.items():
            if hashed not in numbers:
                numbers[hashed] = by_key.setdefault(key, len(self.keys))
                if numbers[hashed] == len(self.keys):
                    self.keys.append(key)
        self.links: list[array[int]] = [
            array("q", [numbers[one] for one in each_hash(page.links) if one in numbers]) for page in pages
        ]
        self.links += [array("q") for _ in range(len(self.keys) - len(pages))]
        add_asked(self.links, pages, by_key)
        self.hops = hops_of(pages, by_key)
        self._starts = [n for n, page in enumerate(pages) if page.depth == 0] or [0]
        self._plain: list[RecordedCrawl] | None = None

    def gone(self, key: Mapping[str, str]) -> list[Gone]:
        """Return what a crawl under rules would miss; `key` gives what they make of each of `keys`."""
        pages = self.pages
        # what failed serves nobody, as the desk lets another variant go then
        failed = {n for n, page in enumerate(pages) if page.failed}
        keys = [key[one] if n not in failed else f"{n} failed" for n, one in enumerate(self.keys)]
        stand: dict[str, int] = {}
        for n in range(len(pages)):
            # what redirects has no links of its own
            stand.setdefault(keys[n], self._end(n))
        fetched = len(pages)
        links: list[Sequence[int]] = list(self.links)
        labels = [-1 if n in self.hops else page.label for n, page in enumerate(pages)]
        labels += [-1] * (len(keys) - fetched)
        for n in range(fetched, len(keys)):
            known = stand.get(keys[n], -1)
            if known >= 0:
                links[n], labels[n] = self.links[known], labels[known]
        if self._plain is None:
            graph = Graph(self.links, self._starts, self.hops)
            self._plain = [crawl(graph, range(len(keys)), order=order, concurrent=n) for order, n in WAYS]
        graph = Graph(links, self._starts, self.hops)
        found: dict[Gone, None] = {}
        for plain, (order, concurrent) in zip(self._plain, WAYS, strict=True):
            ruled = crawl(graph, keys, order=order, concurrent=concurrent)
            got = {labels[node] for node in ruled.fetched}
            # what was met is where its own way ends
            ends = cuts(plain, ruled)
            for node in plain.fetched:
                if node < fetched and labels[node] not in got and labels[node] >= 0:
                    if labels[node] in self.soft or self._excused(node, keys, ruled):
                        continue
                    at = ends.get(node, node)
                    other = ruled.claimed.get(keys[at], -1)
                    if at >= 0 <= other and not self._told <= other < fetched:
                        found[Gone(at, other)] = None
                        if len(found) >= ASKED:
                            return list(found)
        return list(found)

    def _end(self, node: int) -> int:
        """Return where the redirects of a page end."""
        for _ in range(HOPS):
            if node not in self.hops:
                break
            node = self.hops[node]
        return node

    def _excused(self, node: int, keys: Sequence[str], ruled: RecordedCrawl) -> bool:
        other = ruled.claimed.get(keys[node], -1)
        if other < 0:
            return False
        return other >= len(self.pages) or compare(self.pages[node], self.pages[other]) >= NEAR
