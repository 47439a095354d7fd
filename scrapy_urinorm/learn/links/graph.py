"""A crawl of the recorded link graph, simulated under any rules: pure, no pages, no rules, only numbers.

Nodes are the addresses that were requested, each with its links in document order and, where it redirects, the node
that it leads to. A crawl under rules is told the key of each node and which are skipped; as in Scrapy the first
variant that is met claims a key when it is scheduled, and is the one that is fetched, with *its* recorded links.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

BREADTH, DEPTH = "breadth", "depth"
"""First in, first out; or last in, first out, which is Scrapy's own order."""
NONE: frozenset[int] = frozenset()
CHANCES = 2
"""Other variants that go where one has failed, as `URINORM_SECOND_CHANCE` lets them."""
_ASKED = 2
"""Of a node that was met (1): that it is requested."""


class Graph:
    """The recorded graph of a site.

    `links` holds the targets of each node; numbers from `len(links)` on are addresses that were linked and never
    requested. `hops` says where redirecting nodes lead. `starts` are the nodes at which the recorded crawl began; what
    cannot be reached from them was found in ways that the record does not tell, and is entered where it must be: of
    each part of the rest that only leads to others, one node. `failed` ones were no pages when they were requested.
    """

    def __init__(
        self,
        links: Sequence[Sequence[int]],
        starts: Iterable[int],
        hops: dict[int, int] | None = None,
        failed: AbstractSet[int] = NONE,
    ) -> None:
        self.links = links
        self.hops = hops or {}
        self.failed = failed
        self.numbers = max(len(links), 1 + max((max(targets, default=-1) for targets in links), default=-1))
        """How many nodes there are, with those that were never requested."""
        self.starts = list(dict.fromkeys(starts))
        self.roots = self.starts + self._entries()

    def __len__(self) -> int:
        return len(self.links)

    def _out(self, node: int) -> Sequence[int]:
        hop = self.hops.get(node)
        return self.links[node] if hop is None else (hop,)

    def _entries(self) -> list[int]:
        """Return the fewest nodes from which, with the starts, all are reached."""
        size = len(self.links)
        reached = bytearray(size)
        self._reach(self.starts, reached)
        if all(reached):
            return []
        # the last node that a depth-first search leaves lies in a part that no other part leads to
        seen = bytearray(reached)
        left: list[int] = []
        for first in range(size):
            if not seen[first]:
                self._leave(first, seen, left)
        entries = []
        for node in reversed(left):
            if not reached[node]:
                entries.append(node)
                self._reach([node], reached)
        return entries

    def _reach(self, starts: Iterable[int], reached: bytearray) -> None:
        size = len(self.links)
        stack = [node for node in starts if not reached[node]]
        for node in stack:
            reached[node] = 1
        while stack:
            for target in self._out(stack.pop()):
                if target < size and not reached[target]:
                    reached[target] = 1
                    stack.append(target)

    def _leave(self, first: int, seen: bytearray, left: list[int]) -> None:
        """Search depth first from a node; add the nodes to `left` in the order in which the search leaves them."""
        size = len(self.links)
        seen[first] = 1
        stack = [(first, iter(self._out(first)))]
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target < size and not seen[target]:
                    seen[target] = 1
                    stack.append((target, iter(self._out(target))))
                    break
            else:
                stack.pop()
                left.append(node)


class RecordedCrawl(NamedTuple):
    """What a simulated crawl did.

    `fetched` are the nodes requested, in order; `claimed` says which node was fetched for a key; `parents` where a node
    was first met, -1 at a root, and lacks what was never met. A node that was met and not fetched was filtered by its
    key, or skipped.
    """

    fetched: list[int]
    claimed: dict[Hashable, int]
    parents: dict[int, int]


def crawl(
    graph: Graph,
    keys: Sequence[Hashable],
    skipped: AbstractSet[int] = NONE,
    *,
    deferred: AbstractSet[int] = NONE,
    order: str = BREADTH,
    concurrent: int = 1,
) -> RecordedCrawl:
    """Crawl the graph from its roots.

    `keys` are those of the nodes, `skipped` nodes are never requested unless they are roots, `deferred` ones when
    nothing else is left. `concurrent` requests are under way at once, answered in the order in which they were sent.
    """
    size = len(graph)
    claimed: dict[Hashable, int] = {}
    failures: dict[Hashable, int] = {}
    parents: dict[int, int] = {}
    # nearly every link leads to what was met: an octet a node is in the processor's cache, a dict is not
    met = bytearray(graph.numbers)
    queue: deque[int] = deque()
    later: deque[int] = deque()
    flying: deque[int] = deque()
    fetched: list[int] = []
    take: Callable[[], int] = queue.popleft if order == BREADTH else queue.pop

    def meet(nodes: Iterable[int], parent: int) -> None:
        for node in nodes:
            if met[node]:
                continue
            met[node] = 1
            parents[node] = parent
            if node >= size or (parent >= 0 and node in skipped):
                continue
            key = keys[node]
            if key not in claimed and failures.get(key, 0) <= CHANCES:
                if node in graph.failed:
                    failures[key] = failures.get(key, 0) + 1
                else:
                    claimed[key] = node
                met[node] = _ASKED
                (later if node in deferred else queue).append(node)

    meet(graph.roots, -1)
    while True:
        while len(flying) < concurrent and (queue or (later and not flying)):
            flying.append(take() if queue else later.popleft())
        if not flying:
            break
        node = flying.popleft()
        fetched.append(node)
        hop = graph.hops.get(node)
        if hop is None:
            meet(graph.links[node], node)
        elif hop < size and met[hop] != _ASKED and keys[hop] == keys[node]:
            # the target of a redirect passes, though its key is that of the address that led there, and though a link
            # to it was filtered for that
            met[hop] = _ASKED
            parents.setdefault(hop, node)
            flying.append(hop)
        else:
            meet((hop,), node)
    return RecordedCrawl(fetched, claimed, parents)


def lost(
    plain: RecordedCrawl, ruled: RecordedCrawl, labels: Sequence[int], soft: AbstractSet[int] = NONE
) -> dict[int, list[int]]:
    """Return the content classes that one crawl met and another did not, each with its nodes in the first."""
    got = {labels[node] for node in ruled.fetched}
    gone: dict[int, list[int]] = {}
    for node in plain.fetched:
        label = labels[node]
        if label >= 0 and label not in got and label not in soft:
            gone.setdefault(label, []).append(node)
    return gone


def cuts(plain: RecordedCrawl, ruled: RecordedCrawl) -> dict[int, int]:
    """Return what one crawl met and another did not, each with what kept the other from it: the first node on the way
    to it, as the one went, that the other met and did not fetch; -1 where that way is open.
    """
    found: dict[int, int] = {}
    for node, parent in plain.parents.items():
        if node not in ruled.parents:
            # a parent was met before its links
            found[node] = found.get(parent, parent)
    return found
