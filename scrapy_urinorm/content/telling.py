"""Short lines that tell pages apart: names, numbers and prices of products whose text is that of a whole series.

They stand on nearly every page of a shop, as what belongs to the frame of a site does. What such a line says is said
with one text; what a form to log in says of the page that it is opened from is said there, too, with the page's own.
A counter of visitors says another number each time, whatever tells two addresses of one page apart; the numbers of
products go by what names them, and that is chosen together, or on pages of its own. What the visitor has seen is
another each time on articles and on forms, whose parameters have nothing in common. And it is counted on all pages.

Several may tell pages apart only together: hour, minute and price of a departure come again with others, all three of
them hardly ever.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from scrapy_urinorm.content.cells import KINDS, Cells, telling_cells
from scrapy_urinorm.content.differences import Change, Changes, difference, without_values
from scrapy_urinorm.content.layouts import Layouts

if TYPE_CHECKING:
    from scrapy_urinorm.content.differences import Linked

TEXTS = 2
"""Texts of a slot beside one and the same rest of a page, from which it may tell pages apart: a book is printed, or a
file."""
CASES, SHARE = 20, 0.8
"""Such cases, and the share of them in which the text is said with that rest alone, from which a slot tells pages
apart. Chosen on made-up shops and a wiki."""
MAX_CASES = 20_000
"""Cases of a slot, and pages, that are remembered, the first ones: 5 MB, and 20 MB."""
MAX_KEPT = 64 * MAX_CASES
"""Texts of those pages that are, 20 MB: a table has hundreds of cells."""
MAX_SETS = 16
"""Sets of slots that vary together which are looked at, those of the most cases; chosen."""
AGAIN = 0.01
"""The share of a slot's pages from which it is no accident that a text comes again with its rest; chosen. What a
counter says never does."""
_MASK = 0xFFFF_FFFF_FFFF_FFFF
"""Sums of hashes are hashes of 64 bits, too."""
_MIX = 0x9E3779B97F4A7C15
"""2^64 by the golden ratio: Fibonacci hashing (Knuth 6.4)."""


class _Slot:
    """What was seen in one slot: its texts by what else the page says, and in what the addresses of one rest differ."""

    def __init__(self, linked: Linked | None) -> None:
        self.cases: set[tuple[int, int]] = set()
        self.count = 0
        self.changes = Changes(linked)
        self.rests: dict[int, int | None] = {}

    def add(self, rest: int, text: int, change: Change | None) -> None:
        """Note a text; `change` is how its address differs from the first one of that rest, None for the first."""
        if len(self.cases) < MAX_CASES:
            self.count += 1
            self.cases.add((rest, text))
            if change is not None:
                self.changes.add(rest, change)
            if self.rests.setdefault(text, rest) != rest:
                self.rests[text] = None

    def tells(self, layouts: Layouts, slots: frozenset[int]) -> bool:
        """Whether nearly each text of a rest with several is said with that alone, and these slots are no counter.

        What is said with very many rests ("no entries") is no text of any of them.
        """
        several, often = Counter(rest for rest, _ in self.cases), Counter(text for _, text in self.cases)
        said = [text for rest, text in self.cases if several[rest] >= TEXTS and often[text] < CASES]
        alone = [self.rests[text] is not None for text in said]
        return len(alone) >= CASES and sum(alone) >= SHARE * len(alone) and not self._counts(layouts, slots)

    def _counts(self, layouts: Layouts, slots: frozenset[int]) -> bool:
        if self.count - len(self.cases) >= AGAIN * self.count:
            return False
        return self.changes.count(KINDS, layouts) and layouts.have(slots)


def telling(
    pages: Iterable[tuple[str, bytes, str | None]],
    frame: frozenset[int],
    single: frozenset[int],
    cells: frozenset[int],
    linked: Linked | None,
) -> frozenset[int]:
    """Return those of the `single` slots that tell pages apart, each or some together, and those of the `cells` that do
    together; `pages` are addresses with their slots and texts, and their crawls, the rest of a page is what is not in
    the `frame`.
    """
    seen = {slot: _Slot(linked) for slot in single}
    kinds, layouts = _Kinds(), Layouts()
    kept: list[Cells] = []
    room = MAX_KEPT
    for url, lines, crawl in pages:
        hashes = array("Q", lines)
        slots, texts = hashes[0::2], hashes[1::2]
        outside = [slot not in frame for slot in slots]
        rest = sum(compress(texts, outside)) & _MASK
        if (change := kinds.of(url, rest)) is not None:
            layouts.add(change.kind, compress(slots, outside))
        said: dict[int, int] = {}
        for slot, text in zip(slots, texts, strict=True):
            if slot in cells:
                # of a cell with two lines both count, and which is the first
                said[slot] = (said.get(slot, 0) * _MIX + text) & _MASK
        layouts.see(url, rest, said.keys(), compress(slots, outside))
        for slot, text in said.items():
            if slot in seen:
                seen[slot].add(rest, text, change)
        if len(kept) < MAX_CASES and room > 0:
            kept.append(Cells(url, rest, crawl, array("Q", said.keys()), array("Q", said.values())))
            room -= len(said)
    alone = frozenset(slot for slot, found in seen.items() if found.tells(layouts, frozenset((slot,))))
    found = alone | _together(_beside(kept, alone), single - alone, linked, layouts)
    return found | telling_cells(_beside(kept, found), cells - found, linked, layouts)


def _beside(pages: Iterable[Cells], found: frozenset[int]) -> list[Cells]:
    """Return what pages say where the texts of these slots belong to their rest."""
    return [
        page._replace(rest=(page.rest + sum(compress(page.texts, [slot in found for slot in page.slots]))) & _MASK)
        for page in pages
    ]


class _Kinds:
    """In what the addresses of one rest differ from the first that was seen of it."""

    def __init__(self) -> None:
        self._firsts: dict[int, str] = {}

    def of(self, url: str, rest: int) -> Change | None:
        """Return how an address differs from the first one of a rest, None for that itself."""
        first = self._firsts.get(rest)
        if first is None:
            if len(self._firsts) < MAX_CASES:
                self._firsts[rest] = url
            return None
        return Change(first, url, without_values(difference(first, url), first, url))


def _together(
    pages: Sequence[Cells], watched: frozenset[int], linked: Linked | None, layouts: Layouts
) -> frozenset[int]:
    """Return the slots that tell pages apart with others of those watched."""
    first: dict[tuple[int, int], int] = {}
    varying: dict[int, set[int]] = defaultdict(set)
    for page in pages:
        for slot, text in zip(page.slots, page.texts, strict=True):
            if slot in watched and first.setdefault((page.rest, slot), text) != text:
                varying[page.rest].add(slot)
    sets = {rest: frozenset(slots) for rest, slots in varying.items() if len(slots) > 1}
    found: set[int] = set()
    for slots, _ in Counter(sets.values()).most_common(MAX_SETS):
        joint, kinds = _Slot(linked), _Kinds()
        for page in pages:
            text = sum(compress(page.texts, [slot in slots for slot in page.slots])) & _MASK
            if sets.get(page.rest) == slots:
                joint.add(page.rest, text, kinds.of(page.url, page.rest))
            elif joint.rests.setdefault(text, page.rest) != page.rest:
                joint.rests[text] = None
        if joint.tells(layouts, slots):
            found |= slots
    return frozenset(found)
