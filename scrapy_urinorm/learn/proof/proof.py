"""Proof of rules by crawling the recorded site again, in memory: what a crawl under them would no longer meet.

Two pages of one text may link to different pages, so a merge that is right by content may cut off what only one of
them leads to. The recorded graph is crawled breadth first and depth first under the rules, and must meet every content
class that it meets without them, soft errors aside.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from scrapy_urinorm.content import NEAR, compare
from scrapy_urinorm.learn.links.graph import BREADTH, DEPTH, NONE, Graph, RecordedCrawl, crawl, cuts, lost
from scrapy_urinorm.learn.links.linked import asked_for, linked_hashes, untold
from scrapy_urinorm.learn.links.told import Explained, ToldLinks
from scrapy_urinorm.learn.links.ways import Ways
from scrapy_urinorm.learn.pages.page import Page, Word
from scrapy_urinorm.learn.proof.cut_short import breaks_off

WAYS = ((BREADTH, 1), (DEPTH, 1), (DEPTH, 16))
"""Orders and requests at a time: a rule must hold in Scrapy's default order, with its default concurrency, and in
that which most large crawls choose."""


FINISHED = 0.05
"""A crawl that left no more of the addresses that it found has come to its end: what is left was not its business."""
GAPS = 0.1
"""Share of pages that no page on record leads to, from which a record has gaps: a crawl that was cut short has none,
random quarters of six applications' crawls have 0.3 to 0.7."""


BLIND_FEW = 2
BLIND_SHARE = 0.2
"""Content classes that may lie behind a merge and nowhere else, for each page that a rule moves: a repository browser's
rule had 0.3 to 0.6, and lost a third of the files; reply forms have 0.2, log-in forms 0.1. Of data as many may be
`untold`: each has, as far as is known, one of its own behind it."""
BLIND_SHARE_OF_GAPS = 0.05
"""`BLIND_SHARE` where a record has gaps, as a sample of a crawl has: of most pages it does not say where they lead. Of
random quarters of a repository browser's crawl, 0.1 lost nine pages."""


class Loss(NamedTuple):
    """A content class that is no longer met: the address at which the way to it ends, and the one fetched in its stead,
    -1 where it is skipped.
    """

    label: int
    node: int
    stand_in: int


class Hidden(NamedTuple):
    """What lies behind a merge and nowhere else: addresses that were never requested, others, which showed what is met
    elsewhere, and the content classes of these, soft errors aside; `by_luck` has those that the rules themselves do not
    make one with what is met.
    """

    unseen: list[int]
    seen: list[int]
    labels: set[int]
    by_luck: set[int]


class Course(NamedTuple):
    """A recorded crawl beside one under rules.

    `ends` says of the nodes that were looked at how the way to them ends, None where it goes on; `claimed` what was
    fetched for a key, and what would be, where ways go on.
    """

    plain: RecordedCrawl
    ruled: RecordedCrawl
    ends: dict[int, tuple[int, int] | None]
    claimed: dict[Hashable, int]


