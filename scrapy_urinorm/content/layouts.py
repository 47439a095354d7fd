"""Which layouts pages have whose addresses differ in this and in that: articles, forms, lists of files.

And where a slot stands: what counts visitors does so on all pages, the front page among them, and on such as have one
address each. A price stands on goods alone, whatever options the goods of each department have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

MAX_PAGES, MAX_LAYOUTS = 50, 64
"""Pages of a layout whose slots are counted, and differences of addresses that have one, the first ones."""
COMMON = 0.8
"""The share of its pages on which a slot stands that belongs to a layout; as of a site and its frame."""
ALIKE = 0.25
"""The share of the slots of two layouts that both have, below which they are two. Chosen: of a recorded wiki's
articles, forms and lists of files no two have over 0.07, products of one shop have nearly all in common."""
EVERYWHERE = 0.99
"""The share of the pages on which a slot stands that belongs to all of them. Chosen: of a recorded wiki 6 pages of
1,723, windows without its frame, lack what is loaded with each page; of a shop lists and imprint lack a price."""
BESIDE, MAX_ALONE, MAX_RESTS = 3, 500, 20_000
"""Further layouts, of pages with one address each, on which a slot stands that is a counter; and such pages that are
looked at, of so many texts, the first ones. Chosen: a department without options is one layout, the lists, forms and
articles of a wiki are more."""


class Layouts:
    """The slots outside the frame that pages have, by in what their addresses differ; and pages with one address."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._alone: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        self._on: Counter[int] = Counter()
        self._all = 0
        self._front: frozenset[int] | None = None
        self._beside: list[tuple[frozenset[int], set[int]]] | None = None
        self._pages: Counter[frozenset[str]] = Counter()
        self._slots: dict[frozenset[str], Counter[int]] = {}
        self._common: dict[frozenset[str], frozenset[int]] = {}

    def add(self, kind: frozenset[str], slots: Iterable[int]) -> None:
        """Note a page whose address differs so from that of another one with its text."""
        if self._pages[kind] < MAX_PAGES and (kind in self._slots or len(self._slots) < MAX_LAYOUTS):
            self._pages[kind] += 1
            self._slots.setdefault(kind, Counter()).update(set(slots))

    def see(self, url: str, rest: int, slots: Collection[int], shown: Iterable[int]) -> None:
        """Note a page: the slots of it that are looked at, and those outside the frame."""
        self._all += 1
        self._on.update(slots)
        if not url.partition("://")[2].partition("/")[2]:
            self._front = frozenset(slots) if self._front is None else self._front.intersection(slots)
        if rest in self._seen:
            self._alone.pop(rest, None)
        elif len(self._seen) < MAX_RESTS:
            self._seen.add(rest)
            if len(self._alone) < MAX_ALONE:
                self._alone[rest] = frozenset(shown), frozenset(slots)

    def have(self, slots: AbstractSet[int]) -> bool:
        """Whether all of these slots stand everywhere, so that they may be counters."""
        if any(self._on[slot] < EVERYWHERE * self._all for slot in slots):
            return False
        if self._front is not None and not slots <= self._front:
            return False
        return sum(slots <= on for _, on in self._others()) >= BESIDE

    def _others(self) -> list[tuple[frozenset[int], set[int]]]:
        """Return the layouts that only pages with one address have, with what stands on all pages of each."""
        if self._beside is None:
            known = [self._of(kind) for kind in self._slots]
            found: list[tuple[frozenset[int], set[int]]] = []
            for shown, on in self._alone.values():
                if any(_resemble(shown, one) for one in known):
                    continue
                like = next((there for one, there in found if _resemble(shown, one)), None)
                if like is not None:
                    like &= on
                elif len(found) < MAX_LAYOUTS:
                    found.append((shown, set(on)))
            self._beside = found
        return self._beside

    def are_two(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Whether pages of two differences have different layouts."""
        return not _resemble(self._of(one), self._of(other))

    def _of(self, kind: frozenset[str]) -> frozenset[int]:
        if kind not in self._common:
            counted = self._slots.get(kind, Counter[int]()).items()
            self._common[kind] = frozenset(slot for slot, n in counted if n >= COMMON * self._pages[kind])
        return self._common[kind]


def _resemble(one: frozenset[int], other: frozenset[int]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)
