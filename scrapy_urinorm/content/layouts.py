"""Which layouts pages have whose addresses differ in this and in that: articles, forms, lists of files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PAGES, MAX_LAYOUTS = 50, 64
"""Pages of a layout whose slots are counted, and differences of addresses that have one, the first ones."""
COMMON = 0.8
"""The share of its pages on which a slot stands that belongs to a layout; as of a site and its frame."""
ALIKE = 0.25
"""The share of the slots of two layouts that both have, below which they are two. Chosen: of a recorded wiki's
articles, forms and lists of files no two have over 0.07, products of one shop have nearly all in common."""


class Layouts:
    """The slots outside the frame that pages have, by in what their addresses differ."""

    def __init__(self) -> None:
        self._pages: Counter[frozenset[str]] = Counter()
        self._slots: dict[frozenset[str], Counter[int]] = {}
        self._common: dict[frozenset[str], frozenset[int]] = {}

    def add(self, kind: frozenset[str], slots: Iterable[int]) -> None:
        """Note a page whose address differs so from that of another one with its text."""
        if self._pages[kind] < MAX_PAGES and (kind in self._slots or len(self._slots) < MAX_LAYOUTS):
            self._pages[kind] += 1
            self._slots.setdefault(kind, Counter()).update(set(slots))

    def are_two(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Whether pages of two differences have different layouts."""
        mine, others = self._of(one), self._of(other)
        return len(mine & others) < ALIKE * len(mine | others)

    def _of(self, kind: frozenset[str]) -> frozenset[int]:
        if kind not in self._common:
            counted = self._slots.get(kind, Counter[int]()).items()
            self._common[kind] = frozenset(slot for slot, n in counted if n >= COMMON * self._pages[kind])
        return self._common[kind]
