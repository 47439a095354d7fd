"""Cells that tell pages apart together: marks, prices, what is free and what is booked, beside the text of the page.

Each says what others say, and few things, as what belongs to the frame of a site does. What an address asks for by a
word (`sort=price`) a heading may echo, the same on each page: no cell of theirs. And what varies with this and with
that, or from one visit of an address to the next in one crawl, is a clock, a counter, or an advertisement.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from re import compile as regex
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content.differences import Change, Changes, difference, without_values
from scrapy_urinorm.content.noise import Again

if TYPE_CHECKING:
    from array import array

    from scrapy_urinorm.content.differences import Linked
    from scrapy_urinorm.content.layouts import Layouts

CASES, RESTS = 3, 5
"""Pages on which a slot says something else than the first one of the same rest, from which it is looked at, and rests
whose pages say several things. Chosen: of a random quarter of three hundred pages rules were learned from so few."""
VARIES = 0.8
"""Share of the rests with several pages on which the cells are not always the same; chosen: two dozen cells of yes and
no are hardly ever, while a line that some page has more is of few."""
RESTS_OF_ONE = 3
"""Such rests of cells that vary with one parameter alone, however many others it leaves alone: it may be what it asks
for. Chosen: of a third of 240 courses three have other credits in the next term. Five were asked for, and a fifth of
all rests: a price of one size that one good in eight has was lost by that, and of eight recorded applications none
takes a request more without it, under what 10, 15 and 25 % of its crawl teach, a random quarter, and all."""
ECHO_OF_ONE = 0.75
"""And from which such a slot echoes items of addresses. Chosen: of yes and no half are what they were, of copies that a
branch of a library has, one or none, 73 in a hundred, of a recorded repository's names of files 83."""
ECHOES = 0.45
"""Share of the pages with items that have changed it on which a slot must say something else than without them to echo
these: one that does so says what is asked for wherever it is asked. Chosen: half of a menu's entries may be those of
the page itself; of courses one in three has other credits in the next term, and there are six credits or five."""
ECHO = 0.95
"""Share of the pages with equal items in their addresses that say the same, from which a slot echoes these. Chosen: of
twelve months at least one is booked where any is."""
PAGES_ALIKE, CELLS, DISTINCT = 20, 4, 0.8
"""Pages with one rest, cells, and the share of these pages that say what no other of them does in the cells together,
from which one rest is enough: a site of nothing but the plans of one hall by day. Chosen: a counter is one cell, and
fewer pages are those of a quarter of a small site."""
KINDS = 4
"""Differences between addresses with nothing in common, never asked for together, with each of which a slot has
changed: it is a counter, or advertisements. As of a slot alone, a variant is named by its colour, its size and its
material; chosen."""
MAX_ECHOES = 200_000
"""Texts that are remembered by what the address asks for, the first ones: 20 MB; and as many changes by that."""
_items = regex("[^/?&#]+").findall


class Cells(NamedTuple):
    """What a page says in the slots that are looked at, by the hash of what else it says."""

    url: str
    rest: int
    crawl: str | None
    slots: array[int]
    texts: array[int]


