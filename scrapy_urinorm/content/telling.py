"""Short lines that tell pages apart: names, numbers and prices of products whose text is that of a whole series.

They stand on nearly every page of a shop, as what belongs to the frame of a site does. What such a line says is said
with one text; what a form to log in says of the page that it is opened from is said there, too, with the page's own.
A counter of visitors says another number each time, whatever tells two addresses of one page apart; the numbers of
products go by what names them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING

from scrapy_urinorm.content.differences import MAX_KINDS, difference, independent, without_values

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXTS = 3
"""Texts of a slot beside one and the same rest of a page: an article has two where it is shown for printing; chosen."""
CASES, SHARE = 20, 0.8
"""Such cases, and the share of them in which the text is said with that rest alone, from which a slot tells pages
apart. Chosen on made-up shops and a wiki."""
MAX_CASES = 20_000
"""Cases of a slot that are remembered, the first ones: 5 MB."""
AGAIN = 0.01
"""The share of a slot's pages from which it is no accident that a text comes again with its rest; chosen. What a
counter says never does."""
KINDS = 4
"""Differences between addresses with nothing in common, with each of which what never comes again has changed: it is a
counter. A variant is named by its colour, its size and its material; chosen."""
_MASK = 0xFFFF_FFFF_FFFF_FFFF
"""Sums of hashes are hashes of 64 bits, too."""


class _Slot:
    """What was seen in one slot: its texts by what else the page says, and in what the addresses of one rest differ."""

    def __init__(self) -> None:
        self.cases: set[tuple[int, int]] = set()
        self.count = 0
        self.kinds: set[frozenset[str]] = set()


def telling(pages: Iterable[tuple[str, bytes]], frame: frozenset[int], watched: frozenset[int]) -> frozenset[int]:
    """Return those of the `watched` slots that tell pages apart; `pages` are addresses with their slots and texts, the
    rest of a page is what is not in the `frame`.
    """
    rests: dict[tuple[int, int], int | None] = {}
    firsts: dict[int, str] = {}
    seen = {slot: _Slot() for slot in watched}
    for url, lines in pages:
        hashes = array("Q", lines)
        slots, texts = hashes[0::2], hashes[1::2]
        rest = sum(compress(texts, [slot not in frame for slot in slots])) & _MASK
        first = firsts.setdefault(rest, url) if len(firsts) < MAX_CASES else firsts.get(rest, url)
        kind = None
        for slot, text in compress(zip(slots, texts, strict=True), [slot in watched for slot in slots]):
            found = seen[slot]
            if len(found.cases) >= MAX_CASES:
                continue
            found.count += 1
            found.cases.add((rest, text))
            if rests.setdefault((slot, text), rest) != rest:
                rests[slot, text] = None
            if first is not url and len(found.kinds) < MAX_KINDS:
                kind = kind or without_values(difference(first, url), first, url)
                found.kinds.add(kind)
    return frozenset(slot for slot, found in seen.items() if _tells(slot, found, rests) and not _counts(found))


def _tells(slot: int, found: _Slot, rests: dict[tuple[int, int], int | None]) -> bool:
    several = Counter(rest for rest, _ in found.cases)
    alone = [rests[slot, text] is not None for rest, text in found.cases if several[rest] >= TEXTS]
    return len(alone) >= CASES and sum(alone) >= SHARE * len(alone)


def _counts(found: _Slot) -> bool:
    return found.count - len(found.cases) < AGAIN * found.count and independent(found.kinds) >= KINDS