class Proof:
    """The recorded crawls of a site, which those under rules are held against; `ended` says that each of them came to
    its end by itself, `whole` that none has left anything that its pages would ask for.
    """

    def __init__(
        self,
        pages: Sequence[Page],
        graph: Graph,
        soft: frozenset[int],
        *,
        exact: bool = False,
        ended: bool = False,
        whole: bool = False,
    ) -> None:
        self.pages = pages
        self.graph = graph
        self.soft = soft
        self.exact = exact
        self.has_ended = ended
        self.is_whole = whole
        # a redirect shows nothing: what it leads to is met where that is fetched
        self.labels = [-1 if n in graph.hops else page.label for n, page in enumerate(pages)]
        # each step of learning asks what is missed without it, as the one before did, and with it, more than once
        self._latest = deque[tuple[list[str], AbstractSet[int], list[Loss]]](maxlen=2)
        self._plain: list[RecordedCrawl] = [
            crawl(graph, range(len(pages)), order=order, concurrent=concurrent) for order, concurrent in WAYS
        ]

    @cached_property
    def linked(self) -> frozenset[bytes]:
        """The hashes of all addresses that pages link to."""
        # few sites ask
        return linked_hashes(self.pages)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each page by its key."""
        return {page.key: n for n, page in enumerate(self.pages)}

    @property
    def parents(self) -> Mapping[int, int]:
        """Where each address was first met, as a crawl breadth first goes; -1 at a start."""
        return self._plain[0].parents

    @cached_property
    def is_finished(self) -> bool:
        """Whether the recorded crawl requested nearly all that it found."""
        found = self._plain[0].parents
        left = {node: parent for node, parent in found.items() if node >= len(self.pages)}
        return len(left) <= FINISHED * len(found) and (
            self.has_ended or not breaks_off([page.key for page in self.pages], self.graph.links, left)
        )

    @cached_property
    def has_gaps(self) -> bool:
        """Whether many pages were found in ways that the record does not tell."""
        return len(self.graph.roots) - len(self.graph.starts) > GAPS * len(self.pages)

    @property
    def blind_share(self) -> float:
        """The share of what a rule moves or skips that may hide something of which nothing is known."""
        return BLIND_SHARE_OF_GAPS if self.has_gaps else BLIND_SHARE

    @cached_property
    def untold(self) -> frozenset[int]:
        """The pages of which it is not known whether a callback would ask for more."""
        return frozenset() if self.is_whole else untold(self.pages, asked_for(self.pages, self.numbers))

    def is_untold(self, nodes: AbstractSet[int]) -> bool:
        """Whether too many of some pages are."""
        return len(nodes & self.untold) > BLIND_FEW + BLIND_SHARE * len(nodes)

    @cached_property
    def _told(self) -> ToldLinks:
        return ToldLinks(self.pages, self.graph.links)

    @cached_property
    def _word(self) -> Word:
        # only strict learning asks
        return Word(self.pages)

    def losses(self, keys: Sequence[str], skipped: AbstractSet[int] = NONE) -> list[Loss]:
        """Return what crawls under these keys would not meet."""
        for known in self._latest:
            if known[1] == skipped and known[0] == keys:
                self._latest.remove(known)
                self._latest.append(known)
                return known[2]
        found: dict[Loss, None] = {}
        ways = self.ways(keys)
        for plain, (order, concurrent) in zip(self._plain, WAYS, strict=True):
            ruled = crawl(self.graph, keys, skipped, order=order, concurrent=concurrent)
            course = Course(plain, ruled, {}, dict(ruled.claimed))
            for label, nodes in lost(plain, ruled, self.labels, self.soft).items():
                if not self._excused(nodes, keys, skipped, ruled):
                    ends = [self._end(node, course, ways, keys, skipped) for node in nodes]
                    if None not in ends:
                        found |= {Loss(label, *end): None for end in ends if end is not None}
        self._latest.append((list(keys), frozenset(skipped), list(found)))
        return list(found)

    def ways(self, keys: Sequence[str]) -> Ways:
        """Where the recorded links lead under these keys."""
        return Ways(self.pages, self.graph.links, keys)

    def explained(self, keys: Sequence[str], key: Callable[[str], str]) -> Explained:
        """What of `hidden` is no secret; `key` gives that of any address under the rules."""
        return Explained(self._told, self.pages, keys, crawl(self.graph, keys).claimed, key)

    def missed(self, keys: Sequence[str], skipped: AbstractSet[int]) -> set[int]:
        """Return the content classes that they would not meet."""
        return {loss.label for loss in self.losses(keys, skipped)}

    def hidden(self, keys: Sequence[str]) -> dict[tuple[int, int], Hidden]:
        """Return what a crawl under these keys would not meet; nothing where the recorded one requested nearly all.

        It is told by the address at which a way ends and the one fetched in its stead.
        """
        if self.is_finished:
            return {}
        plain, size = self._plain[0], len(self.pages)
        ruled = crawl(self.graph, keys)
        found: dict[tuple[int, int], Hidden] = {}
        for node, at in cuts(plain, ruled).items():
            if at >= 0:
                one = found.setdefault((at, ruled.claimed.get(keys[at], -1)), Hidden([], [], set(), set()))
                (one.unseen if node >= size else one.seen).append(node)
                if node < size and self.labels[node] not in self.soft:
                    one.labels.add(self.labels[node])
                    if keys[node] not in ruled.claimed:
                        one.by_luck.add(self.labels[node])
        return found

    def behind(self, keys: Sequence[str], skipped: AbstractSet[int], without: AbstractSet[int]) -> tuple[int, int]:
        """Return how many addresses that were never requested, and how many others, some pages alone lead to."""
        unseen, seen = self._only_behind(keys, skipped, without)
        return len(unseen), len(seen)

    def unknown_behind(
        self, keys: Sequence[str], skipped: AbstractSet[int], without: AbstractSet[int], least: float
    ) -> float:
        """Return how many addresses that were never requested, and are none of their kind, some pages alone lead to.

        Where at `least` this share of the links in one place of these pages were followed, and led to these pages, the
        others there mostly do, too: of a calendar that was cut short the last days lead to further days.
        """
        unseen, _ = self._only_behind(keys, skipped, without)
        left, own, open_ = set(unseen), Counter[int](), Counter[int]()
        for node in without if left else ():
            for place, target in enumerate(self.graph.links[node]):
                own[place] += target in without
                open_[place] += target in left
                left.discard(target)
        few = ((n, own[place]) for place, n in open_.items())
        return len(left) + sum(n / (led + 1) if led >= least * (led + n) else n for n, led in few)

    def _only_behind(
        self, keys: Sequence[str], skipped: AbstractSet[int], without: AbstractSet[int]
    ) -> tuple[list[int], list[int]]:
        gone = (
            crawl(self.graph, keys, skipped).parents.keys() - crawl(self.graph, keys, skipped | without).parents.keys()
        )
        size = len(self.pages)
        return [node for node in gone if node >= size], [node for node in gone if node < size]

    def _end(
        self, node: int, course: Course, ways: Ways, keys: Sequence[str], skipped: AbstractSet[int]
    ) -> tuple[int, int] | None:
        """Return where the recorded way to a page ends under these keys, and what is fetched there in its stead; None
        where it goes on.

        A way that goes on behind one merge may end at another, and what it leads to may be made one with another page.
        """
        plain, ruled, ends, claimed = course
        way = [node]
        while (at := way[-1]) not in ruled.parents and at not in ends:
            way.append(plain.parents[at])
        end = ends.get(way.pop())
        for after in reversed(way):
            if end is None:
                stand_in = -1 if at in skipped else claimed.setdefault(keys[at], at)
                if stand_in != at and not ways.go_on(at, after, stand_in):
                    end = at, stand_in
            at, ends[after] = after, end
        if end is None:
            stand_in = -1 if node in skipped else claimed.setdefault(keys[node], node)
            if stand_in < 0 or self.labels[stand_in] != self.labels[node]:
                end = node, stand_in
        return end

    def _excused(
        self, nodes: Sequence[int], keys: Sequence[str], skipped: AbstractSet[int], ruled: RecordedCrawl
    ) -> bool:
        """Whether a version of the page was fetched in its stead."""
        claimed = ((node, ruled.claimed.get(keys[node], -1)) for node in nodes if node not in skipped)
        return any(other >= 0 and self._is_version(node, other) for node, other in claimed)

    def _is_version(self, node: int, other: int) -> bool:
        if compare(self.pages[node], self.pages[other]) < NEAR:
            return False
        return not self.exact or self._word.are_one(node, other)