class _Compared:
    """How slots vary where the rest of a page does not."""

    def __init__(self, linked: Linked | None, layouts: Layouts) -> None:
        self._layouts = layouts
        self.groups = 0
        self.differ: Counter[int] = Counter()
        self.changes: defaultdict[int, Changes] = defaultdict(lambda: Changes(linked))
        self._again = Again()
        self._echoes: dict[int, int] = {}
        self._asked: Counter[int] = Counter()
        self._pairs: list[tuple[Cells, Cells, int]] = []
        self._changed_by: defaultdict[int, set[int]] = defaultdict(set)
        self._noted = 0
        self._echoed: Counter[int] = Counter()

    def compare(self, first: Cells, others: Sequence[Cells], watched: frozenset[int]) -> None:
        """Note in what pages with one rest differ from the first of them."""
        self.groups += 1
        known = _said(first, watched)
        varying: set[int] = set()
        items = frozenset(_items(first.url))
        for page in others:
            said = _said(page, watched)
            kind = without_values(difference(first.url, page.url), first.url, page.url)
            change = Change(first.url, page.url, kind)
            changed = {slot: (known[slot], text) for slot, text in said.items() if known.get(slot, text) != text}
            asked = hash(frozenset(_items(page.url)) - items)
            self._pairs.append((first, page, asked))
            if not kind:
                self._again.add(said.keys() & known.keys(), changed)
            for slot in changed:
                varying.add(slot)
                self.differ[slot] += 1
                self.changes[slot].add(first.rest, change)
                if self._noted < MAX_ECHOES:
                    self._noted += 1
                    self._changed_by[slot].add(asked)
        if varying:
            # of a rest once: that its pages say the same is no word of what they ask for
            once = {asked: page for _, page, asked in self._pairs[-len(others) :]}
            for asked, page in once.items():
                self._note_echoes(asked, _said(page, varying))

    def _note_echoes(self, asked: int, said: dict[int, int]) -> None:
        for slot, text in said.items():
            known = self._echoes.get(key := hash((slot, asked)))
            if known is not None:
                self._asked[slot] += 1
                self._echoed[slot] += known == text
            elif len(self._echoes) < MAX_ECHOES:
                self._echoes[key] = text

    def may_tell(self, slot: int) -> bool:
        """Whether a slot varies often enough, with what an address asks for, and not by what it asks for alone."""
        if self.differ[slot] < CASES:
            return False
        if self.changes[slot].count(KINDS, self._layouts) and self._layouts.have({slot}):
            return False
        if self._again.show(slot, self.groups):
            return False
        return not self._echoes_items(slot, ECHO)

    def may_tell_few(self, slot: int) -> bool:
        """Whether one that may tell pages apart varies with one parameter alone, and does not echo it by and large."""
        return self.changes[slot].independent() < 2 and not self._echoes_items(slot, ECHO_OF_ONE)

    def _echoes_items(self, slot: int, share: float) -> bool:
        if self._asked[slot] < CASES or self._echoed[slot] < share * self._asked[slot]:
            return False
        return self.differ[slot] >= ECHOES * self._looked_at[slot]

    @cached_property
    def _looked_at(self) -> Counter[int]:
        """On how many pages a slot was compared that ask for what has changed it."""
        found: Counter[int] = Counter()
        for one, other, asked in self._pairs:
            there = self._changed_by.keys() & one.slots
            found.update([slot for slot in other.slots if slot in there and asked in self._changed_by[slot]])
        return found


def telling_cells(
    pages: Iterable[Cells], watched: frozenset[int], linked: Linked | None, layouts: Layouts
) -> frozenset[int]:
    """Return those of the watched slots that tell pages with one rest apart together."""
    by_rest: defaultdict[tuple[int, str | None], list[Cells]] = defaultdict(list)
    for page in pages:
        by_rest[page.rest, page.crawl].append(page)
    several = [of_one for of_one in by_rest.values() if len(of_one) > 1]
    seen = _Compared(linked, layouts)
    for first, *others in several:
        seen.compare(first, others, watched)
    slots = frozenset(slot for slot in seen.differ if seen.may_tell(slot))
    if _varied(several, slots) >= max(RESTS, VARIES * len(several)):
        return slots
    of_one = frozenset(slot for slot in slots if seen.may_tell_few(slot))
    if _varied(several, of_one) >= RESTS_OF_ONE:
        return of_one
    return of_one if len(of_one) >= CELLS and any(_are_distinct(pages, of_one) for pages in several) else frozenset()


def _varied(several: Iterable[Iterable[Cells]], slots: frozenset[int]) -> int:
    """On how many rests pages do not all say the same in these slots."""
    return sum(len({hash(tuple(_said(page, slots).items())) for page in of_one}) > 1 for of_one in several)


def _are_distinct(pages: Sequence[Cells], slots: frozenset[int]) -> bool:
    """Whether pages with one rest, many enough, nearly all say other things in these slots together."""
    said = {tuple(_said(page, slots).items()) for page in pages}
    return len(pages) >= PAGES_ALIKE and len(said) >= DISTINCT * len(pages)


def _said(page: Cells, slots: AbstractSet[int]) -> dict[int, int]:
    return {slot: text for slot, text in zip(page.slots, page.texts, strict=True) if slot in slots}
